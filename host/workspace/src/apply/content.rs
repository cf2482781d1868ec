//! What is in a file, by its hash.

use std::io::{self, Read as _};

use cap_std::fs::{Dir, File};

use super::intent::Known;
use super::sys::{self, Standing, look};
use crate::capability::EntryKind;

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;

/// The hash of a file, or of a link's target. None when it has another size, or is something else: then it is not read.
pub(super) fn hash_of(dir: &Dir, name: &str, link: bool, size: u64) -> io::Result<Option<blake3::Hash>> {
    if link {
        return hash_of_link(dir, name).map(Some);
    }
    let file = sys::open(dir, name)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != size {
        return Ok(None);
    }
    hash_of_open(file, size)
}

fn hash_of_link(dir: &Dir, name: &str) -> io::Result<blake3::Hash> {
    let target = dir.read_link_contents(name)?.into_os_string().into_encoded_bytes();
    Ok(blake3::hash(&target))
}

fn hash_of_open(mut file: File, size: u64) -> io::Result<Option<blake3::Hash>> {
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE))];
    let mut left = size;
    while left > 0 {
        let count = file.read(&mut piece)?;
        if count == 0 || count as u64 > left {
            return Ok(None);
        }
        left -= count as u64;
        hasher.update(&piece[..count]);
    }
    Ok(Some(hasher.finalize()))
}

/// Whether what stands at a name is the file or link that is known: the inode, its mode and its content.
pub(super) fn is_known(dir: &Dir, name: &str, known: &Known) -> io::Result<bool> {
    let wanted = if known.link {
        EntryKind::Symlink
    } else {
        EntryKind::File
    };
    let same = |now: &Standing| {
        now.id == known.id && now.kind == wanted && now.mode == known.mode && (known.link || now.size == known.size)
    };
    if !look(dir, name)?.is_some_and(|now| same(&now)) {
        return Ok(false);
    }
    let hash = if known.link {
        Some(hash_of_link(dir, name)?)
    } else {
        hash_of_open(sys::open(dir, name)?, known.size)?
    };
    Ok(hash == Some(known.hash))
}
