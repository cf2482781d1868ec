//! Reading and writing the format (git's `gitformat-index`): versions 2 to 4, with SHA-1.

use std::borrow::Cow;

use crate::error::CommitError;
use crate::objects::HASH;

/// Of a name in SHA-1.
const HASH_BYTES: usize = 20;
/// Times, device, inode, mode, owner, size; the hash; flags.
const FIXED_BYTES: usize = 62;
/// A name of this length or longer says so, and not how long it is.
const LONG_NAME: u16 = 0xfff;
/// A second word of flags follows (version 3 and later).
const EXTENDED: u16 = 0x4000;
const FOLDER_MODE: u32 = 0o040_000;
/// Bytes of all names together. Version 4 says of each in how much it is the one before: a small file can hold very much.
const MAX_NAME_BYTES: usize = 1024 * 1024 * 1024;

/// An index.
pub(crate) struct Index<'a> {
    pub(super) version: u32,
    pub(super) entries: Vec<Entry<'a>>,
    /// The extensions that are kept, with their headers.
    pub(super) kept: Vec<&'a [u8]>,
}

/// An entry.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) name: Cow<'a, [u8]>,
    /// 0, or 1 to 3 in a conflict.
    pub(super) stage: u8,
    /// All that comes before the name.
    pub(super) fixed: Cow<'a, [u8]>,
}

impl Entry<'_> {
    pub(super) fn new(name: &[u8], stat_and_mode: &[u8; 40], id: &[u8]) -> Self {
        let mut fixed = stat_and_mode.to_vec();
        fixed.extend_from_slice(id);
        let length = u16::try_from(name.len()).unwrap_or(LONG_NAME).min(LONG_NAME);
        fixed.extend_from_slice(&length.to_be_bytes());
        Self {
            name: Cow::Owned(name.to_vec()),
            stage: 0,
            fixed: Cow::Owned(fixed),
        }
    }
}

impl Index<'_> {
    /// The paths that are not checked out on purpose (a sparse checkout), in the order of their bytes.
    pub(crate) fn not_checked_out(&self) -> Vec<Vec<u8>> {
        const SKIP_WORKTREE: u16 = 0x4000;
        let skips = |entry: &&Entry<'_>| {
            let further = entry.fixed.get(FIXED_BYTES..FIXED_BYTES + 2);
            further.is_some_and(|flags| u16::from_be_bytes([flags[0], flags[1]]) & SKIP_WORKTREE != 0)
        };
        let names = self.entries.iter().filter(skips);
        names.map(|entry| entry.name.to_vec()).collect()
    }

    /// Of a repository that has none.
    pub(crate) fn empty() -> Self {
        Self {
            version: 2,
            entries: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// The whole file, with its hash.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, CommitError> {
        let mut out = b"DIRC".to_vec();
        out.extend_from_slice(&self.version.to_be_bytes());
        let count = u32::try_from(self.entries.len())
            .map_err(|_| CommitError::Objects("the index would have too many entries".to_owned()))?;
        out.extend_from_slice(&count.to_be_bytes());
        let mut last: &[u8] = &[];
        for entry in &self.entries {
            let start = out.len();
            out.extend_from_slice(&entry.fixed);
            if self.version == 4 {
                let common = last.iter().zip(entry.name.iter()).take_while(|(a, b)| a == b).count();
                put_offset(&mut out, last.len() - common);
                out.extend_from_slice(&entry.name[common..]);
                out.push(0);
            } else {
                out.extend_from_slice(&entry.name);
                // One to eight NULs, to a multiple of eight bytes.
                let length = (out.len() - start + 8) / 8 * 8;
                out.resize(start + length, 0);
            }
            last = &entry.name;
        }
        for extension in &self.kept {
            out.extend_from_slice(extension);
        }
        let hash = hash_of(&out)?;
        out.extend_from_slice(hash.as_slice());
        Ok(out)
    }
}

/// Reads an index; what is not one, or cannot be written back without loss, is refused.
pub(crate) fn parse(bytes: &[u8]) -> Result<Index<'_>, CommitError> {
    let end = bytes
        .len()
        .checked_sub(HASH_BYTES)
        .ok_or_else(|| damaged("it is too short"))?;
    let (content, hash) = bytes.split_at(end);
    // All zeros: the repository is set not to have one (`index.skipHash`).
    if hash.iter().any(|byte| *byte != 0) && hash_of(content)?.as_slice() != hash {
        return Err(damaged("its hash is not that of its content"));
    }
    let header = content.get(..12).ok_or_else(|| damaged("it is too short"))?;
    if &header[..4] != b"DIRC" {
        return Err(damaged("it does not start as an index does"));
    }
    let version = number(&header[4..8]);
    if !(2..=4).contains(&version) {
        return Err(CommitError::UnsupportedFormat(format!("an index of version {version}")));
    }
    let mut at = 12;
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut name_bytes = 0;
    for _ in 0..number(&header[8..12]) {
        let (entry, next) = entry(content, at, version, entries.last())
            .ok_or_else(|| damaged("an entry is cut off or not in order"))?;
        if number(&entry.fixed[24..28]) == FOLDER_MODE {
            return Err(SPARSE());
        }
        at = next;
        name_bytes += entry.name.len();
        if name_bytes > MAX_NAME_BYTES {
            return Err(damaged("its names are too long"));
        }
        entries.push(entry);
    }
    let kept = extensions(&content[at..])?;
    if entries.first().is_some_and(|first| first.name.is_empty()) {
        return Err(damaged("an entry has no name"));
    }
    Ok(Index { version, entries, kept })
}

