//! What a patch comes to: operations on whole files.

use crate::files::Content;

/// One operation. A path is named by two of a plan only where a file moves and gets other content: the move comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// No file at this path.
    Delete {
        /// A file of the workspace.
        path: String,
    },
    /// A file moves, with its content and its executable bit.
    Rename {
        /// A file of the workspace.
        from: String,
        /// Nothing stands there.
        to: String,
    },
    /// This content at this path, whole.
    Write {
        /// A file.
        path: String,
        /// All of it.
        content: Content,
        /// None keeps what is there (not executable for a new file).
        executable: Option<bool>,
        /// Nothing stands there yet.
        new: bool,
    },
    /// The executable bit.
    SetExecutable {
        /// A file of the workspace.
        path: String,
        /// Set or cleared.
        executable: bool,
    },
}

impl Edit {
    /// The path that the operation is about; of a rename, the one it goes to.
    pub fn path(&self) -> &str {
        match self {
            Self::Delete { path } | Self::Write { path, .. } | Self::SetExecutable { path, .. } => path,
            Self::Rename { to, .. } => to,
        }
    }

    /// The path that a rename leaves.
    pub fn old_path(&self) -> Option<&str> {
        match self {
            Self::Rename { from, .. } => Some(from),
            Self::Delete { .. } | Self::Write { .. } | Self::SetExecutable { .. } => None,
        }
    }
}

/// A patch carried out: what to submit, and what there is to say about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Deletions first, then renames, writes and executable bits; each kind in the order of paths' bytes.
    pub edits: Vec<Edit>,
    /// One line for each part of the patch, in its order: what was done to which file, and where a hunk was found elsewhere than it says.
    pub account: Vec<String>,
}
