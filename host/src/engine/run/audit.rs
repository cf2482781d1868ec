//! What a run writes into the audit log of a workspace that has one: `.snodo/audit.log`, in snodo's words.
//!
//! A workspace without `.snodo/` gets none: the report says so, and is kept in the user's state folder all the same.

use std::sync::Arc;

use snodo_audit::vocabulary::{
    Applied as AuditApplied, AttemptLimit, Event as Audited, Phase as AuditPhase, PolicyAction, RecordedResult,
    TestMutation, TimeLimit, TurnBudget, ValidateOutcome, VerificationOutcome,
};
use snodo_audit::{AuditError, AuditLog, Head, Writer, WriterError, folder, project};
use snodo_config::policy::Action;
use snodo_workspace::constraint::ConstraintResult;
use snodo_workspace::role::{Phase, Severity};
use snodo_workspace::root::Root;
use tokio::sync::oneshot;

use super::recovery::NoFurther;
use super::{Halt, Run, UnderWay};
use crate::engine::coder::CoderFault;
use crate::engine::external::ExternalFault;
use crate::outcome::End;
use crate::plugin::{Bound, PluginFailure};
use crate::record::{GateResult, known_heads};
use crate::sandbox::{Ending, Execution};

/// So many paths stand in one event, as in snodo: the report has them all.
const MOST_PATHS: usize = 500;

/// The log of one run; nothing is written where there is none.
pub(super) struct Audit {
    writer: Option<Writer>,
    head: Option<Head>,
}

impl Audit {
    /// No log.
    pub(super) fn none() -> Self {
        Self {
            writer: None,
            head: None,
        }
    }

    /// The log of a workspace that has a `.snodo` folder. Everything that is in it is verified first: nothing is appended to a log that
    /// does not verify. Waits for locks and disks.
    fn open(
        root: &Root,
        clock: fn() -> std::time::SystemTime,
        known: &[Head],
        fresh: [u8; 16],
    ) -> Result<(Self, Vec<String>), Halt> {
        let unusable = |error: &dyn std::fmt::Display| {
            Halt::new(End::ValidatorError, format!("the audit log cannot be used: {error}"))
        };
        let Some(dir) = folder::open(root.dir()).map_err(|error| unusable(&error))? else {
            let gone = known.first().map(|head| {
                format!(
                    "this workspace had an audit log up to event {}, and has no `.snodo` folder now: nothing is recorded",
                    head.sequence
                )
            });
            return Ok((Self::none(), gone.into_iter().collect()));
        };
        let mut notes = Vec::new();
        let cached = project::cached(&dir).unwrap_or_else(|fault| {
            notes.push(fault.to_string());
            None
        });
        let project = project::resolve(cached.as_ref(), None, fresh);
        let log = AuditLog::open(&dir, &project.id, known).map_err(|error| unusable(&error))?;
        notes.extend(log.notes().iter().map(ToString::to_string));
        let head = log.head();
        let writer = Writer::start(log, clock).map_err(|error| Halt::new(End::Environment, error.to_string()))?;
        Ok((
            Self {
                writer: Some(writer),
                head,
            },
            notes,
        ))
    }

    /// The last event that is known to be in it.
    pub(super) fn head(&self) -> Option<Head> {
        self.head
    }

    /// Appends an event; it is on the disk when this is through.
    async fn append(&mut self, event: &Audited) -> Result<(), WriterError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let (told, answer) = oneshot::channel();
        writer.append(event.record(None), move |result| {
            let _ = told.send(result);
        })?;
        self.head = Some(answer.await.map_err(|_| WriterError::Gone)??);
        Ok(())
    }
}

fn not_written(error: &WriterError) -> Halt {
    let end = match error {
        WriterError::Log(AuditError::Broken(_)) => End::ValidatorError,
        _ => End::Environment,
    };
    Halt::new(end, format!("the audit log could not be written: {error}"))
}

