//! Why a change was not applied, or an earlier one not recovered.

use std::io;

use super::journal::Unreadable;
use crate::capability::EntryKind;
use crate::handle::ReachError;
use crate::path::WorkspacePath;

/// How a path differs from what the change was made against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Its content is another, or its mode was changed while the change was being applied.
    Changed,
    /// Its executable bit is another.
    Mode,
    /// It is gone.
    Gone,
    /// Something stands where there was nothing.
    Appeared,
    /// It is no longer a file (or the link, or the folder on the way) that it was.
    Kind(EntryKind),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Changed => f.write_str("was changed since it was read"),
            Self::Mode => f.write_str("has another executable bit than it had"),
            Self::Gone => f.write_str("is gone since it was read"),
            Self::Appeared => f.write_str("was made since the change was submitted"),
            Self::Kind(kind) => write!(f, "is {} now", kind.describe()),
        }
    }
}

/// Something that could not be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where.
    pub path: String,
    /// Why, in a sentence's second half.
    pub reason: String,
    /// The earlier content, as a file of this name in the journal's folder. None when there was none.
    pub kept: Option<String>,
}

/// Why nothing was applied. The workspace is as before, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The workspace is not what the change was made against.
    #[error("`{path}` {difference}: nothing was applied. Run again on the workspace as it is now")]
    Stale {
        /// The first path that differs.
        path: WorkspacePath,
        /// How.
        difference: Difference,
    },
    /// The folder that was opened as the workspace is no longer at its name.
    #[error("the workspace was moved, replaced or unmounted while the run was going on: nothing was applied")]
    RootMoved,
    /// Asked to stop.
    #[error("interrupted: what had been applied was undone")]
    Interrupted,
    /// No room, or no quota, for the new files or the journal.
    #[error("the disk is full (at `{path}`): nothing was applied")]
    DiskFull {
        /// What was being written.
        path: String,
    },
    /// An apply that ended half-way has not been recovered.
    #[error("an earlier apply in this workspace has to be recovered first")]
    Unrecovered,
    /// The system would not.
    #[error("cannot {act} `{path}`: {error}; nothing was applied")]
    Io {
        /// What was being done.
        act: &'static str,
        /// To what.
        path: String,
        /// Its reason.
        error: io::Error,
    },
    /// It was undone, but for these: somebody else changed them in the meantime.
    #[error("{cause} (left as they are, since somebody else changed them in the meantime: {})", names(.left))]
    Left {
        /// Why nothing was to be applied.
        cause: Box<ApplyError>,
        /// What could not be put back.
        left: Vec<Left>,
    },
    /// It could not be undone now. The journal stands: the next start recovers.
    #[error("{cause} Undoing it failed ({error}): the next start tries again")]
    NotUndone {
        /// Why nothing was to be applied.
        cause: Box<ApplyError>,
        /// Why it could not be undone.
        error: Box<ApplyError>,
    },
}

/// Why an earlier apply is not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The journal is of another folder.
    #[error("the journal of an unfinished apply belongs to another folder than this workspace: nothing was touched")]
    OtherRoot,
    /// Another build's journal, or a damaged one.
    #[error("the journal of an unfinished apply cannot be read ({reason}): nothing was touched")]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// The system would not.
    #[error(transparent)]
    Step(ApplyError),
}

impl ApplyError {
    pub(super) fn io(act: &'static str, path: impl std::fmt::Display, error: io::Error) -> Self {
        let path = path.to_string();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { act, path, error },
        }
    }

    pub(super) fn stale(path: &WorkspacePath, difference: Difference) -> Self {
        Self::Stale {
            path: path.clone(),
            difference,
        }
    }

    /// A rename from `gone` to `taken` failed.
    pub(super) fn rename(gone: &WorkspacePath, taken: &WorkspacePath, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::stale(gone, Difference::Gone),
            io::ErrorKind::AlreadyExists => Self::stale(taken, Difference::Appeared),
            _ => Self::io("move", taken, error),
        }
    }
}

impl From<ReachError> for ApplyError {
    fn from(error: ReachError) -> Self {
        match error {
            ReachError::NotFound(path) => Self::stale(&path, Difference::Gone),
            ReachError::Symlink { at } => Self::stale(&at, Difference::Kind(EntryKind::Symlink)),
            ReachError::WrongKind { at, kind } => Self::stale(&at, Difference::Kind(kind)),
            ReachError::Io { path, error } => Self::io("open", path, error),
        }
    }
}

impl From<Unreadable> for RecoverError {
    fn from(error: Unreadable) -> Self {
        Self::Unreadable {
            reason: error.to_string(),
        }
    }
}

fn names(left: &[Left]) -> String {
    let shown: Vec<String> = left.iter().map(|l| format!("`{}` {}", l.path, l.reason)).collect();
    shown.join(", ")
}
