//! Why a task's patch could not be carried out.

use std::fmt;

use crate::files::ReadFailure;
use crate::show;

/// Why a patch was not carried out. Nothing was changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchError {
    /// The task holds no patch.
    NoPatch {
        /// What it holds instead, in one sentence.
        found: String,
    },
    /// Something that begins like a patch and is none.
    Malformed {
        /// The line of the task, from 1.
        line: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A patch of a kind that is not taken.
    Unsupported {
        /// The line of the task, from 1.
        line: u64,
        /// The file, when the patch names one.
        path: Option<String>,
        /// Which kind, and what to do.
        reason: String,
    },
    /// The patch does not fit the workspace.
    DoesNotApply(Misfit),
    /// What the patch would do stands in the workspace already.
    AlreadyApplied(Misfit),
    /// The file holds bytes that are not text, and the patch would change lines of it.
    NotText {
        /// The file of the workspace.
        path: String,
    },
    /// A file could not be read.
    Read(ReadFailure),
}

/// Where a patch and a workspace do not go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The file of the workspace.
    pub path: String,
    /// Which hunk or block of the file, from 1; 0 when it is about the file as a whole.
    pub hunk: u32,
    /// The line of the file that is nearest, from 1; 0 when there is none.
    pub nearest_line: u64,
    /// What was expected and what was found.
    pub reason: String,
}

impl Misfit {
    /// A misfit about the file as a whole.
    pub(crate) fn of_file(path: &str, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            hunk: 0,
            nearest_line: 0,
            reason: reason.into(),
        }
    }
}

/// What is taken, for whoever handed in something else.
pub(crate) const TAKEN: &str = "This coder applies a patch that the task holds: a unified diff, as `git diff` or \
     `diff -u` print it, or SEARCH/REPLACE blocks; prose and code fences around it are fine. For example:\n  \
     git diff > fix.patch\n  \
     snodo-host run --task-file fix.patch";

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPatch { found } => write!(f, "The task holds no patch: {found}. {TAKEN}"),
            Self::Malformed { line, reason } => write!(f, "Line {line} of the task: {reason}."),
            Self::Unsupported { line, path, reason } => {
                write!(f, "Line {line} of the task")?;
                if let Some(path) = path {
                    write!(f, ", for {}", show::quote(path))?;
                }
                write!(f, ": {reason}.")
            }
            Self::DoesNotApply(misfit) | Self::AlreadyApplied(misfit) => {
                write!(f, "{}", show::quote(&misfit.path))?;
                if misfit.hunk > 0 {
                    write!(f, ", hunk {}", misfit.hunk)?;
                }
                if misfit.nearest_line > 0 {
                    write!(f, ", near line {}", misfit.nearest_line)?;
                }
                write!(f, ": {}", misfit.reason)
            }
            Self::NotText { path } => {
                write!(f, "{}: {}", show::quote(path), Self::NOT_TEXT)
            }
            Self::Read(failure) => failure.fmt(f),
        }
    }
}

impl PatchError {
    /// Why lines of such a file are not changed.
    pub(crate) const NOT_TEXT: &'static str =
        "the file is not text (it holds a NUL byte, or is not UTF-8): its lines cannot be patched";
}

impl std::error::Error for PatchError {}

impl From<ReadFailure> for PatchError {
    fn from(failure: ReadFailure) -> Self {
        Self::Read(failure)
    }
}
