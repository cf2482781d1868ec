//! The workspace as found: read by handle, with a record of what was seen.

use std::sync::Arc;

use crate::capability::{EntryKind, Refusal};
use crate::limits::FileLimits;
use crate::path::WorkspacePath;
use crate::root::Root;
use crate::rules::AccessRules;
use crate::seen::{Seen, Sight};

/// A file of the base, whole; or a link (`mode` says `S_IFLNK`), whose bytes are its target's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseFile {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Any executable bit is set.
    pub executable: bool,
    /// As `st_mode` has it.
    pub mode: u32,
    /// What is recorded of it (by the first look; equal to this one but for times and inode).
    pub seen: Seen,
}

/// Why the base has no answer.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(WorkspacePath),
    /// A link, at the path or on the way.
    #[error("`{at}` is a symbolic link: links are not followed")]
    Symlink {
        /// The link.
        at: WorkspacePath,
    },
    /// Something else stands at the path, or on the way.
    #[error("`{at}` is {}", .kind.describe())]
    WrongKind {
        /// Where.
        at: WorkspacePath,
        /// What it is.
        kind: EntryKind,
    },
    /// Over the size that is read whole.
    #[error("`{path}` has {size} bytes; at most {limit} are read at once")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// Not what this run saw before.
    #[error("`{0}` changed while the run was going on")]
    ChangedDuringRun(WorkspacePath),
    /// The system would not.
    #[error("`{path}`: {error}")]
    Io {
        /// What was asked for.
        path: WorkspacePath,
        /// Its reason.
        error: std::io::Error,
    },
}

/// The workspace as found. Shared; nothing here writes.
///
/// Rules are *not* asked here, but by whoever answers a plugin ([`crate::view::View`]): the host itself has to see what it
/// compares.
#[derive(Debug)]
pub struct Base {
    root: Arc<Root>,
    rules: AccessRules,
    limits: FileLimits,
}

impl Base {
    /// Over an open root.
    pub fn new(root: Arc<Root>, rules: AccessRules, limits: FileLimits) -> Self {
        Self { root, rules, limits }
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The rules of the run.
    pub fn rules(&self) -> &AccessRules {
        &self.rules
    }

    /// The bounds of reading.
    pub fn limits(&self) -> &FileLimits {
        &self.limits
    }

    /// What stands there now; a link is a link. `None` also below something that is not a folder; a link on the way is an error.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, BaseError> {
        let _ = path;
        todo!()
    }

    /// A whole file. The first look is recorded; once the content differs from it, the answer is `ChangedDuringRun`.
    pub fn read(&self, path: &WorkspacePath) -> Result<BaseFile, BaseError> {
        let _ = path;
        todo!()
    }

    /// A link's own content: its target's text. Recorded and compared like a file. `WrongKind` for anything but a link.
    pub fn read_link(&self, path: &WorkspacePath) -> Result<BaseFile, BaseError> {
        let _ = path;
        todo!()
    }

    /// What was recorded of a path: what apply compares against. `None` for a path never touched, or recorded as absent.
    pub fn seen(&self, path: &WorkspacePath) -> Option<Seen> {
        let _ = path;
        todo!()
    }

    /// What was recorded of a path, absence included: a path that a submission created was `Absent` and has to be so still.
    pub fn sight(&self, path: &WorkspacePath) -> Option<Sight> {
        let _ = path;
        todo!()
    }

    /// Whether a plugin may be given the base's content of this path: the rules, and the ignore files of the workspace.
    pub fn check_readable(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let _ = path;
        todo!()
    }
}
