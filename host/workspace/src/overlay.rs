//! The overlay: what was submitted, over the base. Pure algebra; nothing here writes to the workspace.
//!
//! One call of [`Overlay::submit`] is taken whole or not at all. Over calls, the last operation for a path wins and the earlier one is
//! reported as superseded. What stands at a path is what the base has, unless something is pending there; folders exist
//! through the base, or through the files pending in them, and are never submitted themselves. One outcome for each case:
//!
//! | operation | what stands there | outcome |
//! |---|---|---|
//! | any | no path; protected | `bad-path`; `refused` with the rule |
//! | any | named by an earlier operation of the call, after `./f` and `f//g` are resolved | `duplicate` |
//! | any | a link at the path or on the way (but for *delete* of the link itself) | `symlink` |
//! | write, rename to, set-executable | a FIFO, socket or device | `wrong-kind` |
//! | write | nothing | a new file: executable only if asked |
//! | write | a file | replaced; the executable bit stays unless it is given |
//! | write | a file whose deletion is pending | replaced, as if it had not been deleted |
//! | write | a folder | `wrong-kind`; of pending files only: `conflict` |
//! | write, rename to | a file stands where a folder of the path should be (also when its deletion is pending: the name can become a folder in a later run) | `conflict` |
//! | write, rename to | nothing, but a twin that differs in letter case only, of the file or of a folder on the way | `conflict` (two such names are one on some systems) |
//! | write, set-executable | same content and bit as in the base | `unchanged`, not pending |
//! | delete | a file of the base | it goes |
//! | delete | a new file, pending | back to nothing: `unchanged` (if it was moved here, its old place stays empty) |
//! | delete | a link of the base | the link goes, its target stays |
//! | delete | a folder, FIFO, socket or device | `wrong-kind` |
//! | delete, set-executable, rename from | nothing, or a file whose deletion is pending | `not-found` |
//! | rename | a file, to where nothing stands | it moves, with its content and bit; the target keeps where the base had it, over a chain of moves |
//! | rename | to the same path, or to where something stands | `conflict` |
//! | rename | to a name that differs in letter case only | it moves: the old name is the twin that leaves |
//! | rename | to a file whose deletion is pending | that file is replaced |
//! | rename, set-executable | a file that may not be read | `refused`: it would come into view under another name or as submitted |
//! | write, delete, rename, set-executable | a file over the size that is read whole | `too-large`: it could not be compared when the change is applied |
//! | any | a file that is not what this run saw | `changed-during-run` |
//! | withdraw | anything pending | as in the base; either end of a rename takes back both |
//! | withdraw | a deletion, while a twin of the file is pending | `conflict` |
//!
//! Empty content is an empty file, never a deletion. A folder of the base stays a folder when its last file goes.

mod names;
mod operation;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::names::Names;
use self::operation::{Call, Named};
use self::state::{Draft, State};
use crate::base::Base;
use crate::capability::{LimitReached, Operation, Rejected, Submission, SubmitError, SubmitRefusal};
use crate::limits::SubmitLimits;
use crate::path::WorkspacePath;

/// What a path will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlayEntry {
    /// A file with this content; it differs from the base in content or executable bit, or is not there.
    File {
        /// All of it.
        bytes: Arc<[u8]>,
        /// The executable bit.
        executable: bool,
        /// The file of the base that it was moved from. Then: the base has a file there and none here, that path is
        /// [`OverlayEntry::Deleted`] in the overlay, and no other entry names it.
        renamed_from: Option<WorkspacePath>,
    },
    /// Nothing: the base has a file, or a link, here, and it goes.
    Deleted,
}

/// What is pending, by path.
pub type Entries = BTreeMap<WorkspacePath, OverlayEntry>;

/// What was submitted so far. One value is shared by the submit capability and the view.
#[derive(Debug)]
pub struct Overlay {
    base: Arc<Base>,
    limits: SubmitLimits,
    state: Mutex<State>,
    names: Mutex<Names>,
}

impl Overlay {
    /// Nothing submitted yet.
    pub fn new(base: Arc<Base>, limits: SubmitLimits) -> Self {
        Self {
            base,
            limits,
            state: Mutex::default(),
            names: Mutex::default(),
        }
    }

    /// What it lies over.
    pub fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// What is pending now: a snapshot, cheap to take, that later submissions do not change. Waits for a submission that is being
    /// taken.
    pub fn entries(&self) -> Arc<Entries> {
        Arc::clone(self.state().entries())
    }

    /// Takes operations, all or none.
    pub fn submit(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError> {
        // Before anything is looked at.
        within("submit-operations", operations.len(), self.limits.call_operations)?;
        let accepted = u32::try_from(operations.len()).unwrap_or(u32::MAX);
        let mut state = self.state();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let mut draft = Draft::of(&mut state);
        let mut named = Named::default();
        for (index, operation) in (0_u32..).zip(operations) {
            let mut call = Call {
                base: &self.base,
                limits: &self.limits,
                draft: &mut draft,
                names: &mut names,
            };
            call.take(index, operation, &mut named)
                .map_err(|reason| Rejected { index, reason })?;
            self.check_totals(&draft)?;
        }
        let superseded = named.superseded(&draft);
        let pending = draft.commit();
        Ok(Submission {
            accepted,
            superseded,
            unchanged: named.without_entry(state.entries()),
            pending,
        })
    }

    /// Takes back what was submitted for these paths, all or none; answers the paths for which there was something, normalised and in
    /// order. Either end of a rename takes back both.
    pub fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        within("submit-operations", paths.len(), self.limits.call_operations)?;
        let mut state = self.state();
        let mut draft = Draft::of(&mut state);
        let mut taken_back = BTreeSet::new();
        // Files of the base that stand again, with the index of the path that brought them back.
        let mut restored = Vec::new();
        for (index, given) in (0_u32..).zip(paths) {
            let path = WorkspacePath::parse(given).map_err(|bad| Rejected {
                index,
                reason: SubmitRefusal::BadPath(bad),
            })?;
            for path in draft.ends_of(&path) {
                if let Some(entry) = draft.set(&path, None) {
                    if entry == OverlayEntry::Deleted {
                        restored.push((index, path.clone()));
                    }
                    taken_back.insert(path);
                }
            }
        }
        for (index, path) in restored {
            if let Some(twin) = draft.pending_twin(&path, None) {
                let reason = SubmitRefusal::Conflict {
                    path: path.as_str().to_owned(),
                    with: twin,
                    reason: "the file would stand again beside a submitted one whose name differs in letter case only"
                        .to_owned(),
                };
                return Err(Rejected { index, reason }.into());
            }
        }
        draft.commit();
        Ok(taken_back.into_iter().map(|path| path.as_str().to_owned()).collect())
    }

    fn check_totals(&self, draft: &Draft<'_>) -> Result<(), SubmitError> {
        let bytes = self.limits.total_bytes;
        if draft.bytes() > bytes {
            return Err(limit("submit-bytes", bytes));
        }
        within("submit-paths", draft.pending(), self.limits.pending_paths)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn within(name: &'static str, count: usize, allowed: usize) -> Result<(), SubmitError> {
    if count > allowed {
        Err(limit(name, allowed as u64))
    } else {
        Ok(())
    }
}

fn limit(name: &'static str, allowed: u64) -> SubmitError {
    SubmitError::Limit(LimitReached { name, allowed })
}
