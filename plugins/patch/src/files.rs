//! The files that a patch is applied to, wherever they are kept.

use std::collections::BTreeMap;
use std::fmt;

use crate::show;

/// The whole content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// UTF-8 without NUL.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// A file as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// All of it.
    pub content: Content,
    /// Its executable bit.
    pub executable: bool,
}

/// Why a file could not be read. That it is not there is no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFailure {
    /// A rule refuses the path.
    Refused {
        /// As asked.
        path: String,
        /// The rule.
        reason: String,
    },
    /// It could not be read.
    Unreadable {
        /// As asked.
        path: String,
        /// What stood in the way.
        reason: String,
    },
    /// A bound of the reader.
    Limit {
        /// Its name.
        name: String,
        /// What is allowed.
        allowed: u64,
    },
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { path, reason } => write!(f, "{} is refused: {reason}", show::quote(path)),
            Self::Unreadable { path, reason } => {
                write!(f, "{} could not be read: {reason}", show::quote(path))
            }
            Self::Limit { name, allowed } => write!(f, "the limit `{name}` of {allowed} is reached"),
        }
    }
}

impl std::error::Error for ReadFailure {}

/// Gives files by their paths, whole. Paths are literal, as the patch names them.
pub trait Files {
    /// The file at this path, or none where nothing stands.
    fn read(&self, path: &str) -> Result<Option<File>, ReadFailure>;
}

/// Files in memory: for tests, and for whoever applies a patch to something that is no folder.
impl Files for BTreeMap<String, File> {
    fn read(&self, path: &str) -> Result<Option<File>, ReadFailure> {
        Ok(self.get(path).cloned())
    }
}
