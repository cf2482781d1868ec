//! What is in a file, by its hash.

use std::io::{self, Read as _};

use cap_std::fs::Dir;

use super::journal::Known;
use super::sys::{self, look};
use crate::capability::EntryKind;

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;

/// The hash of a file, or of a link's target. None when it has another size, or is something else: then it is not read.
pub(super) fn hash_of(dir: &Dir, name: &str, link: bool, size: u64) -> io::Result<Option<blake3::Hash>> {
    if link {
        let target = dir.read_link_contents(name)?.into_os_string().into_encoded_bytes();
        return Ok(Some(blake3::hash(&target)));
    }
    let mut file = sys::open(dir, name)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != size {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE) + 1)];
    let mut read = 0;
    loop {
        let count = file.read(&mut piece)?;
        read += count as u64;
        if count == 0 || read > size {
            break;
        }
        hasher.update(&piece[..count]);
    }
    Ok((read == size).then(|| hasher.finalize()))
}

/// Whether what stands at a name is the file or link that is known: the inode, its mode and its content.
pub(super) fn is_known(dir: &Dir, name: &str, known: &Known) -> io::Result<bool> {
    let wanted = if known.link {
        EntryKind::Symlink
    } else {
        EntryKind::File
    };
    match look(dir, name)? {
        Some(now) if now.id == known.id && now.kind == wanted && now.mode == known.mode => {
            Ok(hash_of(dir, name, known.link, known.size)? == Some(known.hash))
        }
        _ => Ok(false),
    }
}
