//! Events as `data` objects.

use crate::event::NewEvent;
use crate::value::{Object, Value};
use crate::vocabulary::{
    Applied, AttemptLimit, ChangeSize, Event, RecordedResult, TestMutation, TimeLimit, TurnBudget, ValidateOutcome,
};

/// The most paths in one event: snodo's bound for a change's size.
const MAX_PATHS: usize = 500;
/// The most characters of a test run's output in an event.
const MAX_OUTPUT_TAIL: usize = 400;

impl Event {
    /// The event for the log. `job_id` is snodo's word for a run that works in the background, and is left out when there is none.
    ///
    /// Three types of snodo's have a job id whether there is a job or not: empty then.
    pub fn record(&self, job_id: Option<&str>) -> NewEvent {
        let event_type = self.name();
        let mut data = self.fields(job_id.unwrap_or(""));
        if self.has_op() {
            set(&mut data, "op", event_type);
            if let Some(job_id) = job_id {
                set(&mut data, "job_id", job_id);
            }
        }
        NewEvent { event_type, data }
    }

    /// `event_type`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TaskClassified { .. } => "task_classified",
            Self::GovernanceCheck { .. } => "governance_check",
            Self::ConstraintViolation { .. } => "constraint_violation",
            Self::Validate { .. } => "validate",
            Self::SeverityCapApplied { .. } => "severity_cap_applied",
            Self::DisagreementEscalated { .. } => "disagreement_escalated",
            Self::Wf3RuntimeViolation { .. } => "wf3_runtime_violation",
            Self::TokenConsumed { .. } => "token_consumed",
            Self::Dispatch { .. } => "dispatch",
            Self::CoderTestRun { .. } => "coder_test_run",
            Self::TestModified { .. } => "test_modified",
            Self::VerificationExecuted { .. } => "verification_executed",
            Self::NoFileOperations { .. } => "no_file_operations",
            Self::SnodoMutationBlocked { .. } => "snodo_mutation_blocked",
            Self::ProtectedPathBlocked { .. } => "protected_path_blocked",
            Self::CoderTimedOut { .. } => "coder_timed_out",
            Self::CoderUnavailable { .. } => "coder_unavailable",
            Self::CoderTurnBudgetExhausted { .. } => "coder_turn_budget_exhausted",
            Self::ExecutionFailed { .. } => "execution_failed",
            Self::ValidatorContradictionDetected { .. } => "validator_contradiction_detected",
            Self::PostValidateBypassed { .. } => "post_validate_bypassed",
            Self::PostValidationRoute { .. } => "post_validation_route",
            Self::SubtaskSpawned { .. } => "subtask_spawned",
            Self::RecoveryExhausted { .. } => "recovery_exhausted",
            Self::RecoveryStalled { .. } => "recovery_stalled",
            Self::RecoveryResolved { .. } => "recovery_resolved",
            Self::RecoveryInternalError { .. } => "recovery_internal_error",
            Self::Transition { .. } => "transition",
            Self::TaskComplete { .. } => "task_complete",
            Self::Halt { .. } => "halt",
            Self::PluginCalled { .. } => "plugin_called",
            Self::OperationRefused { .. } => "operation_refused",
            Self::ChangeApplied(_) => "change_applied",
        }
    }

    /// Whether snodo repeats the type in the data, which it does in all but these.
    fn has_op(&self) -> bool {
        !matches!(
            self,
            Self::SeverityCapApplied { .. }
                | Self::Wf3RuntimeViolation { .. }
                | Self::CoderTestRun { .. }
                | Self::TestModified { .. }
                | Self::PostValidateBypassed { .. }
        )
    }

    #[rustfmt::skip] // One line for each event reads as the table that it is.
    fn fields(&self, job: &str) -> Object {
        match self {
            Self::TaskClassified { task_ref, flow_type, task_summary } =>
                object([("task_ref", text(task_ref)), ("flow_type", text(flow_type)), ("wave_id", "".into()), ("task_summary", text(task_summary))]),
            Self::GovernanceCheck { task_ref, mode, constraints_passed } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("constraints_checked", (*constraints_passed).into())]),
            Self::ConstraintViolation { constraint_id, predicate, severity, justification, evidence, phase } =>
                object([("constraint_id", text(constraint_id)), ("predicate", text(predicate)), ("severity", text(severity)),
                    ("justification", text(justification)), ("evidence", evidence.clone()), ("phase", phase.as_str().into())]),
            Self::Validate { task_ref, validators_invoked, results, outcome, usage } =>
                validate(task_ref, validators_invoked, results, *outcome, usage),
            Self::SeverityCapApplied { validator_id, original, capped, reason } => {
                let mut data = object([("validator_id", text(validator_id)), ("original", text(original)), ("capped", text(capped))]);
                if let Some(reason) = reason {
                    set(&mut data, "reason", reason.as_str());
                }
                data
            }
            Self::DisagreementEscalated { task_ref, phase, policy } =>
                object([("task_ref", text(task_ref)), ("phase", phase.as_str().into()), ("policy", text(policy))]),
            Self::Wf3RuntimeViolation { task_ref, mode, phase } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("phase", phase.as_str().into())]),
            Self::TokenConsumed { task_ref } => object([("task_ref", text(task_ref))]),
            Self::Dispatch { task_ref, mode, coder, coder_model, judging_model, artifacts_count, timed_out } => {
                let mut data = object([("task_ref", text(task_ref)), ("token_id", text(task_ref)), ("mode", text(mode)),
                    ("coder", text(coder)), ("coder_model", coder_model.clone().into()), ("judging_model", judging_model.clone().into()),
                    ("artifacts_count", (*artifacts_count).into())]);
                time_out(&mut data, *timed_out);
                data
            }
            Self::CoderTestRun { task_ref, turn_index, test_path, command_type, exit_code } =>
                object([("task_id", text(task_ref)), ("job_id", job.into()), ("turn_index", (*turn_index).into()),
                    ("test_path", text(test_path)), ("command_type", text(command_type)), ("exit_code", (*exit_code).into())]),
            Self::TestModified { task_ref, mutations } =>
                object([("task_id", text(task_ref)), ("job_id", job.into()), ("mutations", list(mutations, mutation))]),
            Self::VerificationExecuted { task_ref, validator_id, command, commit, returncode, outcome, working_directory, output_tail } =>
                object([("task_ref", text(task_ref)), ("validator_id", text(validator_id)), ("command", text(command)), ("commit", text(commit)),
                    ("returncode", (*returncode).into()), ("outcome", outcome.as_str().into()), ("working_directory", text(working_directory)),
                    // snodo puts the job's id there.
                    ("session_id", job.into()), ("output_tail", tail(output_tail).into())]),
            Self::NoFileOperations { task_ref, error } | Self::ExecutionFailed { task_ref, error }
            | Self::CoderTurnBudgetExhausted { task_ref, left: TurnBudget::Nothing { error } } =>
                object([("task_ref", text(task_ref)), ("error", text(error))]),
            Self::SnodoMutationBlocked { task_ref, mode, paths, error } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("paths", first(paths)), ("error", text(error))]),
            Self::ProtectedPathBlocked { task_ref, justification } =>
                object([("task_ref", text(task_ref)), ("justification", text(justification))]),
            Self::CoderTimedOut { task_ref, mode, limit, artifacts_count, output_tail } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("timeout_seconds", limit.seconds.into()),
                    ("timeout_limit", limit_name(*limit)), ("artifacts_count", (*artifacts_count).into()), ("output_tail", text(output_tail))]),
            Self::CoderUnavailable { task_ref, mode, binary, error } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("binary", binary.clone().into()), ("error", text(error))]),
            Self::CoderTurnBudgetExhausted { task_ref, left: TurnBudget::Work { mode, artifacts_count } } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("artifacts_count", (*artifacts_count).into())]),
            Self::ValidatorContradictionDetected { task_ref, execution_validator, execution_justification, acceptance_justification } =>
                object([("task_ref", text(task_ref)), ("execution_validator", text(execution_validator)),
                    ("execution_justification", text(execution_justification)), ("acceptance_justification", text(acceptance_justification))]),
            Self::PostValidateBypassed { task_ref, mode, reason } =>
                object([("task_ref", text(task_ref)), ("mode", text(mode)), ("reason", text(reason))]),
            Self::PostValidationRoute { task_ref, decision } =>
                object([("task_ref", text(task_ref)), ("decision", (*decision).into())]),
            Self::SubtaskSpawned { parent_ref, task_ref, depth, triggering_validator_ids } =>
                object([("parent_ref", text(parent_ref)), ("task_ref", text(task_ref)), ("depth", (*depth).into()),
                    ("triggering_validator_ids", triggering_validator_ids.clone().into())]),
            Self::RecoveryExhausted { task_ref, depth, limit } => {
                let mut data = object([("task_ref", text(task_ref)), ("depth", (*depth).into())]);
                match limit {
                    AttemptLimit::Depth { max_depth } => {
                        set(&mut data, "max_depth", *max_depth);
                        set(&mut data, "reason", "max_recovery_depth");
                    }
                    AttemptLimit::Total => {
                        // What snodo writes when the next attempt would be one too many.
                        set(&mut data, "global_remaining", -1);
                        set(&mut data, "reason", "max_total_fix_attempts");
                    }
                }
                data
            }
            Self::RecoveryStalled { task_ref, depth, validator_ids } =>
                object([("task_ref", text(task_ref)), ("depth", (*depth).into()), ("validator_ids", validator_ids.clone().into())]),
            Self::RecoveryResolved { task_ref, depth, attempts_used } =>
                object([("task_ref", text(task_ref)), ("depth", (*depth).into()), ("attempts_used", (*attempts_used).into())]),
            Self::RecoveryInternalError { task_ref, depth, error } =>
                object([("task_ref", text(task_ref)), ("depth", (*depth).into()), ("error", text(error))]),
            Self::Transition { task_ref, from_mode, to_mode } =>
                object([("task_ref", text(task_ref)), ("from_mode", text(from_mode)), ("to_mode", text(to_mode))]),
            Self::TaskComplete { task_ref, artifacts, commit, change_size, usage, timed_out } => {
                let size = change_size.as_ref().map(|size| Value::Object(self::change_size(size)));
                let mut data = object([("task_ref", text(task_ref)), ("artifacts", first(artifacts)), ("commit", commit.clone().into()),
                    ("change_size", size.into()), ("usage", usage.clone().into())]);
                time_out(&mut data, *timed_out);
                data
            }
            Self::Halt { task_ref, reason, blocker_validators, halt_type, raw_halt_type, usage, timed_out } => {
                let mut data = object([("task_ref", text(task_ref)), ("reason", text(reason)), ("blocker_validators", blocker_validators.clone().into()),
                    ("halt_type", text(halt_type)), ("raw_halt_type", text(raw_halt_type)), ("usage", usage.clone().into())]);
                time_out(&mut data, *timed_out);
                data
            }
            Self::PluginCalled { task_ref, role, plugin, digest, attempt, outcome, detail } =>
                object([("task_ref", text(task_ref)), ("role", (*role).into()), ("plugin", text(plugin)), ("digest", digest.clone().into()),
                    ("attempt", (*attempt).into()), ("outcome", text(outcome)), ("detail", text(detail))]),
            Self::OperationRefused { task_ref, plugin, operation, path, rule } =>
                object([("task_ref", text(task_ref)), ("plugin", text(plugin)), ("operation", text(operation)), ("path", text(path)),
                    ("rule", text(rule))]),
            Self::ChangeApplied(Applied { task_ref, run_id, change_set, files_changed, paths, undone }) =>
                object([("task_ref", text(task_ref)), ("run_id", text(run_id)), ("change_set", text(change_set)),
                    ("files_changed", (*files_changed).into()), ("paths", first(paths)), ("undone", (*undone).into())]),
        }
    }
}

