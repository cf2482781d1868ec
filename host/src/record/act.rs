//! Applying the change of a dry run, and taking back the change of a run: both through the one apply, under the workspace's lock.

use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;
use snodo_audit::vocabulary::{Applied as AuditApplied, Event as Audited};
use snodo_audit::{AuditLog, folder as audit_folder, project};
use snodo_workspace::apply::{self, ApplyError, Direction, Manner, Recovered};
use snodo_workspace::capability::Cancel;
use snodo_workspace::change::{ChangeSet, Inverse};
use snodo_workspace::handle::open_folder;
use snodo_workspace::lock::{LockError, RunLock};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::root::Root;
use snodo_workspace::state::WorkspaceState;

use super::change::{STATE, folders_to_make};
use super::keep::StateFolder;
use super::seal::{Begun, Place, RecordState, Step};
use super::store::{Form, Record, Runs, StoreError};
use super::{AuditReport, files, keep_head, known_heads};
use crate::outcome::End;

/// What is to be done with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Apply the change of a dry run.
    Apply,
    /// Take back what was applied.
    Undo,
}

impl Action {
    /// As the command is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Undo => "undo",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Apply => "applied",
            Self::Undo => "undone",
        }
    }
}

/// What was done.
#[derive(Debug)]
pub struct Acted {
    /// The run.
    pub run_id: String,
    /// How many files.
    pub files: usize,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The record is not there, or not what was kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record is none of which this can be done.
    #[error("{0}")]
    Refused(String),
    /// The workspace, its lock, its log, or the state folder cannot be used, or the apply failed.
    #[error("{reason}")]
    Failed {
        /// In the words of `docs/outcomes.md`.
        end: End,
        /// What happened.
        reason: String,
    },
}

impl ActError {
    fn environment(reason: impl Into<String>) -> Self {
        Self::Failed {
            end: End::Environment,
            reason: reason.into(),
        }
    }
}

/// What acting on a record needs from outside.
pub struct Acting<'a> {
    /// The user's state folder.
    pub state: &'a StateFolder,
    /// The workspace.
    pub root: &'a Root,
    /// The time.
    pub now: SystemTime,
    /// This process, for others who find the lock held.
    pub pid: u32,
    /// Asks to stop: what was done is undone then.
    pub stop: &'a Cancel,
}

