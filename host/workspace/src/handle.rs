//! Opening by handle, and the policy for symbolic links.
//!
//! **Links are never followed**, wherever they lead, inside the root or out of it:
//!
//! | act | a link on the way | a link at the path |
//! |---|---|---|
//! | read, search, list below | refused as `symlink` | refused as `symlink` |
//! | list, walk | – | shown with the kind `symlink`, not entered; searches skip and count it |
//! | write, rename (either end), set-executable | refused as `symlink` | refused as `symlink` |
//! | delete | refused as `symlink` | removes the link itself, also one that dangles or leads outside; its target is not touched |
//!
//! A link can therefore not be turned into a file, nor the other way round, within one run. No folder is ever made through one.
//!
//! Nothing is opened before its kind is known: a FIFO would block, a device may act on being opened. Since a name can be
//! given to something else in between, the kind is checked again on the handle, and the open does not block either way.

use std::io;

use cap_fs_ext::{DirExt as _, FileTypeExt as _};
use cap_std::fs::{Dir, File, Metadata};

use crate::capability::EntryKind;
use crate::path::WorkspacePath;
use crate::walk::at;

/// Why something could not be reached by handle.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(WorkspacePath),
    /// A link at `at`, which is the path itself or a folder on the way.
    #[error("`{at}` is a symbolic link: links are not followed")]
    Symlink {
        /// The link.
        at: WorkspacePath,
    },
    /// Something else than is needed stands at `at`, which is the path itself or a folder on the way.
    #[error("`{at}` is {}", .kind.describe())]
    WrongKind {
        /// Where.
        at: WorkspacePath,
        /// What it is.
        kind: EntryKind,
    },
    /// The system would not.
    #[error("`{path}`: {error}")]
    Io {
        /// What was asked for; `.` for the root. Escaped.
        path: String,
        /// Its reason.
        error: io::Error,
    },
}

/// Opens a folder below `root` (`None`: the root itself, again), following no link on the way or at the end.
///
/// The handle is for going on from (on Linux it is an `O_PATH` one, which cannot be synced).
pub fn open_folder(root: &Dir, path: Option<&WorkspacePath>) -> Result<Dir, ReachError> {
    match path {
        None => root.open_dir(".").map_err(|error| ReachError::Io {
            path: ".".to_owned(),
            error,
        }),
        Some(path) => fast::open_folder(root, path.as_str()).map_or_else(|| step_by_step(root, path, path), Ok),
    }
}

/// Opens a regular file below `root` for reading, following no link and never blocking on a FIFO. The kind is checked on the handle.
pub fn open_file(root: &Dir, path: &WorkspacePath) -> Result<(File, Metadata), ReachError> {
    let parent = Parent::open(root, path)?;
    let before = parent.stat(path)?;
    refuse_other_than_file(&before, path)?;
    let file = at::open_file(parent.dir(), path.file_name()).map_err(|error| match parent.stat(path) {
        // It was a file a moment ago: say what took its place.
        Ok(now) => refuse_other_than_file(&now, path)
            .err()
            .unwrap_or_else(|| io_error(path, error)),
        Err(gone) => gone,
    })?;
    let metadata = file.metadata().map_err(|error| io_error(path, error))?;
    refuse_other_than_file(&metadata, path)?;
    Ok((file, metadata))
}

/// What stands at a path, the link itself for a link. `NotFound` when there is nothing.
pub fn stat(root: &Dir, path: &WorkspacePath) -> Result<Metadata, ReachError> {
    Parent::open(root, path)?.stat(path)
}

/// A link's target, as its text; and what the system says of the link. `WrongKind` for anything but a link.
pub fn read_link(root: &Dir, path: &WorkspacePath) -> Result<(Vec<u8>, Metadata), ReachError> {
    let parent = Parent::open(root, path)?;
    let metadata = parent.stat(path)?;
    let kind = kind_of(&metadata);
    if kind != EntryKind::Symlink {
        return Err(ReachError::WrongKind { at: path.clone(), kind });
    }
    let target = parent
        .dir()
        .read_link_contents(path.file_name())
        .map_err(|error| io_error(path, error))?;
    Ok((target.into_os_string().into_encoded_bytes(), metadata))
}

/// The kind of what metadata (taken without following links) describes.
pub fn kind_of(metadata: &Metadata) -> EntryKind {
    kind_of_type(metadata.file_type())
}

/// The kind that a folder's listing gives for an entry, without a look at the entry itself. `Unknown` on file systems that do not tell.
pub fn kind_of_type(file_type: cap_std::fs::FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else if file_type.is_symlink() {
        EntryKind::Symlink
    } else if file_type.is_fifo() {
        EntryKind::Fifo
    } else if file_type.is_socket() {
        EntryKind::Socket
    } else if file_type.is_block_device() {
        EntryKind::BlockDevice
    } else if file_type.is_char_device() {
        EntryKind::CharDevice
    } else {
        EntryKind::Unknown
    }
}

/// The folder that a path stands in: the root, borrowed, or a folder opened for it.
enum Parent<'a> {
    Root(&'a Dir),
    Folder(Dir),
}

