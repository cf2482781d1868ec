//! Applying a change: all of it or none of it, whatever happens in between.
//!
//! The order of things (each arrow is a point of no return for what comes before it):
//!
//! 1. plan: every target is compared with what the run saw of it. Nothing is written.
//! 2. The journal holds every intent, synced → new inodes are written beside their targets, under temporary names, never more open
//!    than their targets will be; one sync of the file system.
//! 3. The journal says `applying`, synced → what is removed or moved leaves its place; folders, new and moved files take theirs,
//!    never over something that is there; changed files are exchanged with their new inode, and what was displaced is hashed and
//!    exchanged back if it is not what was expected. One sync of the file system.
//! 4. The journal says `done`, synced → what was displaced is removed, and folders that have nothing left in them (as git does).
//!
//! An error, a full disk or a request to stop before point 4 is undone on the spot. A process that dies leaves the journal; the
//! next start undoes (or finishes) from it: see [`recover()`].
//!
//! Everything goes by handles of folders that were opened through no link. A file with several names (hard links) gets a new
//! inode at the one name that is changed: its other names keep the old content. A read-only file is replaced like any other, since it is the
//! folder that is written to; it keeps its mode.

mod advance;
mod attributes;
mod content;
mod error;
mod examine;
mod folders;
mod intent;
mod journal;
mod parallel;
mod plan;
mod recover;
mod run;
mod stage;
mod sys;
mod undo;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cap_std::fs::Dir;

pub use self::error::{ApplyError, Difference, Left, RecoverError};
pub use self::recover::{Direction, Recovered, recover};

use self::folders::Folders;
use self::intent::{Act, Intent};
use self::journal::{Journal, Progress};
use self::parallel::in_ranges;
use self::plan::Plan;
use self::run::Run;
use self::watch::{Moment, Unwatched, Watch};
use crate::capability::Cancel;
use crate::change::ChangeSet;
use crate::path::WorkspacePath;
use crate::root::Root;

/// What was applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Paths of the change.
    pub files: usize,
    /// Folders that were made.
    pub folders_made: Vec<WorkspacePath>,
    /// Folders that held nothing any more and were removed.
    pub folders_removed: Vec<WorkspacePath>,
    /// Files that had further names (hard links), which keep the old content.
    pub detached: Vec<WorkspacePath>,
    /// The change is in place, but something it displaced could not be removed, for this reason. The next start tries again.
    pub unclean: Option<String>,
}

/// Applies a change. `journal` is a folder of this workspace's own in the user's state, on which nobody else works now (see
/// [`crate::lock`]). When it answers an error, the workspace is as before, but for what the error itself names.
pub fn apply(root: &Root, set: &ChangeSet, journal: &Dir, stop: &Cancel) -> Result<Applied, ApplyError> {
    apply_watched(root, set, journal, stop, &Unwatched)
}

/// In what an apply of a change that was kept differs from that of one that was just made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manner {
    /// The executable bit of each file has to be what the change was made against, as its content has.
    pub exact: bool,
    /// New files, or links, that are made with this `st_mode`.
    pub made: BTreeMap<WorkspacePath, u32>,
    /// Folders that hold nothing any more stay. (Not if the process dies in the moment when all is in place: the recovery removes them.)
    pub keep_folders: bool,
}

/// [`apply`], in this manner.
///
/// # Errors
/// As [`apply`].
pub fn apply_in(
    root: &Root,
    set: &ChangeSet,
    journal: &Dir,
    stop: &Cancel,
    manner: &Manner,
) -> Result<Applied, ApplyError> {
    apply_in_watched(root, set, journal, stop, manner, &Unwatched)
}

/// Whether [`apply_in`] would begin: everything stands as the change was made against. Touches nothing.
///
/// # Errors
/// What stands otherwise.
pub fn check(root: &Root, set: &ChangeSet, manner: &Manner) -> Result<(), ApplyError> {
    if !root.still_there() {
        return Err(ApplyError::RootMoved);
    }
    plan::make(&Folders::new(root.dir()), set, manner, String::new()).map(|_| ())
}

fn apply_watched(
    root: &Root,
    set: &ChangeSet,
    journal: &Dir,
    stop: &Cancel,
    watch: &dyn Watch,
) -> Result<Applied, ApplyError> {
    apply_in_watched(root, set, journal, stop, &Manner::default(), watch)
}

