//! Declared tests that a test stands in for. The rules of a test's path are the host's.

use snodo_workspace::capability::{Content as Bytes, EntryKind, Read as _, ReadError};
use snodo_workspace::escape::one_line;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::view::View;

use crate::RunnerInfo;
use crate::runner::{Captured, Exit, Observation, RunnerError};
use crate::types::{IoFailure, Limit, Refusal};

/// Stands in for the declared tests.
pub(super) type Tests = Box<dyn FnMut(&TestCall) -> Result<Observation, RunnerError>>;

/// A run of the declared tests, as the closure given to [`CoderCall::tests`](super::CoderCall::tests) sees it.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::{Workspace, failed, passed};
///
/// /// Tries until the tests pass.
/// struct Stubborn;
///
/// impl Coder for Stubborn {
///     fn describe() -> Description {
///         Description::new("stubborn", "1.0.0", "Tries until the tests pass.")
///     }
///     fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
///         for number in 0..3 {
///             submit::files(vec![submit::write("n.txt", number.to_string())])?;
///             if runner::run_tests(None).is_ok_and(|seen| seen.exit.success()) {
///                 return Ok(Implementation::done());
///             }
///         }
///         Err(CoderError::Internal("the tests never passed".to_owned()))
///     }
/// }
///
/// let run = Workspace::new()
///     .coder::<Stubborn>()
///     .tests(|call| match call.text("n.txt").as_deref() {
///         Some("1") => Ok(passed("1 passed")),
///         _ => Ok(failed("1 failed")),
///     })
///     .run();
/// assert_eq!(run.text("n.txt"), "1");
/// ```
#[derive(Debug, Clone)]
pub struct TestCall {
    /// Which run it is, from 1.
    pub number: u32,
    /// What the plugin asked for, as one argument; none: all tests.
    pub path: Option<String>,
    view: View,
}

impl TestCall {
    /// The text of a file as the plugin sees it: with what was submitted, where it is a coder. None where there is no file to read, or
    /// no text.
    pub fn text(&self, path: &str) -> Option<String> {
        match self.view.read_file(path).ok()?.content {
            Bytes::Text(text) => Some(text),
            Bytes::Bytes(_) => None,
        }
    }
}

/// Tests that passed, with what they said. How many runs are left is filled in.
///
/// ```
/// assert!(snodo_plugin::testing::passed("3 passed").exit.success());
/// ```
pub fn passed(stdout: impl Into<String>) -> Observation {
    observed(0, stdout.into())
}

/// Tests that failed (exit code 1), with what they said. How many runs are left is filled in.
///
/// ```
/// assert!(!snodo_plugin::testing::failed("1 failed").exit.success());
/// ```
pub fn failed(stdout: impl Into<String>) -> Observation {
    observed(1, stdout.into())
}

fn observed(code: i32, stdout: String) -> Observation {
    let captured = |head| Captured {
        head,
        tail: String::new(),
        dropped: 0,
        escaped: 0,
    };
    Observation {
        exit: Exit::Code(code),
        stdout: captured(stdout),
        stderr: captured(String::new()),
        duration_ms: 0,
        calls_left: 0,
    }
}

/// The declared tests, with the runs that are left.
pub(super) struct Runner {
    tests: Tests,
    info: RunnerInfo,
    used: u32,
}

impl Runner {
    pub(super) fn new(tests: Tests, info: RunnerInfo) -> Self {
        Self { tests, info, used: 0 }
    }

    pub(super) fn run(&mut self, view: &View, path: Option<&str>) -> Result<Observation, RunnerError> {
        let path = match path {
            Some(_) if !self.info.takes_path => return Err(RunnerError::PathNotTaken),
            Some(path) => Some(confined(view, path)?),
            None => None,
        };
        let Some(calls_left) = self.info.calls.checked_sub(self.used + 1) else {
            return Err(RunnerError::Limit(Limit {
                name: "runner-calls".to_owned(),
                allowed: u64::from(self.info.calls),
            }));
        };
        self.used += 1;
        let call = TestCall {
            number: self.used,
            path,
            view: view.clone(),
        };
        let seen = (self.tests)(&call)?;
        Ok(Observation { calls_left, ..seen })
    }
}

/// A path, or a test's id that starts with one (`tests/test_a.py::test_b[x y]`), as one argument that can be no option.
fn confined(view: &View, given: &str) -> Result<String, RunnerError> {
    let (file, id) = given
        .split_once("::")
        .map_or((given, None), |(file, id)| (file, Some(id)));
    let refused = |rule: &str| {
        RunnerError::Refused(Refusal {
            path: one_line(given, 200),
            rule: rule.to_owned(),
        })
    };
    if file.starts_with('-') || file.starts_with('@') {
        return Err(refused(
            "a test path that starts with `-` or `@` would be read as an option",
        ));
    }
    if id.is_some_and(|id| id.chars().any(char::is_control)) {
        return Err(refused("a test id holds no control characters"));
    }
    let path =
        WorkspacePath::parse(file.strip_suffix('/').unwrap_or(file)).map_err(|bad| RunnerError::BadPath(bad.into()))?;
    let rules = view.base().rules();
    rules
        .check_read(&path)
        .map_err(|refusal| RunnerError::Refused(refusal.into()))?;
    match view.kind(&path) {
        Ok(Some(EntryKind::Symlink)) => return Err(refused("a symbolic link is not followed, wherever it leads")),
        Ok(Some(_)) => {}
        Ok(None) => return Err(RunnerError::NotFound(path.as_str().to_owned())),
        Err(error) => return Err(io(path.as_str(), &error)),
    }
    Ok(id.map_or_else(|| path.as_str().to_owned(), |id| format!("{}::{id}", path.as_str())))
}

fn io(path: &str, error: &ReadError) -> RunnerError {
    RunnerError::Io(IoFailure {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
