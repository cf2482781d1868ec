//! The host's side of a helper: it is started, told its plan, heard, and brought to its end.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde::Serialize;
use snodo_workspace::capability::Captured;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use crate::HELPER_COMMAND;
use crate::capture::{Ends, drain};
use crate::helper::{descendants, remove_left_behind};
use crate::layer::{Layer, Layers};
use crate::plan::{NotStarted, Plan, Said};

/// How long output may still come after all that the program was has ended: something that could not be ended may hold the pipe for ever.
const LINGER: Duration = Duration::from_millis(200);

/// How long setting up may take: file systems that are far away and do not answer are met here.
const SETTING_UP: Duration = Duration::from_secs(30);

/// How long a helper has for ending everything, before it is ended itself.
const ENDING: Duration = Duration::from_secs(2);

/// Bytes that a helper may say: it says a few lines.
const SAID_BYTES: u64 = 1 << 20;

/// How long a program may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// In all, from when it is started.
    pub wall: Duration,
    /// Without printing anything.
    pub silence: Option<Duration>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// By the host, after [`Bounds::wall`].
    WallClock,
    /// By the host, after [`Bounds::silence`].
    Silence,
    /// By the host, since nobody waited any more.
    Interrupted,
}

/// A program that was run.
#[derive(Debug)]
pub struct Launched {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// From its start, all layers being in force, to its end.
    pub duration: Duration,
    /// The layers that were in force.
    pub layers: Layers,
    /// What a person should know about them.
    pub notes: Vec<String>,
    /// Processes that could not be ended. Empty, but for processes that the kernel itself holds.
    pub left: Vec<i32>,
}

/// Why a program was not run.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A layer that was asked for could not be had.
    #[error("the sandbox layer `{}` could not be put in force: {reason}", layer.name())]
    Layer {
        /// Which.
        layer: Layer,
        /// The system's reason.
        reason: String,
    },
    /// All was set up, and the program could not be started.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// The program, as it was asked for.
        program: String,
        /// How.
        kind: NotStarted,
        /// The system's reason.
        reason: String,
    },
    /// The helper could not do its work.
    #[error("the sandbox helper failed: {0}")]
    Helper(String),
}

/// Runs a program in a helper of its own to its end, to a bound, or until nobody waits any more (`abandoned` resolves). `helper` is this
/// same binary, whose first arguments are `helper_arguments` and then [`HELPER_COMMAND`]. When the answer is dropped half way, the helper
/// notices and ends everything by itself.
pub async fn launch(
    helper: &Path,
    helper_arguments: &[OsString],
    plan: &Plan,
    bounds: Bounds,
    abandoned: oneshot::Receiver<()>,
) -> Result<Launched, LaunchError> {
    let (mut child, socket) = start(helper, helper_arguments)?;
    let began = Instant::now();
    let heard = Mutex::new(began);
    let (out, err) = (Mutex::new(Ends::default()), Mutex::new(Ends::default()));
    let drains = {
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (out, err, heard) = (&out, &err, &heard);
        async move {
            tokio::join!(drain_heard(stdout, out, heard), drain_heard(stderr, err, heard));
        }
    };
    tokio::pin!(drains);
    let mut drained = false;
    let (told, mut stop) = socket.into_split();
    let mut helper = Heard::new(told);
    let (answer, ended) = {
        let mut conversation = std::pin::pin!(async {
            let answer = converse(&mut helper, &mut stop, plan, bounds, &heard, abandoned).await;
            if !matches!(answer, Ok(Ending::Code(_) | Ending::Signal(_))) {
                // One that is gone cannot be told, and need not.
                let _ = stop.write_all(b"stop\n").await;
            }
            (answer, Instant::now())
        });
        loop {
            tokio::select! {
                answer = &mut conversation => break answer,
                () = &mut drains, if !drained => drained = true,
            }
        }
    };
    let mut left = {
        let mut end = std::pin::pin!(end(&mut child));
        loop {
            tokio::select! {
                left = &mut end => break left,
                () = &mut drains, if !drained => drained = true,
            }
        }
    };
    if !drained {
        let _ = tokio::time::timeout(LINGER, &mut drains).await;
    }
    // Closed only now: for the helper it is the sign that the host is gone.
    drop(stop);
    left.extend(helper.left().await);
    let ending = answer?;
    Ok(Launched {
        ending,
        stdout: finish(&out),
        stderr: finish(&err),
        duration: helper
            .ready
            .map_or(Duration::ZERO, |ready| ended.saturating_duration_since(ready)),
        layers: helper.layers,
        notes: helper.notes,
        left,
    })
}

