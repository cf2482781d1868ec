//! Starting a program in a scratch folder, and bringing it to its end.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use snodo_workspace::capability::{Bound, Captured, Exit, IoFailure, RunnerError};
use tokio::sync::oneshot;

use super::capture::{Ends, drain};

/// How long output may still come after the program itself has ended: a grandchild may hold the pipe for ever.
const LINGER: Duration = Duration::from_millis(200);

/// The environment that programs get: an allow list, filled in by the binary. Nothing else of the host's is passed on.
#[derive(Debug, Clone, Default)]
pub struct ProgramEnvironment {
    /// Names and values.
    pub variables: Vec<(OsString, OsString)>,
}

impl ProgramEnvironment {
    /// Names that are passed on when they are set: where programs, homes and toolchains are, and the language. None holds a
    /// secret.
    pub const ALLOWED: [&'static str; 10] = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TMPDIR",
        "TZ",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
    ];

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.variables.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

/// How it ended, and what it printed.
#[derive(Debug)]
pub struct SpawnEnd {
    /// How.
    pub exit: Exit,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From start to end.
    pub duration: Duration,
}

/// Runs a program to its end, to its limit, or until nobody waits any more (`abandoned` resolves).
pub(super) async fn run(
    argv: &[String],
    folder: &Path,
    environment: &ProgramEnvironment,
    limit: Duration,
    abandoned: oneshot::Receiver<()>,
) -> Result<SpawnEnd, RunnerError> {
    let [program, arguments @ ..] = argv else {
        return Err(RunnerError::NotDeclared);
    };
    let started = Instant::now();
    let mut command = tokio::process::Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment.variables.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Its own group, so that what it starts can be ended with it.
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| fault(program, &error))?;
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let (out, err) = (Mutex::new(Ends::default()), Mutex::new(Ends::default()));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let drains = async {
        tokio::join!(
            async {
                if let Some(stream) = stdout {
                    drain(stream, &out).await;
                }
            },
            async {
                if let Some(stream) = stderr {
                    drain(stream, &err).await;
                }
            }
        )
    };
    tokio::pin!(drains);
    let mut drained = false;
    let ended = {
        let end = async {
            tokio::select! {
                status = child.wait() => Ok(status),
                () = tokio::time::sleep(limit) => Err(Bound::WallClock),
                _ = abandoned => Err(Bound::Interrupted),
            }
        };
        tokio::pin!(end);
        loop {
            tokio::select! {
                ended = &mut end => break ended,
                _ = &mut drains, if !drained => drained = true,
            }
        }
    };
    // Whatever the program left running in its group ends with it.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let exit = match ended {
        Ok(status) => {
            let status = status.map_err(|error| fault(program, &error))?;
            status
                .code()
                .map_or_else(|| Exit::Signal(status.signal().unwrap_or_default()), Exit::Code)
        }
        Err(bound) => {
            let _ = child.wait().await;
            Exit::Bound(bound)
        }
    };
    if !drained {
        let _ = tokio::time::timeout(LINGER, &mut drains).await;
    }
    let duration = started.elapsed();
    let finish = |ends: &Mutex<Ends>| {
        std::mem::take(&mut *ends.lock().unwrap_or_else(std::sync::PoisonError::into_inner)).finish()
    };
    Ok(SpawnEnd {
        exit,
        stdout: finish(&out),
        stderr: finish(&err),
        duration,
    })
}

fn fault(program: &str, error: &std::io::Error) -> RunnerError {
    match error.kind() {
        std::io::ErrorKind::NotFound => RunnerError::ProgramNotFound(program.to_owned()),
        std::io::ErrorKind::PermissionDenied => RunnerError::ProgramNotExecutable(program.to_owned()),
        _ => RunnerError::Io(IoFailure {
            path: program.to_owned(),
            reason: error.to_string(),
        }),
    }
}
