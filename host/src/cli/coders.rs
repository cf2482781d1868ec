//! `snodo-host coders`: every coder, and what it declares of the interface that all of them get whole.

use std::fmt::Write as _;
use std::io::Write as _;

use super::args::CodersArgs;
use super::progress::Progress;
use super::render::{BOLD, DIM, PLAIN, adapted};
use super::run::explain;
use super::set_up_error;
use crate::delivery::Delivery;
use crate::engine::{self, CoderKind, CoderRow, Environment, Host, Toolset};

/// The schema of `--json`.
const SCHEMA: &str = "snodo.coders.v1";

/// Answers 0, or 64 when the host cannot work.
pub(super) async fn coders(args: &CodersArgs, environment: Environment) -> u8 {
    let schema = args.json.then_some(SCHEMA);
    let host = match Host::open(environment) {
        Ok(host) => host,
        Err(error) => return set_up_error(schema, &error.to_string()),
    };
    let rows = {
        let progress = Progress::start();
        engine::coders(&host, &progress).await
    };
    let text = match rows {
        Err(error) => return set_up_error(schema, &explain(&error)),
        Ok(rows) if args.json => format!(
            "{}\n",
            serde_json::json!({ "schema": SCHEMA, "ok": true, "coders": rows })
        ),
        Ok(rows) => adapted(&table(&rows)),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    0
}

fn table(rows: &[CoderRow]) -> String {
    let mut out = String::new();
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(5);
    let _ = writeln!(
        out,
        "{BOLD}{:width$}  {:9}  {:13}  {:8}  {:9}  settings{PLAIN}",
        "coder", "kind", "delivery", "tests", "toolset"
    );
    for row in rows {
        let kind = match row.kind {
            CoderKind::Component => "component",
            CoderKind::External => "external",
            CoderKind::Native => "native",
        };
        let delivery = match row.delivery.value {
            Delivery::Submits => "submits",
            Delivery::EditsScratch => "edits scratch",
        };
        let toolset = match row.toolset {
            Toolset::Bounded => "bounded",
            Toolset::OwnLoop => "own loop",
        };
        let tests = if row.observes_tests.value { "observes" } else { "–" };
        let settings: Vec<&str> = row.settings.value.iter().map(|setting| setting.name.as_str()).collect();
        let settings = if settings.is_empty() {
            "–".to_owned()
        } else {
            settings.join(", ")
        };
        let _ = writeln!(
            out,
            "{:width$}  {kind:9}  {delivery:13}  {tests:8}  {toolset:9}  {settings}",
            row.name
        );
        if !row.requires.value.is_empty() {
            let _ = writeln!(
                out,
                "{:width$}  {DIM}needs {}{PLAIN}",
                "",
                row.requires.value.join(", ")
            );
        }
    }
    let _ = writeln!(
        out,
        "\n{DIM}Every coder gets the whole interface: a component its four imports, a program the same files and its context in a scratch. Nothing of it is found out by trying.{PLAIN}"
    );
    out
}
