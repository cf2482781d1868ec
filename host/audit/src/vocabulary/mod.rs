//! The events that a run writes, with snodo's names and fields.
//!
//! Of snodo's 86 types those are here that a runner which is no snodo can write truly. Left out, and why:
//!
//! * `session_*`, `project_announced`, and the field `session_id` everywhere: a snodo that finds an audited session without a file of it
//!   reports the log and its store as diverging (`session_audited_but_missing`), and there are no session files here.
//! * `wave_created`, `token_issued`, `spec_*`: nothing here plans waves, issues tokens or rewrites specs.
//! * `task_merged`, `task_unmerged`, `merge_*`, `unverified_merge_blocked`, `head_not_moved`, `worktree_*`, `environment_prep_failed`:
//!   branches, merges and preparation stay snodo's.
//! * `decision_*`, `disagreement_resolved`: nothing here lets anybody approve.
//!
//! Four are not snodo's, which takes any type: [`REPAIRED`], `plugin_called`, `operation_refused`, `change_applied`.
//!
//! All text is data: it is escaped into one line, and may say what it likes.

mod data;
mod parts;

pub use parts::{
    Applied, AttemptLimit, ChangeSize, LineCounts, Phase, PolicyAction, RecordedResult, TestMutation, TimeLimit,
    TurnBudget, ValidateOutcome, VerificationOutcome,
};

use crate::value::Value;

/// The type of the event that tells of a repair: see [`crate::repair`](mod@crate::repair).
pub const REPAIRED: &str = "audit_log_repaired";

