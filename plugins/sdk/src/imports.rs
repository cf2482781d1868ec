//! The one place from which imports are called.
//!
//! In a component they are the host's. Natively there is no host: with the feature `testing` they are answered by the test that is
//! running, and without one by a panic that says what to do.

#[cfg(not(target_family = "wasm"))]
use crate::{change, completion, read, runner, search, submit};

/// One function for each import: `interface::function(arguments) -> answer`, with its name in the contract.
macro_rules! imports {
    ($($interface:ident::$function:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)?, $name:literal;)*) => {
        $(
            #[cfg(target_family = "wasm")]
            pub(crate) use crate::bindings::imports::snodo::plugin::$interface::$function;

            #[cfg(all(not(target_family = "wasm"), feature = "testing"))]
            pub(crate) fn $function($($argument: $type),*) $(-> $answer)? {
                crate::testing::serve($name, |host| host.$function($($argument),*))
            }

            #[cfg(all(not(target_family = "wasm"), not(feature = "testing")))]
            pub(crate) fn $function($(_: $type),*) $(-> $answer)? {
                panic!(
                    "`{}` is answered by the host, and there is none: test with the feature `testing` of `snodo-plugin`, \
                     which runs a plugin in a workspace of its own",
                    $name
                )
            }
        )*

        /// Who answers natively.
        #[cfg(all(not(target_family = "wasm"), feature = "testing"))]
        pub(crate) trait Host {
            $(fn $function(&mut self, $($argument: $type),*) $(-> $answer)?;)*
        }
    };
}

imports! {
    read::read_file(path: &str) -> Result<read::File, read::ReadError>, "read-file";
    read::read_lines(path: &str, first: u64, last: u64) -> Result<read::Lines, read::ReadError>, "read-lines";
    read::read_files(paths: &[String]) -> Result<Vec<read::ReadAnswer>, read::ReadError>, "read-files";
    read::list_files(query: &read::ListQuery) -> Result<read::Listing, read::ReadError>, "list-files";
    search::search_text(query: &search::TextQuery) -> Result<search::TextMatches, search::SearchError>, "search-text";
    search::search_symbol(query: &search::SymbolQuery) -> Result<search::Symbols, search::SearchError>, "search-symbol";
    submit::submit_files(operations: &[submit::Operation]) -> Result<submit::Submission, submit::SubmitError>, "submit-files";
    submit::withdraw(paths: &[String]) -> Result<Vec<String>, submit::SubmitError>, "withdraw";
    submit::progress(event: &submit::ProgressEvent), "progress";
    runner::run_tests(path: Option<&str>) -> Result<runner::Observation, runner::RunnerError>, "run-tests";
    change::summary() -> Result<change::ChangeSummary, change::ChangeError>, "summary";
    change::diff(query: &change::DiffQuery) -> Result<change::DiffAnswer, change::ChangeError>, "diff";
    change::before(path: &str) -> Result<read::File, change::BeforeError>, "before";
    completion::complete(request: &completion::Request) -> Result<completion::Answer, completion::CompletionError>, "complete";
}
