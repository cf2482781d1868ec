//! Run the project's declared tests: the import `runner`, given to coders; a validator needs the grant `runner`.
//!
//! What is run is declared by the protocol or the user. It runs in a scratch copy of what the caller sees, and gives an
//! observation, never a verdict.

use crate::bindings::imports::snodo::plugin::runner as raw;
use crate::imports;

pub use raw::{Bound, Captured, Exit, Observation, RunnerError};

/// Runs the declared tests; with a path, only what stands there.
///
/// Whether a runner is declared, what it executes, and how many calls are left at the start is in
/// [`Context::runner`](crate::Context::runner).
///
/// # Errors
///
/// Why nothing was run.
pub fn run_tests(path: Option<&str>) -> Result<Observation, RunnerError> {
    imports::run_tests(path)
}

impl Exit {
    /// Whether the program came to its end and said that all is well.
    pub fn success(&self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl Captured {
    /// What was kept of the stream, with a line that says how much was left out where something was.
    pub fn text(&self) -> String {
        if self.dropped == 0 {
            format!("{}{}", self.head, self.tail)
        } else {
            format!("{}\n[… {} bytes left out …]\n{}", self.head, self.dropped, self.tail)
        }
    }
}