#[expect(non_snake_case, reason = "a constant in all but the type system")]
fn SPARSE() -> CommitError {
    CommitError::UnsupportedIndex {
        what: "a sparse one",
        remedy: "`git sparse-checkout reapply --no-sparse-index` makes it an ordinary one",
    }
}

fn entry<'a>(content: &'a [u8], start: usize, version: u32, last: Option<&Entry<'a>>) -> Option<(Entry<'a>, usize)> {
    let flags = content.get(start + FIXED_BYTES - 2..start + FIXED_BYTES)?;
    let flags = u16::from_be_bytes([flags[0], flags[1]]);
    let mut at = start + FIXED_BYTES;
    if flags & EXTENDED != 0 {
        if version < 3 {
            return None;
        }
        at += 2;
    }
    let fixed = content.get(start..at)?;
    let last_name = last.map_or(&[][..], |entry| &entry.name);
    let name: Cow<'a, [u8]> = if version == 4 {
        let (cut, used) = offset(content.get(at..)?)?;
        at += used;
        let rest = content.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        at += length + 1;
        let kept = last_name.get(..last_name.len().checked_sub(cut)?)?;
        Cow::Owned([kept, &rest[..length]].concat())
    } else {
        let rest = content.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        at = start + (at + length - start + 8) / 8 * 8;
        Cow::Borrowed(&rest[..length])
    };
    let stage = u8::try_from(flags >> 12 & 3).ok()?;
    let declared = flags & LONG_NAME;
    // In a split index, which is told by an extension further on, the first ones are without a name.
    let in_order = last.is_none_or(|last| {
        (last.name.as_ref(), last.stage) < (name.as_ref(), stage) || (last.name.is_empty() && name.is_empty())
    });
    let length_fits = u16::try_from(name.len()).unwrap_or(LONG_NAME).min(LONG_NAME) == declared;
    (at <= content.len() && in_order && length_fits).then_some((
        Entry {
            name,
            stage,
            fixed: Cow::Borrowed(fixed),
        },
        at,
    ))
}

fn extensions(mut rest: &[u8]) -> Result<Vec<&[u8]>, CommitError> {
    let mut kept = Vec::new();
    while !rest.is_empty() {
        let length = rest
            .get(4..8)
            .and_then(|size| usize::try_from(number(size)).ok()?.checked_add(8))
            .filter(|length| *length <= rest.len())
            .ok_or_else(|| damaged("an extension is cut off"))?;
        let (extension, after) = rest.split_at(length);
        match &extension[..4] {
            b"REUC" => kept.push(extension),
            b"link" => {
                return Err(CommitError::UnsupportedIndex {
                    what: "split in two files",
                    remedy: "`git update-index --no-split-index` makes it one",
                });
            }
            b"sdir" => return Err(SPARSE()),
            [first, ..] if first.is_ascii_uppercase() => {}
            name => {
                return Err(CommitError::UnsupportedFormat(format!(
                    "the index extension `{}`",
                    crate::error::shown(name)
                )));
            }
        }
        rest = after;
    }
    Ok(kept)
}

fn hash_of(content: &[u8]) -> Result<gix_hash::ObjectId, CommitError> {
    let mut hasher = gix_hash::hasher(HASH);
    hasher.update(content);
    hasher
        .try_finalize()
        .map_err(|error| CommitError::Objects(crate::error::said(&error)))
}

fn damaged(why: &str) -> CommitError {
    CommitError::Damaged(format!("the index: {why}"))
}

/// Four bytes, the highest first.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// A number of seven bits a byte, the highest first, each continuation adding one; with the bytes that it took.
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

fn put_offset(out: &mut Vec<u8>, mut value: usize) {
    let mut digits = vec![low_bits(value)];
    while value >= 128 {
        value = (value >> 7) - 1;
        digits.push(low_bits(value) | 0x80);
    }
    out.extend(digits.iter().rev());
}

fn low_bits(value: usize) -> u8 {
    u8::try_from(value & 0x7f).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{offset, put_offset};

    #[test]
    fn offsets_are_read_as_they_are_written() {
        for value in (0..70_000).chain([1 << 20, (1 << 28) + 5]) {
            let mut bytes = Vec::new();
            put_offset(&mut bytes, value);
            assert_eq!(offset(&bytes), Some((value, bytes.len())));
        }
    }
}
