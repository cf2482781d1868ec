//! The file `index`, as git's `gitformat-index` describes it.
//!
//! Everything is checked that can be without the hash: the length of each name against the flags, and the order. That tells SHA-1
//! repositories from SHA-256 ones too, whose entries differ in length only.

/// What is of interest in an index.
pub(super) struct Index<'a> {
    /// In the order of their bytes. Stages of a conflict repeat a name. In a split index, entries of the other file that were replaced
    /// stand here too, without a name.
    pub(super) entries: Vec<Entry>,
    /// The extension `link`, with which most entries stand in another file; empty without it.
    pub(super) link: &'a [u8],
    /// Bytes of a hash in this repository.
    pub(super) hash_bytes: usize,
}

pub(super) struct Entry {
    pub(super) name: Box<[u8]>,
    /// Not a folder of a sparse checkout, which stands in place of the files in it.
    pub(super) is_file: bool,
}

/// `None` for what is not an index that can be relied on.
pub(super) fn parse(index: &[u8]) -> Option<Index<'_>> {
    const SHA1: usize = 20;
    const SHA256: usize = 32;
    parse_with(index, SHA1).or_else(|| parse_with(index, SHA256))
}

fn parse_with(index: &[u8], hash_bytes: usize) -> Option<Index<'_>> {
    /// Times, device, inode, mode, owner and size, before the hash.
    const STAT_BYTES: usize = 40;
    /// A name of this length or longer says so, and not how long it is.
    const LONG_NAME: usize = 0xfff;
    /// A second word of flags follows (version 3 and later).
    const EXTENDED: u16 = 0x4000;
    const FOLDER_MODE: u32 = 0o040_000;

    let header = index.get(..12)?;
    if &header[..4] != b"DIRC" {
        return None;
    }
    let version = number(&header[4..8])?;
    let count = number(&header[8..12])?;
    if !(2..=4).contains(&version) {
        return None;
    }
    // What follows the entries: extensions, and a hash over the whole.
    let entries_end = index.len().checked_sub(hash_bytes)?;
    let mut at = 12;
    let mut entries: Vec<Entry> = Vec::new();
    for _ in 0..count {
        let start = at;
        let mode = number(index.get(start + 24..start + 28)?)?;
        at = start + STAT_BYTES + hash_bytes;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        at += 2;
        if flags & EXTENDED != 0 {
            if version < 3 {
                return None;
            }
            at += 2;
        }
        let last = entries.last().map_or(&[][..], |entry| &entry.name);
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
        if name.len().min(LONG_NAME) != declared || name.as_slice() < last {
            return None;
        }
        entries.push(Entry {
            name: name.into_boxed_slice(),
            is_file: mode != FOLDER_MODE,
        });
    }
    Some(Index {
        entries,
        link: link(index.get(at..entries_end)?)?,
        hash_bytes,
    })
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

/// The content of the extension `link`, empty where there is none; `None` when these are no extensions.
fn link(mut extensions: &[u8]) -> Option<&[u8]> {
    let mut found: &[u8] = &[];
    while !extensions.is_empty() {
        let size = usize::try_from(number(extensions.get(4..8)?)?).ok()?;
        let content = extensions.get(8..)?.get(..size)?;
        if &extensions[..4] == b"link" {
            if content.is_empty() {
                return None;
            }
            found = content;
        }
        extensions = &extensions[8 + size..];
    }
    Some(found)
}

/// Four bytes, the highest first.
pub(super) fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}
