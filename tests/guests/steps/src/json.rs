//! The contract's values as JSON. Records are taken apart field by field, so that a new field does not compile until it is here.

use serde_json::{Value, json};
use snodo_plugin::change::{self, BeforeError, ChangeError};
use snodo_plugin::read::{self, ReadError};
use snodo_plugin::runner::{self, RunnerError};
use snodo_plugin::search::{self, SearchError};
use snodo_plugin::submit::{self, SubmitError, SubmitRefusal};
use snodo_plugin::{
    ChangeKind, Content, Context, Evaluation, ExecutionEvidence, Expectation, ModeProfile, Phase, RunnerInfo,
    SettingValue, Severity, Task, TestGoverningChange, types,
};

/// `{"ok": …}` or `{"error": …}`.
pub fn outcome<E>(outcome: Result<Value, E>, error: impl FnOnce(E) -> Value) -> Value {
    match outcome {
        Ok(value) => json!({ "ok": value }),
        Err(why) => json!({ "error": error(why) }),
    }
}

pub fn content(content: Content) -> Value {
    match content {
        Content::Text(text) => json!({ "text": text }),
        Content::Bytes(bytes) => json!({ "bytes": bytes }),
    }
}

pub fn entry_kind(kind: types::EntryKind) -> &'static str {
    use types::EntryKind as K;
    match kind {
        K::File => "file",
        K::Directory => "directory",
        K::Symlink => "symlink",
        K::Fifo => "fifo",
        K::Socket => "socket",
        K::BlockDevice => "block-device",
        K::CharDevice => "char-device",
        K::Unknown => "unknown",
    }
}

fn path_rule(rule: types::PathRule) -> &'static str {
    use types::PathRule as R;
    match rule {
        R::Empty => "empty",
        R::Nul => "nul",
        R::Absolute => "absolute",
        R::ReservedCharacter => "reserved-character",
        R::ReservedName => "reserved-name",
        R::EscapesRoot => "escapes-root",
        R::TooLong => "too-long",
        R::TooDeep => "too-deep",
        R::TrailingSlash => "trailing-slash",
    }
}

fn bad_path(types::BadPath { path, rule }: types::BadPath) -> Value {
    json!({ "kind": "bad-path", "path": path, "rule": path_rule(rule) })
}

fn bad_parameter(types::BadParameter { field, reason }: types::BadParameter) -> Value {
    json!({ "kind": "bad-parameter", "field": field, "reason": reason })
}

fn refused(types::Refusal { path, rule }: types::Refusal) -> Value {
    json!({ "kind": "refused", "path": path, "rule": rule })
}

fn wrong_kind(types::WrongKind { path, kind }: types::WrongKind) -> Value {
    json!({ "kind": "wrong-kind", "path": path, "is": entry_kind(kind) })
}

fn too_large(types::TooLarge { path, size, limit }: types::TooLarge) -> Value {
    json!({ "kind": "too-large", "path": path, "size": size, "limit": limit })
}

fn io(types::IoFailure { path, reason }: types::IoFailure) -> Value {
    json!({ "kind": "io", "path": path, "reason": reason })
}

fn limit(types::Limit { name, allowed }: types::Limit) -> Value {
    json!({ "kind": "limit", "name": name, "allowed": allowed })
}

fn about(kind: &str, path: String) -> Value {
    json!({ "kind": kind, "path": path })
}

fn not_granted(tool: String) -> Value {
    json!({ "kind": "not-granted", "tool": tool })
}

pub fn read_error(error: ReadError) -> Value {
    match error {
        ReadError::BadPath(bad) => bad_path(bad),
        ReadError::BadParameter(bad) => bad_parameter(bad),
        ReadError::NotFound(path) => about("not-found", path),
        ReadError::WrongKind(wrong) => wrong_kind(wrong),
        ReadError::Symlink(path) => about("symlink", path),
        ReadError::Refused(refusal) => refused(refusal),
        ReadError::TooLarge(large) => too_large(large),
        ReadError::Io(failure) => io(failure),
        ReadError::ChangedDuringRun(path) => about("changed-during-run", path),
        ReadError::Limit(reached) => limit(reached),
        ReadError::NotGranted(tool) => not_granted(tool),
    }
}

pub fn search_error(error: SearchError) -> Value {
    match error {
        SearchError::BadPath(bad) => bad_path(bad),
        SearchError::BadParameter(bad) => bad_parameter(bad),
        SearchError::NotFound(path) => about("not-found", path),
        SearchError::WrongKind(wrong) => wrong_kind(wrong),
        SearchError::Symlink(path) => about("symlink", path),
        SearchError::Refused(refusal) => refused(refusal),
        SearchError::Io(failure) => io(failure),
        SearchError::Limit(reached) => limit(reached),
        SearchError::NotGranted(tool) => not_granted(tool),
    }
}

