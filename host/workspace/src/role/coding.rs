//! What a coder answers.

use serde::Serialize;

use crate::capability::LimitReached;
use crate::change::ChangeKind;

/// A statement beside a change, or in place of one when findings are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One line.
    pub title: String,
    /// In full.
    pub detail: String,
    /// Of the workspace.
    pub path: Option<String>,
    /// From 1.
    pub line: Option<u64>,
}

/// A file that the coder says it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedFile {
    /// As the coder spells it.
    pub path: String,
    /// What it says it did.
    pub kind: ChangeKind,
}

/// Why the coder says it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Done.
    Completed,
    /// Out of turns.
    TurnBudget,
    /// Out of context.
    ContextBudget,
    /// The model's provider failed.
    ProviderFault,
    /// Given up.
    Abandoned,
}

/// The coder's own account: evidence only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoderReport {
    /// What it says it changed.
    pub files: Vec<ReportedFile>,
    /// Turns it used.
    pub turns_used: Option<u32>,
    /// Turns it had.
    pub turns_available: Option<u32>,
    /// Tokens it used.
    pub tokens_used: Option<u64>,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Anything else.
    pub notes: String,
}

/// What a coder returns; the work itself went out by submit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Implementation {
    /// Its account.
    pub report: Option<CoderReport>,
    /// Its findings.
    pub findings: Vec<Finding>,
}

/// Where a task's change does not fit the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// Of the workspace.
    pub path: String,
    /// Hunk or block of the file, from 1.
    pub hunk: u32,
    /// The nearest line, from 1; 0 for none.
    pub nearest_line: u64,
    /// What does not fit.
    pub reason: String,
}

/// Why a coder gave up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoderError {
    /// Not a task for this coder.
    #[error("the task cannot be used: {0}")]
    UnusableTask(String),
    /// The change does not fit.
    #[error("{}", describe_mismatch(.0))]
    DoesNotApply(Mismatch),
    /// Something could not be read.
    #[error("`{path}` could not be read: {reason}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// The host refused an operation.
    #[error("the host refused `{path}`: {reason}")]
    Refused {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// The model could not be used.
    #[error("model: {0}")]
    Model(String),
    /// Turns were used up.
    #[error("the turn budget of {0} is used up")]
    TurnBudget(u32),
    /// A bound was reached.
    #[error("the limit `{name}` of {allowed} is reached")]
    Limit {
        /// Which.
        name: String,
        /// How much it was.
        allowed: u64,
    },
    /// A mistake of the plugin's own.
    #[error("the plugin failed: {0}")]
    Internal(String),
}

fn describe_mismatch(m: &Mismatch) -> String {
    if m.nearest_line == 0 {
        format!("`{}`, hunk {}: {}", m.path, m.hunk, m.reason)
    } else {
        format!(
            "`{}`, hunk {}, nearest line {}: {}",
            m.path, m.hunk, m.nearest_line, m.reason
        )
    }
}

impl From<LimitReached> for CoderError {
    fn from(l: LimitReached) -> Self {
        Self::Limit {
            name: l.name.to_owned(),
            allowed: l.allowed,
        }
    }
}
