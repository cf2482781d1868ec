//! The pending change, by folder.

use std::collections::{BTreeMap, BTreeSet};

use cap_std::fs::Dir;

use super::{ScratchError, listing};
use crate::capability::Cancel;
use crate::overlay::{Entries, OverlayEntry};

/// What the change has in a folder.
pub(super) enum Child<'a> {
    /// A file, or none any more.
    Entry(&'a OverlayEntry),
    /// A folder with something of the change in it.
    Folder {
        /// A file of the base goes, and the folder takes its place.
        replaces: bool,
    },
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
                pending.put(folder.as_str(), Child::Folder { replaces: false });
            }
            pending.put(path.as_str(), Child::Entry(entry));
        }
        pending
    }

    fn put(&mut self, path: &str, child: Child<'a>) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let children = self.folders.entry(folder.to_owned()).or_default();
        // In the order of paths, what is said of a path itself comes before what is said of one below it.
        let child = match (children.get(name), child) {
            (Some(Child::Entry(file @ OverlayEntry::File { .. })), Child::Folder { .. }) => Child::Entry(file),
            (Some(Child::Entry(OverlayEntry::Deleted) | Child::Folder { replaces: true }), Child::Folder { .. }) => {
                Child::Folder { replaces: true }
            }
            (_, child) => child,
        };
        children.insert(name.to_owned(), child);
    }

    /// What the change has in a folder, by name.
    pub(super) fn children(&self, folder: &str) -> &BTreeMap<String, Child<'a>> {
        self.folders.get(folder).unwrap_or(&self.nothing)
    }

    /// A file of the change lies below.
    pub(super) fn gains_something(&self, folder: &str) -> bool {
        self.gaining.contains(folder)
    }

    /// The folders that are not there after the change: everything that they held goes, and nothing comes. One that holds something hidden stays,
    /// although a scratch shows nothing in it.
    pub(super) fn gone(&self, root: &Dir, cancel: &Cancel) -> Result<BTreeSet<String>, ScratchError> {
        let mut gone = BTreeSet::new();
        // Folders come before what is in them, so in this order after it.
        for folder in self.losing.iter().rev() {
            if cancel.is_cancelled() {
                return Err(ScratchError::Cancelled);
            }
            if self.gains_something(folder) {
                continue;
            }
            let Ok(dir) = listing::open_below(root, folder.as_ref()) else {
                continue;
            };
            let children = self.children(folder);
            let mut stays = false;
            let listed = listing::list(&dir, |name, _| {
                let goes = name.to_str().is_some_and(|name| match children.get(name) {
                    Some(Child::Entry(OverlayEntry::Deleted)) => true,
                    Some(Child::Folder { .. }) => gone.contains(&format!("{folder}/{name}")),
                    Some(Child::Entry(OverlayEntry::File { .. })) | None => false,
                });
                stays |= !goes;
                goes
            });
            if listed.is_ok() && !stays {
                gone.insert(folder.clone());
            }
        }
        Ok(gone)
    }
}
