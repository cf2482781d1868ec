//! The service that runs declared tests: it belongs to the run, and outlives the plugin that asked.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use snodo_workspace::capability::{Cancel, Exit, IoFailure, LimitReached, Observation, Refusal, Runner, RunnerError};
use snodo_workspace::limits::ScratchLimits;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::scratch::{self, ScratchReport};
use snodo_workspace::view::View;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::spawn::{self, ProgramEnvironment};
use super::{DeclaredCommand, OwnFolder, SpawnEnd};

/// The bounds of the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunnerLimits {
    /// Wall-clock of one execution.
    #[serde(skip)]
    pub timeout: Duration,
    /// Executions of one invocation of a plugin.
    pub calls: u32,
}

/// Where scratch copies are made.
#[derive(Debug, Clone)]
pub struct ScratchPlace {
    /// A folder of the host's own, outside any workspace.
    pub folder: PathBuf,
    /// Told apart from other runs by this.
    pub run: String,
}

/// One execution, as the report shows it.
#[derive(Debug, Clone, Serialize)]
pub struct Execution {
    /// Which plugin asked.
    pub by: String,
    /// What was executed.
    pub argv: Vec<String>,
    /// How it ended.
    pub exit: Exit,
    /// Milliseconds.
    pub duration_ms: u64,
    /// Layers of the sandbox that were in force.
    pub sandbox: Vec<&'static str>,
    /// Names of environment variables that were passed on.
    pub environment: Vec<String>,
    /// What the scratch copy leaves out or cannot keep.
    pub scratch: Vec<String>,
    /// The end of what it printed.
    pub output_tail: String,
}

/// Characters of output that the report keeps.
const TAIL_SHOWN: usize = 2_000;

/// The declared command, its bounds, and the executions so far.
pub struct RunnerService {
    command: Option<DeclaredCommand>,
    limits: RunnerLimits,
    environment: ProgramEnvironment,
    place: ScratchPlace,
    serial: AtomicU32,
    executions: Mutex<Vec<Execution>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    stop: Cancel,
}

impl RunnerService {
    /// A service for one run. Without a command every request is answered "not declared".
    pub fn new(
        command: Option<DeclaredCommand>,
        limits: RunnerLimits,
        environment: ProgramEnvironment,
        place: ScratchPlace,
    ) -> Arc<Self> {
        Arc::new(Self {
            command,
            limits,
            environment,
            place,
            serial: AtomicU32::new(0),
            executions: Mutex::default(),
            tasks: Mutex::default(),
            stop: Cancel::default(),
        })
    }

    /// The declared command.
    pub fn command(&self) -> Option<&DeclaredCommand> {
        self.command.as_ref()
    }

    /// Its bounds.
    pub fn limits(&self) -> RunnerLimits {
        self.limits
    }

    /// A runner for one invocation of a plugin, over what that plugin sees, within its own bounds.
    pub fn for_plugin(self: &Arc<Self>, by: &str, view: View, limits: RunnerLimits) -> Arc<dyn Runner> {
        Arc::new(PluginRunner {
            service: Arc::clone(self),
            by: by.to_owned(),
            view: Arc::new(view),
            calls_left: AtomicU32::new(limits.calls),
            limits,
        })
    }

    /// What was executed so far.
    pub fn executions(&self) -> Vec<Execution> {
        self.executions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until every program has ended and every scratch is gone; before that nothing is applied.
    pub async fn finish(&self) {
        loop {
            let Some(task) = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).pop() else {
                return;
            };
            let _ = task.await;
        }
    }

    /// Ends what is running, and waits for it.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.finish().await;
    }

    /// One execution in a scratch of its own.
    async fn execute(
        &self,
        by: String,
        argv: Vec<String>,
        view: Arc<View>,
        timeout: Duration,
        abandoned: oneshot::Receiver<()>,
    ) -> Result<SpawnEnd, RunnerError> {
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let (folder, notes) = scratch_copy(self.place.clone(), serial, view, self.stop.clone()).await?;
        let end = spawn::run(&argv, folder.path(), &self.environment, timeout, abandoned).await;
        // Removing a large tree takes a while.
        let _ = tokio::task::spawn_blocking(move || drop(folder)).await;
        let end = end?;
        let execution = Execution {
            by,
            argv,
            exit: end.exit,
            duration_ms: u64::try_from(end.duration.as_millis()).unwrap_or(u64::MAX),
            sandbox: Vec::new(),
            environment: self
                .environment
                .variables
                .iter()
                .map(|(n, _)| n.to_string_lossy().into_owned())
                .collect(),
            scratch: notes,
            output_tail: output_tail(&end),
        };
        self.executions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(execution);
        Ok(end)
    }
}

