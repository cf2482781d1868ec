//! `runner`.

use snodo_workspace::capability as domain;

use super::same_cases;
use crate::runner as wit;

same_cases!(domain::Bound => wit::Bound { WallClock, Interrupted });

impl From<domain::Exit> for wit::Exit {
    fn from(exit: domain::Exit) -> Self {
        match exit {
            domain::Exit::Code(code) => Self::Code(code),
            domain::Exit::Signal(signal) => Self::Signal(signal),
            domain::Exit::Bound(bound) => Self::Bound(bound.into()),
        }
    }
}

impl From<domain::Captured> for wit::Captured {
    fn from(captured: domain::Captured) -> Self {
        Self {
            head: captured.head,
            tail: captured.tail,
            dropped: captured.dropped,
            escaped: captured.escaped,
        }
    }
}

impl From<domain::Observation> for wit::Observation {
    fn from(seen: domain::Observation) -> Self {
        Self {
            exit: seen.exit.into(),
            stdout: seen.stdout.into(),
            stderr: seen.stderr.into(),
            duration_ms: seen.duration_ms,
            calls_left: seen.calls_left,
        }
    }
}

impl From<domain::RunnerError> for wit::RunnerError {
    fn from(error: domain::RunnerError) -> Self {
        use domain::RunnerError as E;
        match error {
            E::NotDeclared => Self::NotDeclared,
            E::PathNotTaken => Self::PathNotTaken,
            E::BadPath(bad) => Self::BadPath(bad.into()),
            E::Refused(refusal) => Self::Refused(refusal.into()),
            E::NotFound(path) => Self::NotFound(path),
            E::ProgramNotFound(program) => Self::ProgramNotFound(program),
            E::ProgramNotExecutable(program) => Self::ProgramNotExecutable(program),
            E::Io(failure) => Self::Io(failure.into()),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
        }
    }
}
