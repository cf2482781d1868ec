//! What is pending, as a tree: a walk needs the entries of one folder at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::overlay::{Entries, OverlayEntry};
use crate::path::WorkspacePath;

/// A path of the overlay, or a folder above one.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// What stands at the path itself.
    pub(super) entry: Option<Entry>,
    /// What lies below it.
    pub(super) below: BTreeMap<String, Self>,
    /// There is a file here or below.
    pub(super) has_file: bool,
}

/// What was submitted for a path.
#[derive(Debug)]
pub(super) enum Entry {
    /// A file with this content.
    File(Arc<[u8]>),
    /// Nothing any more.
    Deleted,
}

impl Pending {
    /// The tree of a snapshot of the overlay.
    pub(crate) fn new(entries: &Entries) -> Self {
        let mut root = Self::default();
        for (path, entry) in entries {
            let entry = match entry {
                OverlayEntry::File { bytes, .. } => Entry::File(Arc::clone(bytes)),
                OverlayEntry::Deleted => Entry::Deleted,
            };
            let is_file = matches!(entry, Entry::File(_));
            let mut at = &mut root;
            for component in path.components() {
                at.has_file |= is_file;
                at = at.below.entry(component.to_owned()).or_default();
            }
            at.has_file |= is_file;
            at.entry = Some(entry);
        }
        root
    }

    /// What is pending at a path and below it.
    pub(super) fn at(&self, path: Option<&WorkspacePath>) -> Option<&Self> {
        path.map_or(Some(self), |path| {
            path.components()
                .try_fold(self, |at, component| at.below.get(component))
        })
    }
}
