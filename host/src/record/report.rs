//! The report of a run: `snodo.run.v1`, described by `docs/schema/snodo.run.v1.json`.

use serde::Serialize;
use snodo_config::resolve::CommandSource;
use snodo_model::{CallRecord, Totals};
use snodo_workspace::change::{ChangeKind, ChangeSet};
use snodo_workspace::constraint::ConstraintResult;
use snodo_workspace::role::{CoderReport, Expectation, Finding, Phase, Severity};

use super::AuditReport;
use crate::delivery::Delivery;
use crate::outcome::{HaltType, Outcome};
use crate::plugin::{PluginLimits, PluginLog, Usage};
use crate::sandbox::Execution;

/// The schema's name.
pub const SCHEMA: &str = "snodo.run.v1";

/// Everything that a run did, found and left.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The outcome is `completed`.
    pub ok: bool,
    /// How the run ended.
    pub outcome: Outcome,
    /// The specific reason; none when it completed.
    pub halt_type: Option<HaltType>,
    /// The process's exit code.
    pub exit_code: u8,
    /// One sentence for a person.
    pub reason: String,
    /// The workspace was changed.
    pub applied: bool,
    /// It was not to be changed.
    pub dry_run: bool,
    /// Names the run, also to plugins (`context.job-id`).
    pub run_id: String,
    /// Seconds since the Unix epoch, at the start. The plugins' clock starts here too.
    pub started_at: u64,
    /// What was to be done.
    pub task: TaskReport,
    /// Where.
    pub workspace: WorkspaceReport,
    /// Under which rules.
    pub protocol: ProtocolReport,
    /// Who wrote.
    pub coder: Option<CoderSection>,
    /// Who judged, gate after gate; again for each attempt.
    pub gates: Vec<GateReport>,
    /// The protocol's constraints, as they were found.
    pub constraints: Vec<ConstraintReport>,
    /// The host's account of the change.
    pub changes: Vec<ChangeReport>,
    /// Names the change: the same bytes, the same digest.
    pub change_digest: Option<String>,
    /// Every plugin of the run.
    pub plugins: Vec<PluginReport>,
    /// Every execution of the declared tests.
    pub runner: Vec<Execution>,
    /// What kind of task it is; none where nobody was asked.
    pub classification: Option<ClassificationReport>,
    /// What was asked of language models.
    pub models: ModelsReport,
    /// Milliseconds.
    pub durations: Durations,
    /// The commit that was made of it.
    pub commit: Option<CommitReport>,
    /// The end of the audit log as the run left it; none where the workspace has no `.snodo` folder.
    pub audit: Option<AuditReport>,
    /// What an earlier run left behind, and what became of it.
    pub recovered: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Where this report is kept.
    pub report_path: Option<String>,
}

/// The task.
#[derive(Debug, Clone, Serialize)]
pub struct TaskReport {
    /// As snodo names tasks.
    pub id: String,
    /// The text.
    pub spec: String,
    /// What the run was to produce.
    pub expects: Expectation,
}

/// The workspace.
#[derive(Debug, Clone, Serialize)]
pub struct WorkspaceReport {
    /// As given.
    pub given: String,
    /// Where that is.
    pub root: String,
}

/// The rules.
#[derive(Debug, Clone, Serialize)]
pub struct ProtocolReport {
    /// The file; none for an ad hoc run.
    pub file: Option<String>,
    /// Its `protocol_id`; "ad hoc" without one.
    pub id: String,
    /// The mode's id.
    pub mode: String,
    /// How verdicts are added up.
    pub policy: String,
    /// The declared test command.
    pub test_command: Option<String>,
    /// Who says so.
    pub test_command_source: Option<CommandSource>,
    /// Names exactly what is executed: the same arguments, the same digest.
    pub test_command_digest: Option<String>,
    /// Paths that no coder may change.
    pub protected_paths: Vec<String>,
}

/// The coder.
#[derive(Debug, Clone, Serialize)]
pub struct CoderSection {
    /// Its name.
    pub name: String,
    /// How its work reached the host.
    pub delivery: Delivery,
    /// It may run the declared tests.
    pub observes_tests: bool,
    /// Why it did not return, or the error that it returned.
    pub error: Option<String>,
    /// It did not come to its end, and what it had delivered by then was judged.
    pub cut_short: bool,
    /// How it ran, where it is a program.
    pub execution: Option<Execution>,
    /// Its own account: evidence only.
    pub report: Option<CoderReport>,
    /// Paths that it says it changed and did not.
    pub claimed_but_missing: Vec<String>,
    /// Paths that it changed and does not mention.
    pub unclaimed_but_present: Vec<String>,
    /// What it found.
    pub findings: Vec<Finding>,
}

