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

use cap_std::fs::{Dir, File, Metadata};

use crate::capability::EntryKind;
use crate::path::WorkspacePath;

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
        /// What was asked for.
        path: WorkspacePath,
        /// Its reason.
        error: std::io::Error,
    },
}

/// Opens a folder below `root` (`None`: the root itself, again), following no link on the way or at the end.
pub fn open_folder(root: &Dir, path: Option<&WorkspacePath>) -> Result<Dir, ReachError> {
    let _ = (root, path);
    todo!()
}

/// Opens a regular file below `root` for reading, following no link and never blocking on a FIFO. The kind is checked on the handle.
pub fn open_file(root: &Dir, path: &WorkspacePath) -> Result<(File, Metadata), ReachError> {
    let _ = (root, path);
    todo!()
}

/// What stands at a path, the link itself for a link. `NotFound` when there is nothing.
pub fn stat(root: &Dir, path: &WorkspacePath) -> Result<Metadata, ReachError> {
    let _ = (root, path);
    todo!()
}

/// The kind of what metadata (taken without following links) describes.
pub fn kind_of(metadata: &Metadata) -> EntryKind {
    let _ = metadata;
    todo!()
}

/// The kind that a folder's listing gives for an entry, without a look at the entry itself. `Unknown` on file systems that do not tell.
pub fn kind_of_type(file_type: cap_std::fs::FileType) -> EntryKind {
    let _ = file_type;
    todo!()
}
