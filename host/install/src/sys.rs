//! What the file system does for an install, in an open folder and by single names. No link is followed.

use std::io::{self, Read as _, Write as _};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, DirBuilder, File, Metadata, OpenOptions};

/// What stands at a name, the link itself for a link.
pub(crate) fn look(dir: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens for reading; waits for nothing, whatever it is.
pub(crate) fn open(dir: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    if cfg!(unix) {
        options.nonblock(true);
    }
    dir.open_with(name, &options)
}

/// Opens a lock, and makes it for the owner only when it is missing.
pub(crate) fn open_lock(dir: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).follow(FollowSymlinks::No);
    if cfg!(unix) {
        options.nonblock(true);
    }
    private(&mut options);
    dir.open_with(name, &options)
}

/// At most one byte more than `limit`.
pub(crate) fn read(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file that was not there, for the owner only, and brings it to the disk.
pub(crate) fn write_new(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    private(&mut options);
    let mut file = dir.open_with(name, &options)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Makes a folder for the owner only, unless something stands there.
pub(crate) fn make_folder(dir: &Dir, name: &str) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are Unix's"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match dir.create_dir_with(name, &builder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Opens a folder.
pub(crate) fn open_folder(dir: &Dir, name: &str) -> io::Result<Dir> {
    dir.open_dir_nofollow(name)
}

/// Gives a file another name, unless something stands there (`AlreadyExists`). Under a lock that everybody takes who writes there.
pub(crate) fn rename_new(dir: &Dir, old: &str, new: &str) -> io::Result<()> {
    match rename_no_replace(dir, old, new) {
        // EINVAL is how Linux file systems refuse a flag of `renameat2`.
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            match look(dir, new)? {
                Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
                None => dir.rename(old, dir, new),
            }
        }
        done => done,
    }
}

#[cfg(target_os = "linux")]
fn rename_no_replace(dir: &Dir, old: &str, new: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    Ok(renameat_with(dir, old, dir, new, RenameFlags::NOREPLACE)?)
}

#[cfg(not(target_os = "linux"))]
fn rename_no_replace(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file another name, in the place of what stands there (a link itself, not what it leads to).
pub(crate) fn rename_over(dir: &Dir, old: &str, new: &str) -> io::Result<()> {
    dir.rename(old, dir, new)
}

/// Brings a folder's names to the disk.
pub(crate) fn sync_folder(dir: &Dir) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags, fsync, openat};
        // A handle that only leads on cannot be synced.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fsync(openat(dir, ".", flags, Mode::empty())?)?;
    }
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Who owns something and who else may write to it: owner, and permission bits. None on systems without.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "other systems have none"))]
pub(crate) fn owner_and_mode(metadata: &Metadata) -> Option<(u32, u32)> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        Some((metadata.uid(), metadata.mode() & 0o7777))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Who runs this.
pub(crate) fn user() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        0
    }
}