/// What the classifier says of the task. Nothing depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassificationReport {
    /// `feature`, `defect`, `debt` or `risk`; none where it could not be told.
    pub flow_type: Option<&'static str>,
    /// The task in one line.
    pub summary: Option<String>,
    /// Why it could not be told.
    pub reason: Option<String>,
    /// The model that was asked, as it is configured.
    pub model: Option<String>,
    /// The mock model was asked.
    pub mock: bool,
}

/// What was asked of language models, by whom, and what it took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelsReport {
    /// Every call, in the order in which they ended.
    pub calls: Vec<CallRecord>,
    /// All of them together.
    pub totals: Totals,
    /// What costs are counted in: millionths of this.
    pub currency: String,
}

/// A commit.
#[derive(Debug, Clone, Serialize)]
pub struct CommitReport {
    /// Its name, in hexadecimal.
    pub id: String,
    /// The branch that it is on; none when HEAD is detached.
    pub branch: Option<String>,
    /// Its parent; none for the first commit of a branch.
    pub parent: Option<String>,
}

/// What came of one constraint.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintReport {
    /// Of which attempt, from 1.
    pub attempt: u32,
    /// Before or after the coder.
    pub phase: Phase,
    /// What was found.
    #[serde(flatten)]
    pub result: ConstraintResult,
}

/// A gate.
#[derive(Debug, Clone, Serialize)]
pub struct GateReport {
    /// Of which attempt, from 1.
    pub attempt: u32,
    /// Before or after the coder.
    pub phase: Phase,
    /// What the policy says: `proceed`, `log`, `escalate`, `halt`, or `none` when nobody judges in this phase.
    pub decision: String,
    /// Why.
    pub justification: String,
    /// In the gate's order.
    pub results: Vec<GateResult>,
}

/// What one validator said.
#[derive(Debug, Clone, Serialize)]
pub struct GateResult {
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
    /// Indexes in the validator's criteria that it names, from 0.
    pub cited_criteria: Vec<u32>,
    /// It could not judge; the severity is `blocker` then.
    pub error: bool,
    /// It has no means to check one of its criteria.
    pub access_refused: bool,
    /// Nothing was there to be judged: a pass that is no evidence.
    pub skipped: bool,
    /// What it looked at.
    pub examined: Vec<String>,
    /// The model that it asks, as it is configured; none for one that asks none, or has none to ask.
    pub model: Option<String>,
    /// The mock model was asked: nothing was judged, and this is no evidence.
    pub mock: bool,
}

/// One changed path.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeReport {
    /// Now.
    pub path: String,
    /// Before, of a rename.
    pub old_path: Option<String>,
    /// What happened.
    pub kind: ChangeKind,
    /// Lines.
    pub added: u64,
    /// Lines.
    pub deleted: u64,
    /// Not text.
    pub binary: bool,
    /// Why the file counts as one that governs tests, if it does.
    pub test_governing: Option<String>,
}

impl ChangeReport {
    /// Of each path of a change, in its order.
    pub(crate) fn of(change: &ChangeSet) -> Vec<Self> {
        let files = change.summary().files.into_iter();
        files
            .map(|file| Self {
                path: file.path,
                old_path: file.old_path,
                kind: file.kind,
                added: file.added,
                deleted: file.deleted,
                binary: file.binary,
                test_governing: file.test_governing,
            })
            .collect()
    }
}

/// One plugin.
#[derive(Debug, Clone, Serialize)]
pub struct PluginReport {
    /// Its name.
    pub name: String,
    /// `coder` or `validator`.
    pub role: &'static str,
    /// `built-in`, or the file.
    pub origin: String,
    /// Of its bytes.
    pub digest: String,
    /// Bytes.
    pub size: u64,
    /// It had to be compiled: the first start with it.
    pub compiled: bool,
    /// Its imports.
    pub imports: Vec<String>,
    /// What it was granted beyond its role.
    pub grants: Vec<String>,
    /// Its bounds.
    pub limits: PluginLimits,
    /// What it used, over all calls.
    pub usage: Usage,
    /// What it said.
    pub log: PluginLog,
}

/// Milliseconds of each part.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Durations {
    /// Finding, admitting, compiling and describing plugins.
    pub load_ms: u64,
    /// The gate before execution.
    pub pre_execute_ms: u64,
    /// The coder.
    pub coder_ms: u64,
    /// The gate after execution.
    pub post_execute_ms: u64,
    /// The apply.
    pub apply_ms: u64,
    /// All of it.
    pub total_ms: u64,
}