impl Run<'_> {
    /// Appends an event; a run of which a step cannot be recorded goes no further.
    pub(super) async fn audit(&mut self, event: Audited) -> Result<(), Halt> {
        let appended = self.audit.append(&event).await;
        appended.map_err(|error| not_written(&error))
    }

    /// Opens the log, where there is one.
    pub(super) async fn open_audit(&mut self) -> Result<(), Halt> {
        let clock = self.host.environment.now;
        let mut fresh = [0; 16];
        fresh.copy_from_slice(&blake3::hash(self.report.run_id.as_bytes()).as_bytes()[..16]);
        let known = known_heads(self.assembled.records.dir()).map_err(|error| {
            let why = format!("the end of the audit log that the last run left cannot be read: {error}");
            Halt::new(End::ValidatorError, why)
        })?;
        let base = Arc::clone(&self.base);
        let opened = tokio::task::spawn_blocking(move || Audit::open(base.root(), clock, &known, fresh));
        let (audit, notes) = opened.await.map_err(|e| Halt::new(End::Bug, e.to_string()))??;
        self.audit = audit;
        for note in notes {
            self.warn(note);
        }
        Ok(())
    }

    pub(super) async fn record_route(&mut self, decision: &'static str) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        self.audit(Audited::PostValidationRoute { task_ref, decision }).await
    }

    /// Another attempt, or why there is none.
    pub(super) async fn record_recovery(
        &mut self,
        none: Option<NoFurther>,
        results: &[GateResult],
    ) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        let depth = u64::from(self.recovery.depth());
        let validator_ids: Vec<String> = results
            .iter()
            .filter(|r| r.severity != Severity::Pass)
            .map(|r| r.validator_id.clone())
            .collect();
        self.record_route("recovery").await?;
        let limit = match none {
            None => {
                return self
                    .audit(Audited::SubtaskSpawned {
                        parent_ref: self.task.id.clone(),
                        task_ref,
                        depth,
                        triggering_validator_ids: validator_ids,
                    })
                    .await;
            }
            Some(NoFurther::Stalled) => {
                return self
                    .audit(Audited::RecoveryStalled {
                        task_ref,
                        depth,
                        validator_ids,
                    })
                    .await;
            }
            Some(NoFurther::Depth(max_depth)) => AttemptLimit::Depth {
                max_depth: u64::from(max_depth),
            },
            Some(NoFurther::Total(_)) => AttemptLimit::Total,
        };
        self.audit(Audited::RecoveryExhausted { task_ref, depth, limit }).await
    }

    pub(super) fn task_ref(&self) -> String {
        match self.recovery.depth() {
            0 => self.task.id.clone(),
            depth => format!("{}_fix_{depth}", self.task.id),
        }
    }

    pub(super) async fn record_governance(&mut self, constraints_passed: bool) -> Result<(), Halt> {
        let (task_ref, mode) = (self.task_ref(), self.assembled.mode.id.clone());
        self.audit(Audited::GovernanceCheck {
            task_ref,
            mode,
            constraints_passed,
        })
        .await
    }

    pub(super) async fn record_violation(&mut self, phase: Phase, result: &ConstraintResult) -> Result<(), Halt> {
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
            phase: audit_phase(phase),
        })
        .await
    }

    /// What a gate's validators said, what they executed, and what came of it.
    pub(super) async fn record_gate(
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
                phase: audit_phase(phase),
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
    pub(super) async fn record_empty_gate(&mut self, phase: Phase, reason: &str) -> Result<(), Halt> {
        let (task_ref, mode) = (self.task_ref(), self.assembled.mode.id.clone());
        let event = match phase {
            Phase::PreExecute if self.assembled.protocol_file.is_some() => Audited::Wf3RuntimeViolation {
                task_ref,
                mode,
                phase: audit_phase(phase),
            },
            Phase::PreExecute => return Ok(()),
            Phase::PostExecute => Audited::PostValidateBypassed {
                task_ref,
                mode,
                reason: reason.to_owned(),
            },
        };
        self.audit(event).await
    }

    /// A plugin was called, and came back or not.
    async fn record_call(
        &mut self,
        id: &str,
        plugin: &str,
        role: &'static str,
        outcome: &str,
        detail: &str,
    ) -> Result<(), Halt> {
        self.under_way.retain(|call| call.id != id);
        self.audit(Audited::PluginCalled {
            task_ref: self.task_ref(),
            role,
            plugin: id.to_owned(),
            digest: self.digest_of(plugin),
            attempt: u64::from(self.recovery.attempt()),
            outcome: outcome.to_owned(),
            detail: crate::text::one_line(detail, 300),
        })
        .await
    }

    fn digest_of(&self, plugin: &str) -> Option<String> {
        let found = self.report.plugins.iter().find(|p| p.name == plugin);
        found.map(|plugin| plugin.digest.clone())
    }

    /// What the coder delivered, executed, and touched of the tests.
    pub(super) async fn record_coder(&mut self, outcome: &str, detail: &str) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        let coder = self.assembled.coder.name().to_owned();
        self.record_call(&coder, &coder, "coder", outcome, detail).await?;
        self.test_runs.of_call = self.test_runs.recorded;
        self.record_test_runs().await?;
        let mutations: Vec<TestMutation> = self
            .report
            .changes
            .iter()
            .filter(|change| change.test_governing.is_some())
            .take(MOST_PATHS)
            .filter_map(|change| {
                change.test_governing.as_ref().map(|kind| TestMutation {
                    path: change.path.clone(),
                    kind: kind.clone(),
                })
            })
            .collect();
        if !mutations.is_empty() {
            self.audit(Audited::TestModified { task_ref, mutations }).await?;
        }
        Ok(())
    }

    /// The tests that the coder ran, once each. One that it did not wait for is over at the end of the run at last.
    async fn record_test_runs(&mut self) -> Result<(), Halt> {
        let coder = self.assembled.coder.name().to_owned();
        let executions = self.runner.executions();
        let own = executions.iter().filter(|e| e.by == coder);
        for execution in own.skip(self.test_runs.recorded) {
            let turn = self.test_runs.recorded - self.test_runs.of_call;
            self.test_runs.recorded += 1;
            self.audit(Audited::CoderTestRun {
                task_ref: self.task.id.clone(),
                turn_index: turn as u64,
                test_path: String::new(),
                command_type: execution.argv.first().cloned().unwrap_or_default(),
                exit_code: exit_code(execution.exit),
            })
            .await?;
        }
        Ok(())
    }

    /// The permission of the gate is used up by what comes next.
    pub(super) async fn record_authorisation_used(&mut self) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        self.audit(Audited::TokenConsumed { task_ref }).await
    }

    /// Why there is no work to judge; `fault` is how the coder ended, where it did not return.
    pub(super) async fn record_no_work(&mut self, halt: &Halt, fault: Option<&CoderFault>) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        let mode = self.assembled.mode.id.clone();
        let error = halt.reason.clone();
        if let Some(limit) = fault.and_then(time_limit) {
            let event = Audited::CoderTimedOut {
                task_ref,
                mode,
                limit,
                artifacts_count: 0,
                output_tail: error,
            };
            return self.audit(event).await;
        }
        let event = match halt.end {
            End::ProducedNothing => Audited::NoFileOperations { task_ref, error },
            End::CoderTurnBudget => Audited::CoderTurnBudgetExhausted {
                task_ref,
                left: TurnBudget::Nothing { error },
            },
            End::Environment => Audited::CoderUnavailable {
                task_ref,
                mode,
                binary: self.assembled.coder.availability_requirements().into_iter().next(),
                error,
            },
            End::Blocked => match own_folder(fault) {
                paths if paths.is_empty() => Audited::ProtectedPathBlocked {
                    task_ref,
                    justification: error,
                },
                paths => Audited::SnodoMutationBlocked {
                    task_ref,
                    mode,
                    paths,
                    error,
                },
            },
            _ => Audited::ExecutionFailed { task_ref, error },
        };
        self.audit(event).await
    }

    /// There is work to judge.
    pub(super) async fn record_dispatch(&mut self, fault: Option<&CoderFault>) -> Result<(), Halt> {
        let event = Audited::Dispatch {
            task_ref: self.task_ref(),
            mode: self.assembled.mode.id.clone(),
            coder: self.assembled.coder.name().to_owned(),
            coder_model: self.request.model.clone(),
            judging_model: None,
            artifacts_count: self.report.changes.len() as u64,
            timed_out: fault.and_then(time_limit),
        };
        self.audit(event).await
    }

    pub(super) async fn record_applied(&mut self) -> Result<(), Halt> {
        let event = Audited::ChangeApplied(AuditApplied {
            task_ref: self.task.id.clone(),
            run_id: self.report.run_id.clone(),
            change_set: self.report.change_digest.clone().unwrap_or_default(),
            files_changed: self.report.changes.len() as u64,
            paths: self.report.changes.iter().map(|change| change.path.clone()).collect(),
            undone: false,
        });
        self.audit(event).await
    }

    /// The last event of a run; before it, calls that were given up.
    pub(super) async fn record_end(&mut self, halt: Option<&Halt>) -> Result<(), Halt> {
        let task_ref = self.task.id.clone();
        for UnderWay { role, id, plugin } in std::mem::take(&mut self.under_way) {
            self.record_call(&id, &plugin, role, "interrupted", "").await?;
        }
        self.record_test_runs().await?;
        let Some(halt) = halt else {
            let attempts_used = u64::from(self.recovery.depth());
            self.audit(Audited::Transition {
                task_ref: task_ref.clone(),
                from_mode: self.assembled.mode.id.clone(),
                to_mode: "complete".to_owned(),
            })
            .await?;
            self.audit(Audited::TaskComplete {
                task_ref: task_ref.clone(),
                artifacts: self.report.changes.iter().map(|change| change.path.clone()).collect(),
                commit: self.report.commit.as_ref().map(|commit| commit.id.clone()),
                change_size: None,
                usage: Vec::new(),
                timed_out: None,
            })
            .await?;
            return self
                .audit(Audited::RecoveryResolved {
                    task_ref,
                    depth: attempts_used,
                    attempts_used,
                })
                .await;
        };
        let (outcome, halt_type, _) = halt.end.row();
        let blocker_validators = self
            .report
            .gates
            .last()
            .map(|gate| {
                // What a cap lowered and verification did not let pass blocks as well.
                let blocking = gate.results.iter().filter(|r| {
                    r.error
                        || r.severity == Severity::Blocker
                        || (r.plugin == super::QUALITY && r.severity_original.is_some())
                });
                blocking.map(|r| r.validator_id.clone()).collect()
            })
            .unwrap_or_default();
        self.audit(Audited::Halt {
            task_ref,
            reason: halt.reason.clone(),
            blocker_validators,
            halt_type: word(&outcome),
            raw_halt_type: halt_type.map(|halt_type| word(&halt_type)).unwrap_or_default(),
            usage: Vec::new(),
            timed_out: None,
        })
        .await
    }
}