impl Acting<'_> {
    fn seconds(&self) -> u64 {
        self.now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or(Duration::ZERO)
            .as_secs()
    }

    /// Applies, or undoes, the change of a run: all of it or nothing. The record is read and judged under the workspace's lock.
    ///
    /// # Errors
    /// See [`ActError`]; nothing was changed then, but for what the error itself names.
    pub fn act(&self, action: Action, given: &str) -> Result<Acted, ActError> {
        let failed =
            |what: &'static str| move |error: std::io::Error| ActError::environment(format!("{what}: {error}"));
        let place = Place::of(self.root);
        // Before anything is made for this workspace: is there such a run at all?
        let runs = Runs::open(self.state)?;
        let id = runs.find(given, Some(&place))?.id;
        let own =
            WorkspaceState::open(&self.state.dir, self.root).map_err(failed("the state folder cannot be used"))?;
        let mut notes = Vec::new();
        let (_lock, taken_over) = RunLock::acquire(own.dir(), self.pid).map_err(|error| match error {
            LockError::Held { .. } | LockError::Io(_) => ActError::environment(error.to_string()),
        })?;
        notes.extend(
            taken_over.map(|dead| format!("the lock of process {}, which no longer runs, was taken over", dead.pid)),
        );
        let journal = own.journal().map_err(failed("the journal cannot be opened"))?;
        let recovered = apply::recover(self.root, &journal).map_err(|error| {
            ActError::environment(format!("an earlier apply was cut off and cannot be undone: {error}"))
        })?;
        notes.extend(recovered.as_ref().map(recovery));

        let record = runs.find(id.as_str(), Some(&place))?;
        let dir = record.opened()?;
        allowed_form(&record, action)?;
        let where_it_was = record.place().unwrap_or_else(|| place.clone());
        if where_it_was != place {
            return Err(ActError::Refused(other_workspace(&record, &where_it_was, &place)));
        }
        let mut state = record.state()?;
        let set = record.change()?;
        let inverse = set.inverse();
        self.settle(&mut state, &set, &inverse);
        allowed_state(&record, &state, action)?;
        let log = self.open_log(&record, own.dir(), &runs.heads(&place)?, &mut notes)?;

        let before = RecordState {
            begun: None,
            ..state.clone()
        };
        let step = match action {
            Action::Apply => Step::Apply,
            Action::Undo => Step::Undo,
        };
        state.begun = Some(Begun {
            step,
            at: self.seconds(),
        });
        if action == Action::Apply {
            state.folders = folders_to_make(self.root.dir(), &set);
        }
        write_state(dir, &state).map_err(failed("the run's state cannot be kept"))?;
        let (set, manner) = match action {
            Action::Apply => (&set, exactly()),
            Action::Undo => (&inverse.set, back(&inverse)),
        };
        let applied = match apply::apply_in(self.root, set, &journal, self.stop, &manner) {
            Ok(applied) => applied,
            Err(error) => {
                // Where the journal stands, what was begun is settled after the recovery.
                if !matches!(error, ApplyError::NotUndone { .. }) {
                    write_state(dir, &before).map_err(failed("the run's state cannot be kept"))?;
                }
                return Err(refused_by_the_workspace(action, &error));
            }
        };
        notes.extend(
            applied
                .detached
                .iter()
                .map(|path| format!("`{path}` had further names (hard links): they keep the other content")),
        );
        notes.extend(applied.unclean.map(|why| {
            format!(
                "the change is in place, and what it displaced could not be removed ({why}); the next run tries again"
            )
        }));
        if action == Action::Undo {
            remove_folders(self.root.dir(), &state.folders);
        }
        settle_as(&mut state, step, self.seconds());
        if let Err(error) = write_state(dir, &state) {
            notes.push(format!(
                "the change was {}, and that could not be written into the record: {error}",
                action.done()
            ));
        }
        if let Some(log) = log {
            self.record(log, &record, set, action, own.dir(), &mut notes);
        }
        Ok(Acted {
            run_id: record.id.as_str().to_owned(),
            files: set.files.len(),
            notes,
        })
    }

    /// Something was begun, and the process died. The recovery has put the workspace into one of two states: which one, it shows itself.
    fn settle(&self, state: &mut RecordState, set: &ChangeSet, inverse: &Inverse) {
        let Some(Begun { step, at }) = state.begun.take() else {
            return;
        };
        let done = match step {
            Step::Apply => apply::check(self.root, &inverse.set, &back(inverse)),
            Step::Undo => apply::check(self.root, set, &exactly()),
        };
        if done.is_ok() {
            settle_as(state, step, at);
        }
    }

    /// The audit log of a workspace that has one. A change that cannot be recorded is not made.
    fn open_log(
        &self,
        record: &Record,
        own: &Dir,
        sealed: &[snodo_audit::Head],
        notes: &mut Vec<String>,
    ) -> Result<Option<AuditLog>, ActError> {
        let unusable = |error: &dyn std::fmt::Display| {
            ActError::environment(format!(
                "the audit log cannot be used, and nothing was changed: {error}"
            ))
        };
        let Some(dir) = audit_folder::open(self.root.dir()).map_err(|error| unusable(&error))? else {
            return Ok(None);
        };
        let cached = project::cached(&dir).unwrap_or_else(|fault| {
            notes.push(fault.to_string());
            None
        });
        let mut heads = known_heads(own);
        heads.extend_from_slice(sealed);
        let project = project::resolve(cached.as_ref(), None, fresh(record.id.as_str()));
        AuditLog::open(&dir, &project.id, &heads)
            .map(Some)
            .map_err(|error| unusable(&error))
    }

    fn record(
        &self,
        mut log: AuditLog,
        record: &Record,
        set: &ChangeSet,
        action: Action,
        own: &Dir,
        notes: &mut Vec<String>,
    ) {
        let task = record
            .report()
            .ok()
            .and_then(|report| Some(report["task"]["id"].as_str()?.to_owned()));
        let event = Audited::ChangeApplied(AuditApplied {
            task_ref: task.unwrap_or_default(),
            run_id: record.id.as_str().to_owned(),
            change_set: set.digest(),
            files_changed: set.files.len() as u64,
            paths: set.files.iter().map(|file| file.path.as_str().to_owned()).collect(),
            undone: action == Action::Undo,
        });
        match log.append(self.now, &event.record(None)) {
            Ok(head) => {
                if let Err(error) = keep_head(own, &AuditReport::from(head)) {
                    notes.push(format!("the audit log's head could not be kept: {error}"));
                }
            }
            Err(error) => notes.push(format!("the audit log could not be written: {error}")),
        }
    }
}

/// What a project is called by that has no name of its own: in all events of one run the same.
pub(crate) fn fresh(what: &str) -> [u8; 16] {
    let mut fresh = [0; 16];
    fresh.copy_from_slice(&blake3::hash(what.as_bytes()).as_bytes()[..16]);
    fresh
}

fn exactly() -> Manner {
    Manner {
        exact: true,
        ..Manner::default()
    }
}

fn back(inverse: &Inverse) -> Manner {
    Manner {
        exact: true,
        made: inverse.made.clone(),
        keep_folders: true,
    }
}

fn write_state(dir: &Dir, state: &RecordState) -> std::io::Result<()> {
    files::replace(dir, STATE, &serde_json::to_vec(state)?)
}

fn settle_as(state: &mut RecordState, step: Step, at: u64) {
    state.begun = None;
    match step {
        Step::Apply => {
            state.applied_at = Some(at);
            state.undone_at = None;
        }
        Step::Undo => state.undone_at = Some(at),
    }
}

