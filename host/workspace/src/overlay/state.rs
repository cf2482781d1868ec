//! What is pending, with the indexes that the algebra asks.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use super::{Entries, OverlayEntry};
use crate::path::WorkspacePath;
use crate::rules::fold_case;

/// What is pending. Changed only through a [`Draft`].
#[derive(Debug, Default)]
pub(super) struct State {
    entries: Arc<Entries>,
    /// Bytes of all pending files.
    bytes: u64,
    /// From the place in the base to where the file was moved.
    moved: HashMap<WorkspacePath, WorkspacePath>,
    /// How pending files and the folders above them are spelled, and by how many files, under their case-folded paths.
    spellings: HashMap<String, BTreeMap<String, usize>>,
}

impl State {
    pub(super) fn entries(&self) -> &Arc<Entries> {
        &self.entries
    }

    fn replace(&mut self, path: &WorkspacePath, entry: Option<OverlayEntry>) -> Option<OverlayEntry> {
        if let Some(OverlayEntry::File {
            bytes, renamed_from, ..
        }) = &entry
        {
            self.bytes += bytes.len() as u64;
            if let Some(from) = renamed_from {
                self.moved.insert(from.clone(), path.clone());
            }
            self.spell(path);
        }
        let entries = Arc::make_mut(&mut self.entries);
        let earlier = match entry {
            Some(entry) => entries.insert(path.clone(), entry),
            None => entries.remove(path),
        };
        if let Some(OverlayEntry::File {
            bytes, renamed_from, ..
        }) = &earlier
        {
            self.bytes -= bytes.len() as u64;
            if let Some(from) = renamed_from {
                // Unless the new entry came from there too.
                let still = matches!(self.entries.get(path), Some(OverlayEntry::File { renamed_from: Some(now), .. }) if now == from);
                if !still {
                    self.moved.remove(from);
                }
            }
            self.unspell(path);
        }
        earlier
    }

    fn spell(&mut self, path: &WorkspacePath) {
        for step in steps(path) {
            *self
                .spellings
                .entry(fold_case(step))
                .or_default()
                .entry(step.to_owned())
                .or_default() += 1;
        }
    }

    fn unspell(&mut self, path: &WorkspacePath) {
        for step in steps(path) {
            let folded = fold_case(step);
            if let Some(spelled) = self.spellings.get_mut(&folded) {
                if let Some(count) = spelled.get_mut(step) {
                    *count -= 1;
                    if *count == 0 {
                        spelled.remove(step);
                    }
                }
                if spelled.is_empty() {
                    self.spellings.remove(&folded);
                }
            }
        }
    }
}

/// The folders above a path, from the topmost down, and the path itself, as text.
pub(super) fn steps(path: &WorkspacePath) -> impl Iterator<Item = &str> {
    let whole = path.as_str();
    whole
        .match_indices('/')
        .map(|(end, _)| &whole[..end])
        .chain(std::iter::once(whole))
}

/// A change of the state that is made whole, or undone when it is dropped.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    state: &'a mut State,
    undo: Vec<(WorkspacePath, Option<OverlayEntry>)>,
}

impl<'a> Draft<'a> {
    pub(super) fn of(state: &'a mut State) -> Self {
        Self {
            state,
            undo: Vec::new(),
        }
    }

    /// Keeps it. Answers how many paths are pending.
    pub(super) fn commit(mut self) -> u32 {
        self.undo.clear();
        u32::try_from(self.pending()).unwrap_or(u32::MAX)
    }

    pub(super) fn get(&self, path: &WorkspacePath) -> Option<&OverlayEntry> {
        self.state.entries.get(path)
    }

    pub(super) fn pending(&self) -> usize {
        self.state.entries.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// Sets what is pending at a path, and keeps the promise of `renamed_from`: a file whose old place is filled again was not
    /// moved from there.
    pub(super) fn set(&mut self, path: &WorkspacePath, entry: Option<OverlayEntry>) -> Option<OverlayEntry> {
        let leaves_place_empty = entry == Some(OverlayEntry::Deleted);
        let earlier = self.put(path, entry);
        if !leaves_place_empty
            && let Some(to) = self.state.moved.get(path).cloned()
            && let Some(OverlayEntry::File { bytes, executable, .. }) = self.state.entries.get(&to).cloned()
        {
            self.put(
                &to,
                Some(OverlayEntry::File {
                    bytes,
                    executable,
                    renamed_from: None,
                }),
            );
        }
        earlier
    }

    fn put(&mut self, path: &WorkspacePath, entry: Option<OverlayEntry>) -> Option<OverlayEntry> {
        let earlier = self.state.replace(path, entry);
        self.undo.push((path.clone(), earlier.clone()));
        earlier
    }

    /// Tells of a path whether something was pending there before this draft.
    pub(super) fn pending_before(&self) -> impl Fn(&WorkspacePath) -> bool + '_ {
        let mut earlier: HashMap<&WorkspacePath, bool> = HashMap::new();
        for (path, entry) in &self.undo {
            earlier.entry(path).or_insert(entry.is_some());
        }
        move |path| earlier.get(path).copied().unwrap_or_else(|| self.get(path).is_some())
    }

    /// A path and, if it is one end of a rename, the other.
    pub(super) fn ends_of(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        let other = match self.get(path) {
            Some(OverlayEntry::File { renamed_from, .. }) => renamed_from.clone(),
            Some(OverlayEntry::Deleted) => self.state.moved.get(path).cloned(),
            None => None,
        };
        std::iter::once(path.clone()).chain(other).collect()
    }

    /// A file that is pending below a path, which makes the path a folder.
    pub(super) fn file_below(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        let below = format!("{}/", path.as_str());
        self.state
            .entries
            .range::<str, _>((Bound::Included(below.as_str()), Bound::Unbounded))
            .take_while(|(path, _)| path.as_str().starts_with(&below))
            .find_map(|(path, entry)| matches!(entry, OverlayEntry::File { .. }).then_some(path))
    }

    /// A pending file that stands where a folder of this path should be.
    pub(super) fn file_above(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        path.ancestors()
            .find(|folder| matches!(self.get(folder), Some(OverlayEntry::File { .. })))
    }

    /// How a pending file, or a folder above one, is spelled that differs from this path, or from a folder above it, in letter case
    /// only. The file at `leaving` does not count.
    pub(super) fn pending_twin(&self, path: &WorkspacePath, leaving: Option<&WorkspacePath>) -> Option<String> {
        steps(path).find_map(|step| {
            let spelled = self.state.spellings.get(&fold_case(step))?;
            spelled
                .iter()
                .find(|(other, count)| {
                    let leaves = leaving.is_some_and(|leaving| {
                        is_step_of(other, leaving) && self.get(leaving).is_some_and(|e| *e != OverlayEntry::Deleted)
                    });
                    other.as_str() != step && **count > usize::from(leaves)
                })
                .map(|(other, _)| other.clone())
        })
    }
}

/// Whether a path is another one, or a folder above it.
fn is_step_of(step: &str, path: &WorkspacePath) -> bool {
    path.as_str()
        .strip_prefix(step)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        for (path, earlier) in self.undo.drain(..).rev() {
            self.state.replace(&path, earlier);
        }
    }
}
