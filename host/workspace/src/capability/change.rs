//! `change` (`wit/change.wit`).

use serde::Serialize;

use super::{BadParameter, FileRead, LimitReached, ReadError};
use crate::change::ChangeKind;
use crate::path::BadPath;

/// The host's account of what a coder changed.
pub trait Change: Send + Sync {
    /// File by file.
    fn summary(&self) -> Result<ChangeSummary, ChangeError>;
    /// Line by line. May read and compare large files: call it where blocking is allowed.
    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError>;
    /// A changed or deleted file as it stood in the base.
    fn before(&self, path: &str) -> Result<FileRead, BeforeError>;
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Where the file is now, or was when deleted.
    pub path: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Where it came from, of a rename.
    pub old_path: Option<String>,
    /// Lines added; 0 for a binary file.
    pub added: u64,
    /// Lines deleted; 0 for a binary file.
    pub deleted: u64,
    /// Not text before or after.
    pub binary: bool,
    /// Why the file counts as one that governs tests, if it does.
    pub test_governing: Option<String>,
    /// In bytes.
    pub size_before: Option<u64>,
    /// In bytes.
    pub size_after: Option<u64>,
    /// The executable bit in the base.
    pub executable_before: bool,
    /// The executable bit now.
    pub executable_after: bool,
}

/// The change, in the order of path bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeSummary {
    /// File by file.
    pub files: Vec<ChangedFile>,
    /// Lines added over all files.
    pub added: u64,
    /// Lines deleted over all files.
    pub deleted: u64,
}

/// What of the change to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffQuery {
    /// Exact paths; empty for all.
    pub paths: Vec<String>,
    /// At most 100.
    pub context_lines: u32,
    /// Stop after this many bytes of text.
    pub max_bytes: u64,
}

/// How a line stands in the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOrigin {
    /// In both.
    Context,
    /// Only in the new one.
    Added,
    /// Only in the old one.
    Removed,
}

/// A line of a hunk, without its LF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// How it stands.
    pub origin: LineOrigin,
    /// Its text; a CR stays.
    pub text: String,
    /// The file ends here without LF.
    pub no_newline: bool,
}

/// Lines that changed together; starts from 1, as `diff -u` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// In the old file.
    pub old_start: u64,
    /// In the old file.
    pub old_count: u64,
    /// In the new file.
    pub new_start: u64,
    /// In the new file.
    pub new_count: u64,
    /// In order.
    pub lines: Vec<DiffLine>,
}

/// One file's difference; a binary file has no hunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// As in the summary.
    pub path: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Not text before or after.
    pub binary: bool,
    /// In order.
    pub hunks: Vec<Hunk>,
}

/// A difference, and whether all of it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffAnswer {
    /// In the order of path bytes.
    pub files: Vec<FileDiff>,
    /// Paths left out, or not shown whole.
    pub omitted: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// Before execution.
    #[error("there is no change yet: this is the gate before execution")]
    NoChangeYet,
    /// No path at all.
    #[error(transparent)]
    BadPath(#[from] BadPath),
    /// A parameter that cannot be used.
    #[error("`{}`: {}", .0.field, .0.reason)]
    BadParameter(BadParameter),
    /// Not in the change.
    #[error("`{0}` is not in the change")]
    NotInChange(String),
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
    /// Not in this judge's tool list.
    #[error("`{0}` is not among this validator's tools")]
    NotGranted(&'static str),
}

/// Why there is no earlier file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BeforeError {
    /// Before execution.
    #[error("there is no change yet: this is the gate before execution")]
    NoChangeYet,
    /// Not in the change, or added by it.
    #[error("`{0}` is not in the change, or was added by it")]
    NotInChange(String),
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}
