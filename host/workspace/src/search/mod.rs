//! `search-text` and `search-symbol` over a view.
//!
//! * A file is searched as text or not at all: text is valid UTF-8 without a NUL, from the first byte to the last. Anything else
//!   (UTF-16, Latin-1, compressed, images) is counted as *binary*, and files over [`crate::limits::FileLimits::whole_bytes`]
//!   as *too large*, so that nothing in an answer was ever decoded by guess.
//! * A pattern other than a text runs on an engine that is linear and can be stopped, over lines of any length. One exception: whole
//!   words and `\b` next to a long line's letters outside ASCII; such a file counts as *too large*.
//! * A line is what ends with LF. A CR before it belongs to the line, so `x$` does not match `x\r`.
//! * A byte-order mark belongs to the first line's text and to its columns; patterns start behind it.
//! * Everything is searched and counted; results are sorted by path bytes and line, and only then cut. So the total is exact, and
//!   the same tree gives the same bytes however many threads there are and in whatever order its folders list it.

mod clip;
mod content;
mod languages;
mod lines;
mod long_line;
mod pattern;
mod scan;
mod symbol;
mod text;

use crate::capability::{Cancel, Search, SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};
use crate::view::View;
use crate::walk::WalkError;

impl Search for View {
    fn search_text(&self, query: &TextQuery, cancel: &Cancel) -> Result<TextMatches, SearchError> {
        text::search(self, query, cancel)
    }

    fn search_symbol(&self, query: &SymbolQuery, cancel: &Cancel) -> Result<Symbols, SearchError> {
        symbol::search(self, query, cancel)
    }
}

impl From<WalkError> for SearchError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::BadPath(bad) => Self::BadPath(bad),
            WalkError::NotFound(path) => Self::NotFound(path),
            WalkError::WrongKind { path, kind } => Self::WrongKind { path, kind },
            WalkError::Symlink(path) => Self::Symlink(path),
            WalkError::Refused(refusal) => Self::Refused(refusal),
            WalkError::Io(failure) => Self::Io(failure),
            WalkError::Cancelled => Self::Cancelled,
        }
    }
}
