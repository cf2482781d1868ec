//! One gate without a coder: before execution, over the workspace as it is; after execution, over what the working tree changes of a commit.
//!
//! The same validators, policy and constraints as in a run, by the phase's own rules. Nothing in the workspace is written: no audit events and no
//! record, as in snodo; and no lock is taken, since nothing is applied and what is judged is held against what was seen of it: a file
//! that somebody changes meanwhile makes a validator fail, not pass.

mod assembly;
mod checks;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use snodo_commit::Revision;
use snodo_config::host_config::SandboxPolicy;
use snodo_config::policy::{Judged, decide};
use snodo_workspace::capability::Change;
use snodo_workspace::change::{ChangeSet, ChangeView, NoChangeYet};
use snodo_workspace::role::{Context, Expectation, Phase, Task};
use snodo_workspace::view::View;

use self::assembly::{Assembly, assemble};
pub use self::report::{BaseReport, JudgedBy, NotLookedAtReport, Status, VALIDATE_SCHEMA, ValidateReport};
use super::gate::{self, Scene};
use super::run::{as_judged, run_id, said, seed, unverified};
use super::{Grant, Host, RunRequest, SetupError, Stop, project, task_id};
use crate::events::{Event, Observer};
use crate::plugin::Replay;
use crate::record::{GateResult, ModelsReport};
use crate::sandbox::RunnerService;

/// A gate without a coder, as asked for. What a field means is what it means in a [`RunRequest`].
#[derive(Debug, Clone)]
pub struct ValidateRequest {
    /// The task's text.
    pub task: String,
    /// The workspace.
    pub workspace: PathBuf,
    /// A protocol file in place of the workspace's own.
    pub protocol: Option<PathBuf>,
    /// A mode of the protocol; none for its initial mode.
    pub mode: Option<String>,
    /// The module of the protocol that the task is for.
    pub module: Option<String>,
    /// Built-ins' names, or files; added to what the protocol says.
    pub validators: Vec<String>,
    /// `NAME.KEY=VALUE`.
    pub settings: Vec<String>,
    /// Grants.
    pub grants: Vec<Grant>,
    /// Patterns of ignored, untracked files that plugins may read all the same.
    pub read_ignored: Vec<String>,
    /// The test command, where the protocol leaves it open.
    pub test_command: Option<String>,
    /// How programs are contained; none for what the user's settings say.
    pub sandbox: Option<SandboxPolicy>,
    /// Which gate.
    pub phase: Phase,
    /// After execution: what the working tree is compared with; none for `HEAD`.
    pub base: Option<Revision>,
}

impl ValidateRequest {
    /// The parts that a run is assembled from are asked by a run's request.
    fn as_run(&self) -> RunRequest {
        RunRequest {
            task: self.task.clone(),
            workspace: self.workspace.clone(),
            coder: None,
            external: Vec::new(),
            sandbox: self.sandbox,
            validators: self.validators.clone(),
            protocol: self.protocol.clone(),
            mode: self.mode.clone(),
            module: self.module.clone(),
            model: None,
            test_command: self.test_command.clone(),
            settings: self.settings.clone(),
            grants: self.grants.clone(),
            read_ignored: self.read_ignored.clone(),
            expect: Expectation::Change,
            dry_run: true,
            commit: false,
        }
    }
}