fn validate(
    task_ref: &str,
    invoked: &[String],
    results: &[RecordedResult],
    outcome: ValidateOutcome,
    usage: &[Value],
) -> Object {
    let (phase, word) = match outcome {
        ValidateOutcome::Pre { outcome, .. } => ("pre_execute", outcome),
        ValidateOutcome::Post(outcome) => ("post_execute", outcome),
    };
    let mut data = object([
        ("phase", phase.into()),
        ("task_ref", text(task_ref)),
        ("validators_invoked", invoked.to_vec().into()),
        ("results", list(results, result)),
        ("outcome", word.into()),
        ("usage", usage.to_vec().into()),
    ]);
    if let ValidateOutcome::Pre { policy, .. } = outcome {
        set(&mut data, "policy_decision", policy.map(super::PolicyAction::as_str));
    }
    data
}

fn result(result: &RecordedResult) -> Value {
    let mut entry = object([
        ("validator_id", text(&result.validator_id)),
        ("severity", text(&result.severity)),
        ("justification", text(&result.justification)),
    ]);
    if !result.examined.is_empty() {
        set(&mut entry, "examined", result.examined.clone());
    }
    if result.reused {
        set(&mut entry, "reused", true);
    }
    if let Some(original) = &result.severity_original {
        set(&mut entry, "severity_at_cap", true);
        set(&mut entry, "severity_original", original.as_str());
    }
    entry.into()
}

