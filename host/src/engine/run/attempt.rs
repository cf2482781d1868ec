//! The coder's part of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use snodo_workspace::capability::CoderCapabilities;
use snodo_workspace::change::{ChangeSet, ChangeSetError, run_by_git};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::role::{CoderError, CoderReport, Expectation, Finding};
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;

use super::progress::ProgressSink;
use super::refusals::Noting;
use super::{Authorisation, Halt, Run, UnderWay, note_usage};
use crate::engine::coder::{Assignment, Attempt, CoderFault};
use crate::engine::external::ExternalFault;
use crate::engine::gate::runner_info;
use crate::events::Event;
use crate::outcome::End;
use crate::plugin::{Bound, CODER_TOOLS, PluginFailure};
use crate::record::{ChangeReport, CoderSection};
use crate::sandbox::Execution;

impl Run<'_> {
    /// Calls the coder, once, with the permission that the gate gave.
    pub(super) async fn implement(&mut self, authorisation: Authorisation) -> Result<(), Halt> {
        self.record_authorisation_used().await?;
        let coder = Arc::clone(&self.assembled.coder);
        self.observer.on(&Event::Coder { name: coder.name() });
        let view = Arc::new(View::with_overlay(Arc::clone(&self.base), Arc::clone(&self.overlay)));
        let limits = self.runner.limits();
        let progress = Arc::new(ProgressSink::new(self.host.loader.limits().progress_events));
        let given = CoderCapabilities {
            read: view.clone(),
            search: view.clone(),
            submit: Arc::new(Noting {
                inner: SubmitHandle::new(Arc::clone(&self.overlay), progress.sender()),
                refusals: self.refusals.clone(),
            }),
            runner: self.runner.for_plugin(coder.name(), View::clone(&view), limits),
            completion: self.assembled.coder_asks.completion(),
        };
        let mut context = self.context();
        context.model.clone_from(&self.assembled.coder_model);
        context.runner = runner_info(&self.runner, limits);
        context.tools = CODER_TOOLS.iter().map(|&tool| tool.to_owned()).collect();
        context.settings.clone_from(&self.assembled.coder_settings);
        self.under_way = vec![UnderWay {
            role: "coder",
            id: coder.name().to_owned(),
            plugin: coder.name().to_owned(),
        }];
        let work = coder.implement(Assignment {
            task: self.task.clone(),
            context,
            given,
            // One that does not grow: a scratch is compared with it afterwards.
            view: Arc::new(View::frozen(Arc::clone(&self.base), self.overlay.entries())),
            authorisation,
        });
        let attempt = progress.show_while(work, coder.name(), self.observer).await;
        note_usage(&mut self.report.plugins, coder.name(), attempt.usage, &attempt.log);
        if progress.dropped() > 0 {
            self.warn(format!(
                "{} progress lines of `{}` were not shown",
                progress.dropped(),
                coder.name()
            ));
        }
        let base = Arc::clone(&self.base);
        self.delivered = self.overlay.entries();
        let entries = Arc::clone(&self.delivered);
        let computed = move || ChangeSet::compute(&base, &entries).map(|change| (run_by_git(&base, &change), change));
        let (executed, change) = tokio::task::spawn_blocking(computed)
            .await
            .map_err(|e| Halt::new(End::Bug, e.to_string()))?
            .map_err(|e| Halt::new(no_change_set(&e), format!("the change cannot be computed: {e}")))?;
        for warning in will_be_executed(&executed) {
            self.warn(warning);
        }
        self.record_attempt(&attempt, &change);
        let (ended, detail) = match &attempt.outcome {
            Ok(_) => ("returned", String::new()),
            Err(fault) => ("fault", fault.to_string()),
        };
        self.record_coder(ended, &detail).await?;
        let fault = attempt.outcome.as_ref().err().cloned();
        let judged = self.judge_attempt(attempt, &change);
        if let Err(halt) = &judged {
            self.record_no_work(halt, fault.as_ref()).await?;
        } else {
            self.record_dispatch(fault.as_ref()).await?;
        }
        judged?;
        self.change = Some(Arc::new(change));
        Ok(())
    }

    /// Nobody named `patch`, and the task is none: what would have been another coder is worth saying.
    fn why_this_coder(&self) -> &'static str {
        let named = self.request.coder.is_some() || !self.request.external.is_empty();
        if self.assembled.coder.name() == "patch" && !named && self.assembled.coder_model.is_none() {
            "; it is the coder since no model is configured (`model` in snodo's `config.yml`, or `--model`): with one it would be `agent`"
        } else {
            ""
        }
    }

    fn record_attempt(&mut self, attempt: &Attempt, change: &ChangeSet) {
        let coder = &self.assembled.coder;
        let present: BTreeSet<String> = change
            .files
            .iter()
            .flat_map(|file| [Some(&file.path), file.old_path.as_ref()])
            .flatten()
            .map(|path| path.as_str().to_owned())
            .collect();
        let done = attempt.outcome.as_ref().ok();
        let report = done.and_then(|done| done.report.clone());
        let claimed: BTreeSet<String> = report
            .iter()
            .flat_map(|r| &r.files)
            .map(|f| crate::text::one_line(&f.path, 300))
            .collect();
        self.report.coder = Some(CoderSection {
            name: coder.name().to_owned(),
            delivery: coder.delivery(),
            observes_tests: coder.observes_tests(),
            error: attempt
                .outcome
                .as_ref()
                .err()
                .map(|fault| one_sentence(&fault.to_string())),
            cut_short: attempt.outcome.is_err() && !change.is_empty(),
            execution: attempt.execution.clone(),
            claimed_but_missing: claimed.difference(&present).cloned().collect(),
            unclaimed_but_present: if report.is_some() {
                present.difference(&claimed).cloned().collect()
            } else {
                Vec::new()
            },
            report: report.map(clean_report),
            findings: done
                .map(|done| done.findings.iter().take(1_000).cloned().map(clean_finding).collect())
                .unwrap_or_default(),
        });
        self.report.changes = ChangeReport::of(change);
        self.report.change_digest = (!change.is_empty()).then(|| change.digest());
    }

    /// What was delivered is judged, however the coder ended; a coder that produced nothing is a fault, whatever it says.
    fn judge_attempt(&mut self, attempt: Attempt, change: &ChangeSet) -> Result<(), Halt> {
        let name = self.assembled.coder.name().to_owned();
        let delivered = !change.is_empty();
        let said = last_words(attempt.execution.as_ref());
        match attempt.outcome {
            Err(fault) if delivered => {
                let files = change.files.len();
                self.warn(format!("the coder `{name}` did not come to its end ({fault}); the {files} files that it had submitted are judged"));
                Ok(())
            }
            Err(fault) => Err(Halt::new(
                fault_end(&fault),
                format!(
                    "the coder `{name}` failed: {}{said}{}",
                    describe(&fault),
                    self.why_this_coder()
                ),
            )),
            Ok(_) if delivered => Ok(()),
            Ok(done) if self.request.expect == Expectation::Findings && !done.findings.is_empty() => Ok(()),
            Ok(_) if self.request.expect == Expectation::Findings => Err(Halt::new(
                End::ProducedNothing,
                format!("the coder `{name}` produced nothing: findings were asked for, and there are none"),
            )),
            Ok(_) => Err(Halt::new(
                End::ProducedNothing,
                format!("the coder `{name}` produced nothing: what it submitted leaves every file as it was{said}"),
            )),
        }
    }
}

