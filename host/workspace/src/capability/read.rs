//! `read` (`wit/read.wit`).

use super::{BadParameter, Cancel, Content, Count, EntryKind, IoFailure, LimitReached, Refusal, Skipped};
use crate::path::BadPath;

/// Read files of the workspace. Small and bounded: an implementation may be called on the caller's thread.
pub trait Read: Send + Sync {
    /// A whole file.
    fn read_file(&self, path: &str) -> Result<FileRead, ReadError>;
    /// Lines `first` to `last`, both included, from 1.
    fn read_lines(&self, path: &str, first: u64, last: u64) -> Result<LinesRead, ReadError>;
    /// Several whole files, each with its own answer.
    fn read_files(&self, paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError>;
    /// What stands in a folder. May walk a whole tree: call it where blocking is allowed, and give a flag to abandon it by.
    fn list_files(&self, query: &ListQuery, cancel: &Cancel) -> Result<Listing, ReadError>;
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// Normalised path.
    pub path: String,
    /// All of it.
    pub content: Content,
    /// In bytes.
    pub size: u64,
    /// Any executable bit is set.
    pub executable: bool,
    /// Starts with a byte-order mark, which is part of the content.
    pub bom: bool,
}

/// A range of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesRead {
    /// Normalised path.
    pub path: String,
    /// First line given, from 1.
    pub first: u64,
    /// Last line given; below `first` when the range is empty.
    pub last: u64,
    /// The lines with their endings.
    pub content: Content,
    /// Lines of the file.
    pub total: Count,
    /// Lines of the range were left out.
    pub truncated: bool,
}

/// One answer of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadAnswer {
    /// As asked for.
    pub path: String,
    /// The file, or why not.
    pub outcome: Result<FileRead, ReadError>,
}

/// What to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// A folder; empty for the root.
    pub under: String,
    /// 1 lists the folder's own entries; none is no limit.
    pub depth: Option<u32>,
    /// Relative to `under`; `*` stops at `/`, `**` does not.
    pub glob: Option<String>,
    /// Dot files too.
    pub hidden: bool,
    /// Ignored files too.
    pub ignored: bool,
    /// At most this many entries.
    pub limit: u32,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From the root of the workspace.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Of a file; 0 otherwise.
    pub size: u64,
}

/// Entries in the order of their paths' bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// As many as the limit allows.
    pub entries: Vec<Entry>,
    /// How many there are.
    pub total: Count,
    /// There are more than are given.
    pub truncated: bool,
    /// What was passed over, by reason.
    pub skipped: Vec<Skipped>,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No path at all.
    #[error(transparent)]
    BadPath(#[from] BadPath),
    /// A parameter that cannot be used.
    #[error("`{}`: {}", .0.field, .0.reason)]
    BadParameter(BadParameter),
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(String),
    /// Something else stands there.
    #[error("`{path}` is {}", .kind.describe())]
    WrongKind {
        /// As asked for.
        path: String,
        /// What stands there.
        kind: EntryKind,
    },
    /// A link, on the way or at the end.
    #[error("`{0}` is a symbolic link, or lies behind one: links are not followed")]
    Symlink(String),
    /// A rule refuses it.
    #[error("`{}` is refused: {}", .0.path, .0.rule)]
    Refused(Refusal),
    /// Too large to be given whole.
    #[error("`{path}` has {size} bytes; at most {limit} are read at once")]
    TooLarge {
        /// As asked for.
        path: String,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// The system would not.
    #[error("`{}`: {}", .0.path, .0.reason)]
    Io(IoFailure),
    /// Not what this run saw before.
    #[error("`{0}` changed while the run was going on")]
    ChangedDuringRun(String),
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
    /// Not in this judge's tool list.
    #[error("`{0}` is not among this validator's tools")]
    NotGranted(&'static str),
    /// The caller is gone. Of a listing only.
    #[error("the listing was abandoned")]
    Cancelled,
}
