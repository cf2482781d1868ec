//! What is recorded of governance and of gates.

use snodo_audit::vocabulary::{Event as Audited, PolicyAction, RecordedResult, ValidateOutcome, VerificationOutcome};
use snodo_config::policy::Action;
use snodo_workspace::constraint::ConstraintResult;
use snodo_workspace::role::{Phase, Severity};
use snodo_workspace::root::Root;

use super::super::{Halt, QUALITY, Run};
use super::exit_code;
use crate::record::GateResult;
use crate::sandbox::{Ending, Execution};

/// The first-party judge of acceptance.
const ACCEPTANCE: &str = "acceptance";

impl Run<'_> {
    pub(in crate::engine::run) async fn record_governance(&mut self, constraints_passed: bool) -> Result<(), Halt> {
        let (task_ref, mode) = (self.task_ref(), self.assembled.mode.id.clone());
        self.audit(Audited::GovernanceCheck {
            task_ref,
            mode,
            constraints_passed,
        })
        .await
    }

    pub(in crate::engine::run) async fn record_violation(
        &mut self,
        phase: Phase,
        result: &ConstraintResult,
    ) -> Result<(), Halt> {
        let evidence = serde_json::to_string(&result.evidence)
            .ok()
            .and_then(|text| snodo_audit::parse::parse(&text).ok())
            .unwrap_or(snodo_audit::value::Value::Null);
        self.audit(Audited::ConstraintViolation {
            constraint_id: result.id.clone(),
            predicate: result.predicate.clone(),
            severity: result.severity.as_str().to_owned(),
            justification: result.justification.clone(),
            evidence,
            phase,
        })
        .await
    }

    /// A judge of acceptance that passes what an execution shows to fail. The failed execution stops the run by itself; that somebody passed it
    /// all the same is worth knowing of that judge.
    pub(in crate::engine::run) async fn record_contradiction(&mut self, results: &[GateResult]) -> Result<(), Halt> {
        let executed = results
            .iter()
            .find(|r| r.plugin == QUALITY && (r.error || r.severity != Severity::Pass));
        let accepted = results
            .iter()
            .find(|r| r.plugin == ACCEPTANCE && !r.error && !r.skipped && !r.mock && r.severity == Severity::Pass);
        let (Some(executed), Some(accepted)) = (executed, accepted) else {
            return Ok(());
        };
        self.audit(Audited::ValidatorContradictionDetected {
            task_ref: self.task_ref(),
            execution_validator: executed.validator_id.clone(),
            execution_justification: executed.justification.clone(),
            acceptance_justification: accepted.justification.clone(),
        })
        .await
    }

    /// What a gate's validators said, what they executed, and what came of it.
    pub(in crate::engine::run) async fn record_gate(
        &mut self,
        phase: Phase,
        results: &[GateResult],
        executions: &[Execution],
        action: Option<Action>,
        outcome: &'static str,
    ) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        for result in results {
            let outcome = if result.error {
                "error"
            } else {
                result.severity.as_str()
            };
            self.record_call(
                &result.validator_id,
                &result.plugin,
                "validator",
                outcome,
                &result.justification,
            )
            .await?;
            if let Some(original) = result.severity_original {
                self.audit(Audited::SeverityCapApplied {
                    validator_id: result.validator_id.clone(),
                    original: original.as_str().to_owned(),
                    capped: result.severity.as_str().to_owned(),
                    reason: (phase == Phase::PreExecute && self.recovery.depth() > 0)
                        .then(|| "pre_execute_recovery_tree_state".to_owned()),
                })
                .await?;
            }
        }
        for event in verifications(&task_ref, results, executions, self.base.root()) {
            self.audit(event).await?;
        }
        if action == Some(Action::Escalate) {
            self.audit(Audited::DisagreementEscalated {
                task_ref: task_ref.clone(),
                phase,
                policy: self.assembled.policy.as_str().to_owned(),
            })
            .await?;
        }
        self.audit(Audited::Validate {
            task_ref,
            validators_invoked: results.iter().map(|r| r.validator_id.clone()).collect(),
            results: results.iter().map(recorded).collect(),
            outcome: match phase {
                Phase::PreExecute => ValidateOutcome::Pre {
                    outcome,
                    policy: action.map(policy_action),
                },
                Phase::PostExecute => ValidateOutcome::Post(outcome),
            },
            usage: Vec::new(),
        })
        .await
    }

    /// A gate in which nobody judged.
    pub(in crate::engine::run) async fn record_empty_gate(&mut self, phase: Phase, reason: &str) -> Result<(), Halt> {
        let (task_ref, mode) = (self.task_ref(), self.assembled.mode.id.clone());
        let event = match phase {
            Phase::PreExecute if self.assembled.protocol_file.is_some() => {
                Audited::Wf3RuntimeViolation { task_ref, mode, phase }
            }
            Phase::PreExecute => return Ok(()),
            Phase::PostExecute => Audited::PostValidateBypassed {
                task_ref,
                mode,
                reason: reason.to_owned(),
            },
        };
        self.audit(event).await
    }
}

/// Each validator's execution of the declared tests with what came of it; `quality`, when it had nothing to execute, says that there are no
/// tests. A validator's verdict makes no pass of tests that failed.
fn verifications(task_ref: &str, results: &[GateResult], executions: &[Execution], root: &Root) -> Vec<Audited> {
    let mut events = Vec::new();
    for result in results {
        let own: Vec<&Execution> = executions.iter().filter(|e| e.by == result.validator_id).collect();
        let green = own.iter().all(|e| e.exit == Ending::Code(0));
        let outcome = match (own.is_empty(), result.error, result.severity) {
            (true, false, _) if result.skipped && result.plugin == QUALITY => VerificationOutcome::NoTests,
            (true, ..) => continue,
            (false, true, _) => VerificationOutcome::Error,
            (false, false, Severity::Pass) if green && result.severity_original.is_none() => VerificationOutcome::Pass,
            (false, false, _) => VerificationOutcome::Fail,
        };
        let last = own.last();
        events.push(Audited::VerificationExecuted {
            task_ref: task_ref.to_owned(),
            validator_id: result.validator_id.clone(),
            command: last.map(|e| e.argv.join(" ")).unwrap_or_default(),
            commit: String::new(),
            returncode: last.map_or(0, |e| exit_code(e.exit)),
            outcome,
            working_directory: root.resolved().display().to_string(),
            output_tail: last.map(|e| crate::record::mask(&e.output_tail)).unwrap_or_default(),
        });
    }
    events
}

fn policy_action(action: Action) -> PolicyAction {
    match action {
        Action::Proceed => PolicyAction::Proceed,
        Action::Log => PolicyAction::Log,
        Action::Escalate => PolicyAction::Escalate,
        Action::Halt => PolicyAction::Halt,
    }
}

fn recorded(result: &GateResult) -> RecordedResult {
    RecordedResult {
        validator_id: result.validator_id.clone(),
        severity: result.severity.as_str().to_owned(),
        justification: crate::record::mask(&result.justification),
        examined: if result.error {
            result.examined.clone()
        } else {
            Vec::new()
        },
        reused: false,
        severity_original: result.severity_original.map(|severity| severity.as_str().to_owned()),
    }
}
