//! Why there is no difference.

use std::path::PathBuf;

use snodo_workspace::ambient::OpenError;
use snodo_workspace::base::BaseError;
use snodo_workspace::capability::ReadError;
use snodo_workspace::path::WorkspacePath;

use crate::error::CommitError;

/// Why there is no difference.
#[derive(Debug, thiserror::Error)]
pub enum DifferenceError {
    /// The workspace is in no repository.
    #[error("`{}` is in no git repository, so there is nothing that it could differ from", .workspace.display())]
    NoRepository {
        /// The workspace.
        workspace: PathBuf,
    },
    /// Nothing was ever committed.
    #[error("HEAD has no commit yet: there is nothing that the working tree could differ from")]
    NoCommitYet,
    /// Well-formed, and not there.
    #[error("`{revision}` is no branch, tag or commit of this repository")]
    UnknownRevision {
        /// As given, escaped.
        revision: String,
    },
    /// It may mean several.
    #[error("`{revision}` is not clear: {what}. Give the whole name, or more digits")]
    AmbiguousRevision {
        /// As given, escaped.
        revision: String,
        /// What it may be.
        what: String,
    },
    /// A side of a file is over the bound.
    #[error("`{path}` differs and has {size} bytes; at most {limit} are looked at")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// All of it is over the bound.
    #[error("what differs is too much: more than {limit} {what}")]
    TooMuch {
        /// The bound.
        limit: u64,
        /// Of what.
        what: &'static str,
    },
    /// A format of repository that is not supported.
    #[error("the repository uses {0}, which is not supported here")]
    UnsupportedFormat(String),
    /// The repository.
    #[error(transparent)]
    Repository(CommitError),
    /// A file of the working tree.
    #[error(transparent)]
    File(#[from] BaseError),
    /// The top of the working tree cannot be opened.
    #[error(transparent)]
    Open(OpenError),
    /// The working tree cannot be listed.
    #[error("the working tree cannot be listed: {0}")]
    List(ReadError),
    /// Nobody knows which new files an ignore file would have left out.
    #[error("`{folder}` has a `.gitignore` that cannot be used ({why}), so nobody can say which of its files are new")]
    UnusableIgnoreFile {
        /// From the top of the working tree, escaped; `.` for the top.
        folder: String,
        /// Why.
        why: String,
    },
    /// Another folder stands where the workspace was.
    #[error("the workspace was moved or replaced while it was looked at")]
    Moved,
    /// Somebody asked for an end.
    #[error("interrupted")]
    Interrupted,
}

impl From<CommitError> for DifferenceError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::NoRepository { workspace } => Self::NoRepository { workspace },
            CommitError::UnsupportedFormat(what) => Self::UnsupportedFormat(what),
            error => Self::Repository(error),
        }
    }
}
