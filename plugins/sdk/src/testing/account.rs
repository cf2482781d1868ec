//! The host's account of a change, as a test reads it.

use std::fmt;
use std::sync::Arc;

use snodo_workspace::capability::{Change as _, DiffQuery};
use snodo_workspace::change::{ChangeSet, ChangeView};
use snodo_workspace::overlay::{Entries, OverlayEntry};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::view::View;

use super::convert::each;
use super::ground::Ground;
use crate::Content;
use crate::change::{ChangeSummary, FileDiff};
use crate::types::TestGoverningChange;

/// A change over its base.
#[derive(Clone)]
pub(super) struct Account {
    ground: Arc<Ground>,
    entries: Arc<Entries>,
    set: Arc<ChangeSet>,
}

impl Account {
    #[track_caller]
    pub(super) fn of(ground: &Arc<Ground>, entries: Arc<Entries>) -> Self {
        let set = match ChangeSet::compute(&ground.base, &entries) {
            Ok(set) => set,
            Err(error) => panic!("the change cannot be computed: {error}"),
        };
        Self {
            ground: Arc::clone(ground),
            entries,
            set: Arc::new(set),
        }
    }

    pub(super) fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// As a validator is given it.
    pub(super) fn capability(&self) -> ChangeView {
        ChangeView::new(Arc::clone(&self.ground.base), Arc::clone(&self.set))
    }

    /// What is judged.
    pub(super) fn view(&self) -> View {
        View::frozen(Arc::clone(&self.ground.base), Arc::clone(&self.entries))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub(super) fn summary(&self) -> ChangeSummary {
        self.set.summary().into()
    }

    pub(super) fn test_governing(&self) -> Vec<TestGoverningChange> {
        each(self.set.test_governing())
    }

    pub(super) fn diff(&self) -> Vec<FileDiff> {
        let all = DiffQuery {
            paths: Vec::new(),
            context_lines: 3,
            max_bytes: u64::MAX,
        };
        self.capability()
            .diff(&all)
            .map_or_else(|_| Vec::new(), |answer| each(answer.files))
    }

    pub(super) fn patch(&self) -> String {
        // A change of text files that are not UTF-8 is shown as one of binary files.
        String::from_utf8_lossy(&self.set.to_patch()).into_owned()
    }

    /// What stands at a path with the change applied. No rule is asked: it is the test that looks.
    pub(super) fn file(&self, path: &str) -> Option<Content> {
        let path = WorkspacePath::parse(path).ok()?;
        let bytes = match self.entries.get(&path) {
            Some(OverlayEntry::File { bytes, .. }) => bytes.to_vec(),
            Some(OverlayEntry::Deleted) => return None,
            None => self.ground.base.read(&path).ok()?.bytes,
        };
        Some(snodo_workspace::capability::Content::from_bytes(bytes).into())
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.patch())
    }
}
