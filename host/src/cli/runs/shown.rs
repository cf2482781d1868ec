//! Records as a person reads them. Texts of a record were written by strangers, and are escaped.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use snodo_workspace::role::Severity;

use crate::cli::render::{self, BOLD, DIM, GREEN, PLAIN, RED, Said, YELLOW};
use crate::record::{Acted, Action, Pruned, Record, Standing, Summary};
use crate::text::{escape_lines, one_line};

pub(super) fn list(summaries: &[Summary], now: u64) -> String {
    if summaries.is_empty() {
        return format!("{DIM}no runs are kept{PLAIN}\n");
    }
    let mut out = String::new();
    // Only where there is more than one: whose runs they are is known then.
    let several = summaries.windows(2).any(|pair| pair[0].workspace != pair[1].workspace);
    for run in summaries {
        let (style, mark) = mark(run.state);
        let place = run.workspace.as_deref().filter(|_| several).map(|workspace| {
            let name = Path::new(workspace)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            format!("  {DIM}{}{PLAIN}", one_line(&name.unwrap_or_default(), 40))
        });
        let what = match (run.state, &run.halt_type) {
            (Standing::Halted, Some(why)) => one_line(why, 40),
            (state, _) => state.describe().to_owned(),
        };
        let about = run.damage.as_deref().or(run.task.as_deref()).unwrap_or_default();
        let _ = writeln!(
            out,
            "{style}{mark}{PLAIN} {}  {DIM}{:>12}{PLAIN}  {style}{what:18}{PLAIN}  {}{}",
            run.run_id,
            ago(run.started_at, now),
            one_line(about, 80),
            place.unwrap_or_default()
        );
    }
    out
}

fn mark(state: Standing) -> (anstyle::Style, char) {
    match state {
        Standing::Applied => (GREEN, '✓'),
        Standing::Undone => (DIM, '↶'),
        Standing::DryRun => (YELLOW, '…'),
        Standing::Nothing => (GREEN, '-'),
        Standing::Halted | Standing::Damaged => (RED, '✗'),
        Standing::Unfinished => (YELLOW, '?'),
        Standing::Old => (DIM, ' '),
    }
}

pub(super) fn one(record: &Record, run: &Summary, report: &Value, folder: &Path, now: u64) -> String {
    let mut out = String::new();
    let (style, _) = mark(run.state);
    let _ = writeln!(
        out,
        "{BOLD}{}{PLAIN}  {style}{}{PLAIN}",
        run.run_id,
        run.state.describe()
    );
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "  {DIM}{name:9}{PLAIN} {value}");
    };
    if let Some(outcome) = &run.outcome {
        let why = run.halt_type.as_ref().map(|why| format!(" ({})", one_line(why, 40)));
        row(
            "outcome",
            &format!("{}{}", one_line(outcome, 40), why.unwrap_or_default()),
        );
    }
    if let Some(reason) = report["reason"].as_str() {
        row("reason", &one_line(reason, 400));
    }
    if let Some(task) = &run.task {
        row("task", &one_line(task, 200));
    }
    if let Some(workspace) = &run.workspace {
        row("workspace", &one_line(workspace, 300));
    }
    row("started", &ago(run.started_at, now));
    if let Some(at) = run.applied_at {
        row("applied", &ago(at, now));
    }
    if let Some(at) = run.undone_at {
        row("undone", &ago(at, now));
    }
    if let Some(digest) = &run.change_digest {
        row("change", &one_line(digest, 64));
    }
    row(
        "record",
        &format!(
            "{} in {}",
            size(record.bytes()),
            one_line(&folder.display().to_string(), 300)
        ),
    );
    for log in record.logs() {
        row("log", &one_line(&log, 200));
    }
    gates(&mut out, report);
    changes(&mut out, report);
    out
}

/// So many lines of a justification are shown.
const LINES: usize = 21;

