//! One run, step by step. The workspace is untouched until its last step.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use snodo_config::policy::{Action, Judged, decide};
use snodo_workspace::apply::{self, Applied, ApplyError, Direction, Recovered};
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Change, CoderCapabilities, ProgressEvent};
use snodo_workspace::change::{ChangeSet, ChangeView, NoChangeYet};
use snodo_workspace::lock::RunLock;
use snodo_workspace::overlay::Overlay;
use snodo_workspace::role::{Context, Expectation, Phase, Task};
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;

use super::assemble::{Assembled, assemble};
use super::coder::{Assignment, Attempt, CoderFault};
use super::events::{Event, Observer};
use super::gate::{self, Scene, runner_info};
use super::{End, Host, RunRequest, SetupError, Stop, project, task_id};
use crate::plugin::{Bound, CODER_TOOLS, PluginFailure, Replay};
use crate::record::{
    ChangeReport, CoderSection, Durations, GateReport, PluginReport, ProtocolReport, RunReport, SCHEMA, TaskReport,
    WorkspaceReport, keep_run,
};
use crate::sandbox::{RunnerService, ScratchPlace, find_program};

/// Why the pipeline stopped before its end.
struct Halt {
    end: End,
    reason: String,
}

impl Halt {
    fn new(end: End, reason: impl Into<String>) -> Self {
        Self {
            end,
            reason: reason.into(),
        }
    }
}

