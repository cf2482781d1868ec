//! One gate without a coder: before execution, over the workspace as it is; after execution, over what the working tree changes of a commit.
//!
//! The same validators, policy and constraints as in a run, by the phase's own rules. Nothing in the workspace is written: no audit events and no
//! record, as in snodo; and no lock is taken, since nothing is applied and what is judged is held against what was seen of it: a file
//! that somebody changes meanwhile makes a validator fail, not pass.

mod assembly;
mod report;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use snodo_commit::{Difference, Revision, difference};
use snodo_config::host_config::SandboxPolicy;
use snodo_config::policy::{Judged, decide};
use snodo_workspace::capability::Change;
use snodo_workspace::change::{ChangeSet, ChangeView, NoChangeYet};
use snodo_workspace::constraint::{Subject, evaluate};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::role::{Context, Expectation, Phase, Task};
use snodo_workspace::view::View;

use self::assembly::{Assembly, assemble};
pub use self::report::{BaseReport, JudgedBy, NotLookedAtReport, Status, VALIDATE_SCHEMA, ValidateReport};
use super::gate::{self, Scene};
use super::run::{as_judged, run_id, said, seed, unverified};
use super::{Grant, Host, RunRequest, SetupError, Stop, project, task_id};
use crate::events::{Event, Observer};
use crate::plugin::Replay;
use crate::record::{ChangeReport, GateResult};
use crate::sandbox::{RunnerService, find_program};

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

    /// A pass needs somebody who judged.
    fn check_judges(&self) -> Result<(), Ended> {
        if !self.assembly.judges.is_empty() {
            return Ok(());
        }
        let nobody = format!("no validator judges in {}", self.phase());
        let mode = &self.assembly.mode.id;
        match self.request.phase {
            Phase::PreExecute if self.assembly.protocol_file.is_some() => Err(Ended::blocker(
                format!("{nobody}, and the protocol's mode `{mode}` asks for one"),
                "Do not go on: give the mode a validator with `evaluation_phase: pre_execute`.",
            )),
            Phase::PostExecute if !self.assembly.constraints.is_empty() => Ok(()),
            _ => Err(Ended::could_not_run(
                format!("{nobody}, and there is nothing else to judge by"),
                "Name somebody who judges in this phase with `--validator`, or in a protocol.",
            )),
        }
    }

    /// What will be executed is there, and can be contained: as in a run.
    async fn check_programs(&mut self) -> Result<(), Ended> {
        let Some(command) = self.assembly.command.clone() else {
            return Ok(());
        };
        if !self.assembly.judges.iter().any(|judge| judge.plugin.uses_runner()) {
            return Ok(());
        }
        let path = self.assembly.sandbox.environment().get("PATH");
        let root = self.assembly.base.root().resolved();
        if let Err(fault) = find_program(command.program(), path.map(OsString::as_os_str), root) {
            return Err(Ended {
                status: Status::ValidatorError,
                reason: format!("the declared test command `{}` cannot be run: {fault}", command.text),
                instruction: "Make the test command one that can be run, then validate again.".to_owned(),
            });
        }
        match self.assembly.sandbox.check(self.runner.permissions()).await {
            Ok(None) => Ok(()),
            Ok(Some(less)) => {
                self.warn(less);
                Ok(())
            }
            Err(missing) => Err(Ended::could_not_run(
                format!(
                    "{missing} (`snodo-host doctor` shows it all). What can be done: {}",
                    missing.remedies().join("; ")
                ),
                "Give the tests what contains them, then validate again.",
            )),
        }
    }

    /// What the working tree changes of the commit.
    async fn compare(&mut self, stop: &Stop) -> Result<(), Ended> {
        let revision = self.request.base.clone().unwrap_or_else(Revision::head);
        let base = Arc::clone(&self.assembly.base);
        let limits = crate::settings::submit_limits(&self.host.config);
        let (asked, cancel) = (revision.clone(), stop.flag());
        let compared = tokio::task::spawn_blocking(move || difference(&base, &asked, &limits, &cancel)).await;
        let nothing_to_judge = "Mend that, or name another commit with `--base`, then validate again.";
        let found = match compared {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return Err(Ended::could_not_run(error.to_string(), nothing_to_judge)),
            Err(error) => {
                return Err(Ended::could_not_run(
                    format!("a bug of ours: {error}"),
                    nothing_to_judge,
                ));
            }
        };
        self.take(&revision, found);
        if self.change.is_empty() {
            return Err(Ended::could_not_run(
                format!("the working tree does not differ from `{revision}`: there is nothing to judge"),
                "Change something first, or name the commit that the work began at with `--base`.",
            ));
        }
        Ok(())
    }

    fn take(&mut self, revision: &Revision, found: Difference) {
        self.report.base = Some(BaseReport {
            revision: revision.to_string(),
            commit: found.commit,
        });
        let (kept, change): (Vec<_>, Vec<_>) = found
            .change
            .files
            .into_iter()
            .partition(|file| is_written_by_the_host(&file.path));
        let kept = kept.into_iter().map(|file| NotLookedAtReport {
            path: file.path.to_string(),
            why: "written by snodo or this host itself".to_owned(),
        });
        let left_out = found.not_looked_at.into_iter().map(|one| NotLookedAtReport {
            path: one.path,
            why: one.why.to_owned(),
        });
        self.report.not_looked_at = left_out.chain(kept).collect();
        if let Some(warning) = not_looked_at(&self.report.not_looked_at) {
            self.warn(warning);
        }
        self.change = Arc::new(ChangeSet { files: change });
        self.report.changes = ChangeReport::of(&self.change);
    }

    /// A coder of a run could not have written there.
    fn check_protected(&self) -> Result<(), Ended> {
        let rules = self.assembly.base.rules();
        let refused: Vec<String> = self
            .change
            .files
            .iter()
            .filter_map(|file| rules.check_write(&file.path).err())
            .map(|refusal| format!("`{}`: {}", crate::text::one_line(&refusal.path, 300), refusal.rule))
            .collect();
        match refused.as_slice() {
            [] => Ok(()),
            refused => Err(Ended::blocker(
                format!("the change touches what no run may change ({})", few(refused)),
                "Do not go on: take the change of these paths back, or have a person decide about it.",
            )),
        }
    }

    async fn check_constraints(&mut self) -> Result<(), Ended> {
        if self.assembly.constraints.is_empty() {
            return Ok(());
        }
        let constraints = self.assembly.constraints.clone();
        let module = self.assembly.module.clone();
        let change = Arc::clone(&self.change);
        let view = View::of_base(Arc::clone(&self.assembly.base));
        let phase = self.request.phase;
        let evaluated = tokio::task::spawn_blocking(move || {
            evaluate(
                &constraints,
                &Subject {
                    change: &change,
                    view: &view,
                    phase,
                    module: module.as_ref(),
                },
            )
        });
        let results = evaluated
            .await
            .map_err(|error| Ended::could_not_run(format!("a bug of ours: {error}"), "Report it."))?;
        let stopping: Vec<String> = results
            .iter()
            .filter(|result| result.stops())
            .map(|result| format!("{}: {}", result.id, result.justification))
            .collect();
        self.report.constraints = results;
        if stopping.is_empty() {
            return Ok(());
        }
        let what = match phase {
            Phase::PreExecute => "constraints of the protocol cannot be kept, whatever is changed",
            Phase::PostExecute => "the change breaks the protocol's constraints",
        };
        Err(Ended::blocker(
            format!("{what} ({})", stopping.join("; ")),
            "Do not go on: make the change keep to the constraints, then validate again.",
        ))
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

/// What snodo and this host write in `.snodo` while they work, where somebody tracks it.
fn is_written_by_the_host(path: &WorkspacePath) -> bool {
    let mut components = path.components();
    components.next() == Some(".snodo")
        && components
            .next()
            .is_some_and(|name| name != "protocol.yml" && name != "plans")
}

fn not_looked_at(left_out: &[NotLookedAtReport]) -> Option<String> {
    let named: Vec<String> = left_out
        .iter()
        .map(|one| format!("`{}` ({})", one.path, one.why))
        .collect();
    (!named.is_empty()).then(|| format!("not looked at: {}", few(&named)))
}

/// A few, and how many more there are.
fn few(all: &[String]) -> String {
    const NAMED: usize = 10;
    let mut text = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    if all.len() > NAMED {
        text = format!("{text}; and {} more", all.len() - NAMED);
    }
    text
}
