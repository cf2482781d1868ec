//! One program in one scratch, contained as the user wants it: from what is to be run to what was seen.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use std::time::Duration;

use snodo_workspace::capability::Cancel;
use snodo_workspace::scratch::mounts_below;
use snodo_workspace::view::View;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;

use crate::command::DeclaredCommand;
use crate::contain::{Mode, NotContained, layers_for};
use crate::environment::ProgramEnvironment;
use crate::folder;
use crate::launch::{Bounds, LaunchError, Launched, launch};
use crate::layer::{Layer, Layers};
use crate::machine::{Machine, probe};
use crate::plan::{NOBODY, NewRoot, Plan, Sockets};
use crate::policy::{Permissions, ProcessLimits, SandboxPolicy};
use crate::scratch::{Kind, Scratch, ScratchFault, ScratchPlace, Show};
use crate::visible::visible;

/// The program that becomes the helper: the binary itself.
#[derive(Debug, Clone)]
pub struct Helper {
    /// Its file.
    pub program: PathBuf,
    /// Arguments before [`crate::HELPER_COMMAND`]'s own; none for the binary.
    pub arguments: Vec<OsString>,
}

/// The workspace's own repository.
const REPOSITORY: &str = ".git";

/// Git looks into no repository of another user's, which the workspace's can be for whom a program runs as; the user has opened it.
const TRUSTED: [(&str, &str); 3] = [
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.directory"),
    ("GIT_CONFIG_VALUE_0", "*"),
];

/// How programs of one run are contained.
pub struct Sandbox {
    helper: Helper,
    policy: SandboxPolicy,
    limits: ProcessLimits,
    environment: ProgramEnvironment,
    place: ScratchPlace,
    serial: AtomicU32,
    machine: OnceCell<Machine>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    stop: Cancel,
}

/// A file by which a program is told something.
pub(crate) struct Brief {
    pub(crate) name: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) text: Vec<u8>,
}

/// A scratch, and what programs see and may do in it.
pub(crate) struct Prepared {
    /// To be dropped where blocking is allowed.
    pub(crate) scratch: Scratch,
    pub(crate) permissions: Permissions,
    pub(crate) environment: ProgramEnvironment,
    own: PathBuf,
    mode: Mode,
    read: Vec<PathBuf>,
    input: Option<PathBuf>,
    /// Where nothing may be, from the workspace's root.
    absent: Vec<PathBuf>,
    /// A socket of somebody else's that a program could connect to.
    reachable: Option<PathBuf>,
}

