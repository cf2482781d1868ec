//! `snodo-host runs`: the records of runs, and what can still be done with them.

mod shown;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::{Value, json};
use snodo_workspace::ambient;

use super::args::{PruneArgs, RunArg, RunsCommand};
use super::render::adapted;
use super::set_up_error;
use crate::engine::{Environment, Stop};
use crate::outcome::{EXIT_SETUP, HaltType, Outcome};
use crate::record::{ActError, Acted, Acting, Action, Place, Prune, Record, Runs, StateFolder, Summary, prune};

/// The schema's name.
pub(super) const SCHEMA: &str = "snodo.runs.v1";

const DAY: u64 = 24 * 60 * 60;

/// Answers 0 when it was done; 64 for a run that is not there, or of which it cannot be done; 4 when the workspace is not what it has to be, or
/// the system would not; 130 when it was interrupted.
pub(super) async fn runs(command: RunsCommand, environment: Environment, stop: &Stop) -> u8 {
    match command {
        RunsCommand::List { workspace, json } => answer(json, list(&environment, workspace.as_deref(), json)),
        RunsCommand::Show(args) => answer(args.json, show(&environment, &args)),
        RunsCommand::Diff { run, workspace } => diff(&environment, &run, &workspace),
        RunsCommand::Apply(args) => act(Action::Apply, args, environment, stop).await,
        RunsCommand::Undo(args) => act(Action::Undo, args, environment, stop).await,
        RunsCommand::Prune(args) => answer(args.json, remove(&environment, &args)),
    }
}

/// Prints what there is to say, or why there is nothing.
fn answer(json: bool, said: Result<String, String>) -> u8 {
    match said {
        Ok(text) => {
            print(text.as_bytes());
            0
        }
        Err(why) => set_up_error(json.then_some(SCHEMA), &why),
    }
}

fn print(bytes: &[u8]) {
    if let Err(error) = std::io::stdout().lock().write_all(bytes) {
        tracing::warn!("the result could not be printed: {error}");
    }
}

fn state(environment: &Environment) -> Result<StateFolder, String> {
    let path = &environment.directories.state;
    let dir = ambient::open_private_dir(path).map_err(|error| format!("the state folder cannot be used: {error}"))?;
    Ok(StateFolder::new(dir, path))
}

fn place(workspace: &Path) -> Result<Place, String> {
    let root = ambient::open_root(workspace).map_err(|error| error.to_string())?;
    Ok(Place::of(&root))
}

/// A workspace is opened only where the newest of its runs is meant.
fn find(environment: &Environment, run: &str, workspace: &Path) -> Result<(Record, StateFolder), String> {
    let state = state(environment)?;
    let place = if run == "last" { Some(place(workspace)?) } else { None };
    let found = Runs::open(&state).and_then(|runs| runs.find(run, place.as_ref()));
    Ok((found.map_err(|error| error.to_string())?, state))
}

fn seconds(now: SystemTime) -> u64 {
    now.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs()
}

