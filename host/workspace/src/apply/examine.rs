//! How far a step got, seen from the workspace alone.

use std::rc::Rc;

use cap_std::fs::Dir;

use super::content::{hash_of, is_known};
use super::error::ApplyError;
use super::intent::{Act, Known};
use super::run::Run;
use super::sys::{Id, Standing, look};
use crate::handle::ReachError;
use crate::path::WorkspacePath;

/// How far a step got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// Not to its end.
    Pending {
        /// All of its names stand as the change was made against: it could be taken.
        possible: bool,
    },
    /// Taken, and nobody has touched the result.
    Done,
    /// Taken, and then somebody changed the result.
    ChangedSince,
}

impl Run<'_> {
    /// Looks at what stands at the names of a step. Changes nothing.
    pub(super) fn examine(&self, number: usize) -> Result<Reached, ApplyError> {
        let intent = &self.intents[number];
        let new = self.staged[number];
        let path = &intent.path;
        let here = self.at_path(path)?;
        let temp = self.at_name(intent.temp_folder().as_ref(), &intent.temp)?;
        Ok(match &intent.act {
            Act::Folder { .. } | Act::Create { .. } => {
                if is(here, new) {
                    match &intent.act {
                        Act::Create { after, link, .. } if !self.holds(path, after, *link)? => Reached::ChangedSince,
                        _ => Reached::Done,
                    }
                } else if is(temp, new) {
                    Reached::Pending {
                        possible: here.is_none(),
                    }
                } else if here.is_none() {
                    // Made, and removed by somebody: as good as undone.
                    Reached::Done
                } else {
                    Reached::ChangedSince
                }
            }
            Act::Replace { before, after, backup } => {
                let old = Some(before.id);
                let kept = self.at_name(path.parent().as_ref(), backup)?;
                if is(temp, old) || (is(kept, old) && !is(here, old)) {
                    if is(here, new) && self.holds(path, after, false)? {
                        Reached::Done
                    } else if here.is_none() && is(temp, new) {
                        // Between the two halves of a replacement without exchange.
                        Reached::Pending { possible: false }
                    } else {
                        Reached::ChangedSince
                    }
                } else {
                    Reached::Pending {
                        possible: self.is_as_before(path, before)?,
                    }
                }
            }
            Act::Remove { before } => match (is(temp, Some(before.id)), here) {
                (true, None) => Reached::Done,
                (true, Some(_)) => Reached::ChangedSince,
                (false, _) => Reached::Pending {
                    possible: self.is_as_before(path, before)?,
                },
            },
            Act::Move { from, before } => {
                if is(here, Some(before.id)) {
                    Reached::Done
                } else if is(temp, Some(before.id)) {
                    Reached::Pending {
                        possible: here.is_none(),
                    }
                } else if is(self.at_path(from)?, Some(before.id)) {
                    Reached::Pending {
                        possible: here.is_none() && self.is_as_before(from, before)?,
                    }
                } else {
                    Reached::ChangedSince
                }
            }
        })
    }

    /// What stands at a path. Nothing when its folder is not there.
    pub(super) fn at_path(&self, path: &WorkspacePath) -> Result<Option<Standing>, ApplyError> {
        self.at_name(path.parent().as_ref(), path.file_name())
    }

    /// What stands at a name in a folder. Nothing when the folder is not there.
    pub(super) fn at_name(&self, folder: Option<&WorkspacePath>, name: &str) -> Result<Option<Standing>, ApplyError> {
        match self.open(folder)? {
            Some(dir) => look(&dir, name).map_err(|e| ApplyError::io("look at", name, e)),
            None => Ok(None),
        }
    }

    /// `None` when the folder is not there, or no longer a folder.
    pub(super) fn open(&self, folder: Option<&WorkspacePath>) -> Result<Option<Rc<Dir>>, ApplyError> {
        match self.folders.open(folder) {
            Ok(dir) => Ok(Some(dir)),
            Err(ReachError::NotFound(_) | ReachError::Symlink { .. } | ReachError::WrongKind { .. }) => Ok(None),
            Err(error @ ReachError::Io { .. }) => Err(error.into()),
        }
    }

    /// Whether the file, or link, at a path has this content.
    pub(super) fn holds(&self, path: &WorkspacePath, content: &blake3::Hash, link: bool) -> Result<bool, ApplyError> {
        let failed = |e| ApplyError::io("read", path, e);
        let dir = self.folders.above(path)?;
        let Some(size) = look(&dir, path.file_name()).map_err(failed)?.map(|s| s.size) else {
            return Ok(false);
        };
        Ok(hash_of(&dir, path.file_name(), link, size).map_err(failed)? == Some(*content))
    }

    fn is_as_before(&self, path: &WorkspacePath, before: &Known) -> Result<bool, ApplyError> {
        match self.open(path.parent().as_ref())? {
            Some(dir) => is_known(&dir, path.file_name(), before).map_err(|e| ApplyError::io("read", path, e)),
            None => Ok(false),
        }
    }
}

/// Whether this inode stands there. An inode that was never made stands nowhere.
pub(super) fn is(standing: Option<Standing>, id: Option<Id>) -> bool {
    id.is_some() && standing.map(|s| s.id) == id
}
