//! `snodo-host model`: which model serves whom, and whether it answers.

use std::fmt::Write as _;
use std::io::Write as _;

use super::args::{ModelArgs, ModelCommand};
use super::render::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, adapted, diagnostic};
use super::run::explain;
use super::set_up_error;
use crate::engine::{self, Environment, Host, ModelCheck, ModelRow, ModelsRequest, SetupError};
use crate::outcome::EXIT_SETUP;
use crate::text::one_line;

/// The schema of `--json`.
pub(super) const SCHEMA: &str = "snodo.model.v1";

/// Exit code where a model cannot be asked, or does not answer.
const EXIT_FAULT: u8 = 1;

/// Answers 0; 1 where a model cannot be asked; 64 where a file has faults.
pub(super) async fn model(command: ModelCommand, environment: Environment) -> u8 {
    let (args, check) = match command {
        ModelCommand::Resolve(args) => (args, false),
        ModelCommand::Check(args) => (args, true),
    };
    let json = args.json;
    match answer(args, environment, check).await {
        Ok((text, code)) => {
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
            code
        }
        Err(error) => match error.file_error() {
            Some(faults) if !json => {
                let _ = write!(anstream::stderr(), "{}", diagnostic(faults));
                EXIT_SETUP
            }
            _ => set_up_error(json.then_some(SCHEMA), &explain(&error)),
        },
    }
}

async fn answer(args: ModelArgs, environment: Environment, check: bool) -> Result<(String, u8), SetupError> {
    let request = ModelsRequest {
        workspace: args.workspace,
        protocol: args.protocol,
        mode: args.mode,
        model: args.model,
    };
    environment.directories.check_outside(&request.workspace)?;
    let host = Host::open(environment)?;
    if check {
        let checks = engine::check_models(&host, &request).await?;
        let ok = checks.iter().all(|check| check.ok);
        let text = if args.json {
            json(&serde_json::json!({ "schema": SCHEMA, "ok": ok, "checks": checks }))
        } else {
            adapted(&checked(&checks))
        };
        return Ok((text, if ok { 0 } else { EXIT_FAULT }));
    }
    let rows = engine::models(&host, &request)?;
    let warnings = host.model_warnings();
    let ok = rows.iter().all(|row| row.fault.is_none());
    let text = if args.json {
        json(&serde_json::json!({ "schema": SCHEMA, "ok": ok, "models": rows, "warnings": warnings }))
    } else {
        for warning in &warnings {
            let _ = writeln!(anstream::stderr(), "warning: {warning}");
        }
        adapted(&resolved(&rows))
    };
    Ok((text, if ok { 0 } else { EXIT_FAULT }))
}

fn json(value: &serde_json::Value) -> String {
    format!("{value}\n")
}

fn resolved(rows: &[ModelRow]) -> String {
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(
            out,
            "{BOLD}{}{PLAIN}  {}  {DIM}{}{PLAIN}",
            one_line(&row.name(), 100),
            one_line(&row.model, 200),
            one_line(&row.source, 200)
        );
        if let Some(fault) = &row.fault {
            let _ = writeln!(out, "  {RED}cannot be asked{PLAIN}  {}", one_line(fault, 600));
        }
        if let Some(client) = &row.client {
            let _ = writeln!(
                out,
                "  provider  {} {DIM}({} wire format, as `{}`){PLAIN}",
                one_line(&client.provider, 100),
                client.wire,
                one_line(&client.sent_as, 200)
            );
            let _ = writeln!(
                out,
                "  address   {} {DIM}({}){PLAIN}",
                one_line(&client.base_url, 300),
                one_line(&client.base_url_source, 200)
            );
            let found = match client.key_found {
                Some(true) => String::new(),
                Some(false) => format!(" {YELLOW}not there{PLAIN}"),
                None => format!(" {DIM}not run by this command{PLAIN}"),
            };
            let _ = writeln!(out, "  key       {}{found}", one_line(&client.key, 300));
            if !client.headers.is_empty() {
                let _ = writeln!(out, "  headers   {}", one_line(&client.headers.join(", "), 300));
            }
        }
        if !row.shares_with.is_empty() {
            let names = one_line(&row.shares_with.join(", "), 300);
            let _ = writeln!(out, "  {DIM}one client with {names}{PLAIN}");
        }
    }
    out
}

fn checked(checks: &[ModelCheck]) -> String {
    let mut out = String::new();
    for check in checks {
        let serves = one_line(&check.serves.join(", "), 300);
        let model = one_line(&check.model, 200);
        match &check.fault {
            None => {
                let served = check.served.as_deref().unwrap_or_default();
                let _ = writeln!(
                    out,
                    "{GREEN}answers{PLAIN}  {model}  {DIM}{} ms, as `{}`; {serves}{PLAIN}",
                    check.duration_ms,
                    one_line(served, 200)
                );
            }
            Some(fault) => {
                let _ = writeln!(
                    out,
                    "{RED}does not answer{PLAIN}  {model}  {}  {DIM}{serves}{PLAIN}",
                    one_line(fault, 600)
                );
            }
        }
    }
    out
}