/// Runs a task. `Err` means that nothing began (exit code 64); everything else, good or bad, is a report.
///
/// # Errors
/// Whatever keeps the run from beginning: flags, plugin, workspace or protocol that cannot be used.
pub async fn run(
    host: &Host,
    request: RunRequest,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<RunReport, SetupError> {
    let started = Instant::now();
    let now = (host.environment.now)().duration_since(UNIX_EPOCH).unwrap_or_default();
    let run_id = run_id(now, &request);
    let replay = Replay {
        started_at: Duration::from_secs(now.as_secs()),
        seed: seed(&request),
    };
    let assembled = tokio::select! {
        assembled = assemble(host, &request, replay, observer) => assembled?,
        () = stop.asked() => return Err(SetupError::Interrupted),
    };
    let mut run = Run::new(host, &request, assembled, run_id, now, replay, observer, stop);
    run.report.durations.load_ms = millis(started.elapsed());
    let halt = run.pipeline().await;
    run.runner.stop().await;
    Ok(run.finish(halt, started))
}

/// `run_`, the time, and what tells two runs of one second apart.
fn run_id(now: Duration, request: &RunRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&now.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(request.task.as_bytes());
    format!("run_{}_{}", now.as_secs(), &hasher.finalize().to_hex()[..8])
}

/// The random source of a run's plugins: the same task gives the same numbers.
fn seed(request: &RunRequest) -> [u8; 32] {
    *blake3::hash(request.task.as_bytes()).as_bytes()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

struct Run<'a> {
    host: &'a Host,
    request: &'a RunRequest,
    assembled: Assembled,
    task: Task,
    base: Arc<Base>,
    overlay: Arc<Overlay>,
    runner: Arc<RunnerService>,
    replay: Replay,
    observer: &'a dyn Observer,
    stop: &'a Stop,
    change: Option<Arc<ChangeSet>>,
    report: RunReport,
}

impl<'a> Run<'a> {
    #[expect(
        clippy::too_many_arguments,
        reason = "called once, just above; a struct of the same fields would say no more"
    )]
    fn new(
        host: &'a Host,
        request: &'a RunRequest,
        mut assembled: Assembled,
        run_id: String,
        now: Duration,
        replay: Replay,
        observer: &'a dyn Observer,
        stop: &'a Stop,
    ) -> Self {
        let base = Arc::clone(&assembled.base);
        let overlay = Arc::new(Overlay::new(
            Arc::clone(&base),
            crate::settings::submit_limits(&host.config),
        ));
        let place = ScratchPlace {
            folder: host.environment.directories.state.join("scratch"),
            run: run_id.clone(),
        };
        let runner = RunnerService::new(
            assembled.command.clone(),
            assembled.runner_limits,
            host.programs(),
            place,
        );
        let id = task_id(&request.task);
        let task = Task {
            id: id.clone(),
            spec: request.task.clone(),
            expects: request.expect,
            constraints: Vec::new(),
            memory_summary: String::new(),
            project: project::describe(&View::of_base(Arc::clone(&base))),
            prior_failures: Vec::new(),
        };
        let (outcome, halt_type, exit_code) = End::Bug.row();
        let report = RunReport {
            schema: SCHEMA,
            ok: false,
            outcome,
            halt_type,
            exit_code,
            reason: String::new(),
            applied: false,
            dry_run: request.dry_run,
            run_id,
            started_at: now.as_secs(),
            task: TaskReport {
                id,
                spec: request.task.clone(),
                expects: request.expect,
            },
            workspace: WorkspaceReport {
                given: base.root().given().display().to_string(),
                root: base.root().resolved().display().to_string(),
            },
            protocol: ProtocolReport {
                file: assembled.protocol_file.clone(),
                id: assembled.protocol_id.clone(),
                mode: assembled.mode.id.clone(),
                policy: assembled.policy.as_str().to_owned(),
                test_command: assembled.command.as_ref().map(|c| c.text.clone()),
                protected_paths: assembled.protected_paths.clone(),
            },
            coder: None,
            gates: Vec::new(),
            changes: Vec::new(),
            change_digest: None,
            plugins: std::mem::take(&mut assembled.plugins),
            runner: Vec::new(),
            durations: Durations::default(),
            recovered: None,
            warnings: Vec::new(),
            report_path: None,
        };
        let mut run = Self {
            host,
            request,
            assembled,
            task,
            base,
            overlay,
            runner,
            replay,
            observer,
            stop,
            change: None,
            report,
        };
        for notice in std::mem::take(&mut run.assembled.notices) {
            run.warn(notice);
        }
        run
    }

    fn warn(&mut self, message: String) {
        self.observer.on(&Event::Warning { message: &message });
        self.report.warnings.push(message);
    }

    /// Once for a run.
    fn warn_uncontained(&mut self) {
        if !self.report.warnings.iter().any(|warning| warning == super::UNCONTAINED) {
            self.warn(super::UNCONTAINED.to_owned());
        }
    }

    /// Everything, in order. The lock is held from here to the end.
    async fn pipeline(&mut self) -> Result<(), Halt> {
        let _lock = self.lock()?;
        self.recover()?;
        self.check_program()?;
        let stop = self.stop.clone();
        tokio::select! {
            judged = self.judge_and_implement() => judged?,
            () = stop.asked() => return Err(Halt::new(End::Interrupted, "the run was interrupted; nothing was changed")),
        }
        // A test run that was given up still ends before anything is applied.
        self.runner.finish().await;
        self.apply().await
    }

    fn lock(&mut self) -> Result<RunLock, Halt> {
        match RunLock::acquire(self.assembled.records.dir(), std::process::id()) {
            Ok((lock, taken_over)) => {
                if let Some(dead) = taken_over {
                    self.warn(format!(
                        "the lock of process {}, which no longer runs, was taken over",
                        dead.pid
                    ));
                }
                Ok(lock)
            }
            Err(error) => Err(Halt::new(End::Environment, error.to_string())),
        }
    }

    fn recover(&mut self) -> Result<(), Halt> {
        match apply::recover(self.base.root(), &self.assembled.journal) {
            Ok(None) => Ok(()),
            Ok(Some(recovered)) => {
                let said = recovery(&recovered);
                self.warn(said.clone());
                self.report.recovered = Some(said);
                Ok(())
            }
            Err(error) => Err(Halt::new(
                End::Environment,
                format!("an earlier apply was cut off and cannot be undone: {error}"),
            )),
        }
    }

    /// A declared program that is missing is found out before a coder has worked.
    fn check_program(&mut self) -> Result<(), Halt> {
        let Some(command) = self.assembled.command.clone() else {
            return Ok(());
        };
        if !self.assembled.judges.iter().any(|judge| judge.plugin.uses_runner()) {
            return Ok(());
        }
        // A name with a folder in it is looked for where the tests will run: in the workspace's copy.
        let path = self.host.environment.programs.get("PATH");
        let found = find_program(
            command.program(),
            path.map(|p| p.as_os_str()),
            self.base.root().resolved(),
        );
        found.map(drop).map_err(|fault| {
            let text = &command.text;
            Halt::new(
                End::ValidatorError,
                format!("the declared test command `{text}` cannot be run: {fault}"),
            )
        })
    }

    async fn judge_and_implement(&mut self) -> Result<(), Halt> {
        let clock = Instant::now();
        let gate = self
            .gate(
                Phase::PreExecute,
                View::of_base(Arc::clone(&self.base)),
                Arc::new(NoChangeYet),
            )
            .await;
        self.report.durations.pre_execute_ms = millis(clock.elapsed());
        gate?;
        let clock = Instant::now();
        let implemented = self.implement().await;
        self.report.durations.coder_ms = millis(clock.elapsed());
        implemented?;
        let clock = Instant::now();
        let entries = self.overlay.entries();
        let Some(change) = self.change.clone() else {
            return Err(Halt::new(End::Bug, "the change was not computed"));
        };
        let change = Arc::new(ChangeView::new(Arc::clone(&self.base), change));
        let gate = self
            .gate(
                Phase::PostExecute,
                View::frozen(Arc::clone(&self.base), entries),
                change,
            )
            .await;
        self.report.durations.post_execute_ms = millis(clock.elapsed());
        gate
    }

    /// The part of a context that every plugin of the run shares.
    fn context(&self) -> Context {
        Context {
            job_id: self.report.run_id.clone(),
            task_id: self.task.id.clone(),
            mode: self.assembled.mode.id.clone(),
            depth: 0,
            attempt: 1,
            model: None,
            runner: None,
            protected_paths: self.assembled.protected_paths.clone(),
            protocol_guidance: self.assembled.guidance.clone(),
            tools: Vec::new(),
            settings: Vec::new(),
            limits: self.host.loader.limits().invocation(),
        }
    }

    async fn gate(&mut self, phase: Phase, view: View, change: Arc<dyn Change>) -> Result<(), Halt> {
        let validators = self
            .assembled
            .judges
            .iter()
            .filter(|judge| judge.phase == phase)
            .count();
        self.observer.on(&Event::Gate { phase, validators });
        if validators == 0 {
            return self.nobody_judges(phase);
        }
        if let Some(command) = &self.assembled.command
            && self
                .assembled
                .judges
                .iter()
                .any(|judge| judge.phase == phase && judge.plugin.uses_runner())
        {
            self.observer.on(&Event::Running { command: &command.text });
            self.warn_uncontained();
        }
        let test_governing = self
            .change
            .as_ref()
            .map(|change| change.test_governing())
            .unwrap_or_default();
        let scene = Scene {
            phase,
            task: &self.task,
            mode: &self.assembled.mode,
            view,
            change,
            test_governing,
            context: self.context(),
            runner: &self.runner,
            replay: self.replay,
            observer: self.observer,
        };
        let judgements = gate::judge(&self.assembled.judges, &scene).await;
        let judged: Vec<Judged> = judgements.iter().map(|j| &j.result).map(as_judged).collect();
        for judgement in &judgements {
            note_usage(
                &mut self.report.plugins,
                &judgement.result.plugin,
                judgement.usage,
                &judgement.log,
            );
        }
        let decision = decide(self.assembled.policy, &judged, phase, false);
        let results: Vec<_> = judgements.into_iter().map(|j| j.result).collect();
        let halt = match decision.action {
            Action::Proceed | Action::Log => None,
            Action::Escalate => Some(Halt::new(End::Escalated, said(&results, "a person has to decide"))),
            Action::Halt if results.iter().any(|r| r.error) => Some(Halt::new(
                End::ValidatorError,
                said(&results, "a validator could not judge"),
            )),
            Action::Halt => Some(Halt::new(End::Blocked, said(&results, "blocked"))),
        };
        self.report.gates.push(GateReport {
            phase,
            decision: decision.action.as_str().to_owned(),
            justification: decision.justification,
            results,
        });
        halt.map_or(Ok(()), Err)
    }

    /// An empty gate: allowed where no protocol asks for one, and said.
    fn nobody_judges(&mut self, phase: Phase) -> Result<(), Halt> {
        let justification = format!("no validator judges in {}", phase.as_str());
        self.report.gates.push(GateReport {
            phase,
            decision: "none".to_owned(),
            justification: justification.clone(),
            results: Vec::new(),
        });
        if phase == Phase::PreExecute && self.assembled.protocol_file.is_some() {
            return Err(Halt::new(
                End::NoPreExecuteValidators,
                format!(
                    "{justification}, and the protocol's mode `{}` asks for one",
                    self.assembled.mode.id
                ),
            ));
        }
        Ok(())
    }

    async fn implement(&mut self) -> Result<(), Halt> {
        let coder = Arc::clone(&self.assembled.coder);
        self.observer.on(&Event::Coder { name: coder.name() });
        let view = Arc::new(View::with_overlay(Arc::clone(&self.base), Arc::clone(&self.overlay)));
        let limits = self.runner.limits();
        let progress = Arc::new(ProgressSink::new(self.host.loader.limits().progress_events));
        let given = CoderCapabilities {
            read: view.clone(),
            search: view.clone(),
            submit: Arc::new(SubmitHandle::new(Arc::clone(&self.overlay), progress.sender())),
            runner: self.runner.for_plugin(coder.name(), View::clone(&view), limits),
            completion: None,
        };
        let mut context = self.context();
        context.model.clone_from(&self.request.model);
        context.runner = runner_info(&self.runner, limits);
        context.tools = CODER_TOOLS.iter().map(|&tool| tool.to_owned()).collect();
        context.settings.clone_from(&self.assembled.coder_settings);
        let work = coder.implement(Assignment {
            task: self.task.clone(),
            context,
            given,
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
        let entries = self.overlay.entries();
        let change = tokio::task::spawn_blocking(move || ChangeSet::compute(&base, &entries))
            .await
            .map_err(|e| Halt::new(End::Bug, e.to_string()))?
            .map_err(|e| Halt::new(End::Environment, format!("the change cannot be computed: {e}")))?;
        self.record_attempt(&attempt, &change);
        self.judge_attempt(attempt, &change)?;
        self.change = Some(Arc::new(change));
        Ok(())
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
                .map(|fault| crate::text::one_line(&fault.to_string(), 1_000)),
            cut_short: attempt.outcome.is_err() && !change.is_empty(),
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
        let summary = change.summary();
        self.report.changes = summary
            .files
            .into_iter()
            .map(|file| ChangeReport {
                path: file.path,
                old_path: file.old_path,
                kind: file.kind,
                added: file.added,
                deleted: file.deleted,
                binary: file.binary,
                test_governing: file.test_governing,
            })
            .collect();
        self.report.change_digest = (!change.is_empty()).then(|| change.digest());
    }

    /// What was delivered is judged, however the coder ended; a coder that produced nothing is a fault, whatever it says.
    fn judge_attempt(&mut self, attempt: Attempt, change: &ChangeSet) -> Result<(), Halt> {
        let name = self.assembled.coder.name().to_owned();
        let delivered = !change.is_empty();
        match attempt.outcome {
            Err(fault) if delivered => {
                let files = change.files.len();
                self.warn(format!("the coder `{name}` did not come to its end ({fault}); the {files} files that it had submitted are judged"));
                Ok(())
            }
            Err(fault) => Err(Halt::new(
                fault_end(&fault),
                format!("the coder `{name}` failed: {}", describe(&fault)),
            )),
            Ok(_) if delivered => Ok(()),
            Ok(done) if self.request.expect == Expectation::Findings && !done.findings.is_empty() => Ok(()),
            Ok(_) if self.request.expect == Expectation::Findings => Err(Halt::new(
                End::ProducedNothing,
                format!("the coder `{name}` produced nothing: findings were asked for, and there are none"),
            )),
            Ok(_) => Err(Halt::new(
                End::ProducedNothing,
                format!("the coder `{name}` produced nothing: what it submitted leaves every file as it was"),
            )),
        }
    }

    async fn apply(&mut self) -> Result<(), Halt> {
        let Some(change) = self.change.clone() else {
            return Err(Halt::new(End::Bug, "the change was not computed"));
        };
        if self.request.dry_run || change.is_empty() {
            return Ok(());
        }
        if self.stop.is_asked() {
            return Err(Halt::new(
                End::Interrupted,
                "the run was interrupted; nothing was changed",
            ));
        }
        let clock = Instant::now();
        self.observer.on(&Event::Applying {
            files: change.files.len(),
        });
        let (base, records, stop) = (
            Arc::clone(&self.base),
            Arc::clone(&self.assembled.journal),
            self.stop.flag(),
        );
        // An interrupt does not abandon this: it is seen between two steps, and what was done is undone.
        let applied = tokio::task::spawn_blocking(move || apply::apply(base.root(), &change, &records, &stop))
            .await
            .map_err(|e| Halt::new(End::Bug, e.to_string()))?;
        self.report.durations.apply_ms = millis(clock.elapsed());
        match applied {
            Ok(applied) => {
                self.report.applied = true;
                for note in notes(&applied) {
                    self.warn(note);
                }
                Ok(())
            }
            Err(error) => Err(Halt::new(apply_end(&error), error.to_string())),
        }
    }

    fn finish(mut self, result: Result<(), Halt>, started: Instant) -> RunReport {
        let (end, reason) = match result {
            Ok(()) => (End::Completed, self.completed()),
            Err(halt) => (halt.end, halt.reason),
        };
        let (outcome, halt_type, exit_code) = end.row();
        self.report.ok = exit_code == 0;
        self.report.outcome = outcome;
        self.report.halt_type = halt_type;
        self.report.exit_code = exit_code;
        self.report.reason = reason;
        self.report.runner = self.runner.executions();
        if !self.report.runner.is_empty() {
            self.warn_uncontained();
        }
        self.report.durations.total_ms = millis(started.elapsed());
        let patch = self.change.as_ref().map(|change| change.to_patch());
        match keep_run(&self.host.state, self.base.root(), &mut self.report, patch.as_deref()) {
            Ok(()) => {}
            Err(error) => self.warn(format!("the report could not be kept: {error}")),
        }
        self.report
    }

    fn completed(&self) -> String {
        let files = self.report.changes.len();
        let files = if files == 1 {
            "1 file".to_owned()
        } else {
            format!("{files} files")
        };
        let untested = self
            .report
            .gates
            .iter()
            .flat_map(|g| &g.results)
            .any(|r| r.plugin == "quality" && r.skipped);
        let untested = if untested {
            ", untested: no test command is declared"
        } else {
            ""
        };
        match (self.report.applied, self.report.changes.is_empty()) {
            (true, _) => format!("{files} changed{untested}"),
            (false, true) => format!("no change; findings were asked for and given{untested}"),
            (false, false) => format!("dry run: {files} would be changed{untested}"),
        }
    }
}

fn as_judged(result: &crate::record::GateResult) -> Judged {
    Judged {
        severity: result.severity,
        error: result.error,
        access_refused: result.access_refused,
    }
}

/// What an apply did beside the change itself, for a person.
fn notes(applied: &Applied) -> Vec<String> {
    let mut notes: Vec<String> = applied
        .detached
        .iter()
        .map(|path| format!("`{path}` had further names (hard links): they keep the old content"))
        .collect();
    if let Some(why) = &applied.unclean {
        notes.push(format!(
            "the change is in place, and what it displaced could not be removed ({why}); the next run tries again"
        ));
    }
    notes
}

fn recovery(recovered: &Recovered) -> String {
    let what = match recovered.direction {
        Direction::Undone => "was undone",
        Direction::Finished => "was finished",
    };
    let files = recovered.paths.len();
    let mut said = format!("an earlier run was cut off while it applied {files} files; that {what}");
    for left in &recovered.left {
        said.push_str(&format!("; `{}` was left as it is: {}", left.path, left.reason));
        if let Some(kept) = &left.kept {
            said.push_str(&format!(
                " (its earlier content is kept as `{kept}` beside the journal)"
            ));
        }
    }
    said
}

/// The validators that decided it, each in one line.
fn said(results: &[crate::record::GateResult], word: &str) -> String {
    use snodo_workspace::role::Severity;
    let worst: Vec<String> = results
        .iter()
        .filter(|r| r.error || r.severity != Severity::Pass)
        .map(|r| {
            format!(
                "{}: {}",
                r.validator_id,
                crate::text::one_line(r.justification.lines().next().unwrap_or_default(), 300)
            )
        })
        .collect();
    if worst.is_empty() {
        word.to_owned()
    } else {
        format!("{word} ({})", worst.join("; "))
    }
}

fn apply_end(error: &ApplyError) -> End {
    match error {
        ApplyError::Interrupted => End::Interrupted,
        ApplyError::Stale { .. } => End::Stale,
        ApplyError::Left { cause, .. } | ApplyError::NotUndone { cause, .. } => apply_end(cause),
        _ => End::Environment,
    }
}

fn fault_end(fault: &CoderFault) -> End {
    use snodo_workspace::role::CoderError;
    match fault {
        CoderFault::Answered(CoderError::TurnBudget(_)) => End::CoderTurnBudget,
        CoderFault::Answered(CoderError::Limit { .. }) => End::CoderLimit,
        CoderFault::Failed(PluginFailure::Limit { reached }) if reached.bound == Bound::Total => End::CoderTimedOut,
        CoderFault::Failed(PluginFailure::Limit { .. }) => End::CoderLimit,
        CoderFault::Failed(PluginFailure::Interrupted) => End::Interrupted,
        CoderFault::Answered(_) | CoderFault::Failed(_) => End::CoderFailed,
    }
}

fn describe(fault: &CoderFault) -> String {
    let mut text = crate::text::one_line(&fault.to_string(), 1_000);
    if let CoderFault::Failed(PluginFailure::Trap { frames, .. }) = fault
        && !frames.is_empty()
    {
        text.push_str(" in ");
        text.push_str(&frames.join(" < "));
    }
    text
}

fn note_usage(plugins: &mut [PluginReport], name: &str, usage: crate::plugin::Usage, log: &crate::plugin::PluginLog) {
    if let Some(plugin) = plugins.iter_mut().find(|plugin| plugin.name == name) {
        plugin.usage = plugin.usage.plus(usage);
        plugin.log.stdout.push_str(&log.stdout);
        plugin.log.stderr.push_str(&log.stderr);
        plugin.log.dropped += log.dropped;
    }
}

/// A coder's account is shown beside the host's: bounded, and harmless.
fn clean_report(mut report: snodo_workspace::role::CoderReport) -> snodo_workspace::role::CoderReport {
    report.files.truncate(10_000);
    for file in &mut report.files {
        file.path = crate::text::one_line(&file.path, 300);
    }
    let notes: String = report.notes.chars().take(10_000).collect();
    report.notes = crate::text::escape_lines(&notes);
    report
}

fn clean_finding(mut finding: snodo_workspace::role::Finding) -> snodo_workspace::role::Finding {
    finding.title = crate::text::one_line(&finding.title, 300);
    let detail: String = finding.detail.chars().take(10_000).collect();
    finding.detail = crate::text::escape_lines(&detail);
    finding.path = finding.path.map(|path| crate::text::one_line(&path, 300));
    finding
}

/// Carries a coder's progress from the plugin's thread of work to whoever watches.
struct ProgressSink {
    sender: tokio::sync::mpsc::UnboundedSender<ProgressEvent>,
    receiver: std::sync::Mutex<Option<tokio::sync::mpsc::UnboundedReceiver<ProgressEvent>>>,
    left: Arc<std::sync::atomic::AtomicU64>,
    dropped: Arc<std::sync::atomic::AtomicU64>,
}

impl ProgressSink {
    fn new(allowed: u64) -> Self {
        let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
        Self {
            sender,
            receiver: std::sync::Mutex::new(Some(receiver)),
            left: Arc::new(allowed.into()),
            dropped: Arc::default(),
        }
    }

    fn sender(&self) -> Arc<dyn Fn(ProgressEvent) + Send + Sync> {
        use std::sync::atomic::Ordering::Relaxed;
        let (sender, left, dropped) = (self.sender.clone(), Arc::clone(&self.left), Arc::clone(&self.dropped));
        Arc::new(move |mut event| {
            if left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_err() {
                dropped.fetch_add(1, Relaxed);
                return;
            }
            event.message = crate::text::one_line(&event.message, 200);
            let _ = sender.send(event);
        })
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(std::sync::atomic::Ordering::Relaxed)
    }

    async fn show_while<T>(&self, work: impl Future<Output = T>, plugin: &str, observer: &dyn Observer) -> T {
        let receiver = self
            .receiver
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
        let Some(mut receiver) = receiver else {
            return work.await;
        };
        let show = |event: ProgressEvent| {
            observer.on(&Event::Progress {
                plugin,
                message: &event.message,
                done: event.done,
                total: event.total,
            });
        };
        tokio::pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                Some(event) = receiver.recv() => show(event),
            }
        };
        while let Ok(event) = receiver.try_recv() {
            show(event);
        }
        done
    }
}