fn one_object(value: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

fn list(environment: &Environment, workspace: Option<&Path>, json: bool) -> Result<String, String> {
    let place = workspace.map(place).transpose()?;
    let records = Runs::open(&state(environment)?).and_then(|runs| runs.all());
    let records = records.map_err(|error| error.to_string())?;
    let summaries: Vec<Summary> = records
        .iter()
        .filter(|record| place.as_ref().is_none_or(|place| record.is_of(place)))
        .map(Summary::of)
        .collect();
    if json {
        one_object(&json!({ "schema": SCHEMA, "ok": true, "runs": summaries }))
    } else {
        Ok(adapted(&shown::list(&summaries, seconds((environment.now)()))))
    }
}

fn show(environment: &Environment, args: &RunArg) -> Result<String, String> {
    let (record, state) = find(environment, &args.run, &args.workspace)?;
    let report = match record.form {
        // Of a run that did not come to its end there may be none.
        crate::record::Form::Unfinished => Value::Null,
        _ => record.report().map_err(|error| error.to_string())?,
    };
    let summary = Summary::of(&record);
    // All of it is looked at, so that what is shown can be relied on.
    record.check().map_err(|error| error.to_string())?;
    let folder = state.path.join("runs").join(record.id.as_str());
    if args.json {
        one_object(&json!({
            "schema": SCHEMA,
            "ok": true,
            "run": summary,
            "can_be_applied_or_undone": record.has_change(),
            "folder": folder.display().to_string(),
            "bytes": record.bytes(),
            "logs": record.logs(),
            "report": report,
        }))
    } else {
        let now = seconds((environment.now)());
        Ok(adapted(&shown::one(&record, &summary, &report, &folder, now)))
    }
}

fn diff(environment: &Environment, run: &str, workspace: &Path) -> u8 {
    let patch = find(environment, run, workspace).and_then(|(record, _)| {
        let patch = record.patch().map_err(|error| error.to_string())?;
        patch.ok_or_else(|| format!("`{}` has no change", record.id.as_str()))
    });
    match patch {
        Ok(patch) if std::io::stdout().is_terminal() => {
            // A stranger wrote it, and a terminal acts on what it is sent.
            print(crate::text::escape_lines(&String::from_utf8_lossy(&patch)).as_bytes());
            0
        }
        Ok(patch) => {
            print(&patch);
            0
        }
        Err(why) => set_up_error(None, &why),
    }
}

async fn act(action: Action, args: RunArg, environment: Environment, stop: &Stop) -> u8 {
    let json = args.json;
    let flag = stop.flag();
    // An interrupt is seen between two steps of the apply, and what was done is undone.
    let done = tokio::task::spawn_blocking(move || {
        let refused = |why: String| ActError::Refused(why);
        let outside = environment.directories.check_outside(&args.workspace);
        outside.map_err(|error| refused(error.to_string()))?;
        let state = state(&environment).map_err(refused)?;
        let root = ambient::open_root(&args.workspace).map_err(|error| refused(error.to_string()))?;
        let acting = Acting {
            state: &state,
            root: &root,
            now: (environment.now)(),
            pid: std::process::id(),
            stop: &flag,
        };
        acting.act(action, &args.run)
    });
    let done = done
        .await
        .unwrap_or_else(|error| Err(ActError::Refused(error.to_string())));
    match done {
        Ok(acted) => {
            let text = if json {
                one_object(&json!({
                    "schema": SCHEMA,
                    "ok": true,
                    "action": action.as_str(),
                    "run_id": acted.run_id,
                    "files": acted.files,
                    "notes": acted.notes,
                }))
                .unwrap_or_default()
            } else {
                done_text(action, &acted)
            };
            print(text.as_bytes());
            0
        }
        Err(ActError::Failed { end, reason }) => {
            let (outcome, halt_type, code) = end.row();
            failed(action, json, outcome, halt_type, code, &reason);
            code
        }
        Err(error) => {
            set_up_error(json.then_some(SCHEMA), &error.to_string());
            EXIT_SETUP
        }
    }
}

fn done_text(action: Action, acted: &Acted) -> String {
    for note in &acted.notes {
        let _ = writeln!(anstream::stderr(), "{}", adapted(&shown::note(note)));
    }
    adapted(&shown::done(action, acted))
}

fn failed(action: Action, json: bool, outcome: Outcome, halt_type: Option<HaltType>, code: u8, reason: &str) {
    if json {
        let object = json!({
            "schema": SCHEMA,
            "ok": false,
            "action": action.as_str(),
            "outcome": outcome,
            "halt_type": halt_type,
            "exit_code": code,
            "error": reason,
        });
        print(format!("{object}\n").as_bytes());
    } else {
        let _ = writeln!(anstream::stderr(), "{}", shown::error(reason));
    }
}

fn remove(environment: &Environment, args: &PruneArgs) -> Result<String, String> {
    let place = args.workspace.as_deref().map(place).transpose()?;
    let now = seconds((environment.now)());
    let which = Prune {
        keep: args.keep,
        before: args.older_than.map(|days| now.saturating_sub(u64::from(days) * DAY)),
        all: args.all,
        workspace: place.as_ref(),
    };
    let pruned = prune(&state(environment)?, &which, now, std::process::id()).map_err(|error| error.to_string())?;
    if args.json {
        one_object(&json!({
            "schema": SCHEMA,
            "ok": true,
            "removed": pruned.removed,
            "spared": pruned.spared,
        }))
    } else {
        Ok(adapted(&shown::pruned(&pruned)))
    }
}