/// Judges. `Err` means that nothing began (exit code 64); everything else, good or bad, is a report.
///
/// # Errors
/// Whatever keeps it from beginning: flags, plugin, workspace or protocol that cannot be used; and an interruption.
pub async fn validate(
    host: &Host,
    request: ValidateRequest,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<ValidateReport, SetupError> {
    if request.base.is_some() && request.phase == Phase::PreExecute {
        return Err(SetupError::Setting(
            "`--base` is for `--phase post_execute`: before execution nothing is compared".to_owned(),
        ));
    }
    let now = (host.environment.now)().duration_since(UNIX_EPOCH).unwrap_or_default();
    let as_run = request.as_run();
    let id = run_id(now, &as_run);
    let replay = Replay {
        started_at: Duration::from_secs(now.as_secs()),
        seed: seed(&as_run),
    };
    let assembly = tokio::select! {
        assembly = assemble(host, &request, &as_run, &id, replay, observer) => assembly?,
        () = stop.asked() => return Err(SetupError::Interrupted),
    };
    let sandbox = Arc::clone(&assembly.sandbox);
    let mut gate = Gate::new(host, &request, assembly, id, replay, observer);
    let ended = tokio::select! {
        ended = gate.judge(stop) => Some(ended),
        () = stop.asked() => None,
    };
    sandbox.stop().await;
    match ended {
        Some(ended) => Ok(gate.finish(ended)),
        None => Err(SetupError::Interrupted),
    }
}

/// How it ended, why, and what to do.
struct Ended {
    status: Status,
    reason: String,
    instruction: String,
}

impl Ended {
    fn could_not_run(reason: impl Into<String>, instruction: &str) -> Self {
        Self {
            status: Status::CouldNotRun,
            reason: reason.into(),
            instruction: instruction.to_owned(),
        }
    }

    fn blocker(reason: impl Into<String>, instruction: &str) -> Self {
        Self {
            status: Status::Blocker,
            reason: reason.into(),
            instruction: instruction.to_owned(),
        }
    }
}

struct Gate<'a> {
    host: &'a Host,
    request: &'a ValidateRequest,
    assembly: Assembly,
    id: String,
    runner: Arc<RunnerService>,
    replay: Replay,
    observer: &'a dyn Observer,
    change: Arc<ChangeSet>,
    report: ValidateReport,
}

impl<'a> Gate<'a> {
    fn new(
        host: &'a Host,
        request: &'a ValidateRequest,
        mut assembly: Assembly,
        id: String,
        replay: Replay,
        observer: &'a dyn Observer,
    ) -> Self {
        let runner = RunnerService::new(
            assembly.command.clone(),
            assembly.runner_limits,
            Arc::clone(&assembly.sandbox),
            assembly.of_tests.clone(),
        );
        let report = ValidateReport {
            schema: VALIDATE_SCHEMA,
            ok: false,
            status: Status::CouldNotRun,
            reason: String::new(),
            task_id: task_id(&request.task),
            phase: request.phase,
            mode: assembly.mode.id.clone(),
            protocol: assembly.protocol_file.clone(),
            base: None,
            changes: Vec::new(),
            not_looked_at: Vec::new(),
            results: Vec::new(),
            policy_decision: None,
            instruction: String::new(),
            constraints: Vec::new(),
            executions: Vec::new(),
            models: ModelsReport::default(),
            warnings: Vec::new(),
            policy_justification: String::new(),
        };
        let notices = std::mem::take(&mut assembly.notices);
        let mut gate = Self {
            host,
            request,
            assembly,
            id,
            runner,
            replay,
            observer,
            change: Arc::default(),
            report,
        };
        for notice in notices {
            gate.warn(notice);
        }
        gate
    }

    fn warn(&mut self, message: String) {
        self.observer.on(&Event::Warning { message: &message });
        self.report.warnings.push(message);
    }

    fn finish(mut self, ended: Ended) -> ValidateReport {
        self.report.ok = ended.status == Status::Pass;
        self.report.status = ended.status;
        self.report.reason = ended.reason;
        self.report.instruction = ended.instruction;
        self.report.executions = self.runner.executions();
        self.report.models = self.assembly.models.report();
        self.report
    }

    /// In a run's order; the first that says no ends it.
    async fn judge(&mut self, stop: &Stop) -> Ended {
        match self.steps(stop).await {
            Ok(ended) | Err(ended) => ended,
        }
    }

    async fn steps(&mut self, stop: &Stop) -> Result<Ended, Ended> {
        self.check_judges()?;
        self.check_programs().await?;
        if self.request.phase == Phase::PostExecute {
            self.compare(stop).await?;
            self.check_protected()?;
        }
        self.check_constraints().await?;
        if self.assembly.judges.is_empty() {
            return Ok(Ended {
                status: Status::Pass,
                reason: format!("the constraints hold; no validator judges in {}", self.phase()),
                instruction: "Go on, knowing that only the constraints were looked at.".to_owned(),
            });
        }
        Ok(self.gate().await)
    }

