//! Putting the commit's paths into an index.

use std::collections::BTreeMap;

use gix_hash::ObjectId;

use super::parse::{Entry, Index};
use crate::error::{CommitError, shown};

/// What a path is to become.
pub(crate) enum Wanted {
    /// A file: what is known of it on the disk, with its mode, and its content's name.
    File([u8; 40], ObjectId),
    /// Nothing.
    Gone,
}

/// Whether the paths can be put in: none is in conflict, and nothing stands where a file or its folder has to go.
pub(crate) fn check<'p>(
    index: &Index<'_>,
    paths: impl Iterator<Item = (&'p Vec<u8>, bool)>,
) -> Result<(), CommitError> {
    // True: a file will be there. False: nothing will.
    let paths: BTreeMap<&[u8], bool> = paths.map(|(path, file)| (path.as_slice(), file)).collect();
    let in_the_way = |path: &[u8], how| Err(CommitError::IndexInTheWay { path: shown(path), how });
    let stays = |name: &[u8]| !paths.contains_key(name);
    for (path, is_file) in &paths {
        let at = index.entries.partition_point(|entry| entry.name.as_ref() < *path);
        let here = index.entries[at..]
            .iter()
            .take_while(|entry| entry.name.as_ref() == *path);
        if here.clone().any(|entry| entry.stage != 0) {
            return in_the_way(path, "is in conflict");
        }
        if !is_file {
            continue;
        }
        let below = [path, &b"/"[..]].concat();
        let first_below = index
            .entries
            .partition_point(|entry| entry.name.as_ref() < below.as_slice());
        let blocked = index.entries[first_below..]
            .iter()
            .take_while(|entry| entry.name.starts_with(&below))
            .any(|entry| stays(&entry.name));
        if blocked {
            return in_the_way(path, "is a folder with staged files");
        }
        for at in (0..path.len()).filter(|at| path[*at] == b'/') {
            let folder = &path[..at];
            if stays(folder)
                && index
                    .entries
                    .binary_search_by(|entry| entry.name.as_ref().cmp(folder))
                    .is_ok()
            {
                return in_the_way(path, "would be in a folder where there is a file or a submodule");
            }
        }
    }
    Ok(())
}

/// Puts them in. All other entries stay as they are.
pub(crate) fn apply<'a>(index: Index<'a>, wanted: &BTreeMap<Vec<u8>, Wanted>) -> Index<'a> {
    let new = wanted.iter().filter_map(|(name, wanted)| match wanted {
        Wanted::File(stat, id) => Some(Entry::new(name, stat, id.as_slice())),
        Wanted::Gone => None,
    });
    let mut entries: Vec<Entry<'a>> = index
        .entries
        .into_iter()
        .filter(|entry| !wanted.contains_key(entry.name.as_ref()))
        .chain(new)
        .collect();
    // Two sorted runs: this only merges them.
    entries.sort_by(|a, b| (a.name.as_ref(), a.stage).cmp(&(b.name.as_ref(), b.stage)));
    Index { entries, ..index }
}
