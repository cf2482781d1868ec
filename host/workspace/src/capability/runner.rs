//! `runner` (`wit/runner.wit`).

use async_trait::async_trait;
use serde::Serialize;

use super::{IoFailure, LimitReached, Refusal};
use crate::path::BadPath;

/// Run the declared tests. An observation, never a verdict.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Runs what is declared; with a path, only what stands there. Dropping the future abandons the request;
    /// the implementation still ends the program it started.
    async fn run_tests(&self, path: Option<String>) -> Result<Observation, RunnerError>;
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// By the host.
    Bound(Bound),
}

/// A bound of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Its wall-clock limit.
    WallClock,
    /// The whole run was ended.
    Interrupted,
}

/// What came out of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Captured {
    /// The beginning.
    pub head: String,
    /// The end; empty when everything fits in `head`.
    pub tail: String,
    /// Bytes left out between the two.
    pub dropped: u64,
    /// Bytes and characters that are shown escaped.
    pub escaped: u64,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Observation {
    /// How it ended.
    pub exit: Exit,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Milliseconds.
    pub duration_ms: u64,
    /// Calls left in this invocation.
    pub calls_left: u32,
}

/// Why nothing was run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunnerError {
    /// No test command is declared.
    #[error("no test command is declared")]
    NotDeclared,
    /// The declared command takes no path.
    #[error("the declared test command takes no path")]
    PathNotTaken,
    /// No path at all.
    #[error(transparent)]
    BadPath(#[from] BadPath),
    /// A rule refuses the path.
    #[error("`{}` is refused: {}", .0.path, .0.rule)]
    Refused(Refusal),
    /// Nothing at the path.
    #[error("`{0}` is not there")]
    NotFound(String),
    /// The declared program is not there.
    #[error("the declared program `{0}` was not found")]
    ProgramNotFound(String),
    /// It may not be run. (Where its interpreter is missing, `Io` names that.)
    #[error("the declared program `{0}` cannot be executed")]
    ProgramNotExecutable(String),
    /// The system would not.
    #[error("`{}`: {}", .0.path, .0.reason)]
    Io(IoFailure),
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
    /// Not in this judge's tool list.
    #[error("`{0}` is not among this validator's tools")]
    NotGranted(&'static str),
}