    fn phase(&self) -> &'static str {
        self.request.phase.as_str()
    }

    async fn gate(&mut self) -> Ended {
        let phase = self.request.phase;
        let judges = &self.assembly.judges;
        self.observer.on(&Event::Gate {
            phase,
            validators: judges.len(),
        });
        if let Some(command) = &self.assembly.command
            && judges.iter().any(|judge| judge.plugin.uses_runner())
        {
            self.observer.on(&Event::Running { command: &command.text });
        }
        let base = Arc::clone(&self.assembly.base);
        let change: Arc<dyn Change> = match phase {
            Phase::PreExecute => Arc::new(NoChangeYet),
            Phase::PostExecute => Arc::new(ChangeView::of_working_tree(Arc::clone(&base), Arc::clone(&self.change))),
        };
        let task = self.task();
        let scene = Scene {
            phase,
            in_recovery: false,
            task: &task,
            mode: &self.assembly.mode,
            view: View::of_base(base),
            change,
            test_governing: self.change.test_governing(),
            context: self.context(&task),
            runner: &self.runner,
            replay: self.replay,
            secret: (self.host.environment.random)(),
            observer: self.observer,
        };
        let judgements = gate::judge(judges, &scene).await;
        let results: Vec<GateResult> = judgements.into_iter().map(|judgement| judgement.result).collect();
        let judged: Vec<Judged> = results.iter().map(as_judged).collect();
        let decision = decide(self.assembly.policy, &judged, phase, false);
        self.report.results = results.iter().map(JudgedBy::from).collect();
        self.report.policy_decision = Some(decision.action.as_str().to_owned());
        self.report.policy_justification.clone_from(&decision.justification);
        let status = Status::of(decision.class());
        if status == Status::Pass
            && phase == Phase::PostExecute
            && let Some(why) = unverified(&results)
        {
            return Ended::blocker(why, "Do not go on: make the tests pass, then validate again.");
        }
        ended(status, phase, &results)
    }

    fn task(&self) -> Task {
        Task {
            id: self.report.task_id.clone(),
            spec: self.request.task.clone(),
            expects: Expectation::Change,
            constraints: Vec::new(),
            memory_summary: String::new(),
            project: project::describe(&View::of_base(Arc::clone(&self.assembly.base))),
            prior_failures: Vec::new(),
        }
    }

    fn context(&self, task: &Task) -> Context {
        Context {
            job_id: self.id.clone(),
            task_id: task.id.clone(),
            mode: self.assembly.mode.id.clone(),
            depth: 0,
            attempt: 1,
            model: None,
            runner: None,
            protected_paths: self.assembly.protected_paths.clone(),
            protocol_guidance: self.assembly.guidance.clone(),
            tools: Vec::new(),
            settings: Vec::new(),
            limits: self.host.loader.limits().invocation(),
        }
    }
}

/// What the policy came to, and what that means for whoever asked.
fn ended(status: Status, phase: Phase, results: &[GateResult]) -> Ended {
    let (word, instruction) = match (status, phase) {
        (Status::Pass, Phase::PreExecute) => ("the gate passes", "Go on: the task may be worked on."),
        (Status::Pass, Phase::PostExecute) => ("the gate passes", "Go on: the change passes this gate."),
        (Status::Escalate, _) => (
            "a person has to decide",
            "Do not go on until a person has decided about what was found.",
        ),
        (Status::ValidatorError, _) => (
            "a validator could not judge",
            "Mend what keeps the validator from judging, then validate again: this says nothing of the work itself.",
        ),
        (Status::Blocker | Status::CouldNotRun, _) => (
            "blocked",
            "Do not go on: mend what the blocking validators found, then validate again.",
        ),
    };
    Ended {
        status,
        reason: said(results, word),
        instruction: instruction.to_owned(),
    }
}
