//! Compiling a component, in a child process of its own: a compilation cannot be abandoned within a process, and what it
//! takes of time and memory cannot be bounded there.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room where the compiler is started"
)]

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::{Resource, Rlimit, setrlimit};
use snodo_config::host_config::Limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::PluginLimits;
use super::halt::{Bound, BoundReached};

/// The hidden command of the binary that compiles standard input to standard output.
pub const COMPILE_COMMAND: &str = "__compile";

/// The child's exit code where the compiler itself says that it has no more memory. (Mostly it does not get to that: a failed allocation
/// ends the process.)
const OUT_OF_MEMORY: u8 = 3;

/// The threads that compile are no more than one for so much of the bound: each takes address space for its stack and its share of the
/// allocator before it does anything, and on a machine of many cores a small bound would be used up by that alone.
const MEMORY_OF_A_THREAD: u64 = 128 << 20;

/// Where compiling happens.
#[derive(Debug, Clone)]
pub enum Compiler {
    /// In a child process of this program, which must be snodo-host's own binary.
    Child(PathBuf),
    /// In this process: for embedders whose program is not snodo-host. The bounds on time and memory do not hold.
    InProcess,
}

/// Why a component was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A bound was reached.
    #[error(transparent)]
    Limit(#[from] BoundReached),
    /// The compiler refused it.
    #[error("it could not be compiled: {0}")]
    Refused(String),
    /// The compiler could not be run.
    #[error("the compiler could not be run: {0}")]
    Io(#[from] std::io::Error),
}

/// Compiles `component` into `output` (or gives the code back when there is none), within the limits.
pub(super) async fn compile(
    compiler: &Compiler,
    component: &[u8],
    limits: &PluginLimits,
    output: Option<&File>,
) -> Result<Vec<u8>, CompileError> {
    match compiler {
        Compiler::Child(program) => in_child(program, component, limits, output).await,
        Compiler::InProcess => {
            let (component, limits) = (component.to_vec(), *limits);
            let code = tokio::task::spawn_blocking(move || precompile(&component, &limits))
                .await
                .map_err(std::io::Error::other)??;
            if let Some(mut output) = output {
                output.write_all(&code)?;
            }
            Ok(code)
        }
    }
}

async fn in_child(
    program: &PathBuf,
    component: &[u8],
    limits: &PluginLimits,
    output: Option<&File>,
) -> Result<Vec<u8>, CompileError> {
    let stdout = match output {
        Some(file) => Stdio::from(file.try_clone()?),
        None => Stdio::piped(),
    };
    let mut child = tokio::process::Command::new(program)
        .arg(COMPILE_COMMAND)
        .args(child_arguments(limits))
        .env_clear()
        .env("RAYON_NUM_THREADS", threads(limits).to_string())
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (mut stdin, mut pipe, mut stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(stdin) = &mut stdin {
            // A child that has given up closes its end: its exit status says why.
            let _ = stdin.write_all(component).await;
        }
        drop(stdin.take());
    };
    let (mut code, mut words) = (Vec::new(), Vec::new());
    let drain_code = async {
        if let Some(pipe) = &mut pipe {
            let _ = pipe.read_to_end(&mut code).await;
        }
    };
    let drain_words = async {
        if let Some(stderr) = &mut stderr {
            let _ = stderr.take(16 * 1024).read_to_end(&mut words).await;
        }
    };
    let work = async {
        tokio::join!(feed, drain_code, drain_words);
        child.wait().await
    };
    let Ok(status) = tokio::time::timeout(limits.compile, work).await else {
        return Err(time_up(limits).into());
    };
    let status = status?;
    if status.success() {
        return Ok(code);
    }
    let words = String::from_utf8_lossy(&words);
    match status.signal().and_then(rustix::process::Signal::from_named_raw) {
        Some(rustix::process::Signal::XCPU | rustix::process::Signal::KILL) => Err(time_up(limits).into()),
        Some(_) => Err(memory_up(limits).into()),
        None if status.code() == Some(OUT_OF_MEMORY.into()) => Err(memory_up(limits).into()),
        // A thread that cannot be started has no memory for its stack.
        None if words.contains("memory allocation") || words.contains("ThreadPoolBuildError") => {
            Err(memory_up(limits).into())
        }
        None => Err(CompileError::Refused(crate::text::one_line(words.trim(), 300))),
    }
}

fn time_up(limits: &PluginLimits) -> BoundReached {
    let allowed = u64::try_from(limits.compile.as_millis()).unwrap_or(u64::MAX);
    BoundReached {
        bound: Bound::CompileTime,
        allowed,
    }
}

fn memory_up(limits: &PluginLimits) -> BoundReached {
    BoundReached {
        bound: Bound::CompileMemory,
        allowed: limits.compile_memory_bytes,
    }
}

/// How many threads the child compiles with: as many as it may use at a time, if its memory suffices for them.
fn threads(limits: &PluginLimits) -> u64 {
    let usable = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    usable.min(limits.compile_memory_bytes / MEMORY_OF_A_THREAD).max(1)
}

fn precompile(component: &[u8], limits: &PluginLimits) -> Result<Vec<u8>, CompileError> {
    let refused = |e: wasmtime::Error| CompileError::Refused(crate::text::one_line(&format!("{e:#}"), 300));
    let engine = wasmtime::Engine::new(&super::runtime::configuration(limits)).map_err(refused)?;
    engine.precompile_component(component).map_err(|error| {
        if error.is::<wasmtime::OutOfMemory>() {
            memory_up(limits).into()
        } else {
            refused(error)
        }
    })
}

/// What the child has to know: the one setting that changes the code, and its own bounds.
fn child_arguments(limits: &PluginLimits) -> [OsString; 3] {
    [
        limits.stack_bytes,
        limits.compile_memory_bytes,
        limits.compile.as_secs().saturating_mul(2),
    ]
    .map(|n| n.to_string().into())
}

/// The child's side: bounds itself, then compiles standard input to standard output. Answers the process's exit code.
pub fn compile_standard_input(arguments: &[OsString]) -> u8 {
    let numbers: Vec<u64> = arguments.iter().filter_map(|a| a.to_str()?.parse().ok()).collect();
    let [stack_bytes, memory_bytes, cpu_seconds] = numbers[..] else {
        return fail("wrong arguments: this command is run by snodo-host itself");
    };
    let bound = |resource, n| {
        setrlimit(
            resource,
            Rlimit {
                current: Some(n),
                maximum: Some(n),
            },
        )
    };
    let bounded = bound(Resource::As, memory_bytes)
        .and_then(|()| bound(Resource::Cpu, cpu_seconds))
        .and_then(|()| bound(Resource::Core, 0));
    if let Err(error) = bounded {
        return fail(&format!("the limits could not be set: {error}"));
    }
    let mut limits = PluginLimits::of(&Limits::standard());
    limits.stack_bytes = stack_bytes;
    let mut component = Vec::new();
    if let Err(error) = std::io::stdin()
        .lock()
        .take(limits.component_bytes.saturating_mul(4))
        .read_to_end(&mut component)
    {
        return fail(&error.to_string());
    }
    match precompile(&component, &limits) {
        Ok(code) => match std::io::stdout().lock().write_all(&code) {
            Ok(()) => 0,
            Err(error) => fail(&error.to_string()),
        },
        Err(CompileError::Refused(why)) => fail(&why),
        Err(CompileError::Limit(_)) => OUT_OF_MEMORY,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(why: &str) -> u8 {
    let _ = writeln!(std::io::stderr(), "{why}");
    1
}
