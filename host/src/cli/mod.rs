//! The command line: parse, call, render, and answer an exit code. One file for each command.

pub mod ambient;
mod args;
mod audit;
mod coders;
mod conform;
mod demo;
mod doctor;
mod inspect;
mod model;
mod new;
mod plugin;
mod progress;
mod protocol;
mod render;
mod run;
mod runs;
mod validate;
mod wit;

use std::ffi::OsString;
use std::io::Write as _;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use self::args::{Cli, Command};
use crate::engine::{Environment, Stop};
use crate::outcome::EXIT_SETUP;
use crate::plugin::{COMPILE_COMMAND, compile_standard_input};
use crate::sandbox::{HELPER_COMMAND, helper_main};

/// Everything behind `main`. `environment` is called only by commands that need it.
pub fn main(arguments: &[OsString], environment: fn() -> Result<Environment, String>) -> u8 {
    if arguments.get(1).is_some_and(|first| first == COMPILE_COMMAND) {
        return compile_standard_input(&arguments[2..]);
    }
    // Before any thread exists: namespaces and filters are put in force for a process of one.
    if arguments.get(1).is_some_and(|first| first == HELPER_COMMAND) {
        return helper_main();
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    let schema = json.then(|| schema_of(arguments));
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return no_command(&error, schema),
    };
    start_logging();
    let command = cli.command;
    if let Command::Completions { shell } = command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "snodo-host", &mut script);
        // Whoever stops reading has what it wanted.
        let _ = std::io::stdout().write_all(&script);
        return 0;
    }
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return set_up_error(schema, &why),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return set_up_error(schema, &error.to_string()),
    };
    let code = runtime.block_on(async {
        let stop = Stop::default();
        ask_on_signals(stop.clone());
        match command {
            Command::Run(args) => run::run(*args, environment, &stop).await,
            Command::Validate(args) => validate::validate(*args, environment, &stop).await,
            Command::Inspect(args) => inspect::inspect(&args, environment),
            Command::Conform(args) => conform::conform(args, environment, &stop).await,
            Command::Coders(args) => coders::coders(&args, environment).await,
            Command::Doctor(args) => doctor::doctor(&args, environment).await,
            Command::Demo(args) => demo::demo(&args, environment, &stop).await,
            Command::Model(command) => model::model(command, environment).await,
            Command::Plugin(command) => plugin::plugin(command, environment),
            Command::New(args) => new::new(&args),
            Command::Wit(args) => wit::wit(args, environment),
            Command::Runs(command) => runs::runs(command, environment, &stop).await,
            Command::Protocol(command) => protocol::protocol(command),
            Command::Audit(command) => audit::audit(command, environment).await,
            Command::Completions { .. } => 0,
        }
    });
    // A search that was given up may still be reading: it is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    code
}

/// Ctrl-C and termination ask the run to end; the run decides when that is safe. From here on no signal of these ends the process.
fn ask_on_signals(stop: Stop) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hang_up)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        return;
    };
    // Only the waiting is left to the runtime, which may get to it late: a plugin computes on this very thread.
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
            stop.ask();
        }
    });
}

/// Logs go to standard error, never to where results go. `SNODO_LOG` sets what is logged.
fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("SNODO_LOG").unwrap_or_else(|_| "warn".into());
    let ansi = !matches!(
        anstream::AutoStream::choice(&std::io::stderr()),
        anstream::ColorChoice::Never
    );
    // A second subscriber in one process is a test's doing.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Heedless(std::io::stderr()))
        .with_ansi(ansi)
        .without_time()
        .with_target(false)
        .try_init();
}

/// A writer that takes everything for written. To a closed standard error the subscriber would complain of the failure on standard error,
/// and panic over it; a run does not end because nobody reads its log any more.
struct Heedless<W>(W);

impl<W: std::io::Write> std::io::Write for Heedless<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// What a command that could not be read would have answered in.
fn schema_of(arguments: &[OsString]) -> &'static str {
    match arguments.get(1).and_then(|first| first.to_str()) {
        Some("runs") => runs::SCHEMA,
        Some("validate") => crate::engine::VALIDATE_SCHEMA,
        Some("protocol") => snodo_config::check::CHECK_SCHEMA,
        Some("audit") => audit::SCHEMA,
        Some("conform") => crate::conform::CONFORM_SCHEMA,
        Some("model") => model::SCHEMA,
        Some("plugin") => plugin::SCHEMA,
        Some("wit") => wit::SCHEMA,
        _ => run::SCHEMA,
    }
}

/// Help and version are answers; everything else is a wrong command line.
fn no_command(error: &clap::Error, schema: Option<&str>) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            0
        }
        ErrorKind::UnknownArgument if is_a_diff(error) => set_up_error(schema, DIFF_AS_A_FLAG),
        _ if schema.is_some() => {
            let text = error.render().to_string();
            let line = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            set_up_error(schema, &line)
        }
        _ => {
            let _ = error.print();
            EXIT_SETUP
        }
    }
}

/// What `diff -u` prints starts like a flag.
fn is_a_diff(error: &clap::Error) -> bool {
    matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(argument)) if argument.starts_with("--- "))
}

const DIFF_AS_A_FLAG: &str = "a task that starts with `---` reads like a flag\n  help: give it by `--task-file FILE` (`-` for standard input), \
                              or after all flags and a `--`";

/// A set-up error: for a person on standard error, or one JSON object on standard output.
fn set_up_error(schema: Option<&str>, why: &str) -> u8 {
    if let Some(schema) = schema {
        let object = serde_json::json!({ "schema": schema, "ok": false, "error": why.trim_end() });
        let _ = writeln!(std::io::stdout(), "{object}");
    } else {
        let _ = writeln!(anstream::stderr(), "{}error:{} {why}", render::RED, render::PLAIN);
    }
    EXIT_SETUP
}
