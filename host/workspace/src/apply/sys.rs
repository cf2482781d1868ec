//! What the file system does for apply, all relative to open folders and by single names.
//!
//! Two operations are Linux's own: the exchange of two names, and a rename that refuses to replace. Where the kernel or the file
//! system lacks them, the first answers `Unsupported` (the caller then keeps a second name, see `exchange`), and the second is made
//! of a hard link and a removal.

use std::io;

use cap_fs_ext::{FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde::{Deserialize, Serialize};

use crate::capability::EntryKind;
use crate::handle::kind_of;

/// Which inode it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Id {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// What stands at a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) id: Id,
    pub(super) kind: EntryKind,
    /// Permission bits; 0 on systems without.
    pub(super) mode: u32,
    pub(super) links: u64,
    pub(super) size: u64,
}

impl Standing {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            id: Id {
                device: metadata.dev(),
                inode: metadata.ino(),
            },
            kind: kind_of(metadata),
            mode: permission_bits(metadata),
            links: metadata.nlink(),
            size: metadata.len(),
        }
    }
}

/// What stands at a name, the link itself for a link.
pub(super) fn look(dir: &Dir, name: &str) -> io::Result<Option<Standing>> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(Standing::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a file for reading, following no link and waiting for nothing.
pub(super) fn open(dir: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    if cfg!(unix) {
        options.nonblock(true);
    }
    dir.open_with(name, &options)
}

/// Makes a file that was not there. `mode` is narrowed by the umask (or by the folder's default access list).
pub(super) fn create(dir: &Dir, name: &str, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    dir.open_with(name, &options)
}

/// Makes a link that was not there, with whatever target it is to have: nothing follows it.
pub(super) fn make_link(dir: &Dir, name: &str, target: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        dir.symlink_contents(std::ffi::OsStr::from_bytes(target), name)
    }
    #[cfg(not(unix))]
    {
        let _ = (dir, name, target);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The permission bits, with set-user-id and the like.
pub(super) fn permission_bits(metadata: &Metadata) -> u32 {
    #[cfg(unix)]
    {
        use cap_std::fs::PermissionsExt as _;
        metadata.permissions().mode() & 0o7777
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        0
    }
}

/// Sets the permission bits of an open file. Nothing on systems without.
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::{Permissions, PermissionsExt as _};
        file.set_permissions(Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, mode);
        Ok(())
    }
}

/// Whether an operation failed because the kernel or the file system does not know it.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    // EINVAL is how Linux file systems refuse a flag of `renameat2`.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Exchanges what two names of one folder stand for, in one step.
#[cfg(target_os = "linux")]
pub(super) fn exchange(dir: &Dir, one: &str, other: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    Ok(renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file, link or folder another name, unless something stands there (`AlreadyExists`).
pub(super) fn rename_new(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    match rename_no_replace(from, old, to, new) {
        Err(error) if is_unsupported(&error) => rename_new_in_steps(from, old, to, new),
        done => done,
    }
}

#[cfg(target_os = "linux")]
fn rename_no_replace(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    Ok(renameat_with(from, old, to, new, RenameFlags::NOREPLACE)?)
}

#[cfg(not(target_os = "linux"))]
fn rename_no_replace(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A hard link refuses to replace, too. What cannot be linked (a folder; a file system without links) is looked at and renamed:
/// something that appears between the two is lost, which only a system without all three operations allows.
pub(super) fn rename_new_in_steps(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    match from.hard_link(old, to, new) {
        Ok(()) => from.remove_file(old),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if look(to, new)?.is_some() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => from.rename(old, to, new),
    }
}

/// Makes everything durable that was written on the file systems of these folders.
#[cfg(target_os = "linux")]
pub(super) fn sync_all<'a>(folders: impl Iterator<Item = &'a Dir>) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, openat, sync, syncfs};
    for dir in folders {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(dir, ".", flags, Mode::empty()) {
            Ok(readable) => syncfs(readable)?,
            // A folder that may be entered but not read: the whole system, then.
            Err(_) => sync(),
        }
    }
    Ok(())
}

/// Elsewhere each file is synced when it is written, and here the names in its folder.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_all<'a>(mut folders: impl Iterator<Item = &'a Dir>) -> io::Result<()> {
    folders.try_for_each(sync_folder)
}

/// Makes one file durable where [`sync_all`] does not reach its content.
pub(super) fn sync_file(file: &File) -> io::Result<()> {
    if cfg!(target_os = "linux") {
        Ok(())
    } else {
        file.sync_all()
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(dir: &Dir) -> io::Result<()> {
    if cfg!(unix) { dir.open(".")?.sync_all() } else { Ok(()) }
}
