//! Of which runs a change can be applied or undone, and what is said where it cannot.

use snodo_workspace::apply::{self, ApplyError};

use super::act::{ActError, Action};
use super::seal::{Place, RecordState};
use super::store::{Form, Record};
use crate::outcome::End;

/// What kind of record it is decides first.
pub(super) fn allowed_form(record: &Record, action: Action) -> Result<(), ActError> {
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

pub(super) fn allowed_state(record: &Record, state: &RecordState, action: Action) -> Result<(), ActError> {
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

pub(super) fn other_workspace(record: &Record, was: &Place, now: &Place) -> String {
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

pub(super) fn refused_by_the_workspace(action: Action, error: &ApplyError) -> ActError {
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