fn apply_in_watched(
    root: &Root,
    set: &ChangeSet,
    journal: &Dir,
    stop: &Cancel,
    manner: &Manner,
    watch: &dyn Watch,
) -> Result<Applied, ApplyError> {
    if !root.still_there() {
        return Err(ApplyError::RootMoved);
    }
    if set.is_empty() {
        return Ok(Applied::default());
    }
    let digest = set.digest();
    let begun = Journal::begin(journal, &digest, watch).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ApplyError::Unrecovered,
        _ => in_journal(error),
    });
    let (mut record, token) = begun?;
    let plan = match plan::make(&Folders::new(root.dir()), set, manner, token) {
        Ok(plan) => plan,
        Err(error) => {
            record.remove().map_err(in_journal)?;
            return Err(error);
        }
    };
    let mut run = Run::new(root.dir(), &plan.intents, watch);
    let mut progress = Progress::Intending;
    let done = record
        .intend(&digest, root.identity(), &plan.intents)
        .map_err(in_journal)
        .and_then(|()| take_steps(&mut run, &plan, &mut record, &mut progress, stop));
    let Err(cause) = done else {
        return Ok(finish(&run, &plan, set, manner, record));
    };
    // What the journal may say by now must not be that all is done.
    let undone = record
        .take_back_done()
        .map_err(in_journal)
        .and_then(|()| run.undo(progress, journal));
    match undone.and_then(|left| run.sync().map(|()| left)) {
        Ok(left) => {
            record.remove().map_err(in_journal)?;
            if left.is_empty() {
                Err(cause)
            } else {
                Err(ApplyError::Left {
                    cause: Box::new(cause),
                    left,
                })
            }
        }
        Err(error) => Err(ApplyError::NotUndone {
            cause: Box::new(cause),
            error: Box::new(error),
        }),
    }
}

fn take_steps(
    run: &mut Run<'_>,
    plan: &Plan<'_>,
    record: &mut Journal<'_>,
    progress: &mut Progress,
    stop: &Cancel,
) -> Result<(), ApplyError> {
    let (root, watch) = (run.folders.root(), run.watch);
    let go_on = || {
        if stop.is_cancelled() {
            Err(ApplyError::Interrupted)
        } else {
            Ok(())
        }
    };
    let synced = |e| ApplyError::io("sync", "the workspace", e);
    *progress = Progress::Staging;
    run.staged = in_ranges(plan.fresh.len(), |range, failed| {
        let own = Run::new(root, &plan.intents, watch);
        let mut staged = Vec::with_capacity(range.len());
        for number in range {
            go_on()?;
            if failed.is_so() {
                break;
            }
            staged.push(own.stage(number, plan.fresh[number].as_ref())?);
        }
        Ok(staged)
    })?
    .concat();
    run.at(Moment::SyncStaged).map_err(synced)?;
    run.sync()?;
    go_on()?;
    record.applying(&run.staged).map_err(in_journal)?;
    *progress = Progress::Applying;
    for number in 0..run.intents.len() {
        go_on()?;
        run.lift(number)?;
    }
    for number in 0..run.intents.len() {
        go_on()?;
        run.place(number)?;
    }
    run.at(Moment::SyncPlaced).map_err(synced)?;
    run.sync()?;
    go_on()?;
    record.done().map_err(in_journal)
}

/// Everything is in place. What cannot be cleaned now is cleaned at the next start: the journal stays for it.
fn finish(run: &Run<'_>, plan: &Plan<'_>, set: &ChangeSet, manner: &Manner, record: Journal<'_>) -> Applied {
    let cleaned = if manner.keep_folders {
        run.clean_files().map(|()| Vec::new())
    } else {
        run.clean()
    };
    let cleaned = cleaned.and_then(|removed| {
        run.sync()?;
        record.remove().map_err(in_journal)?;
        Ok(removed)
    });
    let (folders_removed, unclean) = match cleaned {
        Ok(removed) => (removed, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let made = |i: &Intent| matches!(i.act, Act::Folder { .. });
    Applied {
        files: set.files.len(),
        folders_made: run.intents.iter().filter(|i| made(i)).map(|i| i.path.clone()).collect(),
        folders_removed,
        detached: plan.detached.clone(),
        unclean,
    }
}

fn in_journal(error: std::io::Error) -> ApplyError {
    ApplyError::io("write", "the journal", error)
}
