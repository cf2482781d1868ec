//! How the probe returns.

use guest_steps::{number, small, text};
use serde_json::Value;
use snodo_plugin::prelude::*;
use snodo_plugin::types::Limit;
use snodo_plugin::{CoderReport, Mismatch, RefusedOperation, ReportedFile, StopReason};

pub fn end(end: &Value, mut done: Implementation) -> Result<Implementation, CoderError> {
    if let Some(kind) = end["error"].as_str() {
        return Err(error(kind, end));
    }
    if end["quiet"].as_bool() == Some(true) {
        done.findings.clear();
    }
    if let Some(finding) = end["finding"].as_object() {
        let get = |key: &str| finding.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut found = Finding::new(get("title"), get("detail"));
        if finding.contains_key("path") {
            found = found.at(get("path"), finding.get("line").and_then(Value::as_u64));
        }
        done = done.finding(found);
    }
    if !end["report"].is_null() {
        done = done.report(report(&end["report"]));
    }
    Ok(done)
}

fn error(kind: &str, end: &Value) -> CoderError {
    let why = text(end, "why");
    let path = text(end, "path");
    match kind {
        "unusable-task" => CoderError::UnusableTask(why),
        "does-not-apply" => CoderError::DoesNotApply(Mismatch {
            path,
            hunk: small(end, "hunk", 0),
            nearest_line: number(end, "nearest-line", 0),
            reason: why,
        }),
        "unreadable" => CoderError::Unreadable(RefusedOperation { path, reason: why }),
        "refused" => CoderError::Refused(RefusedOperation { path, reason: why }),
        "model" => CoderError::Model(why),
        "turn-budget" => CoderError::TurnBudget(small(end, "turns", 0)),
        "limit" => CoderError::Limit(Limit {
            name: why,
            allowed: number(end, "allowed", 0),
        }),
        _ => CoderError::Internal(why),
    }
}

fn report(report: &Value) -> CoderReport {
    let kind = |kind: Option<&str>| match kind {
        Some("modified") => ChangeKind::Modified,
        Some("deleted") => ChangeKind::Deleted,
        Some("renamed") => ChangeKind::Renamed,
        Some("mode-changed") => ChangeKind::ModeChanged,
        _ => ChangeKind::Added,
    };
    let files = report["files"].as_array().into_iter().flatten();
    CoderReport {
        files: files
            .map(|file| ReportedFile::new(text(file, "path"), kind(file["kind"].as_str())))
            .collect(),
        turns_used: report["turns-used"].as_u64().and_then(|n| u32::try_from(n).ok()),
        turns_available: report["turns-available"].as_u64().and_then(|n| u32::try_from(n).ok()),
        tokens_used: report["tokens-used"].as_u64(),
        stop_reason: match report["stop-reason"].as_str() {
            Some("turn-budget") => StopReason::TurnBudget,
            Some("context-budget") => StopReason::ContextBudget,
            Some("provider-fault") => StopReason::ProviderFault,
            Some("abandoned") => StopReason::Abandoned,
            _ => StopReason::Completed,
        },
        notes: text(report, "notes"),
    }
}
