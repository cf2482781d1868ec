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
/// ```
/// use snodo_plugin::prelude::*;
/// # use snodo_plugin::testing::{Workspace, failed};
///
/// struct Checked;
///
/// impl Coder for Checked {
///     # fn describe() -> Description { Description::new("checked", "1.0.0", "…") }
///     # fn implement(_task: Task, context: Context) -> Result<Implementation, CoderError> {
///     // …
///     if context.runner.is_some() {
///         match runner::run_tests(None) {
///             Ok(seen) if seen.exit.success() => {}
///             Ok(seen) => submit::progress(format!("the tests fail: {}", seen.stdout.text())),
///             Err(error) => submit::progress(error.explain()),
///         }
///     }
///     # Ok(Implementation::done())
///     # }
/// }
/// # let run = Workspace::new().coder::<Checked>().tests(|_| Ok(failed("1 failed"))).run();
/// # assert_eq!(run.progress[0].message, "the tests fail: 1 failed");
/// ```
///
/// # Errors
///
/// Why nothing was run.
pub fn run_tests(path: Option<&str>) -> Result<Observation, RunnerError> {
    imports::run_tests(path)
}

impl Exit {
    /// Whether the program came to its end and said that all is well.
    ///
    /// ```
    /// # use snodo_plugin::runner::{Bound, Exit};
    /// assert!(Exit::Code(0).success());
    /// assert!(!Exit::Code(1).success() && !Exit::Signal(9).success() && !Exit::Bound(Bound::WallClock).success());
    /// ```
    pub fn success(&self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl Captured {
    /// What was kept of the stream, with a line that says how much was left out where something was.
    ///
    /// ```
    /// # use snodo_plugin::runner::Captured;
    /// let captured = Captured { head: "one".to_owned(), tail: "two".to_owned(), dropped: 7, escaped: 0 };
    /// assert_eq!(captured.text(), "one\n[… 7 bytes left out …]\ntwo");
    /// ```
    pub fn text(&self) -> String {
        if self.dropped == 0 {
            format!("{}{}", self.head, self.tail)
        } else {
            format!("{}\n[… {} bytes left out …]\n{}", self.head, self.dropped, self.tail)
        }
    }
}
