//! What events are made of.

pub use snodo_workspace::role::Phase;

/// A validator's answer, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedResult {
    /// The validator's id.
    pub validator_id: String,
    /// The severity that counts. A fault is recorded as `blocker`, as in snodo; that it is one, the halt says.
    pub severity: String,
    /// Why.
    pub justification: String,
    /// What a validator had examined when it failed.
    pub examined: Vec<String>,
    /// Whether an earlier verdict was used again.
    pub reused: bool,
    /// What it said before its cap was applied, when that changed something.
    pub severity_original: Option<String>,
}

/// What came of a gate. The words are snodo's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidateOutcome {
    /// The first gate.
    Pre {
        /// `passed`, `blocked` or `escalated`.
        outcome: &'static str,
        /// What the policy says; none when it was not asked.
        policy: Option<PolicyAction>,
    },
    /// The second gate: `passed`, `blocked`, `recovery` or `skipped`.
    Post(&'static str),
}

/// What a policy decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyAction {
    /// Go on.
    Proceed,
    /// Go on, with warnings.
    Log,
    /// Ask a human.
    Escalate,
    /// Stop.
    Halt,
}

impl PolicyAction {
    /// snodo's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Log => "log",
            Self::Escalate => "escalate",
            Self::Halt => "halt",
        }
    }
}

/// A time limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLimit {
    /// How long it is, in whole seconds.
    pub seconds: u64,
    /// `true`: since the last sign of life (`silence`); `false`: in all (`wall_clock`).
    pub silence: bool,
}

/// A file that governs tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestMutation {
    /// The path.
    pub path: String,
    /// What it is.
    pub kind: String,
}

/// What came of running the declared tests. The words are snodo's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationOutcome {
    /// They passed.
    Pass,
    /// They failed.
    Fail,
    /// They could not run.
    Error,
    /// There are none.
    NoTests,
}

impl VerificationOutcome {
    /// snodo's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
            Self::NoTests => "no_tests",
        }
    }
}

/// What a coder that ran out of turns left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnBudget {
    /// Nothing.
    Nothing {
        /// What is said of it.
        error: String,
    },
    /// Work, which is judged.
    Work {
        /// The mode's id.
        mode: String,
        /// How many files.
        artifacts_count: u64,
    },
}

/// What ended the attempts of a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptLimit {
    /// How deep attempts may stand in each other.
    Depth {
        /// The limit.
        max_depth: u64,
    },
    /// How many there may be in all.
    Total,
}

/// How much was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSize {
    /// The commit that the workspace was at; empty when there is none.
    pub base_sha: String,
    /// The commit that was made; empty when there is none.
    pub head_sha: String,
    /// How many files.
    pub files_changed: u64,
    /// Which; at most 500 are recorded.
    pub paths: Vec<String>,
    /// The rest; none when it was not counted, as beyond 500 files.
    pub counts: Option<LineCounts>,
}

/// What is counted of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    /// New files.
    pub files_added: u64,
    /// Deleted files.
    pub files_deleted: u64,
    /// Renamed files.
    pub files_renamed: u64,
    /// Files of which only the mode was changed.
    pub files_mode_only: u64,
    /// Files that are no text.
    pub files_binary: u64,
    /// New lines.
    pub lines_added: u64,
    /// Deleted lines.
    pub lines_deleted: u64,
}

/// A change set in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The task's id.
    pub task_ref: String,
    /// The run whose change it is.
    pub run_id: String,
    /// The digest of the change set.
    pub change_set: String,
    /// How many files.
    pub files_changed: u64,
    /// Which; at most 500 are recorded.
    pub paths: Vec<String>,
    /// `true` when it was taken back (`undo`).
    pub undone: bool,
}
