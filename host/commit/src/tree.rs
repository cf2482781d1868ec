//! Everything that a tree holds, as one list.

use std::collections::BTreeMap;

use gix_hash::ObjectId;
use gix_object::tree::EntryKind;

use crate::error::CommitError;
use crate::objects::Objects;

/// Folders in each other.
const MAX_DEPTH: usize = 256;
/// Files and folders of one tree. The largest repositories have half of it; a stranger's trees may hold each other many times over.
const MAX_ENTRIES: usize = 2_000_000;

/// What stands in a tree that is no folder, by its path.
pub(crate) type Leaves = BTreeMap<Vec<u8>, (EntryKind, ObjectId)>;

/// What a tree holds below a folder (`prefix`: empty, or with a `/` at its end), with paths from there. Nothing where it has no such folder.
pub(crate) fn leaves(objects: &Objects<'_>, root: ObjectId, prefix: &[u8]) -> Result<Leaves, CommitError> {
    let mut at = root;
    for component in prefix.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
        let tree = objects.tree(at)?;
        let found = tree
            .entries
            .iter()
            .find(|entry| entry.filename == component && entry.mode.is_tree());
        match found {
            Some(entry) => at = entry.oid,
            None => return Ok(Leaves::new()),
        }
    }
    let mut found = Leaves::new();
    let mut left = MAX_ENTRIES;
    let mut folders = vec![(Vec::new(), at, 0)];
    while let Some((path, id, depth)) = folders.pop() {
        for entry in objects.tree(id)?.entries {
            left = left
                .checked_sub(1)
                .filter(|_| depth < MAX_DEPTH)
                .ok_or_else(|| CommitError::Damaged(format!("the tree {root} holds too much, or too deep")))?;
            let mut below: Vec<u8> = path.clone();
            below.extend_from_slice(&entry.filename);
            match entry.mode.kind() {
                EntryKind::Tree => {
                    below.push(b'/');
                    folders.push((below, entry.oid, depth + 1));
                }
                kind => {
                    found.insert(below, (kind, entry.oid));
                }
            }
        }
    }
    Ok(found)
}
