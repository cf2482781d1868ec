//! A split index (`core.splitIndex`): most entries stand in a second file, `sharedindex.<hash>`, and the index has what changed since.
//!
//! Two bit maps over the entries of the shared file say which were deleted and which replaced. An entry that was replaced keeps its
//! name; it stands in the index without one.

use super::index::{self, Entry, Index};

/// The names in an index, in the order of their bytes; `None` for what is not an index that can be relied on. `read_beside` reads a
/// file of the folder that the index stands in.
pub(super) fn tracked_names(index: &[u8], read_beside: impl FnOnce(&str) -> Option<Vec<u8>>) -> Option<Vec<Box<[u8]>>> {
    let own = index::parse(index)?;
    let entries = if own.link.is_empty() {
        own.entries
    } else {
        join(&own, read_beside)?
    };
    if entries.first().is_some_and(|first| first.name.is_empty()) {
        return None;
    }
    let mut names: Vec<_> = entries.into_iter().filter(|e| e.is_file).map(|e| e.name).collect();
    names.dedup();
    Some(names)
}

fn join(own: &Index<'_>, read_beside: impl FnOnce(&str) -> Option<Vec<u8>>) -> Option<Vec<Entry>> {
    let (hash, maps) = own.link.split_at_checked(own.hash_bytes)?;
    let shared = if hash.iter().all(|byte| *byte == 0) {
        // Not split yet.
        Vec::new()
    } else {
        let hash = hash
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        let bytes = read_beside(&format!("sharedindex.{hash}"))?;
        let shared = index::parse(&bytes)?;
        if shared.hash_bytes != own.hash_bytes || !shared.link.is_empty() {
            return None;
        }
        shared.entries
    };
    let (deleted, replaced) = if maps.is_empty() {
        (vec![false; shared.len()], vec![false; shared.len()])
    } else {
        let (deleted, rest) = bit_map(maps, shared.len())?;
        let (replaced, rest) = bit_map(rest, shared.len())?;
        if !rest.is_empty() {
            return None;
        }
        (deleted, replaced)
    };
    let unnamed = own.entries.partition_point(|entry| entry.name.is_empty());
    if replaced.iter().filter(|bit| **bit).count() != unnamed {
        return None;
    }
    let added = own.entries[unnamed..].iter().map(|entry| Entry {
        name: entry.name.clone(),
        is_file: entry.is_file,
    });
    let kept = shared.into_iter().zip(deleted).filter(|(_, deleted)| !deleted);
    let mut all: Vec<Entry> = kept.map(|(entry, _)| entry).chain(added).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Some(all)
}

/// A bit map in the EWAH form (git's `ewah/`), with what follows it. A bit at `bits` or beyond makes it `None`.
///
/// A number of bits, a number of 64-bit words, the words, and the place of the last marker. A marker's lowest bit is repeated over
/// as many whole words as its next 32 bits say; its upper 31 bits say how many words follow as they are.
fn bit_map(bytes: &[u8], bits: usize) -> Option<(Vec<bool>, &[u8])> {
    const WORD: usize = 64;
    let words = usize::try_from(index::number(bytes.get(4..8)?)?).ok()?.checked_mul(8)?;
    let (words, rest) = bytes.get(8..)?.split_at_checked(words)?;
    let rest = rest.get(4..)?;
    let mut words = words
        .chunks_exact(8)
        .map(|word| word.try_into().map_or(0, u64::from_be_bytes));
    let mut map = vec![false; bits];
    let mut at = 0_usize;
    while let Some(marker) = words.next() {
        let run = usize::try_from((marker >> 1) & 0xffff_ffff).ok()?.checked_mul(WORD)?;
        let end = at.checked_add(run)?;
        if marker & 1 == 1 {
            map.get_mut(at..end)?.fill(true);
        }
        at = end;
        for _ in 0..marker >> 33 {
            let word = words.next()?;
            for bit in (0..WORD).filter(|bit| word >> bit & 1 == 1) {
                *map.get_mut(at.checked_add(bit)?)? = true;
            }
            at = at.checked_add(WORD)?;
        }
    }
    Some((map, rest))
}
