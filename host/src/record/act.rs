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
use super::refusal::{allowed_form, allowed_state, other_workspace, refused_by_the_workspace};
use super::seal::{Begun, Place, RecordState, Step};
use super::store::{Record, Runs, StoreError};
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

    pub(super) fn done(self) -> &'static str {
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
        let mut heads = known_heads(own).map_err(|error| unusable(&error))?;
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
