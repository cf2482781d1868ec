//! The only place of this crate that opens by name.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::capability::EntryKind;
use crate::root::{Identity, Root};

/// Why something named by the user could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing there.
    #[error("`{}` is not there", .path.display())]
    Missing {
        /// As named.
        path: PathBuf,
    },
    /// A folder is needed.
    #[error("`{}` is {}, not a folder", .path.display(), .kind.describe())]
    NotAFolder {
        /// As named.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// A regular file is needed.
    #[error("`{}` is {}, not a file", .path.display(), .kind.describe())]
    NotAFile {
        /// As named.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// `.snodo`, or a file in it that the host writes, is not what the host itself would have made there.
    #[error("`{}` in the workspace is {}: what the host keeps there could end up elsewhere. Remove it, or move it away, and start again", .path.display(), .kind.describe())]
    StateFolder {
        /// From the root of the workspace.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// A private folder belongs to somebody else.
    #[error("`{}` belongs to user {owner}, not to the user {user} who runs this: nothing private is kept there", .path.display())]
    NotOurs {
        /// As named.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who runs this.
        user: u32,
    },
    /// A file over the size that is taken.
    #[error("`{}` has {size} bytes; at most {limit} are taken", .path.display())]
    TooLarge {
        /// As named.
        path: PathBuf,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// The system would not.
    #[error("`{}`: {error}", .path.display())]
    Io {
        /// As named.
        path: PathBuf,
        /// Its reason.
        error: std::io::Error,
    },
}

/// Opens the root of a workspace. A root that is named through a link is the folder that the link leads to.
pub fn open_root(path: &Path) -> Result<Root, OpenError> {
    let _ = path;
    todo!()
}

/// Opens a folder that only its owner can read, and makes it (mode 0700, parents too) when it is missing: state, cache.
pub fn open_private_dir(path: &Path) -> Result<Dir, OpenError> {
    let _ = path;
    todo!()
}

/// Reads a file that the user named on the command line or in the configuration: a regular file of at most `limit` bytes.
pub fn read_user_file(path: &Path, limit: u64) -> Result<Vec<u8>, OpenError> {
    let _ = (path, limit);
    todo!()
}

pub(crate) fn identity_by_name(path: &Path) -> Option<Identity> {
    let _ = path;
    todo!()
}
