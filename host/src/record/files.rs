//! Files of a record, by handle: made new or replaced whole, read within bounds, and never reached through a link.

use std::io::{self, Read as _, Write as _};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, File, OpenOptions, OpenOptionsExt as _};

/// A folder that is made if it is not there, for its owner only.
pub(super) fn folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    match make_folder(parent, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => parent.open_dir_nofollow(name),
    }
}

/// A folder that was not there.
pub(crate) fn make_folder(parent: &Dir, name: &str) -> io::Result<()> {
    parent.create_dir_with(name, DirBuilder::new().mode(0o700))
}

/// A file that was not there, for its owner only.
pub(super) fn write_new(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .follow(FollowSymlinks::No);
    dir.open_with(name, &options)?.write_all(bytes)
}

/// A file in place of the one that may be there: the old one whole, or the new one whole, and on the disk when this is through.
pub(crate) fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = format!("{name}.new");
    match dir.remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .follow(FollowSymlinks::No);
    let mut file = dir.open_with(&draft, &options)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    dir.rename(&draft, dir, name)?;
    sync_folder(dir)
}

/// Reads a regular file of at most `limit` bytes; none when there is none.
pub(crate) fn read(dir: &Dir, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((file, size)) = open(dir, name)? else {
        return Ok(None);
    };
    let too_large = || io::Error::other(format!("it has more than {limit} bytes"));
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(Some(bytes))
}

/// Opens a regular file, and says how large it is.
fn open(dir: &Dir, name: &str) -> io::Result<Option<(File, u64)>> {
    let mut options = OpenOptions::new();
    // A FIFO of that name must not make the host wait.
    options
        .read(true)
        .follow(FollowSymlinks::No)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = match dir.open_with(name, &options) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if dir.symlink_metadata(name).is_ok_and(|m| m.is_symlink()) => {
            tracing::debug!("`{name}`: {error}");
            return Err(io::Error::other("it is a link"));
        }
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok(Some((file, metadata.len())))
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(dir: &Dir) -> io::Result<()> {
    dir.open(".")?.sync_all()
}

/// Makes everything durable that was written where this folder is.
pub(super) fn sync_all(dir: &Dir) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        Ok(rustix::fs::syncfs(dir.open(".")?)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        for entry in dir.entries()? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                dir.open(entry.file_name())?.sync_all()?;
            }
        }
        sync_folder(dir)
    }
}

/// Bytes of everything below a folder, as far as it can be looked at.
pub(super) fn size_of(dir: &Dir) -> u64 {
    let Ok(entries) = dir.entries() else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => dir
                .open_dir_nofollow(entry.file_name())
                .map_or(0, |below| size_of(&below)),
            _ => entry.metadata().map_or(0, |metadata| metadata.len()),
        })
        .sum()
}