/// What happened in a run. [`Event::record`] makes it fit for the log.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The classifier said what kind of task it is. It belongs to no wave: `wave_id` is empty.
    TaskClassified {
        /// The task's id.
        task_ref: String,
        /// `feature`, `defect`, `debt` or `risk`.
        flow_type: String,
        /// The task in one line; empty where nobody said it.
        task_summary: String,
    },
    /// Governance was checked, before the validators.
    GovernanceCheck {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// Whether all constraints held; the field is called `constraints_checked`.
        constraints_passed: bool,
    },
    /// A constraint does not hold.
    ConstraintViolation {
        /// The constraint's id.
        constraint_id: String,
        /// The predicate's name.
        predicate: String,
        /// Its severity.
        severity: String,
        /// Why.
        justification: String,
        /// What the predicate saw.
        evidence: Value,
        /// When.
        phase: Phase,
    },
    /// A gate: one phase's validators, and what came of them.
    Validate {
        /// The task's id.
        task_ref: String,
        /// The validators asked, in the order of the mode.
        validators_invoked: Vec<String>,
        /// Their answers.
        results: Vec<RecordedResult>,
        /// Of which phase, and what came of it.
        outcome: ValidateOutcome,
        /// Model usage, in snodo's form; empty when none was measured.
        usage: Vec<Value>,
    },
    /// A verdict was lowered to its validator's cap.
    SeverityCapApplied {
        /// The validator's id.
        validator_id: String,
        /// What it said.
        original: String,
        /// What counts.
        capped: String,
        /// Why, when it was not the validator's cap (`pre_execute_recovery_tree_state`).
        reason: Option<String>,
    },
    /// The policy asks for a decision by a human.
    DisagreementEscalated {
        /// The task's id.
        task_ref: String,
        /// When.
        phase: Phase,
        /// The protocol's policy.
        policy: String,
    },
    /// The mode has no validators for the phase at run time.
    Wf3RuntimeViolation {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// The phase.
        phase: Phase,
    },
    /// The single-use authorisation of the gate was used up.
    TokenConsumed {
        /// The task's id.
        task_ref: String,
    },
    /// The coder was called and came back with work.
    Dispatch {
        /// The task's id; also what snodo gives as the token's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// The coder's name.
        coder: String,
        /// Its model.
        coder_model: Option<String>,
        /// The judges' model.
        judging_model: Option<String>,
        /// How many files it delivered.
        artifacts_count: u64,
        /// When a time limit ended it.
        timed_out: Option<TimeLimit>,
    },
    /// A coder ran the declared tests.
    CoderTestRun {
        /// The task's id; the field is called `task_id`.
        task_ref: String,
        /// Which run of the tests it was in this call of the coder, beginning with 0.
        turn_index: u64,
        /// What was to be tested; empty for all.
        test_path: String,
        /// The command's kind or name.
        command_type: String,
        /// The exit code; −1 when there was none.
        exit_code: i64,
    },
    /// A coder changed files that govern tests.
    TestModified {
        /// The task's id; the field is called `task_id`.
        task_ref: String,
        /// The files.
        mutations: Vec<TestMutation>,
    },
    /// A validator ran the declared tests.
    VerificationExecuted {
        /// The task's id.
        task_ref: String,
        /// The validator's id.
        validator_id: String,
        /// The command, for reading.
        command: String,
        /// The commit that was tested; empty when it was none.
        commit: String,
        /// The exit code; −1 when there was none.
        returncode: i64,
        /// What came of it.
        outcome: VerificationOutcome,
        /// Where it ran.
        working_directory: String,
        /// The end of what it printed: the last 400 characters are recorded.
        output_tail: String,
    },
    /// The coder produced nothing.
    NoFileOperations {
        /// The task's id.
        task_ref: String,
        /// In what way.
        error: String,
    },
    /// A change of `.snodo` was found or refused.
    SnodoMutationBlocked {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// The paths.
        paths: Vec<String>,
        /// What was done about it.
        error: String,
    },
    /// A change of a protected path was found.
    ProtectedPathBlocked {
        /// The task's id.
        task_ref: String,
        /// The paths and the rule.
        justification: String,
    },
    /// A coder ran out of time.
    CoderTimedOut {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// The limit.
        limit: TimeLimit,
        /// How many files it delivered nevertheless.
        artifacts_count: u64,
        /// The end of what it printed.
        output_tail: String,
    },
    /// The coder cannot be started here.
    CoderUnavailable {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// The program that is missing; none when it is something else.
        binary: Option<String>,
        /// Why.
        error: String,
    },
    /// A coder ran out of turns.
    CoderTurnBudgetExhausted {
        /// The task's id.
        task_ref: String,
        /// With or without work.
        left: TurnBudget,
    },
    /// The coder failed.
    ExecutionFailed {
        /// The task's id.
        task_ref: String,
        /// How.
        error: String,
    },
    /// A judge passed what an execution shows to fail.
    ValidatorContradictionDetected {
        /// The task's id.
        task_ref: String,
        /// The validator that ran something.
        execution_validator: String,
        /// What it said.
        execution_justification: String,
        /// What the judge said.
        acceptance_justification: String,
    },
    /// There was nobody to judge the work.
    PostValidateBypassed {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        mode: String,
        /// Why.
        reason: String,
    },
    /// Where the run goes after the second gate.
    PostValidationRoute {
        /// The task's id.
        task_ref: String,
        /// `move_next`, `blocked` or `recovery`.
        decision: &'static str,
    },
    /// A recovery attempt begins.
    SubtaskSpawned {
        /// The task that failed.
        parent_ref: String,
        /// The attempt's id.
        task_ref: String,
        /// Its depth.
        depth: u64,
        /// Whose findings it is about.
        triggering_validator_ids: Vec<String>,
    },
    /// No attempt is left.
    RecoveryExhausted {
        /// The task's id.
        task_ref: String,
        /// Its depth.
        depth: u64,
        /// The limit that was reached.
        limit: AttemptLimit,
    },
    /// An attempt ended with the same findings as the one before.
    RecoveryStalled {
        /// The task's id.
        task_ref: String,
        /// Its depth.
        depth: u64,
        /// Whose findings.
        validator_ids: Vec<String>,
    },
    /// A task, or an attempt, is through.
    RecoveryResolved {
        /// The task's id.
        task_ref: String,
        /// Its depth; 0 for the task itself.
        depth: u64,
        /// How many attempts it took.
        attempts_used: u64,
    },
    /// A recovery ended in a fault of ours.
    RecoveryInternalError {
        /// The task's id.
        task_ref: String,
        /// Its depth.
        depth: u64,
        /// The fault.
        error: String,
    },
    /// The run leaves a mode.
    Transition {
        /// The task's id.
        task_ref: String,
        /// The mode's id.
        from_mode: String,
        /// The next one; `complete` at the end.
        to_mode: String,
    },
    /// The run completed.
    TaskComplete {
        /// The task's id.
        task_ref: String,
        /// The changed files.
        artifacts: Vec<String>,
        /// The commit, when one was made.
        commit: Option<String>,
        /// How much was changed, when it was measured.
        change_size: Option<ChangeSize>,
        /// Model usage, in snodo's form.
        usage: Vec<Value>,
        /// When a time limit had ended the coder.
        timed_out: Option<TimeLimit>,
    },
    /// The run stopped.
    Halt {
        /// The task's id.
        task_ref: String,
        /// Why, for reading.
        reason: String,
        /// The validators that block.
        blocker_validators: Vec<String>,
        /// The outcome.
        halt_type: String,
        /// Its reason, in one word.
        raw_halt_type: String,
        /// Model usage, in snodo's form.
        usage: Vec<Value>,
        /// When a time limit had ended the coder.
        timed_out: Option<TimeLimit>,
    },
    /// Not snodo's: a plugin was called, and came back.
    PluginCalled {
        /// The task's id.
        task_ref: String,
        /// `coder` or `validator`.
        role: &'static str,
        /// Its name; for a validator, the validator's id.
        plugin: String,
        /// The digest of its bytes; none for what is no component.
        digest: Option<String>,
        /// Which attempt, beginning with 1.
        attempt: u64,
        /// How it ended, in one word.
        outcome: String,
        /// More, for reading.
        detail: String,
    },
    /// Not snodo's: something that a plugin asked for was refused by a rule, and the run went on.
    OperationRefused {
        /// The task's id.
        task_ref: String,
        /// The plugin's name.
        plugin: String,
        /// What it asked for.
        operation: String,
        /// Of what.
        path: String,
        /// The rule.
        rule: String,
    },
    /// Not snodo's: the change set was applied to the workspace.
    ChangeApplied(Applied),
}