pub fn runner_error(error: RunnerError) -> Value {
    match error {
        RunnerError::NotDeclared => json!({ "kind": "not-declared" }),
        RunnerError::PathNotTaken => json!({ "kind": "path-not-taken" }),
        RunnerError::BadPath(bad) => bad_path(bad),
        RunnerError::Refused(refusal) => refused(refusal),
        RunnerError::NotFound(path) => about("not-found", path),
        RunnerError::ProgramNotFound(program) => json!({ "kind": "program-not-found", "program": program }),
        RunnerError::ProgramNotExecutable(program) => json!({ "kind": "program-not-executable", "program": program }),
        RunnerError::Io(failure) => io(failure),
        RunnerError::Limit(reached) => limit(reached),
        RunnerError::NotGranted(tool) => not_granted(tool),
    }
}

pub fn submit_error(error: SubmitError) -> Value {
    match error {
        SubmitError::Limit(reached) => limit(reached),
        SubmitError::Rejected(submit::Rejected { index, reason }) => {
            let mut value = submit_refusal(reason);
            value["index"] = index.into();
            value
        }
    }
}

fn submit_refusal(refusal: SubmitRefusal) -> Value {
    match refusal {
        SubmitRefusal::BadPath(bad) => bad_path(bad),
        SubmitRefusal::Refused(refusal) => refused(refusal),
        SubmitRefusal::NotFound(path) => about("not-found", path),
        SubmitRefusal::WrongKind(wrong) => wrong_kind(wrong),
        SubmitRefusal::Symlink(path) => about("symlink", path),
        SubmitRefusal::Conflict(submit::Conflict { path, with, reason }) => {
            json!({ "kind": "conflict", "path": path, "with": with, "reason": reason })
        }
        SubmitRefusal::Duplicate(submit::Duplicate { path, first, second }) => {
            json!({ "kind": "duplicate", "path": path, "first": first, "second": second })
        }
        SubmitRefusal::TooLarge(large) => too_large(large),
        SubmitRefusal::ChangedDuringRun(path) => about("changed-during-run", path),
        SubmitRefusal::Io(failure) => io(failure),
    }
}

pub fn file(file: read::File) -> Value {
    let read::File {
        path,
        content: held,
        size,
        executable,
        bom,
    } = file;
    json!({ "path": path, "content": content(held), "size": size, "executable": executable, "bom": bom })
}

pub fn lines(lines: read::Lines) -> Value {
    let read::Lines {
        path,
        first,
        last,
        content: held,
        total,
        truncated,
    } = lines;
    json!({
        "path": path, "first": first, "last": last, "content": content(held), "total": count(total), "truncated": truncated,
    })
}

pub fn answers(answers: Vec<read::ReadAnswer>) -> Value {
    let answer = |read::ReadAnswer { path, outcome: answer }| json!({ "path": path, "outcome": outcome(answer.map(file), read_error) });
    answers.into_iter().map(answer).collect()
}

fn count(count: types::Count) -> Value {
    match count {
        types::Count::Exact(n) => json!({ "exact": n }),
        types::Count::AtLeast(n) => json!({ "at-least": n }),
    }
}

fn skipped(skipped: Vec<types::Skipped>) -> Value {
    use types::SkipReason as R;
    let word = |reason| match reason {
        R::Ignored => "ignored",
        R::Hidden => "hidden",
        R::Binary => "binary",
        R::TooLarge => "too-large",
        R::Symlink => "symlink",
        R::Special => "special",
        R::Unreadable => "unreadable",
        R::Refused => "refused",
        R::NotCovered => "not-covered",
    };
    let one = |types::Skipped { reason, files }| json!({ "reason": word(reason), "files": files });
    skipped.into_iter().map(one).collect()
}

pub fn listing(listing: read::Listing) -> Value {
    let read::Listing {
        entries,
        total,
        truncated,
        skipped: passed,
    } = listing;
    let entry = |read::Entry { path, kind, size }| json!({ "path": path, "kind": entry_kind(kind), "size": size });
    json!({
        "entries": entries.into_iter().map(entry).collect::<Value>(),
        "total": count(total), "truncated": truncated, "skipped": skipped(passed),
    })
}

pub fn matches(matches: search::TextMatches) -> Value {
    let search::TextMatches {
        matches,
        total,
        truncated,
        files_searched,
        skipped: passed,
    } = matches;
    let one = |search::TextMatch {
                   path,
                   line,
                   column,
                   text,
                   clipped,
                   before,
                   after,
               }| {
        json!({
            "path": path, "line": line, "column": column, "text": text, "clipped": clipped, "before": before, "after": after,
        })
    };
    json!({
        "matches": matches.into_iter().map(one).collect::<Value>(),
        "total": count(total), "truncated": truncated, "files-searched": files_searched, "skipped": skipped(passed),
    })
}

