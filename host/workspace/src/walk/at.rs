//! One step from an open folder: to an entry of it, by one name, following no link.
//!
//! A walk takes this step for each entry, so on Linux it is one plain `openat`. It needs no resolution beneath a root: a name
//! without `/` that is not `..` is an entry of this very folder and nothing else, whatever happens to the tree meanwhile.

use std::io;

use cap_std::fs::{Dir, File};

use crate::capability::EntryKind;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::{list, open_file, open_folder, reopen};
#[cfg(not(target_os = "linux"))]
pub(crate) use self::portable::{list, open_file, open_folder, reopen};

/// An entry as the system lists it.
pub(crate) struct Listed {
    /// `None`: not UTF-8.
    pub name: Option<String>,
    pub kind: EntryKind,
}

/// Refuses what is no single step.
fn check(name: &str) -> io::Result<()> {
    if name.is_empty()
        || name == "."
        || name == ".."
        || name.contains(['/', '\0'])
        || (cfg!(windows) && name.contains(['\\', ':']))
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of one entry"));
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::{FileType, Mode, OFlags, RawDir, openat};

    use super::{Dir, EntryKind, File, Listed, check, io};

    /// Bytes of entries that are taken at once.
    const BUFFER: usize = 32 * 1024;

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);
    // Not blocking: what was a file in the listing can be a FIFO by now.
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    /// Opens a folder for listing and for going on from.
    pub(crate) fn open_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
        check(name)?;
        let fd = openat(parent, name, FOLDER, Mode::empty())?;
        Ok(Dir::from_std_file(std::fs::File::from(fd)))
    }

    /// The same folder once more, for listing.
    pub(crate) fn reopen(folder: &Dir) -> io::Result<Dir> {
        let fd = openat(folder, ".", FOLDER, Mode::empty())?;
        Ok(Dir::from_std_file(std::fs::File::from(fd)))
    }

    /// Opens what should be a file for reading.
    pub(crate) fn open_file(parent: &Dir, name: &str) -> io::Result<File> {
        check(name)?;
        let fd = openat(parent, name, FILE, Mode::empty())?;
        Ok(File::from_std(std::fs::File::from(fd)))
    }

    /// Gives each entry to `take` until it says `false`. The folder was opened by this module and not listed before.
    pub(crate) fn list(folder: &Dir, mut take: impl FnMut(Listed) -> bool) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut entries = RawDir::new(folder, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Directory,
                FileType::Symlink => EntryKind::Symlink,
                FileType::Fifo => EntryKind::Fifo,
                FileType::Socket => EntryKind::Socket,
                FileType::BlockDevice => EntryKind::BlockDevice,
                FileType::CharacterDevice => EntryKind::CharDevice,
                FileType::Unknown => EntryKind::Unknown,
            };
            if !take(Listed {
                name: name.to_str().ok().map(str::to_owned),
                kind,
            }) {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(any(test, not(target_os = "linux")))]
mod portable {
    use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
    use cap_std::fs::OpenOptions;

    use super::{Dir, EntryKind, File, Listed, check, io};
    use crate::handle;

    /// Opens a folder for listing and for going on from.
    pub(crate) fn open_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
        check(name)?;
        parent.open_dir_nofollow(name)
    }

    /// The same folder once more, for listing.
    pub(crate) fn reopen(folder: &Dir) -> io::Result<Dir> {
        folder.open_dir(".")
    }

    /// Opens what should be a file for reading.
    pub(crate) fn open_file(parent: &Dir, name: &str) -> io::Result<File> {
        check(name)?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        if cfg!(unix) {
            // What was a file in the listing can be a FIFO by now.
            options.nonblock(true);
        }
        parent.open_with(name, &options)
    }

    /// Gives each entry to `take` until it says `false`.
    pub(crate) fn list(folder: &Dir, mut take: impl FnMut(Listed) -> bool) -> io::Result<()> {
        for entry in folder.entries()? {
            let entry = entry?;
            let kind = entry.file_type().map_or(EntryKind::Unknown, handle::kind_of_type);
            if !take(Listed {
                name: entry.file_name().into_string().ok(),
                kind,
            }) {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folder.
mod tests {
    use std::io::Read as _;

    use super::{Dir, linux, portable};

    /// What both ways say of a folder, an entry a line.
    fn told(
        list: impl Fn(&Dir, &mut dyn FnMut(super::Listed) -> bool) -> std::io::Result<()>,
        dir: &Dir,
    ) -> Vec<(Option<String>, super::EntryKind)> {
        let mut all = Vec::new();
        list(dir, &mut |entry| {
            all.push((entry.name, entry.kind));
            true
        })
        .unwrap();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    #[test]
    fn both_ways_do_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("d")).unwrap();
        std::fs::write(path("f"), "content").unwrap();
        std::os::unix::fs::symlink("f", path("to-f")).unwrap();
        std::os::unix::fs::symlink("d", path("to-d")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("p"),
            fifo,
            rustix::fs::Mode::from_raw_mode(0o644),
            0,
        )
        .unwrap();
        let root = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();

        let ours = told(|dir, take| linux::list(dir, take), &linux::reopen(&root).unwrap());
        assert_eq!(ours.len(), 5);
        assert_eq!(
            ours,
            told(|dir, take| portable::list(dir, take), &portable::reopen(&root).unwrap())
        );
        for name in ["d", "f", "to-f", "to-d", "none", "", ".", "..", "d/..", "../x", "a\0b"] {
            assert_eq!(linux::open_folder(&root, name).is_ok(), name == "d", "{name:?}");
            assert_eq!(portable::open_folder(&root, name).is_ok(), name == "d", "{name:?}");
        }
        for name in ["to-f", "to-d", "none", "", ".", "..", "d/../f"] {
            assert!(linux::open_file(&root, name).is_err(), "{name:?}");
            assert!(portable::open_file(&root, name).is_err(), "{name:?}");
        }
        for open in [linux::open_file, portable::open_file] {
            let mut text = String::new();
            open(&root, "f").unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "content");
            // A FIFO that nobody writes to does not hold anybody up.
            assert!(open(&root, "p").is_ok());
        }
    }
}
