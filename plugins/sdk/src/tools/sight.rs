//! What tools see by: the plugin's imports, or a stand-in for them.

use crate::read::{self, File, Lines, ListQuery, Listing, ReadError};
use crate::search::{self, SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};

/// Reads and searches: the imports [`read`](crate::read) and [`search`](crate::search), or what stands in for them.
///
/// ```
/// use snodo_plugin::tools::{Memory, Sight};
///
/// fn lines_of(sight: &impl Sight, path: &str) -> usize {
///     sight.file(path).ok().and_then(|file| file.text().map(|text| text.lines().count())).unwrap_or(0)
/// }
///
/// assert_eq!(lines_of(&Memory::new().with("a.txt", "one\ntwo\n"), "a.txt"), 2);
/// ```
pub trait Sight {
    /// As [`read::file`].
    ///
    /// # Errors
    ///
    /// Why it could not be read.
    fn file(&self, path: &str) -> Result<File, ReadError>;

    /// As [`read::lines`].
    ///
    /// # Errors
    ///
    /// Why they could not be read.
    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError>;

    /// As [`read::list`].
    ///
    /// # Errors
    ///
    /// Why the folder could not be listed.
    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError>;

    /// As [`search::text`].
    ///
    /// # Errors
    ///
    /// Why the search was not carried out.
    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError>;

    /// As [`search::symbol`].
    ///
    /// # Errors
    ///
    /// Why the search was not carried out.
    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError>;
}

/// What this plugin's imports show.
///
/// ```no_run
/// # use snodo_plugin::prelude::*;
/// use snodo_plugin::tools::{Imports, Toolbox};
/// # fn example(context: &Context) {
/// let toolbox = Toolbox::new(Imports, &context.tools);
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Imports;

impl Sight for Imports {
    fn file(&self, path: &str) -> Result<File, ReadError> {
        read::file(path)
    }

    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        read::lines(path, first, last)
    }

    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError> {
        read::list(query)
    }

    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        search::text(query)
    }

    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        search::symbol(query)
    }
}

impl<S: Sight + ?Sized> Sight for &S {
    fn file(&self, path: &str) -> Result<File, ReadError> {
        (**self).file(path)
    }

    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        (**self).lines(path, first, last)
    }

    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError> {
        (**self).list(query)
    }

    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        (**self).text(query)
    }

    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        (**self).symbol(query)
    }
}