/// Somebody else who writes to the workspace is no fault of it, and the way out is to run again.
fn no_change_set(error: &ChangeSetError) -> End {
    match error {
        ChangeSetError::ChangedDuringRun(_) => End::Stale,
        ChangeSetError::Base(_) => End::Environment,
    }
}

/// A few by name, and how many more there are.
fn will_be_executed(found: &[(WorkspacePath, &str)]) -> Vec<String> {
    const NAMED: usize = 20;
    let named = found.iter().take(NAMED).map(|(path, why)| format!("`{path}` {why}"));
    let more = found.len().saturating_sub(NAMED);
    named
        .chain((more > 0).then(|| format!("{more} more paths of the change are such that git executes them")))
        .collect()
}

fn fault_end(fault: &CoderFault) -> End {
    match fault {
        CoderFault::Answered(CoderError::TurnBudget(_)) => End::CoderTurnBudget,
        CoderFault::Failed(PluginFailure::Limit { reached }) if reached.bound == Bound::Total => End::CoderTimedOut,
        CoderFault::Answered(CoderError::Limit { .. }) | CoderFault::Failed(PluginFailure::Limit { .. }) => {
            End::CoderLimit
        }
        CoderFault::Failed(PluginFailure::Interrupted) | CoderFault::Program(ExternalFault::Interrupted) => {
            End::Interrupted
        }
        CoderFault::Program(fault) => program_end(fault),
        CoderFault::Answered(_) | CoderFault::Failed(_) => End::CoderFailed,
    }
}

fn program_end(fault: &ExternalFault) -> End {
    match fault {
        ExternalFault::NotRun(_) | ExternalFault::Unknown(_) => End::Environment,
        ExternalFault::Exited(_) | ExternalFault::Signal(_) => End::CoderFailed,
        ExternalFault::TimedOut(_) | ExternalFault::Silent(_) => End::CoderTimedOut,
        ExternalFault::Interrupted => End::Interrupted,
        ExternalFault::Refused(_) => End::Blocked,
    }
}

fn describe(fault: &CoderFault) -> String {
    let mut text = one_sentence(&fault.to_string());
    if let CoderFault::Failed(PluginFailure::Trap { frames, .. }) = fault
        && !frames.is_empty()
    {
        text.push_str(" in ");
        text.push_str(&frames.join(" < "));
    }
    text
}

/// A plugin's words may have lines; a reason has none.
fn one_sentence(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    crate::text::one_line(&words.join(" "), 1_000)
}

/// The last line that a program printed, for whoever wonders why there is no work.
fn last_words(execution: Option<&Execution>) -> String {
    let said = execution.and_then(|execution| execution.output_tail.lines().rev().find(|line| !line.trim().is_empty()));
    said.map_or_else(String::new, |said| {
        format!(
            "; the last line that it printed: {}",
            crate::text::one_line(said.trim(), 300)
        )
    })
}

/// A coder's account is shown beside the host's: bounded, and harmless.
fn clean_report(mut report: CoderReport) -> CoderReport {
    report.files.truncate(10_000);
    for file in &mut report.files {
        file.path = crate::text::one_line(&file.path, 300);
    }
    let notes: String = report.notes.chars().take(10_000).collect();
    report.notes = crate::text::escape_lines(&notes);
    report
}

fn clean_finding(mut finding: Finding) -> Finding {
    finding.title = crate::text::one_line(&finding.title, 300);
    let detail: String = finding.detail.chars().take(10_000).collect();
    finding.detail = crate::text::escape_lines(&detail);
    finding.path = finding.path.map(|path| crate::text::one_line(&path, 300));
    finding
}
