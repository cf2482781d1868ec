//! What a judge asks of the world, so that a test can be the world.

use snodo_plugin::change::{self, BeforeError, ChangeError, ChangeSummary, DiffAnswer, DiffQuery};
use snodo_plugin::completion::{self, Answer, CompletionError, Request};
use snodo_plugin::read::File;

/// Whom a judge asks.
pub trait Model {
    /// One turn of a conversation.
    ///
    /// # Errors
    ///
    /// Why there is no answer. One that was cut or filtered is none.
    fn complete(&self, request: &Request) -> Result<Answer, CompletionError>;
}

/// The change that is judged. Reading and searching have their seam in [`snodo_plugin::tools::Sight`].
pub trait Changes {
    /// The change, file by file.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    fn summary(&self) -> Result<ChangeSummary, ChangeError>;

    /// The change, line by line.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError>;

    /// A changed file as it stood in the base, by its path there.
    ///
    /// # Errors
    ///
    /// Why there is no earlier file.
    fn before(&self, path: &str) -> Result<File, BeforeError>;
}

impl<M: Model + ?Sized> Model for &M {
    fn complete(&self, request: &Request) -> Result<Answer, CompletionError> {
        (**self).complete(request)
    }
}

impl<C: Changes + ?Sized> Changes for &C {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        (**self).summary()
    }

    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        (**self).diff(query)
    }

    fn before(&self, path: &str) -> Result<File, BeforeError> {
        (**self).before(path)
    }
}

/// The plugin's own imports.
#[derive(Debug, Clone, Copy)]
pub struct Imports;

impl Model for Imports {
    fn complete(&self, request: &Request) -> Result<Answer, CompletionError> {
        completion::complete(request)
    }
}

impl Changes for Imports {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        change::summary()
    }

    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        change::diff(query)
    }

    fn before(&self, path: &str) -> Result<File, BeforeError> {
        change::before(path)
    }
}
