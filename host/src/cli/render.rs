//! A report as a person reads it, and as a machine does.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Color, Reset, Style};
use serde::Serialize;
use snodo_workspace::change::ChangeKind;
use snodo_workspace::role::{Phase, Severity};

use crate::outcome::Outcome;
use crate::record::{ChangeReport, GateReport, ModelsReport, RunReport};

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

pub(super) const RED: Style = colour(AnsiColor::Red).bold();
pub(super) const GREEN: Style = colour(AnsiColor::Green).bold();
pub(super) const YELLOW: Style = colour(AnsiColor::Yellow).bold();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const PLAIN: Reset = Reset;

/// Faults of a file, shown in the file. The colours go where standard error does not take them.
pub(super) fn diagnostic(faults: &dyn miette::Diagnostic) -> String {
    let mut out = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode()).with_width(120);
    match handler.render_report(&mut out, faults) {
        Ok(()) => out,
        Err(_) => format!("error: {faults}\n"),
    }
}

/// One JSON object and a line feed.
pub(super) fn json(report: &impl Serialize, schema: &str) -> String {
    serde_json::to_string(report).map_or_else(
        |error| format!("{{\"schema\":\"{schema}\",\"ok\":false,\"error\":\"{error}\"}}\n"),
        |mut text| {
            text.push('\n');
            text
        },
    )
}

/// Text with colours where standard output takes them. Warnings are not in it: they were shown when they came up.
pub(super) fn report(report: &RunReport) -> String {
    adapted(&coloured(report))
}