fn gates(out: &mut String, report: &Value) {
    for gate in report["gates"].as_array().into_iter().flatten() {
        let text = |value: &Value| one_line(value.as_str().unwrap_or_default(), 300);
        let results: Vec<(&Value, String, String)> = gate["results"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|result| {
                let words = escape_lines(result["justification"].as_str().unwrap_or_default());
                let words: Vec<&str> = words.lines().take(LINES).collect();
                (result, text(&result["validator_id"]), words.join("\n"))
            })
            .collect();
        let said: Vec<Said<'_>> = results
            .iter()
            .map(|(result, id, words)| {
                let is = |name: &str| result[name] == true;
                let marks = (is("error"), is("skipped"), is("mock"));
                Said::new(id, marks, severity(&result["severity"]), words)
            })
            .collect();
        let name = match gate["phase"].as_str() {
            Some("pre_execute") => "gate before execution".to_owned(),
            Some("post_execute") => "gate after execution".to_owned(),
            _ => format!("gate {}", text(&gate["phase"])),
        };
        out.push('\n');
        render::gate(
            out,
            &name,
            &text(&gate["decision"]),
            &text(&gate["justification"]),
            &said,
        );
    }
}

/// What a record does not say in a word of the contract weighs the most.
fn severity(value: &Value) -> Severity {
    match value.as_str() {
        Some("pass") => Severity::Pass,
        Some("warn") => Severity::Warn,
        _ => Severity::Blocker,
    }
}

fn changes(out: &mut String, report: &Value) {
    let Some(changes) = report["changes"].as_array().filter(|changes| !changes.is_empty()) else {
        return;
    };
    let _ = writeln!(out, "\n{BOLD}change{PLAIN}");
    for change in changes {
        let text = |value: &Value| one_line(value.as_str().unwrap_or_default(), 300);
        let from = change["old_path"]
            .as_str()
            .map(|old| format!("{} => ", one_line(old, 300)));
        let _ = writeln!(
            out,
            "  {:12} {}{}  {DIM}+{} -{}{PLAIN}",
            text(&change["kind"]),
            from.unwrap_or_default(),
            text(&change["path"]),
            change["added"].as_u64().unwrap_or(0),
            change["deleted"].as_u64().unwrap_or(0)
        );
    }
}

pub(super) fn done(action: Action, acted: &Acted) -> String {
    let word = match action {
        Action::Apply => "applied",
        Action::Undo => "undone",
    };
    format!("{GREEN}{word}{PLAIN}  {}: {}\n", acted.run_id, files(acted.files))
}

pub(super) fn note(note: &str) -> String {
    format!("{YELLOW}warning:{PLAIN} {}", one_line(note, 2000))
}

pub(super) fn error(reason: &str) -> String {
    format!("{RED}error:{PLAIN} {}", one_line(reason, 2000))
}

pub(super) fn pruned(pruned: &Pruned) -> String {
    let mut out = String::new();
    for removed in &pruned.removed {
        let _ = writeln!(out, "  removed {}  {DIM}{}{PLAIN}", removed.run_id, size(removed.bytes));
    }
    for spared in &pruned.spared {
        let _ = writeln!(
            out,
            "  left    {}  {YELLOW}{}{PLAIN}",
            spared.run_id,
            one_line(&spared.why, 300)
        );
    }
    let bytes: u64 = pruned.removed.iter().map(|removed| removed.bytes).sum();
    let _ = match pruned.removed.len() {
        0 => writeln!(out, "{BOLD}nothing was removed{PLAIN}"),
        1 => writeln!(out, "{BOLD}1 record was removed{PLAIN}  {DIM}{}{PLAIN}", size(bytes)),
        n => writeln!(
            out,
            "{BOLD}{n} records were removed{PLAIN}  {DIM}{}{PLAIN}",
            size(bytes)
        ),
    };
    out
}

fn files(files: usize) -> String {
    if files == 1 {
        "1 file".to_owned()
    } else {
        format!("{files} files")
    }
}

fn ago(then: u64, now: u64) -> String {
    let Some(passed) = now.checked_sub(then) else {
        return "in the future".to_owned();
    };
    match passed {
        0..60 => format!("{passed} s ago"),
        60..3600 => format!("{} min ago", passed / 60),
        3600..172_800 => format!("{} h ago", passed / 3600),
        _ => format!("{} days ago", passed / 86_400),
    }
}

fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..KIB => format!("{bytes} bytes"),
        KIB..1_048_576 => format!("{}.{} KiB", bytes / KIB, bytes % KIB * 10 / KIB),
        _ => format!("{}.{} MiB", bytes / 1_048_576, bytes % 1_048_576 * 10 / 1_048_576),
    }
}
