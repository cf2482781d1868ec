//! Entries of a folder by names of any bytes, as hostile code may have made them: listed, looked at and opened by one step from a handle.
//!
//! No link is followed, no FIFO waited for and no device opened. Paths are kept as the system spells them, with `/` between the names.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File};

use crate::capability::EntryKind;
use crate::seen::Stat;

/// Down to this depth a folder that waits keeps its parent open; below it, it is found again from the root, so that a tree built like a comb does
/// not use up the handles of the process.
pub(super) const HELD_OPEN: usize = 24;

/// What the system says of an entry, itself and not what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) kind: EntryKind,
    pub(super) stat: Stat,
    /// A character device 0:0: what an upper layer has in place of what it hides.
    pub(super) whiteout: bool,
}

impl Look {
    pub(super) fn is_folder(&self) -> bool {
        self.kind == EntryKind::Directory
    }

    pub(super) fn mode(&self) -> u32 {
        self.stat.mode & 0o7777
    }
}

/// The path of an entry: `name` in `folder` (empty for the root).
pub(super) fn join(folder: &OsStr, name: &OsStr) -> OsString {
    let mut path = OsString::with_capacity(folder.len() + 1 + name.len());
    if !folder.is_empty() {
        path.push(folder);
        path.push("/");
    }
    path.push(name);
    path
}

/// What stands there; `None` for nothing.
pub(super) fn look(folder: &Dir, name: &OsStr) -> io::Result<Option<Look>> {
    match system::look(folder, name) {
        Ok(look) => Ok(Some(look)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A folder below another by its path, through no link.
pub(super) fn open_below(root: &Dir, path: &OsStr) -> io::Result<Dir> {
    system::open_below(root, path)
}

/// The entry that is a folder, for listing and for going on from.
pub(super) fn open_folder(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
    system::open_folder(folder, name)
}

/// The same folder once more, for listing.
pub(super) fn reopen(folder: &Dir) -> io::Result<Dir> {
    system::open_folder(folder, OsStr::new("."))
}

/// Whether opening failed since there is no folder: gone since its name was read, or something else by now.
pub(super) fn is_no_folder(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return true;
    }
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What should be a file, for reading.
pub(super) fn open_file(folder: &Dir, name: &OsStr) -> io::Result<File> {
    system::open_file(folder, name)
}

/// Gives each entry to `take` until it says `false`. The folder was opened by this module and not listed before.
pub(super) fn list(folder: &Dir, take: impl FnMut(&OsStr, EntryKind) -> bool) -> io::Result<()> {
    system::list(folder, take)
}

/// Whether an upper layer's folder hides all that the lower layer has in it.
pub(super) fn is_opaque(folder: &Dir) -> bool {
    system::is_opaque(folder)
}

/// A link's text.
pub(super) fn link_text(folder: &Dir, name: &OsStr) -> io::Result<OsString> {
    folder
        .read_link_contents(Path::new(name))
        .map(std::path::PathBuf::into_os_string)
}

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, fgetxattr, openat, openat2, statat};

    use super::{Dir, EntryKind, File, Look, OsStr, Stat, io};
    use crate::seen::Stamp;

    const BUFFER: usize = 32 * 1024;
    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    fn kind(file_type: FileType) -> EntryKind {
        match file_type {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => EntryKind::Symlink,
            FileType::Fifo => EntryKind::Fifo,
            FileType::Socket => EntryKind::Socket,
            FileType::BlockDevice => EntryKind::BlockDevice,
            FileType::CharacterDevice => EntryKind::CharDevice,
            FileType::Unknown => EntryKind::Unknown,
        }
    }

    #[expect(
        clippy::allow_attributes,
        reason = "the fields' widths differ between systems: on some a conversion does nothing"
    )]
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        clippy::cast_sign_loss
    )]
    pub(super) fn look(folder: &Dir, name: &OsStr) -> io::Result<Look> {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = kind(FileType::from_raw_mode(stat.st_mode));
        let stamp = |seconds, nanoseconds: u64| Stamp {
            seconds,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        };
        Ok(Look {
            kind,
            whiteout: kind == EntryKind::CharDevice && stat.st_rdev == 0,
            stat: Stat {
                device: stat.st_dev,
                inode: stat.st_ino,
                size: u64::try_from(stat.st_size).unwrap_or(0),
                mtime: stamp(stat.st_mtime, stat.st_mtime_nsec as u64),
                ctime: stamp(stat.st_ctime, stat.st_ctime_nsec as u64),
                mode: stat.st_mode,
                links: u64::from(stat.st_nlink),
            },
        })
    }

    pub(super) fn open_folder(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
        let fd = openat(folder, name, FOLDER, Mode::empty())?;
        Ok(Dir::from_std_file(std::fs::File::from(fd)))
    }

    pub(super) fn open_below(root: &Dir, path: &OsStr) -> io::Result<Dir> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let fd = openat2(root, path, FOLDER, Mode::empty(), resolve)?;
        Ok(Dir::from_std_file(std::fs::File::from(fd)))
    }

    pub(super) fn open_file(folder: &Dir, name: &OsStr) -> io::Result<File> {
        let fd = openat(folder, name, FILE, Mode::empty())?;
        Ok(File::from_std(std::fs::File::from(fd)))
    }

    pub(super) fn list(folder: &Dir, mut take: impl FnMut(&OsStr, EntryKind) -> bool) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut entries = RawDir::new(folder, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if !take(OsStr::from_bytes(name.to_bytes()), kind(entry.file_type())) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn is_opaque(folder: &Dir) -> bool {
        let mut value = [0_u8; 1];
        fgetxattr(folder, super::OPAQUE, &mut value).is_ok_and(|length| length == 1 && value == *b"y")
    }
}

/// The attribute by which an upper layer's folder hides what lies below it, in layers that an ordinary user mounts (`userxattr`).
#[cfg(target_os = "linux")]
pub(super) const OPAQUE: &str = "user.overlay.opaque";

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
    use cap_std::fs::OpenOptions;

    use super::{Dir, EntryKind, File, Look, OsStr, Stat, io};
    use crate::handle;

    pub(super) fn look(folder: &Dir, name: &OsStr) -> io::Result<Look> {
        let metadata = folder.symlink_metadata(Path::new(name))?;
        Ok(Look {
            kind: handle::kind_of(&metadata),
            stat: Stat::of(&metadata),
            whiteout: false,
        })
    }

    pub(super) fn open_folder(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
        if name == "." {
            return folder.open_dir(".");
        }
        folder.open_dir_nofollow(Path::new(name))
    }

    pub(super) fn open_below(root: &Dir, path: &OsStr) -> io::Result<Dir> {
        let mut here = root.open_dir(".")?;
        for name in Path::new(path) {
            here = here.open_dir_nofollow(Path::new(name))?;
        }
        Ok(here)
    }

    pub(super) fn open_file(folder: &Dir, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        if cfg!(unix) {
            options.nonblock(true);
        }
        folder.open_with(Path::new(name), &options)
    }

    pub(super) fn list(folder: &Dir, mut take: impl FnMut(&OsStr, EntryKind) -> bool) -> io::Result<()> {
        for entry in folder.entries()? {
            let entry = entry?;
            let kind = entry.file_type().map_or(EntryKind::Unknown, handle::kind_of_type);
            if !take(&entry.file_name(), kind) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn is_opaque(_: &Dir) -> bool {
        false
    }
}
