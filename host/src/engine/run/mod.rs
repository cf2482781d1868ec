//! One run, step by step. The workspace is untouched until its last step.

mod applying;
mod attempt;
mod audit;
mod classifying;
mod committing;
mod gates;
mod governance;
mod programs;
mod progress;
mod recovery;
mod refusals;

use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use snodo_workspace::base::Base;
use snodo_workspace::change::{ChangeSet, ChangeView};
use snodo_workspace::lock::RunLock;
use snodo_workspace::overlay::{Entries, Overlay};
use snodo_workspace::role::{Context, Phase, Task};
use snodo_workspace::view::View;

use self::audit::Audit;
pub use self::gates::Authorisation;
use self::gates::{Judgement, Verification};
pub(super) use self::gates::{as_judged, said, unverified};
pub(super) use self::recovery::RecoveryBounds;
use self::recovery::{NoFurther, Recovery};
use self::refusals::Refusals;
use super::assemble::{Assembled, assemble};
use super::{Host, RunRequest, SetupError, Stop, project, task_id};
use crate::events::{Event, Observer};
use crate::outcome::End;
use crate::plugin::{PluginLog, Replay, Usage};
use crate::record::{
    AuditReport, Durations, ModelsReport, PluginReport, ProtocolReport, RunReport, SCHEMA, TaskReport, WorkspaceReport,
    keep_head, keep_run,
};
use crate::sandbox::{DeclaredCommand, RunnerService};

use snodo_config::resolve::QUALITY;

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
        assembled = assemble(host, &request, &run_id, replay, observer) => assembled?,
        () = stop.asked() => return Err(SetupError::Interrupted),
    };
    let mut run = Run::new(host, &request, assembled, run_id, now, replay, observer, stop);
    run.report.durations.load_ms = millis(started.elapsed());
    let halt = run.pipeline().await;
    run.assembled.sandbox.stop().await;
    Ok(run.finish(halt, started).await)
}

/// `run_`, the time, and what tells two runs of one second apart.
pub(super) fn run_id(now: Duration, request: &RunRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&now.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(request.task.as_bytes());
    format!("run_{}_{}", now.as_secs(), &hasher.finalize().to_hex()[..8])
}

