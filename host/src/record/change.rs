//! The change of a run, kept as data before anything is applied.

use std::collections::BTreeSet;

use cap_std::fs::Dir;
use snodo_workspace::change::ChangeSet;
use snodo_workspace::handle::{ReachError, open_folder};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::root::Root;

use super::files;
use super::keep::{RecordError, StateFolder, io};
use super::seal::{Begun, CHANGE_SCHEMA, ChangeData, Place, RecordState, Step};

/// Where contents lie.
pub(super) const BLOBS: &str = "blobs";
pub(super) const CHANGE: &str = "change.json";
pub(super) const STATE: &str = "state.json";

/// Keeps a change that passed both gates, with its contents before and after, under the run's id: by it `runs apply` applies exactly this
/// change, and `runs undo` takes it back. To be called once for a run, under the workspace's lock, and before the change is applied: on the
/// disk when this is through. `applying` is the time, in seconds since the Unix epoch, if it is applied now.
///
/// # Errors
/// The system would not; then the change must not be applied, since it could not be undone.
pub fn keep_change(
    state: &StateFolder,
    root: &Root,
    run_id: &str,
    change: &ChangeSet,
    applying: Option<u64>,
) -> Result<(), RecordError> {
    let runs = files::folder(&state.dir, super::keep::RUNS).map_err(io("opening the state folder's `runs`"))?;
    files::make_folder(&runs, run_id).map_err(io("making a folder for the run"))?;
    let own = files::folder(&runs, run_id).map_err(io("opening the folder for the run"))?;
    let blobs = files::folder(&own, BLOBS).map_err(io("making a folder for the contents"))?;
    for (hash, bytes) in change.contents() {
        files::write_new(&blobs, &hash, &bytes).map_err(io("keeping a content"))?;
    }
    let data = ChangeData {
        schema: CHANGE_SCHEMA.to_owned(),
        run_id: run_id.to_owned(),
        workspace: Place::of(root),
        digest: change.digest(),
        files: change.to_kept(),
    };
    files::write_new(&own, CHANGE, &serde_json::to_vec(&data)?).map_err(io("keeping the change"))?;
    files::sync_all(&blobs).map_err(io("syncing the change"))?;
    if let Some(at) = applying {
        let begun = RecordState {
            begun: Some(Begun { step: Step::Apply, at }),
            folders: folders_to_make(root.dir(), change),
            ..RecordState::new()
        };
        files::replace(&own, STATE, &serde_json::to_vec(&begun)?).map_err(io("keeping the run's state"))?;
    }
    Ok(())
}

/// Folders that are missing for the files of a change.
pub(super) fn folders_to_make(root: &Dir, change: &ChangeSet) -> Vec<String> {
    let new = change
        .files
        .iter()
        .filter(|file| file.before.is_none() || file.old_path.is_some());
    let above: BTreeSet<WorkspacePath> = new.flat_map(|file| file.path.ancestors()).collect();
    let missing = |folder: &WorkspacePath| matches!(open_folder(root, Some(folder)), Err(ReachError::NotFound(_)));
    above
        .iter()
        .filter(|folder| missing(folder))
        .map(|folder| folder.as_str().to_owned())
        .collect()
}
