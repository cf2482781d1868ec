//! What a validator is asked, and what it answers.

use serde::Serialize;

use super::{Phase, Severity, Task};
use crate::change::TestGoverningChange;

/// The mode under which the task runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeProfile {
    /// `mode_id`.
    pub id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: String,
    /// The mode's capability names.
    pub tools: Vec<String>,
}

/// What an execution validator saw earlier in this gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionEvidence {
    /// Whose.
    pub validator_id: String,
    /// How it judged.
    pub severity: Severity,
    /// In its words.
    pub justification: String,
}

/// What to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Before or after the coder.
    pub phase: Phase,
    /// The task.
    pub task: Task,
    /// Under which id the validator was called.
    pub validator_id: String,
    /// Of the protocol.
    pub criteria: Vec<String>,
    /// The mode.
    pub mode: ModeProfile,
    /// Earlier in this gate.
    pub evidence: Vec<ExecutionEvidence>,
    /// Changes to files that govern tests.
    pub test_governing: Vec<TestGoverningChange>,
}

/// A criterion that the validator has no means to check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Uncheckable {
    /// Index in the criteria, from 0.
    pub criterion: u32,
    /// What it would need.
    pub capability: String,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// How it judged.
    pub severity: Severity,
    /// Why.
    pub justification: String,
    /// Indexes in the criteria, from 0.
    pub cited_criteria: Vec<u32>,
    /// What was looked at.
    pub examined: Vec<String>,
    /// Nothing was there to be judged: why. Never counted as evidence.
    pub skipped: Option<String>,
    /// Criteria that cannot be checked.
    pub uncheckable: Vec<Uncheckable>,
}

/// Why a validator could not decide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No model, or no answer from it.
    #[error("model: {0}")]
    Model(String),
    /// The declared command could not be run to its end.
    #[error("test command: {0}")]
    Runner(String),
    /// Not all that has to be judged could be seen.
    #[error("incomplete view: {0}")]
    IncompleteView(String),
    /// A setting that cannot be used.
    #[error("setting: {0}")]
    Setting(String),
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
