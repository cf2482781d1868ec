//! Which paths git tracks, from the repository's index.
//!
//! Asked only of files that an ignore file names: a tracked one may be read all the same. Only an index inside the root is read
//! (`.git/index`, by handle). Where there is none that can be used (the workspace is a folder within a repository or a linked
//! worktree, the index is split, or it is damaged), no file counts as tracked, and an ignored one stays closed.
//!
//! Written here and not taken from a git library, since all that is needed is the list of names, and the libraries that read an index
//! bring some seventy crates along.

use std::io::Read as _;
use std::sync::OnceLock;

use crate::handle;
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

fn read_index(root: &Root) -> Option<Vec<Box<[u8]>>> {
    let path = WorkspacePath::parse(".git/index").ok()?;
    let (file, metadata) = handle::open_file(root.dir(), &path).ok()?;
    if metadata.len() > MAX_INDEX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_INDEX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    tracked_names(&bytes)
}

/// The names in an index, in the order of their bytes; `None` for what is not an index that can be relied on.
///
/// The format is described in git's `gitformat-index`. Everything is checked that can be without the hash: the length of each name
/// against the flags, and the order. That tells SHA-1 repositories from SHA-256 ones too, whose entries differ in length only.
pub(crate) fn tracked_names(index: &[u8]) -> Option<Vec<Box<[u8]>>> {
    const SHA1: usize = 20;
    const SHA256: usize = 32;
    parse(index, SHA1).or_else(|| parse(index, SHA256))
}

fn parse(index: &[u8], hash_bytes: usize) -> Option<Vec<Box<[u8]>>> {
    /// Times, device, inode, mode, owner and size, before the hash.
    const STAT_BYTES: usize = 40;
    /// A name of this length or longer says so, and not how long it is.
    const LONG_NAME: usize = 0xfff;
    /// A second word of flags follows (version 3 and later).
    const EXTENDED: u16 = 0x4000;
    /// A folder of a sparse checkout, in place of the files in it.
    const FOLDER_MODE: u32 = 0o040_000;

    let header = index.get(..12)?;
    if &header[..4] != b"DIRC" {
        return None;
    }
    let version = u32::from_be_bytes(header[4..8].try_into().ok()?);
    let count = u32::from_be_bytes(header[8..12].try_into().ok()?);
    if !(2..=4).contains(&version) {
        return None;
    }
    // What follows the entries: extensions, and a hash over the whole.
    let entries_end = index.len().checked_sub(hash_bytes)?;
    let mut at = 12;
    let mut names: Vec<Box<[u8]>> = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    let mut first = true;
    for _ in 0..count {
        let start = at;
        let mode = u32::from_be_bytes(index.get(start + 24..start + 28)?.try_into().ok()?);
        at = start + STAT_BYTES + hash_bytes;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        at += 2;
        if flags & EXTENDED != 0 {
            if version < 3 {
                return None;
            }
            at += 2;
        }
        let mut name = Vec::new();
        if version == 4 {
            let (cut, used) = offset(index.get(at..entries_end)?)?;
            at += used;
            name.extend_from_slice(last.get(..last.len().checked_sub(cut)?)?);
        }
        let rest = index.get(at..entries_end)?;
        let length = memchr::memchr(0, rest)?;
        name.extend_from_slice(&rest[..length]);
        at += length + 1;
        if version < 4 {
            // Filled up with one to eight NULs to a multiple of eight bytes.
            at = start + (at - 1 - start + 8) / 8 * 8;
        }
        let declared = usize::from(flags) & LONG_NAME;
        if name.is_empty() || name.len().min(LONG_NAME) != declared {
            return None;
        }
        // Stages of a conflict repeat a name.
        if !first && name < last {
            return None;
        }
        if mode != FOLDER_MODE && (first || name != last) {
            names.push(name.clone().into_boxed_slice());
        }
        first = false;
        last = name;
    }
    if at > entries_end || has_shared_part(index.get(at..entries_end)?) {
        return None;
    }
    Some(names)
}

/// A number as pack files and the fourth version of the index write it: seven bits a byte, the highest first, each continuation adding one.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (used, byte) in bytes.iter().enumerate() {
        value = value.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, used + 1));
        }
        value = value.checked_add(1)?.checked_mul(128)?;
    }
    None
}

/// Whether the extension `link` is there: most entries then stand in another file.
fn has_shared_part(mut extensions: &[u8]) -> bool {
    while let (Some(name), Some(size)) = (extensions.get(..4), extensions.get(4..8)) {
        if name == b"link" {
            return true;
        }
        let size = size
            .try_into()
            .map_or(usize::MAX, |size| u32::from_be_bytes(size) as usize);
        match extensions.get(8..).and_then(|rest| rest.get(size..)) {
            Some(rest) => extensions = rest,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests;
