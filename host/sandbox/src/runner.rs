//! The service that runs declared tests: it belongs to the run, and outlives the plugin that asked.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use snodo_workspace::capability::{
    Bound, EntryKind, Exit, IoFailure, LimitReached, Observation, Refusal, Runner, RunnerError,
};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::view::View;
use tokio::sync::oneshot;

use crate::command::DeclaredCommand;
use crate::execution::Execution;
use crate::launch::{Bounds, Ending, LaunchError, Launched};
use crate::plan::NotStarted;
use crate::policy::Permissions;
use crate::sandbox::{Sandbox, SandboxError};

/// The bounds of the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunnerLimits {
    /// Wall-clock of one execution.
    #[serde(skip)]
    pub timeout: Duration,
    /// Executions of one invocation of a plugin.
    pub calls: u32,
}

/// The declared command, its bounds, and the executions so far.
pub struct RunnerService {
    command: Option<DeclaredCommand>,
    limits: RunnerLimits,
    sandbox: Arc<Sandbox>,
    permissions: Permissions,
    executions: Mutex<Vec<Execution>>,
}

impl RunnerService {
    /// A service for one run. Without a command every request is answered "not declared".
    pub fn new(
        command: Option<DeclaredCommand>,
        limits: RunnerLimits,
        sandbox: Arc<Sandbox>,
        permissions: Permissions,
    ) -> Arc<Self> {
        Arc::new(Self {
            command,
            limits,
            sandbox,
            permissions,
            executions: Mutex::default(),
        })
    }

    /// The declared command.
    pub fn command(&self) -> Option<&DeclaredCommand> {
        self.command.as_ref()
    }

    /// What the user opened for it.
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
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

    /// One execution in a scratch of its own.
    async fn execute(
        &self,
        by: String,
        argv: Vec<String>,
        view: Arc<View>,
        timeout: Duration,
        abandoned: oneshot::Receiver<()>,
    ) -> Result<Launched, RunnerError> {
        let permissions = self.permissions.clone();
        let place = self
            .sandbox
            .prepare(Arc::clone(&view), permissions, Vec::new())
            .await
            .map_err(refused)?;
        let bounds = Bounds {
            wall: timeout,
            silence: None,
        };
        let launched = self.sandbox.run(&place, &argv, bounds, abandoned).await;
        let launched = match launched {
            Ok(launched) => launched,
            Err(error) => {
                place.remove().await;
                return Err(refused(error));
            }
        };
        let execution = Execution::of(by, argv, &launched, place, view, None, self.sandbox.cancel()).await;
        self.executions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(execution);
        Ok(launched)
    }
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
        let (service, by, view) = (Arc::clone(&self.service), self.by.clone(), Arc::clone(&self.view));
        let timeout = self.limits.timeout;
        let work = |_, abandoned| async move { service.execute(by, argv, view, timeout, abandoned).await };
        let end = self.service.sandbox.owned(work).await;
        let end = end.unwrap_or_else(|| Err(io("", "the execution was given up")))?;
        Ok(Observation {
            exit: exit(end.ending),
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
        Ok(Some(EntryKind::Symlink)) => return Err(refused("a symbolic link is not followed, wherever it leads")),
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

/// As a plugin is told of it.
fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::Code(code) => Exit::Code(code),
        Ending::Signal(signal) => Exit::Signal(signal),
        // Nobody asks for a bound of silence here.
        Ending::WallClock | Ending::Silence => Exit::Bound(Bound::WallClock),
        Ending::Interrupted => Exit::Bound(Bound::Interrupted),
    }
}

fn refused(error: SandboxError) -> RunnerError {
    match error {
        SandboxError::Launch(LaunchError::NotStarted { program, kind, reason }) => match kind {
            NotStarted::NotFound => RunnerError::ProgramNotFound(program),
            NotStarted::NotExecutable => RunnerError::ProgramNotExecutable(program),
            // Which interpreter that is says the reason.
            NotStarted::MissingInterpreter | NotStarted::Io => io(&program, &reason),
        },
        error => io("sandbox", &error.to_string()),
    }
}
