//! Removing records.

use std::collections::{BTreeMap, BTreeSet};

use snodo_workspace::lock::RunLock;
use snodo_workspace::state::WorkspaceState;

use super::keep::StateFolder;
use super::store::{Form, Record, Runs, StoreError};

/// What is being removed has this before its name, which is no run's.
const GOING: &str = "removing-";
/// In seconds.
const DAY: u64 = 24 * 60 * 60;

/// Which records go: those to which everything that is given applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prune<'a> {
    /// Not the newest so many of each workspace.
    pub keep: Option<usize>,
    /// Only those that started before this, in seconds since the Unix epoch.
    pub before: Option<u64>,
    /// Also the newest applied one of each workspace, by which the workspace's last change could be undone.
    pub all: bool,
    /// Only those of this workspace.
    pub workspace: Option<&'a super::Place>,
}

/// A record that was removed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Removed {
    /// Its run.
    pub run_id: String,
    /// What it took on the disk.
    pub bytes: u64,
}

/// A record that would have gone, and did not.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Spared {
    /// Its run.
    pub run_id: String,
    /// Why.
    pub why: String,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Pruned {
    /// What was removed, the newest first.
    pub removed: Vec<Removed>,
    /// What was spared.
    pub spared: Vec<Spared>,
}

/// Removes records. Each is removed under the lock of its workspace, so that none goes that is being applied. `now` is in seconds since the
/// Unix epoch.
///
/// # Errors
/// The folder cannot be read.
pub fn prune(state: &StateFolder, which: &Prune<'_>, now: u64, pid: u32) -> Result<Pruned, StoreError> {
    let runs = Runs::open(state)?;
    let mut pruned = Pruned::default();
    let Some(dir) = &runs.dir else { return Ok(pruned) };
    remove_what_was_going(dir);
    let records = runs.all()?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut undoable: BTreeSet<String> = BTreeSet::new();
    let mut locks: BTreeMap<String, Result<Option<RunLock>, String>> = BTreeMap::new();
    for record in &records {
        if which.workspace.is_some_and(|place| !record.is_of(place)) {
            continue;
        }
        let key = record.place().map(|place| place.key).unwrap_or_default();
        let number = seen.entry(key.clone()).or_default();
        *number += 1;
        let newest_applied = is_applied(record) && undoable.insert(key.clone());
        let wanted = which.keep.is_none_or(|keep| *number > keep)
            && which.before.is_none_or(|before| record.id.started_at() < before);
        if !wanted {
            continue;
        }
        let mut spare = |why: String| {
            pruned.spared.push(Spared {
                run_id: record.id.as_str().to_owned(),
                why,
            });
        };
        if newest_applied && !which.all {
            spare(
                "it is the newest applied one of its workspace, which could be undone; --all removes it too".to_owned(),
            );
            continue;
        }
        if key.is_empty() && record.form == Form::Unfinished && now.saturating_sub(record.id.started_at()) < DAY {
            spare("its run may still be going on".to_owned());
            continue;
        }
        let lock = locks.entry(key.clone()).or_insert_with(|| locked(state, &key, pid));
        if let Err(why) = lock {
            spare(why.clone());
            continue;
        }
        match remove(dir, record) {
            Ok(removed) => pruned.removed.push(removed),
            Err(error) => spare(format!("it cannot be removed: {error}")),
        }
    }
    Ok(pruned)
}

fn is_applied(record: &Record) -> bool {
    let stands =
        |state: super::RecordState| state.begun.is_some() || (state.applied_at.is_some() && state.undone_at.is_none());
    matches!(record.form, Form::Sealed(_) | Form::Unfinished) && record.state().is_ok_and(stands)
}

/// None where the workspace has no state, or is not known.
fn locked(state: &StateFolder, key: &str, pid: u32) -> Result<Option<RunLock>, String> {
    if key.is_empty() {
        return Ok(None);
    }
    match WorkspaceState::open_by_key(&state.dir, key) {
        Ok(None) => Ok(None),
        Ok(Some(own)) => match RunLock::acquire(own.dir(), pid) {
            Ok((lock, _)) => Ok(Some(lock)),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(format!("its workspace cannot be locked: {error}")),
    }
}

/// First its name goes, so that whatever is left when this is cut off is no record.
fn remove(dir: &cap_std::fs::Dir, record: &Record) -> std::io::Result<Removed> {
    let bytes = record.bytes();
    let name = record.id.as_str();
    if !dir.symlink_metadata(name)?.is_dir() {
        return Err(std::io::Error::other(
            "it is no folder: look at what it is, and move it away",
        ));
    }
    let going = format!("{GOING}{name}");
    dir.rename(name, dir, &going)?;
    dir.remove_dir_all(&going)?;
    Ok(Removed {
        run_id: name.to_owned(),
        bytes,
    })
}

fn remove_what_was_going(dir: &cap_std::fs::Dir) {
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(GOING)) {
            let _ = dir.remove_dir_all(&name);
        }
    }
}