pub fn symbol_kind(kind: search::SymbolKind) -> &'static str {
    use search::SymbolKind as K;
    match kind {
        K::Function => "function",
        K::Type => "type",
        K::Interface => "interface",
        K::Module => "module",
        K::Constant => "constant",
        K::Variable => "variable",
        K::Macro => "macro",
    }
}

pub fn symbols(symbols: search::Symbols) -> Value {
    let search::Symbols {
        symbols,
        total,
        truncated,
        files_searched,
        skipped: passed,
    } = symbols;
    let one = |search::Symbol {
                   path,
                   line,
                   column,
                   kind,
                   language,
                   text,
                   clipped,
               }| {
        json!({
            "path": path, "line": line, "column": column, "kind": symbol_kind(kind), "language": language, "text": text,
            "clipped": clipped,
        })
    };
    json!({
        "symbols": symbols.into_iter().map(one).collect::<Value>(),
        "total": count(total), "truncated": truncated, "files-searched": files_searched, "skipped": skipped(passed),
    })
}

pub fn submission(submission: submit::Submission) -> Value {
    let submit::Submission {
        accepted,
        superseded,
        unchanged,
        pending,
    } = submission;
    json!({ "accepted": accepted, "superseded": superseded, "unchanged": unchanged, "pending": pending })
}

pub fn observation(observation: runner::Observation) -> Value {
    let runner::Observation {
        exit,
        stdout,
        stderr,
        duration_ms,
        calls_left,
    } = observation;
    let exit = match exit {
        runner::Exit::Code(code) => json!({ "code": code }),
        runner::Exit::Signal(signal) => json!({ "signal": signal }),
        runner::Exit::Bound(runner::Bound::WallClock) => json!({ "bound": "wall-clock" }),
        runner::Exit::Bound(runner::Bound::Interrupted) => json!({ "bound": "interrupted" }),
    };
    json!({
        "exit": exit, "stdout": captured(stdout), "stderr": captured(stderr), "duration-ms": duration_ms, "calls-left": calls_left,
    })
}

fn captured(captured: runner::Captured) -> Value {
    let runner::Captured {
        head,
        tail,
        dropped,
        escaped,
    } = captured;
    json!({ "head": head, "tail": tail, "dropped": dropped, "escaped": escaped })
}

pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Pass => "pass",
        Severity::Warn => "warn",
        Severity::Blocker => "blocker",
    }
}

pub fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::PreExecute => "pre-execute",
        Phase::PostExecute => "post-execute",
    }
}

pub fn change_kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::ModeChanged => "mode-changed",
    }
}

pub fn task(task: Task) -> Value {
    let Task {
        id,
        spec,
        expects,
        constraints,
        memory_summary,
        project,
        prior_failures,
    } = task;
    let types::ProjectContext {
        language,
        structure,
        configuration,
    } = project;
    let configuration = configuration.into_iter().map(|types::ConfigurationFile { path, text, truncated }| {
        json!({ "path": path, "text": text, "truncated": truncated })
    });
    let failures = prior_failures.into_iter().map(
        |types::PriorFailure { attempt, validator_id, severity: gravity, justification }| {
            json!({
                "attempt": attempt, "validator-id": validator_id, "severity": severity(gravity), "justification": justification,
            })
        },
    );
    json!({
        "id": id,
        "spec": spec,
        "expects": match expects { Expectation::Change => "change", Expectation::Findings => "findings" },
        "constraints": constraints,
        "memory-summary": memory_summary,
        "project": { "language": language, "structure": structure, "configuration": configuration.collect::<Value>() },
        "prior-failures": failures.collect::<Value>(),
    })
}