/// Why a program was not run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This machine does not give what the policy asks for.
    #[error(transparent)]
    NotContained(#[from] NotContained),
    /// No scratch.
    #[error("no scratch to run in: {0}")]
    Scratch(#[from] ScratchFault),
    /// It could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl Helper {
    async fn launch(
        &self,
        plan: &Plan,
        bounds: Bounds,
        abandoned: oneshot::Receiver<()>,
    ) -> Result<Launched, LaunchError> {
        launch(&self.program, &self.arguments, plan, bounds, abandoned).await
    }

    /// Runs a command in a folder itself, uncontained, for a project that is the host's own.
    ///
    /// # Errors
    /// [`LaunchError`]: it was not run.
    pub async fn run_in_place(
        &self,
        command: &DeclaredCommand,
        folder: &Path,
        environment: &ProgramEnvironment,
        wall: Duration,
    ) -> Result<Launched, LaunchError> {
        let plan = Plan {
            argv: command.argv.clone(),
            folder: folder.to_owned(),
            environment: environment.variables.clone(),
            input: None,
            layers: Layers::default(),
            root: None,
            read: Vec::new(),
            write: Vec::new(),
            absent: Vec::new(),
            sockets: Sockets::Any,
            processes: 0,
            file_bytes: 0,
            open_files: 0,
        };
        let (here, abandoned) = oneshot::channel();
        let end = self.launch(&plan, Bounds { wall, silence: None }, abandoned).await;
        drop(here);
        end
    }
}

impl Sandbox {
    /// For one run.
    pub fn new(
        helper: Helper,
        policy: SandboxPolicy,
        limits: ProcessLimits,
        environment: ProgramEnvironment,
        place: ScratchPlace,
    ) -> Self {
        Self {
            helper,
            policy,
            limits,
            environment,
            place,
            serial: AtomicU32::new(0),
            machine: OnceCell::new(),
            tasks: Mutex::default(),
            stop: Cancel::default(),
        }
    }

    /// Does work that belongs to the run: when whoever asked is dropped, `abandoned` resolves, the program is ended, and the run still
    /// waits for it ([`Self::finish`]). None when the work was lost.
    pub(crate) async fn owned<T, F>(
        self: &Arc<Self>,
        work: impl FnOnce(Arc<Self>, oneshot::Receiver<()>) -> F,
    ) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (here, abandoned) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let work = work(Arc::clone(self), abandoned);
        let task = tokio::spawn(async move {
            let _ = answer.send(work.await);
        });
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        let answer = answered.await;
        drop(here);
        answer.ok()
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

    /// Asks long work to end.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.stop
    }

    /// What every program is given of the environment.
    pub fn environment(&self) -> &ProgramEnvironment {
        &self.environment
    }

    async fn machine(&self) -> &Machine {
        self.machine
            .get_or_init(|| probe(&self.helper.program, &self.helper.arguments, &self.place.folder))
            .await
    }

    /// Whether programs can be run as the policy wants it: to be asked before a coder has worked.
    ///
    /// # Errors
    /// What they run without is answered in words, where the user's policy allows for that.
    ///
    /// # Errors
    /// [`NotContained`]: what is missing, and what to do.
    pub async fn check(&self, permissions: &Permissions) -> Result<Option<String>, NotContained> {
        let mode = match self.policy {
            SandboxPolicy::Off => Mode::Uncontained,
            policy => layers_for(self.machine().await, policy, permissions.network, true)?,
        };
        let missing = match &mode {
            Mode::Uncontained if self.policy == SandboxPolicy::Off => {
                "the sandbox is off: programs run uncontained, as you would run them"
            }
            Mode::Uncontained => "this machine offers no sandbox: programs run uncontained, as you would run them",
            Mode::View(layers) | Mode::Plain(layers) => {
                match (layers.hold_files(), permissions.network || layers.hold_network()) {
                    (true, true) => return Ok(None),
                    (false, true) => {
                        "programs run with all of your files in reach: this machine offers no boundary for them"
                    }
                    (true, false) => "programs run with the network in reach: this machine offers no boundary for it",
                    (false, false) => {
                        "programs run with your files and the network in reach: this machine offers no boundary for them"
                    }
                }
            }
        };
        Ok(Some(format!("{missing} (`snodo-host doctor` shows what is missing)")))
    }

    /// A scratch of what `view` shows, and the files that programs in it are told by; the first of those is standard input.
    pub(crate) async fn prepare(
        &self,
        view: Arc<View>,
        permissions: Permissions,
        briefs: Vec<Brief>,
    ) -> Result<Prepared, SandboxError> {
        let own = view.base().root().resolved().to_owned();
        let mounts = mounts_below(
            &own,
            &std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default(),
        );
        let mode = match self.policy {
            SandboxPolicy::Off => Mode::Uncontained,
            policy => layers_for(self.machine().await, policy, permissions.network, mounts.is_empty())?,
        };
        let show = match &mode {
            Mode::View(layers) if layers.has(Layer::Overlay) => Show::Overlay,
            Mode::View(_) => Show::CopyInView,
            Mode::Plain(layers) => Show::CopyElsewhere {
                owner: layers.has(Layer::Identity).then_some(NOBODY),
            },
            Mode::Uncontained => Show::CopyElsewhere { owner: None },
        };
        let (mut read, mut environment) = visible(&self.environment, &permissions);
        let closed = self.close_private(&mut read);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let (place, stop, opened) = (self.place.clone(), self.stop.clone(), permissions.clone());
        let make = move || {
            if serial == 0 {
                folder::sweep(&place.folder);
            }
            let scratch = Scratch::make(&place, serial, &view, show, &opened, &stop)?;
            for brief in &briefs {
                scratch
                    .write_brief(brief.name, &brief.text)
                    .map_err(ScratchFault::Folder)?;
            }
            Ok::<_, ScratchFault>((scratch, briefs))
        };
        let (scratch, briefs) = tokio::task::spawn_blocking(make)
            .await
            .unwrap_or_else(|error| Err(ScratchFault::Folder(std::io::Error::other(error))))?;
        if permissions.git {
            for (name, value) in TRUSTED {
                environment.set(name, value);
            }
        }
        for (name, value) in &permissions.variables {
            environment.set(&name.to_string_lossy(), value);
        }
        for brief in &briefs {
            environment.set(brief.variable, scratch.brief().join(brief.name));
        }
        if !matches!(mode, Mode::Uncontained) {
            environment.set("HOME", scratch.home());
            environment.set("TMPDIR", scratch.temporary());
            // The machine's own settings of git are not shown, and where they are there and closed, git gives up.
            environment.set("GIT_CONFIG_NOSYSTEM", "1");
        }
        let shown = read.iter().chain(&permissions.write).cloned();
        let passed = permissions.write_in_workspace.iter().map(|path| own.join(path));
        let reachable = named_socket_below(&shown.chain(passed).collect::<Vec<_>>());
        let mut scratch = scratch;
        for note in closed {
            scratch.note(note);
        }
        if let (Mode::View(_), Some(socket)) = (&mode, &reachable) {
            scratch.note(format!(
                "no named sockets for programs: `{}`, which somebody on this machine listens at, lies in what they see",
                socket.display()
            ));
        }
        read.push(scratch.brief());
        let input = briefs.first().map(|brief| scratch.brief().join(brief.name));
        let mut absent = scratch.hidden();
        if permissions.git {
            absent.retain(|path| path != REPOSITORY);
        }
        Ok(Prepared {
            scratch,
            permissions,
            environment,
            own,
            mode,
            read,
            input,
            absent,
            reachable,
        })
    }

    /// Takes what holds a folder of the host's own out of what is shown; each in words.
    fn close_private(&self, read: &mut Vec<PathBuf>) -> Vec<String> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let private: Vec<PathBuf> = self.place.private.iter().map(|folder| real(folder)).collect();
        let (open, closed): (Vec<_>, Vec<_>) = std::mem::take(read).into_iter().partition(|shown| {
            let shown = real(shown);
            !private
                .iter()
                .any(|own| own.starts_with(&shown) || shown.starts_with(own))
        });
        *read = open;
        closed
            .iter()
            .map(|path| {
                format!(
                    "`{}` is not shown to programs: a folder of the host's own lies in it",
                    path.display()
                )
            })
            .collect()
    }

    /// Runs a program in a scratch to its end, or to a bound.
    pub(crate) async fn run(
        &self,
        place: &Prepared,
        argv: &[String],
        bounds: Bounds,
        abandoned: oneshot::Receiver<()>,
    ) -> Result<Launched, SandboxError> {
        let Prepared { scratch, own, .. } = place;
        let plan = match &place.mode {
            Mode::Uncontained => self.plan(place, argv, Layers::default(), scratch.copy()),
            Mode::View(layers) => Plan {
                root: Some(place.root().map_err(ScratchFault::Folder)?),
                sockets: place.sockets(place.reachable.is_none()),
                ..self.plan(place, argv, layers.clone(), own.clone())
            },
            Mode::Plain(layers) => {
                let mut plan = self.plan(place, argv, layers.clone(), scratch.copy());
                plan.write.push(scratch.copy());
                let real = place.permissions.write_in_workspace.iter().map(|path| own.join(path));
                plan.write.extend(real);
                plan.read.extend(place.permissions.git.then(|| own.join(REPOSITORY)));
                plan.sockets = place.sockets(false);
                plan
            }
        };
        Ok(self.helper.launch(&plan, bounds, abandoned).await?)
    }

    /// What view and plain containment have in common.
    fn plan(&self, place: &Prepared, argv: &[String], mut layers: Layers, folder: PathBuf) -> Plan {
        let scratch = &place.scratch;
        if scratch.kind() == Kind::Copy {
            layers.remove(Layer::Overlay);
        }
        let mut write = vec![scratch.home(), scratch.temporary()];
        write.extend(place.permissions.write.iter().cloned());
        let absent = place.absent.iter().map(|path| folder.join(path)).collect();
        Plan {
            argv: argv.to_owned(),
            folder,
            environment: place.environment.variables.clone(),
            input: place.input.clone(),
            layers,
            root: None,
            read: place.read.clone(),
            write,
            absent,
            sockets: Sockets::Pairs,
            processes: self.limits.processes,
            file_bytes: self.limits.file_bytes,
            open_files: self.limits.open_files,
        }
    }
}