/// The random source of a run's plugins: the same task gives the same numbers.
pub(super) fn seed(request: &RunRequest) -> [u8; 32] {
    *blake3::hash(request.task.as_bytes()).as_bytes()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A plugin that was called.
struct UnderWay {
    role: &'static str,
    /// Its name; of a validator, the validator's id.
    id: String,
    plugin: String,
}

/// How many of the coder's test runs are in the log.
#[derive(Default)]
struct TestRuns {
    recorded: usize,
    /// So many of them when the coder was called last.
    of_call: usize,
}

struct Run<'a> {
    host: &'a Host,
    request: &'a RunRequest,
    assembled: Assembled,
    task: Task,
    base: Arc<Base>,
    overlay: Arc<Overlay>,
    /// What was pending when the coder came back. The change is computed from it, and it is what judges see and constraints are evaluated
    /// over: not what whoever kept hold of the overlay adds later.
    delivered: Arc<Entries>,
    runner: Arc<RunnerService>,
    replay: Replay,
    /// What judges' marks are made of: told to nobody.
    secret: [u8; 32],
    observer: &'a dyn Observer,
    stop: &'a Stop,
    change: Option<Arc<ChangeSet>>,
    recovery: Recovery,
    audit: Audit,
    /// What the coder submitted and was refused, of the attempt that goes on.
    refusals: Refusals,
    /// Plugins that were called and of which nothing is in the log yet.
    under_way: Vec<UnderWay>,
    test_runs: TestRuns,
    /// Held until the last word about the run is written.
    lock: Option<RunLock>,
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
        let runner = RunnerService::new(
            assembled.command.clone(),
            assembled.runner_limits,
            Arc::clone(&assembled.sandbox),
            assembled.of_tests.clone(),
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
        let recovery = Recovery::new(assembled.recovery);
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
                test_command_source: assembled.command.as_ref().map(|c| c.origin.clone()),
                test_command_digest: assembled.command.as_ref().map(DeclaredCommand::digest),
                protected_paths: assembled.protected_paths.clone(),
            },
            coder: None,
            gates: Vec::new(),
            constraints: Vec::new(),
            changes: Vec::new(),
            change_digest: None,
            plugins: std::mem::take(&mut assembled.plugins),
            runner: Vec::new(),
            classification: None,
            models: ModelsReport::default(),
            durations: Durations::default(),
            recovered: None,
            audit: None,
            commit: None,
            warnings: Vec::new(),
            report_path: None,
        };
        let mut run = Self {
            host,
            request,
            assembled,
            task,
            base,
            delivered: overlay.entries(),
            overlay,
            runner,
            replay,
            secret: (host.environment.random)(),
            observer,
            stop,
            change: None,
            recovery,
            audit: Audit::none(),
            refusals: Refusals::default(),
            under_way: Vec::new(),
            test_runs: TestRuns::default(),
            lock: None,
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

    /// Everything, in order. The lock is held from here to the end of the run: also the end of the log and the report are no other run's
    /// business.
    async fn pipeline(&mut self) -> Result<(), Halt> {
        self.lock = Some(self.lock()?);
        self.recover()?;
        self.open_audit().await?;
        self.check_programs().await?;
        let stop = self.stop.clone();
        let verification = tokio::select! {
            judged = self.judge_and_implement() => judged?,
            () = stop.asked() => return Err(Halt::new(End::Interrupted, "the run was interrupted; nothing was changed")),
        };
        // A test run that was given up still ends before anything is applied.
        self.assembled.sandbox.finish().await;
        self.apply(&verification).await
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

    /// Gate, coder, gate; and again where the coder may mend what was found. What comes of it is the verification of the change as it is.
    async fn judge_and_implement(&mut self) -> Result<Verification, Halt> {
        self.classify().await?;
        loop {
            self.govern(Phase::PreExecute).await?;
            let clock = Instant::now();
            let authorised = self.authorise().await;
            self.report.durations.pre_execute_ms += millis(clock.elapsed());
            let clock = Instant::now();
            let implemented = self.implement(authorised?).await;
            self.report.durations.coder_ms += millis(clock.elapsed());
            implemented?;
            self.govern(Phase::PostExecute).await?;
            let Some(change) = self.change.clone() else {
                return Err(Halt::new(End::Bug, "the change was not computed"));
            };
            let change = Arc::new(ChangeView::new(Arc::clone(&self.base), change));
            let clock = Instant::now();
            let judged = self.judge_change(change).await;
            self.report.durations.post_execute_ms += millis(clock.elapsed());
            match judged? {
                Judgement::Passed(verification) => {
                    self.record_route("move_next").await?;
                    return Ok(verification);
                }
                Judgement::Mendable => self.mend().await?,
            }
        }
    }

    /// On to the next attempt, if there is one.
    async fn mend(&mut self) -> Result<(), Halt> {
        let results = self
            .report
            .gates
            .last()
            .map(|gate| gate.results.clone())
            .unwrap_or_default();
        let next = self.recovery.next(&results);
        self.record_recovery(next.err(), &results).await?;
        self.task.prior_failures = self.recovery.failures().to_vec();
        let (end, why) = match next {
            Ok(()) => return Ok(()),
            Err(NoFurther::Depth(0)) => (End::RecoveryExhausted, "the protocol allows no recovery".to_owned()),
            Err(NoFurther::Depth(n)) => (
                End::RecoveryExhausted,
                format!("{n} attempts to mend it were not enough"),
            ),
            Err(NoFurther::Total(n)) => (
                End::RecoveryExhausted,
                format!("the protocol allows {n} attempts in all"),
            ),
            Err(NoFurther::Stalled) => (
                End::RecoveryStalled,
                "an attempt to mend it was met with the same findings as before".to_owned(),
            ),
        };
        Err(Halt::new(end, said(&results, &why)))
    }

    /// The part of a context that every plugin of the run shares.
    fn context(&self) -> Context {
        Context {
            job_id: self.report.run_id.clone(),
            task_id: self.task.id.clone(),
            mode: self.assembled.mode.id.clone(),
            depth: self.recovery.depth(),
            attempt: self.recovery.attempt(),
            model: None,
            runner: None,
            protected_paths: self.assembled.protected_paths.clone(),
            protocol_guidance: self.assembled.guidance.clone(),
            tools: Vec::new(),
            settings: Vec::new(),
            limits: self.host.loader.limits().invocation(),
        }
    }

    async fn finish(mut self, result: Result<(), Halt>, started: Instant) -> RunReport {
        let result = match self.record_end(result.as_ref().err()).await {
            // What went before is the reason; that the log could not take it is beside it.
            Err(unrecorded) if result.is_err() || self.report.applied => {
                self.warn(unrecorded.reason);
                result
            }
            Err(unrecorded) => Err(unrecorded),
            Ok(()) => result,
        };
        self.report.audit = self.audit.head().map(AuditReport::from);
        if let Some(head) = &self.report.audit
            && let Err(error) = keep_head(self.assembled.records.dir(), head)
        {
            self.warn(format!("the audit log's head could not be kept: {error}"));
        }
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
        self.report.models = self.assembled.models.report();
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
        let mocked = self.report.gates.iter().flat_map(|g| &g.results).any(|r| r.mock);
        let untested = format!("{}{untested}", if mocked { ", judged by the mock" } else { "" });
        match (self.report.applied, self.report.changes.is_empty()) {
            (true, _) => {
                let committed = self.report.commit.as_ref().map(|commit| {
                    let short = commit.id.get(..12).unwrap_or_default();
                    format!(", committed as {short}")
                });
                format!("{files} changed{}{untested}", committed.unwrap_or_default())
            }
            (false, true) => format!("no change; findings were asked for and given{untested}"),
            (false, false) => format!("dry run: {files} would be changed{untested}"),
        }
    }
}

fn note_usage(plugins: &mut [PluginReport], name: &str, usage: Usage, log: &PluginLog) {
    if let Some(plugin) = plugins.iter_mut().find(|plugin| plugin.name == name) {
        plugin.usage = plugin.usage.plus(usage);
        plugin.log.stdout.push_str(&log.stdout);
        plugin.log.stderr.push_str(&log.stderr);
        plugin.log.dropped += log.dropped;
    }
}