/// What kind of record it is decides first.
fn allowed_form(record: &Record, action: Action) -> Result<(), ActError> {
    let id = record.id.as_str();
    let refused = |why: String| Err(ActError::Refused(why));
    let seal = match (&record.form, action) {
        (Form::Damaged(_), _) => return record.opened().map(|_| ()).map_err(ActError::from),
        (Form::Old, _) => {
            return refused(format!(
                "`{id}` was kept without its change as data, by an earlier version: it can only be looked at"
            ));
        }
        // Its process died after the change was kept, and perhaps applied.
        (Form::Unfinished, Action::Undo) => return Ok(()),
        (Form::Unfinished, Action::Apply) => {
            return refused(format!(
                "`{id}` did not come to its end: it can only be looked at, or undone"
            ));
        }
        (Form::Sealed(seal), _) => seal,
    };
    // Of a run that was applied and could not be recorded after that, the change is in the workspace.
    let is_in_place = action == Action::Undo && seal.applied;
    if seal.outcome != "completed" && !is_in_place {
        let why = seal.halt_type.as_deref().unwrap_or(&seal.outcome);
        return refused(format!(
            "`{id}` was halted ({}): it can only be looked at; `snodo-host runs diff {id}` prints what it would have changed",
            crate::text::one_line(why, 60)
        ));
    }
    if seal.change_digest.is_none() {
        return refused(format!("`{id}` has no change: there is nothing to {}", action.as_str()));
    }
    if !record.has_change() {
        return refused(format!(
            "`{id}` was kept without its change as data: it can only be looked at"
        ));
    }
    if action == Action::Apply && !seal.dry_run {
        return refused(format!(
            "`{id}` applied its change itself: only that of a dry run can be applied"
        ));
    }
    Ok(())
}

fn allowed_state(record: &Record, state: &RecordState, action: Action) -> Result<(), ActError> {
    let id = record.id.as_str();
    match (action, state.applied_at, state.undone_at) {
        (Action::Apply, Some(_), None) => Err(ActError::Refused(format!(
            "`{id}` is applied already; `snodo-host runs undo {id}` takes it back"
        ))),
        (Action::Undo, None, _) => Err(ActError::Refused(format!(
            "`{id}` was never applied: there is nothing to undo"
        ))),
        (Action::Undo, Some(_), Some(_)) => Err(ActError::Refused(format!("`{id}` is undone already"))),
        (Action::Apply, ..) | (Action::Undo, Some(_), None) => Ok(()),
    }
}

fn other_workspace(record: &Record, was: &Place, now: &Place) -> String {
    let id = record.id.as_str();
    let path = crate::text::one_line(&was.path, 300);
    if was.path == now.path {
        format!(
            "`{id}` was a run in a folder that stood at `{path}`, and another stands there now: nothing was touched"
        )
    } else {
        format!("`{id}` was a run in `{path}`, not in this workspace: give `--workspace {path}`")
    }
}

fn refused_by_the_workspace(action: Action, error: &ApplyError) -> ActError {
    let (end, reason) = match error {
        ApplyError::Stale { path, difference } => (
            End::Stale,
            format!("`{path}` {}: nothing was {}", since(action, *difference), action.done()),
        ),
        ApplyError::Interrupted => (End::Interrupted, error.to_string()),
        _ => (End::Environment, error.to_string()),
    };
    ActError::Failed { end, reason }
}

fn since(action: Action, difference: apply::Difference) -> String {
    use apply::Difference as D;
    let then = match action {
        Action::Apply => "since the dry run",
        Action::Undo => "since it was applied",
    };
    match difference {
        D::Changed => format!("was changed {then}"),
        D::Mode => format!("was made executable, or no longer is, {then}"),
        D::Gone => format!("is gone {then}"),
        D::Appeared => format!("was made {then}"),
        D::Kind(kind) => format!("is {} now", kind.describe()),
    }
}

fn recovery(recovered: &Recovered) -> String {
    let what = match recovered.direction {
        Direction::Undone => "was undone",
        Direction::Finished => "was finished",
    };
    let left: Vec<String> = recovered
        .left
        .iter()
        .map(|left| crate::text::one_line(&format!("`{}` {}", left.path, left.reason), 300))
        .collect();
    let left = if left.is_empty() {
        String::new()
    } else {
        format!("; left as they are: {}", left.join(", "))
    };
    format!(
        "an earlier apply was cut off and {what} ({} paths){left}",
        recovered.paths.len()
    )
}

/// The folders that the apply made, where they hold nothing any more; the deepest first.
fn remove_folders(root: &Dir, folders: &[String]) {
    let mut folders: Vec<WorkspacePath> = folders.iter().filter_map(|f| WorkspacePath::parse(f).ok()).collect();
    folders.sort();
    for folder in folders.iter().rev() {
        // A folder that holds something cannot be removed, and stays.
        if let Ok(above) = open_folder(root, folder.parent().as_ref()) {
            let _ = above.remove_dir(folder.file_name());
        }
    }
}