/// A socket with a name that somebody on this machine is bound to, in one of these folders: neither a read-only mount nor Landlock keeps a program
/// from connecting to it. Those that are told of are the kernel's list of this network namespace.
fn named_socket_below(folders: &[PathBuf]) -> Option<PathBuf> {
    let list = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let folders: Vec<PathBuf> = folders
        .iter()
        .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()))
        .collect();
    list.lines()
        .filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])))
        .find(|socket| {
            let real = socket.canonicalize().unwrap_or_else(|_| socket.clone());
            folders.iter().any(|folder| real.starts_with(folder))
        })
}

impl Prepared {
    /// A repository of the program's own stands in the place of the one that is hidden.
    pub(crate) fn allow_repository(&mut self) {
        self.absent.retain(|path| path != REPOSITORY);
    }

    /// Removes the scratch, where blocking is allowed.
    pub(crate) async fn remove(self) {
        let _ = tokio::task::spawn_blocking(move || drop(self)).await;
    }

    fn root(&self) -> std::io::Result<NewRoot> {
        Ok(NewRoot {
            root: self.scratch.root(),
            workspace: self.own.clone(),
            source: self.scratch.source()?,
            temporary: self.scratch.temporary(),
            shown: self.permissions.git.then(|| REPOSITORY.into()).into_iter().collect(),
            passed: self.permissions.write_in_workspace.clone(),
        })
    }

    /// `named`: whether sockets with a name lead nowhere but to the program's own.
    fn sockets(&self, named: bool) -> Sockets {
        match (self.permissions.network, named) {
            (true, true) => Sockets::Any,
            (true, false) => Sockets::Network,
            (false, true) => Sockets::Local,
            (false, false) => Sockets::Pairs,
        }
    }
}
