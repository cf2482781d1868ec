//! `submit` (`wit/submit.wit`).

use super::{Content, EntryKind, IoFailure, LimitReached, Refusal};
use crate::path::BadPath;

/// Propose a change. Nothing here touches the workspace.
pub trait Submit: Send + Sync {
    /// Takes operations, all or none.
    fn submit_files(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError>;
    /// Takes back what was submitted for these paths; answers those for which there was something.
    fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError>;
    /// Tells what is going on.
    fn progress(&self, event: ProgressEvent);
}

/// One operation, with paths as the plugin spelled them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// This content at this path, whole.
    Write {
        /// A file.
        path: String,
        /// All of it.
        content: Content,
        /// None keeps what is there.
        executable: Option<bool>,
    },
    /// No file at this path.
    Delete {
        /// A file or a link.
        path: String,
    },
    /// A file moves.
    Rename {
        /// A file.
        from: String,
        /// Nothing stands there.
        to: String,
    },
    /// The executable bit.
    SetExecutable {
        /// A file.
        path: String,
        /// Set or cleared.
        executable: bool,
    },
}

impl Operation {
    /// The path that it is about; of a rename the new one.
    pub fn path(&self) -> &str {
        match self {
            Self::Write { path, .. } | Self::Delete { path } | Self::SetExecutable { path, .. } => path,
            Self::Rename { to, .. } => to,
        }
    }
}

/// What became of a submission that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Operations taken in this call.
    pub accepted: u32,
    /// Paths whose earlier operation was replaced by this call.
    pub superseded: Vec<String>,
    /// Paths that now stand as in the base.
    pub unchanged: Vec<String>,
    /// Paths that differ from the base, over all calls.
    pub pending: u32,
}

/// Why an operation is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitRefusal {
    /// No path at all.
    #[error(transparent)]
    BadPath(#[from] BadPath),
    /// Protected.
    #[error("`{}` is refused: {}", .0.path, .0.rule)]
    Refused(Refusal),
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(String),
    /// Something else stands there.
    #[error("`{path}` is {}", .kind.describe())]
    WrongKind {
        /// As given.
        path: String,
        /// What stands there.
        kind: EntryKind,
    },
    /// A link on the way or at the path.
    #[error("`{0}` is a symbolic link, or lies behind one: nothing is written through links")]
    Symlink(String),
    /// Something is in the way.
    #[error("`{path}` conflicts with `{with}`: {reason}")]
    Conflict {
        /// As given.
        path: String,
        /// What is in the way.
        with: String,
        /// How.
        reason: String,
    },
    /// Two operations of this call name one path.
    #[error("`{path}` is named by operations {first} and {second} of one call")]
    Duplicate {
        /// Normalised.
        path: String,
        /// Index, from 0.
        first: u32,
        /// Index, from 0.
        second: u32,
    },
    /// Over the size of one file.
    #[error("`{path}` would have {size} bytes; at most {limit} are taken")]
    TooLarge {
        /// As given.
        path: String,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// Not what this run saw before.
    #[error("`{0}` changed while the run was going on")]
    ChangedDuringRun(String),
    /// The system would not.
    #[error("`{}`: {}", .0.path, .0.reason)]
    Io(IoFailure),
}

/// The refused operation; none of the call's operations was taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operation {index}: {reason}")]
pub struct Rejected {
    /// Index in the call's list, from 0.
    pub index: u32,
    /// The rule.
    pub reason: SubmitRefusal,
}

/// Why a call was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// An operation was refused.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
}

/// What the plugin says it is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressEvent {
    /// Raw: whoever shows it escapes and cuts it.
    pub message: String,
    /// Steps done.
    pub done: Option<u32>,
    /// Of how many.
    pub total: Option<u32>,
}