/// Asks a helper to put a plan's layers in force, and to execute nothing. The answer is the kernel's version of Landlock, if it is among them.
pub(crate) async fn ask(helper: &Path, helper_arguments: &[OsString], plan: &Plan) -> Result<Option<i32>, LaunchError> {
    let (mut child, socket) = start(helper, helper_arguments)?;
    let (told, mut tell) = socket.into_split();
    let mut heard = Heard::new(told);
    let answer = async {
        send(&mut tell, plan).await?;
        match heard.next().await? {
            Some(Said::Ready { landlock_abi, .. }) => Ok(landlock_abi),
            Some(said) => Err(not_run(plan, said)),
            None => Err(without_a_word()),
        }
    };
    let answer = match tokio::time::timeout(SETTING_UP, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(too_slow()),
    };
    end(&mut child).await;
    answer
}

async fn send(tell: &mut OwnedWriteHalf, plan: &Plan) -> Result<(), LaunchError> {
    let mut line = serde_json::to_vec(plan).map_err(|error| LaunchError::Helper(error.to_string()))?;
    line.push(b'\n');
    tell.write_all(&line)
        .await
        .map_err(|error| LaunchError::Helper(format!("it does not listen: {error}")))
}

fn without_a_word() -> LaunchError {
    LaunchError::Helper("it ended without a word".to_owned())
}

fn too_slow() -> LaunchError {
    LaunchError::Helper(format!("it did not get ready in {} seconds", SETTING_UP.as_secs()))
}

/// Starts the helper, which has nothing of the host's but its three descriptors.
fn start(helper: &Path, helper_arguments: &[OsString]) -> Result<(Child, UnixStream), LaunchError> {
    let failed = |error: std::io::Error| LaunchError::Helper(format!("it could not be started: {error}"));
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let theirs = theirs.into_std().map_err(failed)?;
    theirs.set_nonblocking(false).map_err(failed)?;
    let child = Command::new(helper)
        .args(helper_arguments)
        .arg(HELPER_COMMAND)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // What a terminal sends to the host's group is not for it: the host says when there is an end.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    Ok((child, ours))
}

/// What a helper has said so far.
struct Heard {
    lines: BufReader<tokio::io::Take<OwnedReadHalf>>,
    layers: Layers,
    notes: Vec<String>,
    ready: Option<Instant>,
}

impl Heard {
    fn new(socket: OwnedReadHalf) -> Self {
        Self {
            lines: BufReader::new(socket.take(SAID_BYTES)),
            layers: Layers::default(),
            notes: Vec::new(),
            ready: None,
        }
    }

