//! The folder `.snodo` in a workspace: where the log is.

use std::io;

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _};
use rustix::fs::{Mode, OFlags, openat};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of;

/// Its name.
pub const FOLDER: &str = ".snodo";

/// Why there is no folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Something else stands there: a repository could bring a link that leads out of the workspace.
    #[error("`{FOLDER}` is {}, and must be a folder: look at what it is, and move it away", .kind.describe())]
    WrongKind {
        /// What it is.
        kind: EntryKind,
    },
    /// There is none, and it cannot be made.
    #[error("cannot make the folder `{FOLDER}`: {0}; the workspace must be writable, or the folder there")]
    Make(io::Error),
    /// The system would not.
    #[error("cannot open the folder `{FOLDER}`: {0}")]
    Open(io::Error),
}

/// Opens the folder in a workspace's root, and makes it (0755 less the umask, as snodo does) when it is missing. A link there is not followed.
pub fn open_or_make(root: &Dir) -> Result<Dir, FolderError> {
    if let Some(dir) = open(root)? {
        return Ok(dir);
    }
    let mut builder = DirBuilder::new();
    builder.mode(0o755);
    match root.create_dir_with(FOLDER, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(FolderError::Make(error)),
        _ => {}
    }
    open(root)?.ok_or_else(|| FolderError::Open(io::ErrorKind::NotFound.into()))
}

/// Opens the folder if there is one.
pub fn open(root: &Dir) -> Result<Option<Dir>, FolderError> {
    match root.symlink_metadata(FOLDER).map(|metadata| kind_of(&metadata)) {
        Ok(EntryKind::Directory) => {}
        Ok(kind) => return Err(FolderError::WrongKind { kind }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FolderError::Open(error)),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(root, FOLDER, flags, Mode::empty()) {
        Ok(dir) => Ok(Some(Dir::from_std_file(dir.into()))),
        // It was a folder a moment ago.
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => Err(FolderError::WrongKind {
            kind: EntryKind::Symlink,
        }),
        Err(error) => Err(FolderError::Open(error.into())),
    }
}
