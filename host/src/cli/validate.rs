//! `snodo-host validate`.

use std::fmt::Write as _;
use std::io::Write as _;

use snodo_workspace::role::Phase;

use super::args::{GatePhase, ValidateArgs};
use super::progress::Progress;
use super::render::{self, BOLD, DIM, GREEN, PLAIN, RED, Said, YELLOW};
use super::run::{explain, task};
use super::set_up_error;
use crate::engine::{
    self, Environment, Host, SetupError, Status, Stop, VALIDATE_SCHEMA, ValidateReport, ValidateRequest,
};
use crate::outcome::EXIT_SETUP;

/// Judges; answers the exit code.
pub(super) async fn validate(args: ValidateArgs, environment: Environment, stop: &Stop) -> u8 {
    let json = args.json;
    let schema = json.then_some(VALIDATE_SCHEMA);
    match report(args, environment, stop).await {
        Ok(report) => {
            let shown = if json {
                render::json(&report, report.schema)
            } else {
                render::adapted(&coloured(&report))
            };
            if let Err(error) = std::io::stdout().lock().write_all(shown.as_bytes()) {
                tracing::warn!("the result could not be printed: {error}");
            }
            report.status.exit_code()
        }
        Err(SetupError::Interrupted) => {
            set_up_error(schema, "interrupted");
            130
        }
        Err(error) => match error.file_error() {
            Some(faults) if !json => {
                let _ = write!(anstream::stderr(), "{}", render::diagnostic(faults));
                EXIT_SETUP
            }
            _ => set_up_error(schema, &explain(&error)),
        },
    }
}

async fn report(args: ValidateArgs, environment: Environment, stop: &Stop) -> Result<ValidateReport, SetupError> {
    let request = ValidateRequest {
        task: task(args.task.as_deref(), args.task_file.as_deref())?,
        workspace: args.workspace,
        protocol: args.protocol,
        mode: args.mode,
        module: args.module,
        validators: args.validators,
        settings: args.settings,
        grants: args.grants,
        read_ignored: args.read_ignored,
        test_command: args.test_command,
        sandbox: args.sandbox,
        phase: match args.phase {
            GatePhase::PreExecute => Phase::PreExecute,
            GatePhase::PostExecute => Phase::PostExecute,
        },
        base: args.base,
    };
    environment.directories.check_outside(&request.workspace)?;
    let host = Host::open(environment)?;
    let progress = Progress::start();
    engine::validate(&host, request, &progress, stop).await
}

/// As a run shows its gate.
fn coloured(report: &ValidateReport) -> String {
    let mut out = String::new();
    let (style, word) = match report.status {
        Status::Pass => (GREEN, "pass"),
        Status::Blocker => (RED, "blocker"),
        Status::Escalate => (YELLOW, "escalate"),
        Status::ValidatorError => (RED, "validator error"),
        Status::CouldNotRun => (RED, "could not run"),
    };
    let _ = writeln!(out, "{style}{word}{PLAIN}  {}", report.reason);
    if let Some(decision) = &report.policy_decision {
        let name = match report.phase {
            Phase::PreExecute => "gate before execution",
            Phase::PostExecute => "gate after execution",
        };
        let said: Vec<Said<'_>> = report
            .results
            .iter()
            .map(|r| {
                Said::new(
                    &r.validator_id,
                    (r.error, r.skipped, r.mock),
                    r.severity,
                    &r.justification,
                )
            })
            .collect();
        out.push('\n');
        render::gate(&mut out, name, decision, &report.policy_justification, &said);
    }
    if let Some(base) = &report.base
        && !report.changes.is_empty()
    {
        let short = base.commit.get(..12).unwrap_or_default();
        let _ = writeln!(
            out,
            "\n{BOLD}judged{PLAIN}  {DIM}against {} ({short}){PLAIN}",
            base.revision
        );
        render::stat(&mut out, &report.changes);
    }
    render::models(&mut out, &report.models);
    let _ = writeln!(out, "\n{}", report.instruction);
    out
}