    /// The next line; none after the last.
    async fn next(&mut self) -> Result<Option<Said>, LaunchError> {
        let mut line = Vec::new();
        let failed = |error: String| LaunchError::Helper(format!("what it said cannot be read: {error}"));
        match self.lines.read_until(b'\n', &mut line).await {
            Ok(0) => Ok(None),
            Ok(_) => serde_json::from_slice(&line)
                .map(Some)
                .map_err(|e| failed(e.to_string())),
            // A helper that was killed with something unread.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(None),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Until the program has ended by itself, or was not to be started.
    async fn end(&mut self, plan: &Plan) -> Result<Ending, LaunchError> {
        loop {
            match self.next().await? {
                Some(Said::Ready { .. }) => {}
                Some(Said::Ended { code: Some(code), .. }) => return Ok(Ending::Code(code)),
                Some(Said::Ended {
                    signal: Some(signal), ..
                }) => return Ok(Ending::Signal(signal)),
                Some(said) => return Err(not_run(plan, said)),
                None => return Err(without_a_word()),
            }
        }
    }

    /// What could not be ended, which is said last.
    async fn left(&mut self) -> Vec<i32> {
        let rest = async {
            let mut left = Vec::new();
            while let Ok(Some(said)) = self.next().await {
                if let Said::Left { processes } = said {
                    left.extend(processes);
                }
            }
            left
        };
        // Its end of the socket closed with it, unless something that could not be ended holds it.
        tokio::time::timeout(LINGER, rest).await.unwrap_or_default()
    }
}

/// Tells the plan, and waits for the end.
async fn converse(
    helper: &mut Heard,
    tell: &mut OwnedWriteHalf,
    plan: &Plan,
    bounds: Bounds,
    heard: &Mutex<Instant>,
    mut abandoned: oneshot::Receiver<()>,
) -> Result<Ending, LaunchError> {
    let setting_up = async {
        send(tell, plan).await?;
        match helper.next().await? {
            Some(Said::Ready { layers, notes, .. }) => {
                (helper.layers, helper.notes, helper.ready) = (layers, notes, Some(Instant::now()));
                Ok(())
            }
            Some(said) => Err(not_run(plan, said)),
            None => Err(without_a_word()),
        }
    };
    tokio::select! {
        done = setting_up => done?,
        _ = &mut abandoned => return Ok(Ending::Interrupted),
        () = tokio::time::sleep(SETTING_UP) => return Err(too_slow()),
    }
    set(heard, Instant::now());
    tokio::select! {
        ending = helper.end(plan) => ending,
        _ = abandoned => Ok(Ending::Interrupted),
        () = tokio::time::sleep(bounds.wall) => Ok(Ending::WallClock),
        () = silent(bounds.silence, heard) => Ok(Ending::Silence),
    }
}

/// Resolves when nothing was heard for so long.
async fn silent(bound: Option<Duration>, heard: &Mutex<Instant>) {
    let Some(bound) = bound else {
        return std::future::pending().await;
    };
    loop {
        let last = *heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let left = bound.saturating_sub(last.elapsed());
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left).await;
    }
}

/// Why a program was not run, from what was said in place of its end.
fn not_run(plan: &Plan, said: Said) -> LaunchError {
    match said {
        Said::Fault {
            layer: Some(layer),
            reason,
        } => LaunchError::Layer { layer, reason },
        Said::Fault { layer: None, reason } => LaunchError::Helper(reason),
        Said::NotStarted { kind, reason } => LaunchError::NotStarted {
            program: plan.argv.first().cloned().unwrap_or_default(),
            kind,
            reason,
        },
        other => LaunchError::Helper(format!("it spoke out of turn: {other:?}")),
    }
}

/// Waits for a helper's end, and ends it with all that came from it when it does not come. What could not be ended is the answer.
async fn end(child: &mut Child) -> Vec<i32> {
    if tokio::time::timeout(ENDING, child.wait()).await.is_ok() {
        return Vec::new();
    }
    let Some(supervisor) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) else {
        return Vec::new();
    };
    let all = descendants::of(supervisor);
    let _ = child.start_kill();
    for pid in &all {
        let _ = rustix::process::kill_process(*pid, Signal::KILL);
    }
    let gone = tokio::time::timeout(ENDING, child.wait()).await.is_ok();
    remove_left_behind(supervisor);
    let own = (!gone).then_some(supervisor);
    all.into_iter()
        .filter(|pid| descendants::runs(*pid))
        .chain(own)
        .map(Pid::as_raw_pid)
        .collect()
}

fn finish(ends: &Mutex<Ends>) -> Captured {
    std::mem::take(&mut *ends.lock().unwrap_or_else(std::sync::PoisonError::into_inner)).finish()
}

fn set(heard: &Mutex<Instant>, now: Instant) {
    *heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = now;
}

async fn drain_heard(stream: Option<impl AsyncRead + Unpin>, ends: &Mutex<Ends>, heard: &Mutex<Instant>) {
    if let Some(stream) = stream {
        drain(Listening { stream, heard }, ends).await;
    }
}

/// A stream of which it is noted when something came last.
struct Listening<'a, S> {
    stream: S,
    heard: &'a Mutex<Instant>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Listening<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let answer = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            set(self.heard, Instant::now());
        }
        answer
    }
}
