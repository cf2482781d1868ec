//! The task.

use serde::{Deserialize, Serialize};

/// A phase of a run in which validators judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before the coder.
    PreExecute,
    /// After the coder.
    PostExecute,
}

impl Phase {
    /// snodo's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreExecute => "pre_execute",
            Self::PostExecute => "post_execute",
        }
    }
}

/// What a run is expected to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// A change of the workspace.
    Change,
    /// An answer in words.
    Findings,
}

/// How a validator judged; ordered from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good.
    Pass,
    /// Good enough, with a remark.
    Warn,
    /// Not to be applied.
    Blocker,
}

impl Severity {
    /// snodo's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Blocker => "blocker",
        }
    }
}

/// A task, as both roles see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// `task_` and the first 12 hex digits of the SHA-256 of the text (as snodo names tasks).
    pub id: String,
    /// The text, whole.
    pub spec: String,
    /// What the run is to produce.
    pub expects: Expectation,
    /// Constraints in force, each in one sentence.
    pub constraints: Vec<String>,
    /// What earlier runs left to remember.
    pub memory_summary: String,
    /// The project at a glance.
    pub project: ProjectContext,
    /// What earlier attempts of this run failed on.
    pub prior_failures: Vec<PriorFailure>,
}

/// The project at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectContext {
    /// "rust", "python", … or "unknown".
    pub language: String,
    /// A path a line; the cut is said in the last line.
    pub structure: String,
    /// Configuration files.
    pub configuration: Vec<ConfigurationFile>,
}

/// A configuration file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigurationFile {
    /// From the root.
    pub path: String,
    /// The first 2,000 characters.
    pub text: String,
    /// There is more.
    pub truncated: bool,
}

/// A finding of an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PriorFailure {
    /// From 1.
    pub attempt: u32,
    /// Whose.
    pub validator_id: String,
    /// How grave.
    pub severity: Severity,
    /// In its words.
    pub justification: String,
}
