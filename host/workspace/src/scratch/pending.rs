//! The pending change, by folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::overlay::{Entries, OverlayEntry};

/// What the change has in a folder.
pub(super) enum Child<'a> {
    /// A file, or none any more.
    Entry(&'a OverlayEntry),
    /// A folder with something of the change in it.
    Folder,
}

/// The pending change, by folder; `""` is the root.
pub(super) struct Pending<'a> {
    folders: BTreeMap<String, BTreeMap<String, Child<'a>>>,
    gaining: BTreeSet<String>,
    losing: BTreeSet<String>,
    nothing: BTreeMap<String, Child<'a>>,
}

impl<'a> Pending<'a> {
    pub(super) fn new(entries: &'a Entries) -> Self {
        let mut pending = Self {
            folders: BTreeMap::new(),
            gaining: BTreeSet::new(),
            losing: BTreeSet::new(),
            nothing: BTreeMap::new(),
        };
        for (path, entry) in entries {
            let side = match entry {
                OverlayEntry::File { .. } => &mut pending.gaining,
                OverlayEntry::Deleted => &mut pending.losing,
            };
            side.extend(path.ancestors().map(|a| a.as_str().to_owned()));
            for folder in path.ancestors() {
                pending.put(folder.as_str(), Child::Folder);
            }
            pending.put(path.as_str(), Child::Entry(entry));
        }
        pending
    }

    fn put(&mut self, path: &str, child: Child<'a>) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.folders
            .entry(folder.to_owned())
            .or_default()
            .insert(name.to_owned(), child);
    }

    /// What the change has in a folder, by name.
    pub(super) fn children(&self, folder: &str) -> &BTreeMap<String, Child<'a>> {
        self.folders.get(folder).unwrap_or(&self.nothing)
    }

    /// A file of the change lies below.
    pub(super) fn gains_something(&self, folder: &str) -> bool {
        self.gaining.contains(folder)
    }

    /// A file or link below goes.
    pub(super) fn loses_something(&self, folder: &str) -> bool {
        self.losing.contains(folder)
    }
}