pub fn context(context: Context) -> Value {
    let Context {
        job_id,
        task_id,
        mode,
        depth,
        attempt,
        model,
        runner,
        protected_paths,
        protocol_guidance,
        tools,
        settings,
        limits,
    } = context;
    let runner = runner.map(
        |RunnerInfo {
             argv,
             takes_path,
             calls,
             timeout_ms,
         }| { json!({ "argv": argv, "takes-path": takes_path, "calls": calls, "timeout-ms": timeout_ms }) },
    );
    let settings = settings.into_iter().map(|types::Setting { name, value }| {
        let value = match value {
            SettingValue::Text(text) => json!({ "text": text }),
            SettingValue::Boolean(value) => json!({ "boolean": value }),
            SettingValue::Integer(value) => json!({ "integer": value }),
            SettingValue::TextList(texts) => json!({ "text-list": texts }),
        };
        json!({ "name": name, "value": value })
    });
    let types::Limits {
        memory_bytes,
        compute_ms,
        total_ms,
        host_calls,
        call_bytes,
        read_bytes,
        submit_bytes,
    } = limits;
    json!({
        "job-id": job_id,
        "task-id": task_id,
        "mode": mode,
        "depth": depth,
        "attempt": attempt,
        "model": model,
        "runner": runner,
        "protected-paths": protected_paths,
        "protocol-guidance": protocol_guidance,
        "tools": tools,
        "settings": settings.collect::<Value>(),
        "limits": {
            "memory-bytes": memory_bytes, "compute-ms": compute_ms, "total-ms": total_ms, "host-calls": host_calls,
            "call-bytes": call_bytes, "read-bytes": read_bytes, "submit-bytes": submit_bytes,
        },
    })
}

pub fn evaluation(evaluation: Evaluation) -> Value {
    let Evaluation {
        phase: now,
        task: what,
        validator_id,
        criteria,
        mode,
        evidence,
        test_governing,
    } = evaluation;
    let ModeProfile {
        id,
        name,
        description,
        tools,
    } = mode;
    let evidence = evidence.into_iter().map(
        |ExecutionEvidence {
             validator_id,
             severity: gravity,
             justification,
         }| {
            json!({ "validator-id": validator_id, "severity": severity(gravity), "justification": justification })
        },
    );
    let governing = test_governing.into_iter().map(|TestGoverningChange { path, change, reason }| {
        json!({ "path": path, "change": change_kind(change), "reason": reason })
    });
    json!({
        "phase": phase(now),
        "task": task(what),
        "validator-id": validator_id,
        "criteria": criteria,
        "mode": { "id": id, "name": name, "description": description, "tools": tools },
        "evidence": evidence.collect::<Value>(),
        "test-governing": governing.collect::<Value>(),
    })
}

pub fn summary(summary: change::ChangeSummary) -> Value {
    let change::ChangeSummary { files, added, deleted } = summary;
    json!({ "files": files.into_iter().map(changed_file).collect::<Value>(), "added": added, "deleted": deleted })
}

fn changed_file(file: change::ChangedFile) -> Value {
    let change::ChangedFile {
        path,
        kind,
        old_path,
        added,
        deleted,
        binary,
        test_governing,
        size_before,
        size_after,
        executable_before,
        executable_after,
    } = file;
    json!({
        "path": path, "kind": change_kind(kind), "old-path": old_path, "added": added, "deleted": deleted, "binary": binary,
        "test-governing": test_governing, "size-before": size_before, "size-after": size_after,
        "executable-before": executable_before, "executable-after": executable_after,
    })
}

pub fn diff(answer: change::DiffAnswer) -> Value {
    let change::DiffAnswer { files, omitted } = answer;
    let file = |change::FileDiff {
                    path,
                    kind,
                    binary,
                    hunks,
                }| {
        json!({
            "path": path, "kind": change_kind(kind), "binary": binary, "hunks": hunks.into_iter().map(hunk).collect::<Value>(),
        })
    };
    json!({ "files": files.into_iter().map(file).collect::<Value>(), "omitted": omitted })
}

fn hunk(hunk: change::Hunk) -> Value {
    let change::Hunk {
        old_start,
        old_count,
        new_start,
        new_count,
        lines,
    } = hunk;
    let line = |change::DiffLine {
                    origin,
                    text,
                    no_newline,
                }| {
        let origin = match origin {
            change::LineOrigin::Context => " ",
            change::LineOrigin::Added => "+",
            change::LineOrigin::Removed => "-",
        };
        json!({ "origin": origin, "text": text, "no-newline": no_newline })
    };
    json!({
        "old-start": old_start, "old-count": old_count, "new-start": new_start, "new-count": new_count,
        "lines": lines.into_iter().map(line).collect::<Value>(),
    })
}

pub fn change_error(error: ChangeError) -> Value {
    match error {
        ChangeError::NoChangeYet => json!({ "kind": "no-change-yet" }),
        ChangeError::BadPath(bad) => bad_path(bad),
        ChangeError::BadParameter(bad) => bad_parameter(bad),
        ChangeError::NotInChange(path) => about("not-in-change", path),
        ChangeError::Limit(reached) => limit(reached),
        ChangeError::NotGranted(tool) => not_granted(tool),
    }
}

pub fn before_error(error: BeforeError) -> Value {
    match error {
        BeforeError::NoChangeYet => json!({ "kind": "no-change-yet" }),
        BeforeError::NotInChange(path) => about("not-in-change", path),
        BeforeError::Read(error) => json!({ "kind": "read", "error": read_error(error) }),
    }
}