/// The last characters of both streams, errors last: what a person looks at first.
fn output_tail(end: &SpawnEnd) -> String {
    let mut text = String::new();
    for stream in [&end.stdout, &end.stderr] {
        text.push_str(&stream.head);
        text.push_str(&stream.tail);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    let skip = text.chars().count().saturating_sub(TAIL_SHOWN);
    text.chars().skip(skip).collect()
}

struct PluginRunner {
    service: Arc<RunnerService>,
    by: String,
    view: Arc<View>,
    calls_left: AtomicU32,
    limits: RunnerLimits,
}

#[async_trait]
impl Runner for PluginRunner {
    async fn run_tests(&self, path: Option<String>) -> Result<Observation, RunnerError> {
        let command = self.service.command.as_ref().ok_or(RunnerError::NotDeclared)?;
        let mut argv = command.argv.clone();
        if let Some(path) = path {
            if !command.takes_path {
                return Err(RunnerError::PathNotTaken);
            }
            argv.push(confined(&self.view, &path)?);
        }
        let left = self
            .calls_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let calls_left = left.map_err(|_| {
            RunnerError::Limit(LimitReached {
                name: "runner-calls",
                allowed: u64::from(self.limits.calls),
            })
        })? - 1;
        // The execution belongs to the run: when the plugin that asked is dropped, `here` goes, the program is ended, and
        // the run still waits for it.
        let (here, abandoned) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let (service, by, view) = (Arc::clone(&self.service), self.by.clone(), Arc::clone(&self.view));
        let timeout = self.limits.timeout;
        let task = tokio::spawn(async move {
            let end = service.execute(by, argv, view, timeout, abandoned).await;
            let _ = answer.send(end);
        });
        self.service
            .tasks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(task);
        let end = answered.await;
        drop(here);
        let end = end.map_err(|_| io("", "the execution was given up"))??;
        Ok(Observation {
            exit: end.exit,
            stdout: end.stdout,
            stderr: end.stderr,
            duration_ms: u64::try_from(end.duration.as_millis()).unwrap_or(u64::MAX),
            calls_left,
        })
    }
}

/// A path, or a test's id that starts with one (`tests/test_a.py::test_b[x y]`), as one argument that can be no option.
fn confined(view: &View, given: &str) -> Result<String, RunnerError> {
    let (file, id) = given
        .split_once("::")
        .map_or((given, None), |(file, id)| (file, Some(id)));
    let refused = |rule: &str| {
        RunnerError::Refused(Refusal {
            path: snodo_workspace::escape::one_line(given, 200),
            rule: rule.to_owned(),
        })
    };
    if file.starts_with('-') || file.starts_with('@') {
        return Err(refused(
            "a test path that starts with `-` or `@` would be read as an option",
        ));
    }
    if id.is_some_and(|id| id.chars().any(char::is_control)) {
        return Err(refused("a test id holds no control characters"));
    }
    let path = WorkspacePath::parse(file.strip_suffix('/').unwrap_or(file))?;
    view.base().rules().check_read(&path).map_err(RunnerError::Refused)?;
    match view.kind(&path) {
        Ok(Some(_)) => {}
        Ok(None) => return Err(RunnerError::NotFound(path.as_str().to_owned())),
        Err(error) => return Err(io(path.as_str(), &error.to_string())),
    }
    Ok(id.map_or_else(|| path.as_str().to_owned(), |id| format!("{}::{id}", path.as_str())))
}

fn io(path: &str, reason: &str) -> RunnerError {
    RunnerError::Io(IoFailure {
        path: path.to_owned(),
        reason: reason.to_owned(),
    })
}

/// A scratch copy of what a plugin sees, and what it cannot keep.
async fn scratch_copy(
    place: ScratchPlace,
    serial: u32,
    view: Arc<View>,
    stop: Cancel,
) -> Result<(OwnFolder, Vec<String>), RunnerError> {
    let work = move || {
        let folder = OwnFolder::make(&place.folder, &format!("{}-{serial}", place.run)).map_err(|e| e.to_string())?;
        let report = scratch::materialise(&view, folder.dir(), ScratchLimits::standard(), &stop);
        report.map(|report| (folder, notes(&report))).map_err(|e| e.to_string())
    };
    let made: Result<_, String> = tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| io("scratch copy", &e.to_string()))?;
    made.map_err(|e| io("scratch copy", &e))
}

/// What a copy is not, for the report.
fn notes(report: &ScratchReport) -> Vec<String> {
    let left_out = [
        (report.special, "pipes, sockets and devices were left out"),
        (
            report.unreadable,
            "files and folders could not be read and were left out",
        ),
        (report.too_deep, "folders lie too deep and were left out"),
    ];
    let counted = left_out
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"));
    std::iter::once("a copy without `.git` and `.snodo`, in another folder than the workspace".to_owned())
        .chain(counted)
        .collect()
}

/// Runs a command in a folder itself, for a project that is the host's own to change.
pub async fn run_in_place(
    command: &DeclaredCommand,
    folder: &Path,
    environment: &ProgramEnvironment,
    limit: Duration,
) -> Result<SpawnEnd, RunnerError> {
    let (here, abandoned) = oneshot::channel();
    let end = spawn::run(&command.argv, folder, environment, limit, abandoned).await;
    drop(here);
    end
}
