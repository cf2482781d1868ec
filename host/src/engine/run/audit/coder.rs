//! What is recorded of a coder: the permission, the call, the tests it ran, what it delivered, or why nothing.

use snodo_audit::folder;
use snodo_audit::vocabulary::{Event as Audited, TestMutation, TimeLimit, TurnBudget};

use super::super::{Halt, Run};
use super::{MOST_PATHS, exit_code};
use crate::engine::coder::CoderFault;
use crate::engine::external::ExternalFault;
use crate::outcome::End;
use crate::plugin::{Bound, PluginFailure};

impl Run<'_> {
    /// The model of the validators that ask one; of several the first.
    fn judging_model(&self) -> Option<String> {
        let asked = self.assembled.judges.iter().find_map(|judge| judge.asks.model());
        asked.map(ToOwned::to_owned)
    }

    /// The permission of the gate is used up by what comes next.
    pub(in crate::engine::run) async fn record_authorisation_used(&mut self) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        self.audit(Audited::TokenConsumed { task_ref }).await
    }

    /// What the coder delivered, executed, and touched of the tests.
    pub(in crate::engine::run) async fn record_coder(&mut self, outcome: &str, detail: &str) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        let coder = self.assembled.coder.name().to_owned();
        self.record_call(&coder, &coder, "coder", outcome, detail).await?;
        self.record_refusals(&coder).await?;
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

    /// What it submitted and was refused, each with its rule.
    async fn record_refusals(&mut self, coder: &str) -> Result<(), Halt> {
        let (refused, more) = self.refusals.take();
        for refusal in refused {
            self.audit(Audited::OperationRefused {
                task_ref: self.task_ref(),
                plugin: coder.to_owned(),
                operation: refusal.operation.to_owned(),
                path: crate::text::one_line(&refusal.path, 300),
                rule: crate::text::one_line(&refusal.rule, 300),
            })
            .await?;
        }
        if more > 0 {
            self.audit(Audited::OperationRefused {
                task_ref: self.task_ref(),
                plugin: coder.to_owned(),
                operation: "further".to_owned(),
                path: String::new(),
                rule: format!("{more} more were refused"),
            })
            .await?;
        }
        Ok(())
    }

    /// The tests that the coder ran, once each. One that it did not wait for is over at the end of the run at last.
    pub(super) async fn record_test_runs(&mut self) -> Result<(), Halt> {
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

    /// Why there is no work to judge; `fault` is how the coder ended, where it did not return.
    pub(in crate::engine::run) async fn record_no_work(
        &mut self,
        halt: &Halt,
        fault: Option<&CoderFault>,
    ) -> Result<(), Halt> {
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
    pub(in crate::engine::run) async fn record_dispatch(&mut self, fault: Option<&CoderFault>) -> Result<(), Halt> {
        let event = Audited::Dispatch {
            task_ref: self.task_ref(),
            mode: self.assembled.mode.id.clone(),
            coder: self.assembled.coder.name().to_owned(),
            coder_model: self.assembled.coder_model.clone(),
            judging_model: self.judging_model(),
            artifacts_count: self.report.changes.len() as u64,
            timed_out: fault.and_then(time_limit),
        };
        self.audit(event).await
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
