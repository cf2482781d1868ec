//! What the agent works with: the host's imports, or a stand-in for them.

use snodo_plugin::completion::{self, Answer, CompletionError, Request};
use snodo_plugin::read::{File, Lines, ListQuery, Listing, ReadError};
use snodo_plugin::runner::{self, Observation, RunnerError};
use snodo_plugin::search::{SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};
use snodo_plugin::submit::{self, Operation, Submission, SubmitError};
use snodo_plugin::tools::{Imports, Sight};

/// Beside seeing: asking, submitting, testing, telling.
pub(crate) trait Desk: Sight {
    fn ask(&self, request: &Request) -> Result<Answer, CompletionError>;
    fn submit(&self, operation: Operation) -> Result<Submission, SubmitError>;
    fn run_tests(&self, path: Option<&str>) -> Result<Observation, RunnerError>;
    fn tell(&self, message: String, done: u32, total: u32);
}

/// The host.
pub(crate) struct Host;

impl Desk for Host {
    fn ask(&self, request: &Request) -> Result<Answer, CompletionError> {
        completion::complete(request)
    }

    fn submit(&self, operation: Operation) -> Result<Submission, SubmitError> {
        submit::files(vec![operation])
    }

    fn run_tests(&self, path: Option<&str>) -> Result<Observation, RunnerError> {
        runner::run_tests(path)
    }

    fn tell(&self, message: String, done: u32, total: u32) {
        submit::step(message, done, total);
    }
}

impl Sight for Host {
    fn file(&self, path: &str) -> Result<File, ReadError> {
        Imports.file(path)
    }

    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        Imports.lines(path, first, last)
    }

    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError> {
        Imports.list(query)
    }

    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        Imports.text(query)
    }

    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        Imports.symbol(query)
    }
}