impl<'a> Parent<'a> {
    fn open(root: &'a Dir, path: &WorkspacePath) -> Result<Self, ReachError> {
        let Some((parent, _)) = path.as_str().rsplit_once('/') else {
            return Ok(Self::Root(root));
        };
        if let Some(dir) = fast::open_folder(root, parent) {
            return Ok(Self::Folder(dir));
        }
        match path.parent() {
            Some(parent) => step_by_step(root, &parent, path).map(Self::Folder),
            None => Ok(Self::Root(root)),
        }
    }

    fn dir(&self) -> &Dir {
        match self {
            Self::Root(dir) => dir,
            Self::Folder(dir) => dir,
        }
    }

    fn stat(&self, path: &WorkspacePath) -> Result<Metadata, ReachError> {
        self.dir()
            .symlink_metadata(path.file_name())
            .map_err(|error| not_found_or_io(path, error))
    }
}

/// Opens a folder component by component. The slow way, for systems without the fast one, and the one that can say what is
/// in the way: each component is looked at before it is opened.
fn step_by_step(root: &Dir, folder: &WorkspacePath, asked: &WorkspacePath) -> Result<Dir, ReachError> {
    let mut dir: Option<Dir> = None;
    let steps = folder.ancestors().chain(std::iter::once(folder.clone()));
    for step in steps {
        let here = dir.as_ref().unwrap_or(root);
        let name = step.file_name();
        let metadata = here
            .symlink_metadata(name)
            .map_err(|error| not_found_or_io(asked, error))?;
        match kind_of(&metadata) {
            EntryKind::Directory => {}
            EntryKind::Symlink => return Err(ReachError::Symlink { at: step }),
            kind => return Err(ReachError::WrongKind { at: step, kind }),
        }
        // A link that takes the folder's place in this moment is not followed either: the open fails.
        let next = here.open_dir_nofollow(name).map_err(|error| {
            let is_link = here.symlink_metadata(name).is_ok_and(|now| now.is_symlink());
            // It may have been there for that moment only: then the error alone tells.
            let was_link = error.kind() == io::ErrorKind::NotADirectory;
            if is_link || was_link {
                ReachError::Symlink { at: step.clone() }
            } else {
                not_found_or_io(asked, error)
            }
        })?;
        dir = Some(next);
    }
    dir.ok_or_else(|| ReachError::NotFound(asked.clone()))
}

#[cfg(target_os = "linux")]
mod fast {
    //! One system call for a whole path: `openat2` that resolves beneath the root and through no link.

    use cap_std::fs::Dir;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    /// `None` when it does not succeed, for whatever reason: the slow way finds out why.
    pub(super) fn open_folder(root: &Dir, path: &str) -> Option<Dir> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let fd = openat2(root, path, flags, Mode::empty(), resolve).ok()?;
        Some(Dir::from_std_file(std::fs::File::from(fd)))
    }
}

#[cfg(not(target_os = "linux"))]
mod fast {
    use cap_std::fs::Dir;

    pub(super) fn open_folder(_: &Dir, _: &str) -> Option<Dir> {
        None
    }
}

fn refuse_other_than_file(metadata: &Metadata, path: &WorkspacePath) -> Result<(), ReachError> {
    match kind_of(metadata) {
        EntryKind::File => Ok(()),
        EntryKind::Symlink => Err(ReachError::Symlink { at: path.clone() }),
        kind => Err(ReachError::WrongKind { at: path.clone(), kind }),
    }
}

fn not_found_or_io(path: &WorkspacePath, error: io::Error) -> ReachError {
    match error.kind() {
        io::ErrorKind::NotFound => ReachError::NotFound(path.clone()),
        _ => io_error(path, error),
    }
}

fn io_error(path: &WorkspacePath, error: io::Error) -> ReachError {
    ReachError::Io {
        path: path.to_string(),
        error,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folder.
mod tests {
    use super::*;
    use crate::seen::Stat;

    /// The way for systems without `openat2` leads to the same folders, and names what is in the way.
    #[cfg(unix)]
    #[test]
    fn step_by_step_is_as_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let root = crate::ambient::open_root(folder.path()).unwrap();
        let root = root.dir();
        std::fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        std::fs::write(folder.path().join("a/f"), "").unwrap();
        std::os::unix::fs::symlink("b", folder.path().join("a/in")).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("a/out")).unwrap();
        let path = |given: &str| WorkspacePath::parse(given).unwrap();
        for given in ["a", "a/b", "a/b/c"] {
            let slow = step_by_step(root, &path(given), &path(given)).unwrap();
            let inode = |dir: Dir| Stat::of(&dir.dir_metadata().unwrap()).inode;
            let expected = inode(open_folder(root, Some(&path(given))).unwrap());
            assert_eq!(inode(slow), expected, "{given}");
        }
        for (given, expected) in [
            ("a/in", "`a/in` is a symbolic link: links are not followed"),
            ("a/in/c", "`a/in` is a symbolic link: links are not followed"),
            ("a/out/etc", "`a/out` is a symbolic link: links are not followed"),
            ("a/f", "`a/f` is a file"),
            ("a/f/x", "`a/f` is a file"),
            ("a/x/y", "`a/x/y` is not there"),
        ] {
            let slow = step_by_step(root, &path(given), &path(given)).unwrap_err();
            assert_eq!(slow.to_string(), expected);
            let fast = open_folder(root, Some(&path(given))).unwrap_err();
            assert_eq!(fast.to_string(), expected);
        }
        open_folder(root, None).unwrap();
    }
}
