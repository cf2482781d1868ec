//! Which paths git tracks, from the repository's index.
//!
//! Asked only of files that an ignore file names: a tracked one may be read all the same. The index is that of the repository that
//! the workspace belongs to, also when it is a linked worktree, a submodule, or a folder within a repository ([`folder`] has the
//! rules for looking outside the root), and also when the index is split ([`split`]). Where there is none that can be relied on, no
//! file counts as tracked, and an ignored one stays closed.
//!
//! Written here and not taken from a git library, since all that is needed is the list of names, and the libraries that read an index
//! bring some seventy crates along.

mod folder;
mod index;
mod split;

use std::sync::OnceLock;

use self::folder::IndexFolder;
use crate::path::WorkspacePath;
use crate::root::Root;

/// Bytes of an index that is read: some 700,000 files. Of a larger one no file counts as tracked.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// The paths that git tracks, read when first asked for and then kept for the run.
#[derive(Debug, Default)]
pub(crate) struct Tracked(OnceLock<Vec<Box<[u8]>>>);

impl Tracked {
    /// Whether git tracks this path.
    pub(crate) fn contains(&self, root: &Root, path: &WorkspacePath) -> bool {
        self.names(root)
            .binary_search_by(|name| (**name).cmp(path.as_str().as_bytes()))
            .is_ok()
    }

    /// Whether git tracks a file below this folder.
    pub(crate) fn contains_below(&self, root: &Root, folder: &WorkspacePath) -> bool {
        let below = format!("{}/", folder.as_str()).into_bytes();
        let names = self.names(root);
        let first = names.partition_point(|name| **name < *below);
        names.get(first).is_some_and(|name| name.starts_with(&below))
    }

    fn names(&self, root: &Root) -> &[Box<[u8]>] {
        self.0.get_or_init(|| read_index(root).unwrap_or_default())
    }
}

/// The tracked paths below the root, from the root, in the order of their bytes.
fn read_index(root: &Root) -> Option<Vec<Box<[u8]>>> {
    let IndexFolder { dir, prefix } = folder::find(root)?;
    let index = folder::read(&dir, "index", MAX_INDEX_BYTES)?;
    let names = split::tracked_names(&index, |name| folder::read(&dir, name, MAX_INDEX_BYTES))?;
    if prefix.is_empty() {
        return Some(names);
    }
    let below = names.iter().filter_map(|name| name.strip_prefix(prefix.as_slice()));
    Some(below.map(Box::from).collect())
}

#[cfg(test)]
mod tests;