/// The time limit that ended a coder.
fn time_limit(fault: &CoderFault) -> Option<TimeLimit> {
    match fault {
        CoderFault::Program(ExternalFault::TimedOut(seconds)) => Some(TimeLimit {
            seconds: *seconds,
            silence: false,
        }),
        CoderFault::Program(ExternalFault::Silent(seconds)) => Some(TimeLimit {
            seconds: *seconds,
            silence: true,
        }),
        CoderFault::Failed(PluginFailure::Limit { reached }) if reached.bound == Bound::Total => Some(TimeLimit {
            seconds: reached.allowed / 1000,
            silence: false,
        }),
        _ => None,
    }
}

/// What a program touched of `.snodo`.
fn own_folder(fault: Option<&CoderFault>) -> Vec<String> {
    let Some(CoderFault::Program(ExternalFault::Refused(refused))) = fault else {
        return Vec::new();
    };
    let paths = refused.iter().map(|refusal| crate::text::one_line(&refusal.path, 300));
    paths
        .filter(|path| path.split('/').next() == Some(folder::FOLDER))
        .collect()
}

/// An enumeration's word in reports.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
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
            (true, false, _) if result.skipped && result.plugin == super::QUALITY => VerificationOutcome::NoTests,
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

fn exit_code(ending: Ending) -> i64 {
    match ending {
        Ending::Code(code) => i64::from(code),
        // As shells and Python say it.
        Ending::Signal(signal) => -i64::from(signal),
        Ending::WallClock | Ending::Silence | Ending::Interrupted => -1,
    }
}

fn audit_phase(phase: Phase) -> AuditPhase {
    match phase {
        Phase::PreExecute => AuditPhase::PreExecute,
        Phase::PostExecute => AuditPhase::PostExecute,
    }
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
