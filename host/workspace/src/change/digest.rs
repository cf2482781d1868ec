//! The canonical bytes of a change, hashed.

use super::{ChangeKind, ChangeSet};
use crate::path::WorkspacePath;

/// Says what the bytes are; another layout gets another line.
const DOMAIN: &[u8] = b"snodo-host change set, layout 1\n";

/// See [`ChangeSet::digest`].
pub(super) fn of(set: &ChangeSet) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(DOMAIN);
    for file in &set.files {
        hasher.update(&[match file.kind {
            ChangeKind::Added => b'A',
            ChangeKind::Modified => b'M',
            ChangeKind::Deleted => b'D',
            ChangeKind::Renamed => b'R',
            ChangeKind::ModeChanged => b'X',
        }]);
        path(&mut hasher, Some(&file.path));
        path(&mut hasher, file.old_path.as_ref());
        let before = file
            .before
            .as_ref()
            .map(|b| (&b.bytes[..], [u8::from(b.is_executable()), u8::from(b.is_link())]));
        let after = file.after.as_ref().map(|a| (&a.bytes[..], [u8::from(a.executable), 0]));
        for side in [before, after] {
            match side {
                None => {
                    hasher.update(&[0]);
                }
                Some((bytes, bits)) => {
                    hasher.update(&[1]);
                    hasher.update(&bits);
                    hasher.update(blake3::hash(bytes).as_bytes());
                }
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// With its length first, so that no two lists of paths have the same bytes.
fn path(hasher: &mut blake3::Hasher, path: Option<&WorkspacePath>) {
    match path {
        None => {
            hasher.update(&[0]);
        }
        Some(path) => {
            hasher.update(&[1]);
            hasher.update(&(path.as_str().len() as u64).to_le_bytes());
            hasher.update(path.as_str().as_bytes());
        }
    }
}
