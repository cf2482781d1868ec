//! `snodo-host wit`: the contract, and how far a plugin's side of it is this host's.

use std::fmt::Write as _;
use std::io::Write as _;

use snodo_admission::{Limits, WitReport, differences};
use snodo_scaffold::wit_text;

use super::args::{WitArgs, WitCommand};
use super::inspect::installed;
use super::render::{BOLD, DIM, GREEN, PLAIN, RED, adapted};
use super::run::explain;
use super::set_up_error;
use crate::engine::Environment;
use crate::plugin::{find, refusal_of};
use crate::text::one_line;

/// The schema of `--json`.
pub(super) const SCHEMA: &str = "snodo.wit.v1";

/// Exit code for a plugin that does not fit.
const EXIT_DIFFERS: u8 = 1;

/// Prints the contract, and answers 0; or compares: 0 where it fits, 1 where it does not, 64 for what is no component.
pub(super) fn wit(args: WitArgs, environment: Environment) -> u8 {
    let Some(WitCommand::Diff { plugin, json }) = args.command else {
        let _ = std::io::stdout().lock().write_all(wit_text().as_bytes());
        return 0;
    };
    let schema = json.then_some(SCHEMA);
    let limits = Limits::standard();
    let installed = match installed(&plugin, environment) {
        Ok(installed) => installed,
        Err(error) => return set_up_error(schema, &explain(&error)),
    };
    let source = match find(&plugin, installed.as_ref(), limits.max_file_bytes) {
        Ok(source) => source,
        Err(error) => {
            let why = refusal_of(&error).map_or_else(|| explain(&error), |refusal| refusal.to_string());
            return set_up_error(schema, &why);
        }
    };
    let report = match differences(source.bytes.bytes(), &source.name, &limits) {
        Ok(report) => report,
        Err(refusal) => return set_up_error(schema, &refusal.to_string()),
    };
    let text = if json {
        object(&report)
    } else {
        adapted(&shown(source.name.as_str(), &report))
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    if report.fits() { 0 } else { EXIT_DIFFERS }
}

fn object(report: &WitReport) -> String {
    let mut value = serde_json::json!({ "schema": SCHEMA, "ok": report.fits() });
    if let (Some(object), Ok(serde_json::Value::Object(found))) = (value.as_object_mut(), serde_json::to_value(report))
    {
        object.extend(found);
    }
    format!("{value}\n")
}

fn shown(name: &str, report: &WitReport) -> String {
    let mut out = String::new();
    let versions: Vec<&str> = report
        .built_against
        .iter()
        .map(|built| built.version.as_deref().unwrap_or("no version"))
        .collect();
    let _ = writeln!(
        out,
        "{BOLD}{name}{PLAIN}  built against {}; this host offers {} and takes {}",
        one_line(&versions.join(", "), 200),
        report.host,
        report.takes
    );
    for difference in &report.differences {
        let _ = writeln!(out, "  {}", one_line(&difference.to_string(), 600));
    }
    let (style, word) = if report.fits() {
        (GREEN, "fits")
    } else {
        (RED, "does not fit")
    };
    let _ = writeln!(out, "{style}{word}{PLAIN}");
    for line in &report.advice {
        let _ = writeln!(out, "  {DIM}hint:{PLAIN} {}", one_line(line, 600));
    }
    out
}
