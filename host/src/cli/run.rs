//! `snodo-host run`.

use std::io::{Read as _, Write as _};
use std::path::Path;

use miette::Diagnostic;
use snodo_workspace::ambient::{self, OpenError};
use snodo_workspace::role::Expectation;

use super::args::{Expect, RunArgs};
use super::progress::Progress;
use super::{render, set_up_error};
use crate::engine::{self, Environment, Host, RunRequest, SetupError, Stop};
use crate::outcome::EXIT_SETUP;

pub(super) use crate::record::SCHEMA;

/// The largest task: as much as anybody would hand over as a patch.
const MAX_TASK_BYTES: u64 = 16 * 1024 * 1024;

/// Runs it; answers the exit code.
pub(super) async fn run(args: RunArgs, environment: Environment, stop: &Stop) -> u8 {
    let json = args.json;
    match report(args, environment, stop).await {
        Ok(report) => {
            let code = report.exit_code;
            let shown = if json {
                render::json(&report, report.schema)
            } else {
                render::report(&report)
            };
            if let Err(error) = std::io::stdout().lock().write_all(shown.as_bytes()) {
                tracing::warn!("the result could not be printed: {error}");
            }
            code
        }
        Err(SetupError::Interrupted) => {
            if !json {
                let _ = writeln!(anstream::stderr(), "interrupted; nothing was changed");
                return 130;
            }
            set_up_error(Some(SCHEMA), "interrupted; nothing was changed");
            130
        }
        Err(error) if json => set_up_error(Some(SCHEMA), &explain(&error)),
        Err(error) => match error.file_error() {
            Some(faults) => {
                let _ = write!(anstream::stderr(), "{}", render::diagnostic(faults));
                EXIT_SETUP
            }
            None => set_up_error(None, &explain(&error)),
        },
    }
}

async fn report(args: RunArgs, environment: Environment, stop: &Stop) -> Result<crate::record::RunReport, SetupError> {
    let task = task(args.task.as_deref(), args.task_file.as_deref())?;
    let request = RunRequest {
        task,
        workspace: args.workspace,
        coder: if args.mock { Some("mock".to_owned()) } else { args.coder },
        external: args.external,
        sandbox: args.sandbox,
        validators: args.validators,
        protocol: args.protocol,
        mode: args.mode,
        module: args.module,
        model: args.model,
        test_command: args.test_command,
        settings: args.settings,
        grants: args.grants,
        read_ignored: args.read_ignored,
        expect: match args.expect {
            Expect::Change => Expectation::Change,
            Expect::Findings => Expectation::Findings,
        },
        dry_run: args.dry_run,
        commit: args.commit,
    };
    environment.directories.check_outside(&request.workspace)?;
    let host = Host::open(environment)?;
    let progress = Progress::start();
    engine::run(&host, request, &progress, stop).await
}

/// The task's text, from the command line, a file, or standard input.
pub(super) fn task(given: Option<&str>, file: Option<&Path>) -> Result<String, SetupError> {
    let text = match (given, file) {
        (Some(text), _) => text.to_owned(),
        (None, Some(file)) if file == Path::new("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(MAX_TASK_BYTES + 1).read_to_end(&mut bytes);
            read.map_err(|e| SetupError::TaskFile(format!("standard input: {e}")))?;
            if bytes.len() as u64 > MAX_TASK_BYTES {
                return Err(SetupError::TaskFile(format!(
                    "standard input holds more than {MAX_TASK_BYTES} bytes"
                )));
            }
            utf8(bytes, "standard input")?
        }
        (None, Some(file)) => {
            let bytes = ambient::read_user_file(file, MAX_TASK_BYTES)
                .map_err(|error: OpenError| SetupError::TaskFile(error.to_string()))?;
            utf8(bytes, &format!("`{}`", file.display()))?
        }
        (None, None) => String::new(),
    };
    if text.trim().is_empty() {
        Err(SetupError::EmptyTask)
    } else {
        Ok(text)
    }
}

fn utf8(bytes: Vec<u8>, what: &str) -> Result<String, SetupError> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        SetupError::TaskFile(format!("{what} is not UTF-8 text (byte {at} is not)"))
    })
}

/// What happened, and what to do.
pub(super) fn explain(error: &impl Diagnostic) -> String {
    let help = error.help().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    format!("{error}{help}")
}
