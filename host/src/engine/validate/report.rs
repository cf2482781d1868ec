//! What a gate without a coder found: `snodo.validate.v1`.

use serde::Serialize;
use snodo_config::policy::Class;
use snodo_workspace::constraint::ConstraintResult;
use snodo_workspace::role::{Phase, Severity};

use crate::record::{ChangeReport, GateResult, ModelsReport};
use crate::sandbox::Execution;

/// The name of the schema (`docs/schema/snodo.validate.v1.json`).
pub const VALIDATE_SCHEMA: &str = "snodo.validate.v1";

/// How it ended, in snodo's words. There is no default: a pass needs somebody who judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The gate lets it through.
    Pass,
    /// A validator, a constraint or a rule says no.
    Blocker,
    /// A person has to decide.
    Escalate,
    /// A validator could not judge, or what it judges by is missing.
    ValidatorError,
    /// There was nothing that could be judged, or by nobody.
    CouldNotRun,
}

impl Status {
    /// snodo's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Blocker => 1,
            Self::Escalate => 2,
            Self::ValidatorError => 3,
            Self::CouldNotRun => 4,
        }
    }

    pub(super) fn of(class: Class) -> Self {
        match class {
            Class::Pass => Self::Pass,
            Class::Blocker => Self::Blocker,
            Class::Escalate => Self::Escalate,
            Class::ValidatorError => Self::ValidatorError,
        }
    }
}

/// What the working tree was compared with.
#[derive(Debug, Clone, Serialize)]
pub struct BaseReport {
    /// As given; `HEAD` where nothing was.
    pub revision: String,
    /// The commit, in hexadecimal.
    pub commit: String,
}

/// What is no part of the difference and may differ all the same.
#[derive(Debug, Clone, Serialize)]
pub struct NotLookedAtReport {
    /// From the root of the workspace; escaped.
    pub path: String,
    /// What it is.
    pub why: String,
}

/// What one validator said.
#[derive(Debug, Clone, Serialize)]
pub struct JudgedBy {
    /// Its id.
    pub validator_id: String,
    /// The plugin that judged.
    pub plugin: String,
    /// As the policy takes it.
    pub severity: Severity,
    /// Before a cap of the protocol lowered it.
    pub severity_original: Option<Severity>,
    /// Why.
    pub justification: String,
    /// It could not judge; the severity is `blocker` then.
    pub error: bool,
    /// Nothing was there to be judged: a pass that is no evidence.
    pub skipped: bool,
    /// The model that it asks, as it is configured.
    pub model: Option<String>,
    /// The mock model was asked: nothing was judged.
    pub mock: bool,
    /// What it looked at, where it says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examined: Vec<String>,
}

impl From<&GateResult> for JudgedBy {
    fn from(result: &GateResult) -> Self {
        Self {
            validator_id: result.validator_id.clone(),
            plugin: result.plugin.clone(),
            severity: result.severity,
            severity_original: result.severity_original,
            justification: result.justification.clone(),
            error: result.error,
            skipped: result.skipped,
            model: result.model.clone(),
            mock: result.mock,
            examined: result.examined.clone(),
        }
    }
}

/// A gate without a coder.
#[derive(Debug, Clone, Serialize)]
pub struct ValidateReport {
    /// [`VALIDATE_SCHEMA`].
    pub schema: &'static str,
    /// The status is `pass`.
    pub ok: bool,
    /// How it ended.
    pub status: Status,
    /// Why, in one line.
    pub reason: String,
    /// As snodo names tasks.
    pub task_id: String,
    /// Which gate.
    pub phase: Phase,
    /// The mode's id; `ad-hoc` without a protocol.
    pub mode: String,
    /// The protocol's file; none without one.
    pub protocol: Option<String>,
    /// What the difference is to; only after execution.
    pub base: Option<BaseReport>,
    /// What differs; only after execution.
    pub changes: Vec<ChangeReport>,
    /// What was left out of it.
    pub not_looked_at: Vec<NotLookedAtReport>,
    /// In the gate's order.
    pub results: Vec<JudgedBy>,
    /// What the policy says: `proceed`, `log`, `escalate` or `halt`; none where it was not asked.
    pub policy_decision: Option<String>,
    /// What to do next, in one sentence.
    pub instruction: String,
    /// What came of the protocol's constraints.
    pub constraints: Vec<ConstraintResult>,
    /// What was executed.
    pub executions: Vec<Execution>,
    /// What was asked of language models.
    pub models: ModelsReport,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// For text: how the policy came to its decision.
    #[serde(skip)]
    pub policy_justification: String,
}
