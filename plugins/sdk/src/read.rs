//! Read files of the workspace: the import `read`.
//!
//! A coder sees the base with its own pending submission on top; a validator sees what its phase judges. Paths are relative to the
//! root, `/`-separated and literal. Links are never followed.

use crate::bindings::imports::snodo::plugin::read as raw;
use crate::types::Content;

pub use raw::{Entry, File, Lines, ListQuery, Listing, ReadAnswer, ReadError};

/// A whole file.
///
/// # Errors
///
/// Why it could not be read; [`ReadError::TooLarge`] names the limit, under which [`lines`] may still work.
#[doc(alias = "read-file")]
pub fn file(path: &str) -> Result<File, ReadError> {
    raw::read_file(path)
}

/// Lines `first` to `last` of a file, both included and counted from 1. A file too large to be read whole can be read so.
///
/// # Errors
///
/// Why it could not be read.
#[doc(alias = "read-lines")]
pub fn lines(path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
    raw::read_lines(path, first, last)
}

/// Several whole files in one call; each path has its own answer, in the order asked.
///
/// # Errors
///
/// Why the call as a whole was not carried out.
#[doc(alias = "read-files")]
pub fn files(paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError> {
    raw::read_files(paths)
}

/// What stands in a folder.
///
/// ```no_run
/// # use snodo_plugin::prelude::*;
/// # fn example() -> Result<(), CoderError> {
/// let sources = read::list(&read::ListQuery::under("src").glob("**/*.rs"))?;
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Why the folder could not be listed.
#[doc(alias = "list-files")]
pub fn list(query: &ListQuery) -> Result<Listing, ReadError> {
    raw::list_files(query)
}

impl File {
    /// The content, where it is text.
    pub fn text(&self) -> Option<&str> {
        self.content.text()
    }
}

impl Content {
    /// The text, or none where the content is bytes.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bytes(_) => None,
        }
    }

    /// The bytes, of either kind.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// The host's own ceiling of entries and of matches in one answer.
pub(crate) const CEILING: u32 = 10_000;

impl ListQuery {
    /// Everything below a folder (empty for the root) but hidden and ignored files, up to the host's ceiling of entries.
    pub fn under(folder: impl Into<String>) -> Self {
        Self {
            under: folder.into(),
            depth: None,
            glob: None,
            hidden: false,
            ignored: false,
            limit: CEILING,
        }
    }

    /// Only down to this depth: 1 lists the folder's own entries.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Only paths that match this glob, taken from the folder.
    #[must_use]
    pub fn glob(mut self, glob: impl Into<String>) -> Self {
        self.glob = Some(glob.into());
        self
    }

    /// Dot files too.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// What ignore files name too.
    #[must_use]
    pub fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// At most this many entries.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}
