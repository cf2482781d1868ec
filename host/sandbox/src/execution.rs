//! One execution, as the report shows it.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use snodo_workspace::capability::Cancel;
use snodo_workspace::escape::one_line;
use snodo_workspace::scratch::{WriteKind, WrittenEntry};
use snodo_workspace::view::View;

use crate::launch::{Ending, Launched};
use crate::layer::Layers;
use crate::policy::Permissions;
use crate::sandbox::Prepared;

/// What was executed, inside of what, how it ended, and what it left in its scratch.
#[derive(Debug, Clone, Serialize)]
pub struct Execution {
    /// Which plugin asked.
    pub by: String,
    /// What was executed.
    pub argv: Vec<String>,
    /// How it ended.
    pub exit: Ending,
    /// Milliseconds.
    pub duration_ms: u64,
    /// Layers of the sandbox that were in force; none says that it ran uncontained.
    pub sandbox: Layers,
    /// What the user opened for it: the network, files, folders.
    pub opened: Vec<String>,
    /// Names of environment variables that were passed on.
    pub environment: Vec<String>,
    /// What a person should know about the containment and the scratch.
    pub notes: Vec<String>,
    /// What it wrote in the scratch, and what went with it.
    pub written: Vec<WrittenReport>,
    /// How many paths that are in all, as far as was looked.
    pub written_total: u64,
    /// Processes that could not be ended.
    pub left_running: Vec<i32>,
    /// The end of what it printed.
    pub output_tail: String,
}

/// A path that a program wrote in its scratch.
#[derive(Debug, Clone, Serialize)]
pub struct WrittenReport {
    /// From the scratch's root.
    pub path: String,
    /// What happened there.
    pub kind: WriteKind,
    /// The rule by which no plugin may write there, or by which the scratch did not show it. Nothing of it reached the workspace.
    pub attempt: Option<String>,
}

/// Characters of output that the report keeps.
const TAIL_SHOWN: usize = 2_000;

/// Paths by the runner that the report names; attempts on what is protected always come first.
const WRITTEN_SHOWN: usize = 200;

impl Execution {
    /// The record of what was run in a scratch; that is looked through, and removed. What was written at `own` and below it is not told: it
    /// is the program's own affair.
    pub(crate) async fn of(
        by: String,
        argv: Vec<String>,
        launched: &Launched,
        place: Prepared,
        view: Arc<View>,
        own: Option<&Path>,
        stop: &Cancel,
    ) -> Self {
        let Prepared {
            scratch,
            permissions,
            environment,
            ..
        } = place;
        let mut notes = launched.notes.clone();
        notes.extend(scratch.notes().iter().cloned());
        let stop = stop.clone();
        // Looking through a large tree, and removing it, takes a while.
        let looked = tokio::task::spawn_blocking(move || scratch.written(&view, &stop)).await;
        let (written, written_total) = match looked {
            Ok(Ok(mut written)) => {
                if written.total > written.entries.len() as u64 || written.truncated {
                    notes.push("not all that it wrote is listed".to_owned());
                }
                let all = written.entries.len();
                written
                    .entries
                    .retain(|entry| own.is_none_or(|own| !entry.path.starts_with(own)));
                let untold = all - written.entries.len();
                (written.entries, written.total.saturating_sub(untold as u64))
            }
            Ok(Err(error)) => {
                notes.push(format!("what it wrote is not known: {error}"));
                (Vec::new(), 0)
            }
            Err(error) => {
                notes.push(format!("what it wrote is not known: {error}"));
                (Vec::new(), 0)
            }
        };
        Self {
            by,
            argv,
            exit: launched.ending,
            duration_ms: u64::try_from(launched.duration.as_millis()).unwrap_or(u64::MAX),
            sandbox: launched.layers.clone(),
            opened: opened(&permissions),
            environment: environment.names(),
            notes,
            written: shown(written),
            written_total,
            left_running: launched.left.clone(),
            output_tail: output_tail(launched),
        }
    }
}

fn shown(mut written: Vec<WrittenEntry>) -> Vec<WrittenReport> {
    written.sort_by_key(|entry| entry.attempt.is_none());
    written
        .into_iter()
        .take(WRITTEN_SHOWN)
        .map(|entry| WrittenReport {
            path: one_line(&entry.path.to_string_lossy(), 1_000),
            kind: entry.kind,
            attempt: entry.attempt,
        })
        .collect()
}

/// What the user opened, in words.
fn opened(permissions: &Permissions) -> Vec<String> {
    let network = permissions.network.then(|| "network".to_owned());
    let git = permissions.git.then(|| "read .git".to_owned());
    let read = permissions.read.iter().map(|path| format!("read {}", path.display()));
    let write = permissions
        .write
        .iter()
        .chain(&permissions.write_in_workspace)
        .map(|path| format!("write {}", path.display()));
    let variables = permissions
        .variables
        .iter()
        .map(|(name, _)| format!("variable {}", name.to_string_lossy()));
    network
        .into_iter()
        .chain(git)
        .chain(read)
        .chain(write)
        .chain(variables)
        .collect()
}

/// The last characters of both streams, errors last: what a person looks at first.
pub(crate) fn output_tail(end: &Launched) -> String {
    let mut text = String::new();
    for stream in [&end.stdout, &end.stderr] {
        text.push_str(&stream.head);
        text.push_str(&stream.tail);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    let skip = text.chars().count().saturating_sub(TAIL_SHOWN);
    text.chars().skip(skip).collect()
}