fn mutation(mutation: &TestMutation) -> Value {
    object([("path", text(&mutation.path)), ("kind", text(&mutation.kind))]).into()
}

fn change_size(size: &ChangeSize) -> Object {
    let count = |of: fn(&super::LineCounts) -> u64| Value::from(size.counts.as_ref().map(of));
    object([
        ("base_sha", text(&size.base_sha)),
        ("head_sha", text(&size.head_sha)),
        ("files_changed", size.files_changed.into()),
        ("paths", first(&size.paths)),
        ("files_added", count(|counts| counts.files_added)),
        ("files_deleted", count(|counts| counts.files_deleted)),
        ("files_renamed", count(|counts| counts.files_renamed)),
        ("files_mode_only", count(|counts| counts.files_mode_only)),
        ("files_binary", count(|counts| counts.files_binary)),
        ("lines_added", count(|counts| counts.lines_added)),
        ("lines_deleted", count(|counts| counts.lines_deleted)),
        ("capped", (size.counts.is_none() || size.paths.len() > MAX_PATHS).into()),
    ])
}

fn time_out(data: &mut Object, limit: Option<TimeLimit>) {
    if let Some(limit) = limit {
        set(data, "timed_out", true);
        set(data, "timeout_seconds", limit.seconds);
        set(data, "timeout_limit", limit_name(limit));
    }
}

fn limit_name(limit: TimeLimit) -> Value {
    if limit.silence { "silence" } else { "wall_clock" }.into()
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(key, value)| (key.into(), value)).collect()
}

fn set(data: &mut Object, key: &str, value: impl Into<Value>) {
    data.insert(key.into(), value.into());
}

fn text(text: &str) -> Value {
    text.into()
}

fn list<T>(items: &[T], of: impl Fn(&T) -> Value) -> Value {
    Value::List(items.iter().map(of).collect())
}

/// The first paths of a list, as many as an event may have.
fn first(paths: &[String]) -> Value {
    list(&paths[..paths.len().min(MAX_PATHS)], |path| text(path))
}

/// The last characters of an output.
fn tail(output: &str) -> &str {
    let start = output.char_indices().rev().nth(MAX_OUTPUT_TAIL - 1);
    &output[start.map_or(0, |(at, _)| at)..]
}
