//! What the next start does about an apply that ended half-way.

use cap_std::fs::Dir;

use super::error::{ApplyError, Left, RecoverError};
use super::examine::{Reached, is};
use super::folders::Folders;
use super::in_journal;
use super::intent::Act;
use super::journal::{self, Found, Journal, Progress};
use super::run::Run;
use super::watch::{Unwatched, Watch};
use crate::path::WorkspacePath;
use crate::root::Root;

/// Which way a recovery went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The workspace is as before that apply.
    Undone,
    /// The workspace is as that apply meant it.
    Finished,
}

/// What was recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Which way.
    pub direction: Direction,
    /// The digest of the change.
    pub change: String,
    /// Its paths.
    pub paths: Vec<WorkspacePath>,
    /// What somebody else changed in the meantime, and which stays so.
    pub left: Vec<Left>,
}

/// Undoes or finishes what an earlier apply in this workspace left half-way; answers none when nothing had been begun. To be called before
/// every run, under the workspace's lock.
///
/// An apply is undone unless the journal says that everything is in place. The one exception: somebody has changed one of its
/// results in the meantime, so that it cannot be undone whole, and all that remains could still be taken: then it is finished.
pub fn recover(root: &Root, journal: &Dir) -> Result<Option<Recovered>, RecoverError> {
    recover_watched(root, journal, &Unwatched)
}

pub(super) fn recover_watched(root: &Root, dir: &Dir, watch: &dyn Watch) -> Result<Option<Recovered>, RecoverError> {
    let Some(found) = journal::find(dir)? else {
        return Ok(None);
    };
    if found.progress == Progress::Intending {
        let begun = Journal::resume(dir, watch).and_then(Journal::remove);
        return begun.map(|()| None).map_err(|e| RecoverError::Step(in_journal(e)));
    }
    if found.root != root.identity() {
        return Err(RecoverError::OtherRoot);
    }
    recover_found(root, dir, &found, watch)
        .map(Some)
        .map_err(RecoverError::Step)
}

fn recover_found(root: &Root, dir: &Dir, found: &Found, watch: &dyn Watch) -> Result<Recovered, ApplyError> {
    let run = Run {
        folders: Folders::new(root.dir()),
        intents: &found.intents,
        staged: found.staged.clone(),
        watch,
    };
    let mut record = Journal::resume(dir, watch).map_err(in_journal)?;
    let mut left = Vec::new();
    let direction = match found.progress {
        Progress::Done => Direction::Finished,
        Progress::Applying if can_only_be_finished(&run)? => {
            go_on(&run)?;
            run.sync()?;
            record.done().map_err(in_journal)?;
            Direction::Finished
        }
        progress => {
            left = run.undo(progress, dir)?;
            Direction::Undone
        }
    };
    if direction == Direction::Finished {
        run.clean()?;
    }
    run.sync()?;
    record.remove().map_err(in_journal)?;
    let mut paths: Vec<WorkspacePath> = found
        .intents
        .iter()
        .flat_map(|intent| match &intent.act {
            Act::Folder { .. } => vec![],
            Act::Move { from, .. } => vec![from.clone(), intent.path.clone()],
            Act::Create { .. } | Act::Replace { .. } | Act::Remove { .. } => vec![intent.path.clone()],
        })
        .collect();
    paths.sort();
    Ok(Recovered {
        direction,
        change: found.change.clone(),
        paths,
        left,
    })
}

fn can_only_be_finished(run: &Run<'_>) -> Result<bool, ApplyError> {
    let mut changed_since = false;
    for number in 0..run.intents.len() {
        match run.examine(number)? {
            Reached::ChangedSince => changed_since = true,
            Reached::Pending { possible: false } => return Ok(false),
            Reached::Pending { possible: true } | Reached::Done => {}
        }
    }
    Ok(changed_since)
}

/// Takes the steps that have not been taken.
fn go_on(run: &Run<'_>) -> Result<(), ApplyError> {
    let pending: Vec<usize> = (0..run.intents.len())
        .map(|number| {
            run.examine(number)
                .map(|r| (number, matches!(r, Reached::Pending { .. })))
        })
        .filter_map(|r| r.map(|(n, pending)| pending.then_some(n)).transpose())
        .collect::<Result<_, _>>()?;
    for number in &pending {
        let intent = &run.intents[*number];
        let lifted = match &intent.act {
            Act::Move { before, .. } => is(
                run.at_name(intent.temp_folder().as_ref(), &intent.temp)?,
                Some(before.id),
            ),
            _ => false,
        };
        if !lifted {
            run.lift(*number)?;
        }
    }
    pending.iter().try_for_each(|number| run.place(*number))
}
