//! `snodo-host conform`: a coder or a validator is held to the whole interface, check by check.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use snodo_admission::PluginName;

use super::args::{ConformArgs, OwnGrant};
use super::progress::Progress;
use super::render::{self, BOLD, DIM, GREEN, PLAIN, RED, YELLOW};
use super::run::{explain, task};
use super::set_up_error;
use crate::conform::{self, CONFORM_SCHEMA, CheckReport, CheckResult, ConformReport, ConformRequest, SubjectReport};
use crate::conform::{SubjectKind, SubjectRole, Subjects};
use crate::engine::{Environment, Host, SetupError, Stop};
use crate::plugin::is_path;

/// Checks; answers 0, 1 where something fails, 2 where something is unproven, 64 where the suite could not begin.
pub(super) async fn conform(args: ConformArgs, environment: Environment, stop: &Stop) -> u8 {
    let (json, verbose) = (args.json, args.verbose);
    let schema = json.then_some(CONFORM_SCHEMA);
    match report(args, environment, stop).await {
        Ok(report) => {
            let text = if json {
                render::json(&report, CONFORM_SCHEMA)
            } else {
                render::adapted(&table(&report, verbose))
            };
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
            report.exit_code
        }
        Err(SetupError::Interrupted) => {
            set_up_error(schema, "interrupted");
            130
        }
        Err(error) => set_up_error(schema, &explain(&error)),
    }
}

async fn report(args: ConformArgs, environment: Environment, stop: &Stop) -> Result<ConformReport, SetupError> {
    let name = args.plugin.as_deref().map_or_else(String::new, name_of);
    let grants = OwnGrant::to(&args.grants, &name).map_err(SetupError::Setting)?;
    let subjects = args.plugin.map_or(Subjects::All, Subjects::One);
    let request = ConformRequest {
        task: match args.task.as_deref() {
            None => None,
            file => Some(task(None, file)?),
        },
        grants,
        settings: args.settings,
        ..ConformRequest::of(subjects)
    };
    let host = Host::open(environment)?;
    let progress = Progress::start();
    conform::conform(&host, &request, &progress, stop).await
}

/// What a plugin that is given so is called: a file after itself, as where it is loaded.
fn name_of(given: &str) -> String {
    if !is_path(given) {
        return given.to_owned();
    }
    let file = Path::new(given).file_name().unwrap_or_default().to_string_lossy();
    PluginName::of_file(&file).map_or_else(|_| given.to_owned(), |name| name.to_string())
}

/// What a person reads: what is wrong, and how much is right.
fn table(report: &ConformReport, verbose: bool) -> String {
    let mut out = String::new();
    for subject in &report.subjects {
        let (style, word) = if subject.ok {
            (GREEN, "conforms")
        } else if subject.count(CheckResult::Fail) > 0 {
            (RED, "does not conform")
        } else {
            (YELLOW, "is not proven to conform")
        };
        let _ = writeln!(
            out,
            "{BOLD}{}{PLAIN}  {} ({})  {style}{word}{PLAIN}",
            subject.name,
            what(subject),
            subject.origin
        );
        let shown = subject
            .checks
            .iter()
            .filter(|check| verbose || matches!(check.result, CheckResult::Fail | CheckResult::Unproven));
        for check in shown {
            line(&mut out, check);
        }
        let counted = [
            (CheckResult::Pass, "pass"),
            (CheckResult::Fail, "fail"),
            (CheckResult::Unproven, "unproven"),
            (CheckResult::Skip, "skipped"),
        ];
        let counted: Vec<String> = counted
            .into_iter()
            .map(|(result, word)| (subject.count(result), word))
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let _ = writeln!(out, "  {DIM}{}{PLAIN}", counted.join(", "));
    }
    if !verbose {
        let _ = writeln!(out, "\n{DIM}`--verbose` shows every check and what was seen.{PLAIN}");
    }
    out
}

fn what(subject: &SubjectReport) -> String {
    let role = match subject.role {
        Some(SubjectRole::Coder) => "coder",
        Some(SubjectRole::Validator) => "validator",
        None => "no role",
    };
    let kind = match subject.kind {
        SubjectKind::Component => "component",
        SubjectKind::External => "program",
        SubjectKind::Native => "native",
    };
    format!("{role}, {kind}")
}

fn line(out: &mut String, check: &CheckReport) {
    let (style, word) = match check.result {
        CheckResult::Pass => (GREEN, "pass"),
        CheckResult::Fail => (RED, "fail"),
        CheckResult::Skip => (DIM, "skip"),
        CheckResult::Unproven => (YELLOW, "unproven"),
    };
    let _ = writeln!(
        out,
        "  {style}{word:8}{PLAIN}  {:26}  {}\n{:12}{DIM}{}{PLAIN}",
        check.id, check.sentence, "", check.seen
    );
}
