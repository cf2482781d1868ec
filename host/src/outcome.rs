//! How a run ended: the one table from what happened to outcome, reason and exit code.

use serde::Serialize;

/// snodo's six words. There is no default: success needs positive evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Both gates passed; the change is applied, or would be in a dry run.
    Completed,
    /// A gate, or a rule over the change, says no.
    Blocker,
    /// A person has to decide.
    Escalate,
    /// A validator could not judge.
    ValidatorError,
    /// The coder broke its first duty, or the host has a bug.
    InternalError,
    /// Something around the run failed.
    EnvironmentError,
}

/// The specific reason beside an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HaltType {
    /// The policy halts on a blocker.
    Blocked,
    /// A constraint of the protocol does not hold.
    Constraint,
    /// The protocol's mode has no validator before execution.
    Wf3,
    /// No attempt to mend the change is left.
    RecoveryExhausted,
    /// An attempt to mend the change led to the same findings.
    RecoveryStalled,
    /// The policy escalates.
    Escalated,
    /// A validator faulted.
    ValidatorError,
    /// The coder produced nothing.
    NoFileOperations,
    /// The coder answered with an error, or trapped.
    ExecutionError,
    /// The coder hit a bound.
    LimitReached,
    /// The coder used up its turns.
    TurnBudgetExhausted,
    /// The coder used up its time.
    TimedOut,
    /// The workspace is not what the run saw.
    Stale,
    /// The change is applied, and was not committed.
    CommitFailed,
    /// Something around the run failed.
    EnvironmentError,
    /// A bug of ours.
    InternalError,
    /// Somebody interrupted it.
    Interrupted,
}

/// What happened: one case for each row of the table in `docs/outcomes.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Both gates passed and the change was applied (or it is a dry run, or findings were asked for and given).
    Completed,
    /// A gate's policy halts on a blocker.
    Blocked,
    /// A constraint of the protocol does not hold, or could not be evaluated.
    Constraint,
    /// No attempt to mend the change is left.
    RecoveryExhausted,
    /// An attempt to mend the change led to the same findings.
    RecoveryStalled,
    /// A protocol is in force and nobody judges before execution.
    NoPreExecuteValidators,
    /// A gate's policy escalates.
    Escalated,
    /// A validator could not judge, or what it judges by is missing.
    ValidatorError,
    /// The change set is empty, whatever the coder says.
    ProducedNothing,
    /// The coder answered with an error or trapped, with nothing delivered.
    CoderFailed,
    /// The coder hit a bound, with nothing delivered.
    CoderLimit,
    /// The coder ran out of turns, with nothing delivered.
    CoderTurnBudget,
    /// The coder ran out of time, with nothing delivered.
    CoderTimedOut,
    /// A file is not what the run saw: nothing was applied.
    Stale,
    /// The change was applied, and could not be committed.
    CommitFailed,
    /// The lock is held, the disk is full, the system would not.
    Environment,
    /// A bug of ours.
    Bug,
    /// Interrupted: nothing was applied, or the apply undid itself.
    Interrupted,
}

impl End {
    /// The table.
    pub fn row(&self) -> (Outcome, Option<HaltType>, u8) {
        use {HaltType as H, Outcome as O};
        match self {
            Self::Completed => (O::Completed, None, 0),
            Self::Blocked => (O::Blocker, Some(H::Blocked), 1),
            Self::Constraint => (O::Blocker, Some(H::Constraint), 1),
            Self::RecoveryExhausted => (O::Blocker, Some(H::RecoveryExhausted), 1),
            Self::RecoveryStalled => (O::Blocker, Some(H::RecoveryStalled), 1),
            Self::NoPreExecuteValidators => (O::Blocker, Some(H::Wf3), 1),
            Self::Escalated => (O::Escalate, Some(H::Escalated), 2),
            Self::ValidatorError => (O::ValidatorError, Some(H::ValidatorError), 3),
            Self::ProducedNothing => (O::InternalError, Some(H::NoFileOperations), 4),
            Self::CoderFailed => (O::EnvironmentError, Some(H::ExecutionError), 4),
            Self::CoderLimit => (O::EnvironmentError, Some(H::LimitReached), 4),
            Self::CoderTurnBudget => (O::EnvironmentError, Some(H::TurnBudgetExhausted), 4),
            Self::CoderTimedOut => (O::EnvironmentError, Some(H::TimedOut), 4),
            Self::Stale => (O::EnvironmentError, Some(H::Stale), 4),
            Self::CommitFailed => (O::EnvironmentError, Some(H::CommitFailed), 4),
            Self::Environment => (O::EnvironmentError, Some(H::EnvironmentError), 4),
            Self::Bug => (O::InternalError, Some(H::InternalError), 4),
            Self::Interrupted => (O::EnvironmentError, Some(H::Interrupted), 130),
        }
    }
}

/// Exit code of a run that never began: wrong flags; a plugin, workspace or protocol that cannot be loaded.
pub const EXIT_SETUP: u8 = 64;