/// Takes the colours out where standard output, or the user, does not want them.
pub(super) fn adapted(text: &str) -> String {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

fn coloured(report: &RunReport) -> String {
    let mut out = String::new();
    let (style, word) = match report.outcome {
        Outcome::Completed => (GREEN, "completed"),
        Outcome::Blocker => (RED, "blocker"),
        Outcome::Escalate => (YELLOW, "escalate"),
        Outcome::ValidatorError => (RED, "validator error"),
        Outcome::InternalError => (RED, "internal error"),
        Outcome::EnvironmentError => (RED, "environment error"),
    };
    let _ = writeln!(out, "{style}{word}{PLAIN}  {}", report.reason);
    if report.dry_run && report.ok {
        let _ = writeln!(out, "           {DIM}nothing was changed{PLAIN}");
    }
    for gate in &report.gates {
        out.push('\n');
        gate_lines(&mut out, gate);
    }
    if let Some(coder) = &report.coder
        && (!coder.findings.is_empty() || coder.report.as_ref().is_some_and(|r| !r.notes.is_empty()))
    {
        let _ = writeln!(out, "\n{BOLD}coder {}{PLAIN}", coder.name);
        for finding in &coder.findings {
            let place = finding.path.as_ref().map(|path| match finding.line {
                Some(line) => format!(" {DIM}{path}:{line}{PLAIN}"),
                None => format!(" {DIM}{path}{PLAIN}"),
            });
            let _ = writeln!(out, "  • {}{}", finding.title, place.unwrap_or_default());
            for line in finding.detail.lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
        for line in coder.report.iter().flat_map(|r| r.notes.lines()) {
            let _ = writeln!(out, "  {line}");
        }
    }
    if !report.changes.is_empty() {
        let title = if report.applied { "changed" } else { "proposed" };
        let _ = writeln!(out, "\n{BOLD}{title}{PLAIN}");
        stat(&mut out, &report.changes);
    }
    models(&mut out, &report.models);
    if let Some(path) = &report.report_path {
        let _ = writeln!(out, "\n{DIM}report {path}{PLAIN}");
    }
    out
}

/// What was asked of models, in one line; nothing where nobody was asked.
pub(super) fn models(out: &mut String, models: &ModelsReport) {
    let asked: Vec<_> = models.calls.iter().filter(|call| !call.mock).collect();
    if asked.is_empty() {
        return;
    }
    let calls = if asked.len() == 1 {
        "1 call".to_owned()
    } else {
        format!("{} calls", asked.len())
    };
    let totals = &models.totals;
    let cost = totals.cost_micros.map_or_else(String::new, |micros| {
        format!(", {}.{:06} {}", micros / 1_000_000, micros % 1_000_000, models.currency)
    });
    let mut names: Vec<&str> = asked.iter().map(|call| call.requested.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let _ = writeln!(
        out,
        "\n{BOLD}models{PLAIN}  {calls}, {} + {} tokens{cost}  {DIM}{}{PLAIN}",
        totals.input_tokens,
        totals.output_tokens,
        crate::text::one_line(&names.join(", "), 200)
    );
}

fn gate_lines(out: &mut String, report: &GateReport) {
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
    gate(out, name, &report.decision, &report.justification, &said);
}

/// What one validator said, of a run that ended just now or of its record.
pub(super) struct Said<'a> {
    id: &'a str,
    verdict: Verdict,
    mock: bool,
    skipped: bool,
    justification: &'a str,
}

impl<'a> Said<'a> {
    /// Three things take from what a severity says: that it could not judge, that there was nothing to be judged, and that it was the mock.
    pub(super) fn new(
        id: &'a str,
        (error, skipped, mock): (bool, bool, bool),
        severity: Severity,
        justification: &'a str,
    ) -> Self {
        Self {
            id,
            verdict: verdict(error, skipped, mock, severity),
            mock: mock && !skipped && !error,
            skipped: skipped && !error,
            justification,
        }
    }
}

/// A gate: what was decided, how much of it is no evidence, and what each validator said.
pub(super) fn gate(out: &mut String, name: &str, decision: &str, justification: &str, results: &[Said<'_>]) {
    if results.is_empty() {
        let _ = writeln!(out, "{BOLD}{name}{PLAIN}  {DIM}empty: {justification}{PLAIN}");
        return;
    }
    let mock = results.iter().filter(|said| said.mock).count();
    let skipped = results.iter().filter(|said| said.skipped).count();
    let no_evidence = match (mock, skipped) {
        (0, 0) => String::new(),
        (mock, 0) => format!("; {mock} by the mock"),
        (0, skipped) => format!("; {skipped} skipped"),
        (mock, skipped) => format!("; {mock} by the mock, {skipped} skipped"),
    };
    let _ = writeln!(
        out,
        "{BOLD}{name}{PLAIN}  {DIM}{decision} ({justification}{no_evidence}){PLAIN}"
    );
    let width = results.iter().map(|said| said.id.chars().count()).max().unwrap_or(0);
    for said in results {
        result_lines(out, said.id, width, said.verdict, said.justification);
    }
}

/// How a verdict is shown: its colour, its mark and its word.
type Verdict = (Style, char, &'static str);

/// What one validator said: its verdict, and its words below each other.
fn result_lines(out: &mut String, id: &str, width: usize, (style, mark, word): Verdict, justification: &str) {
    let mut lines = justification.lines();
    let first = lines.next().unwrap_or_default();
    let _ = writeln!(
        out,
        "  {style}{mark}{PLAIN} {id:width$}  {style}{word:7}{PLAIN}  {first}"
    );
    for line in lines {
        let _ = writeln!(out, "    {:width$}  {DIM}{line}{PLAIN}", "");
    }
}

/// What the mock said is shown as the mock's: nothing was judged. Its severity is shown where it weighs something.
fn verdict(error: bool, skipped: bool, mock: bool, severity: Severity) -> Verdict {
    match (error, skipped, severity) {
        (true, ..) => (RED, '?', "error"),
        (false, true, _) => (DIM, '-', "skipped"),
        (false, false, Severity::Pass) if mock => (DIM, '-', "mock"),
        (false, false, Severity::Warn) if mock => (YELLOW, '!', "mock warn"),
        (false, false, Severity::Blocker) if mock => (RED, '✗', "mock blocker"),
        (false, false, Severity::Pass) => (GREEN, '✓', "pass"),
        (false, false, Severity::Warn) => (YELLOW, '!', "warn"),
        (false, false, Severity::Blocker) => (RED, '✗', "blocker"),
    }
}

/// A diff stat, as git draws it.
pub(super) fn stat(out: &mut String, changes: &[ChangeReport]) {
    const BAR: u64 = 40;
    let names: Vec<String> = changes.iter().map(name).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).min(80);
    let most = changes.iter().map(|c| c.added + c.deleted).max().unwrap_or(0).max(1);
    for (change, name) in changes.iter().zip(&names) {
        let kind = match change.kind {
            ChangeKind::Added => 'A',
            ChangeKind::Modified => 'M',
            ChangeKind::Deleted => 'D',
            ChangeKind::Renamed => 'R',
            ChangeKind::ModeChanged => 'x',
        };
        let scale = |n: u64| if most <= BAR { n } else { (n * BAR).div_ceil(most) };
        let bar = if change.binary {
            "binary".to_owned()
        } else {
            let plus = "+".repeat(usize::try_from(scale(change.added)).unwrap_or(0));
            let minus = "-".repeat(usize::try_from(scale(change.deleted)).unwrap_or(0));
            format!("{:>4} {GREEN}{plus}{RED}{minus}{PLAIN}", change.added + change.deleted)
        };
        let tests = if change.test_governing.is_some() {
            format!(" {YELLOW}governs tests{PLAIN}")
        } else {
            String::new()
        };
        let _ = writeln!(out, "  {kind} {name:width$} | {bar}{tests}");
    }
    let (added, deleted): (u64, u64) = changes.iter().fold((0, 0), |(a, d), c| (a + c.added, d + c.deleted));
    let files = if changes.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", changes.len())
    };
    let _ = writeln!(out, "  {files}, {added} added, {deleted} deleted");
}

fn name(change: &ChangeReport) -> String {
    match &change.old_path {
        Some(old) => crate::text::escaped(&format!("{old} => {}", change.path)).into_owned(),
        None => crate::text::escaped(&change.path).into_owned(),
    }
}
