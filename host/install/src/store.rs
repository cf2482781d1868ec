//! Plugins' bytes, each under its own hash.

use std::collections::BTreeSet;

use snodo_admission::{Digest, HashedBytes};
use snodo_workspace::capability::EntryKind;

use crate::shelf::{Locked, Shelf, Trouble};

const ENDING: &str = ".wasm";

/// Why installed bytes cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BytesFault {
    /// They are gone.
    #[error("its bytes ({digest}) are not in the store")]
    Missing {
        /// What the record names.
        digest: Digest,
    },
    /// They are others.
    #[error("its bytes are not what was installed: the record says {recorded}, the stored file is {found}")]
    Differ {
        /// What the record names.
        recorded: Digest,
        /// What stands there.
        found: Digest,
    },
    /// They are others, by their size alone.
    #[error("its bytes are not what was installed: the record says {recorded} bytes, the stored file has {}", more_or_exactly(*.found, *.recorded))]
    Size {
        /// What the record says.
        recorded: u64,
        /// What stands there; of a longer file one byte more than the record says.
        found: u64,
    },
    /// The file cannot be used.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

fn more_or_exactly(found: u64, recorded: u64) -> String {
    if found > recorded {
        "more".to_owned()
    } else {
        found.to_string()
    }
}

/// The file's name.
fn file_of(digest: Digest) -> String {
    format!("{}{ENDING}", digest.hex())
}

fn digest_of(file: &str) -> Option<Digest> {
    Digest::of_hex(file.strip_suffix(ENDING)?)
}

/// Reads bytes and hashes them: the buffer that was hashed is the one that is given.
pub(crate) fn read(store: Option<&Shelf>, digest: Digest, size: u64) -> Result<HashedBytes, BytesFault> {
    let missing = BytesFault::Missing { digest };
    let Some(store) = store else { return Err(missing) };
    let bytes = match store.read(&file_of(digest), size) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(missing),
        Err(Trouble::TooLarge { .. }) => {
            return Err(BytesFault::Size {
                recorded: size,
                found: size.saturating_add(1),
            });
        }
        Err(other) => return Err(other.into()),
    };
    if bytes.len() as u64 != size {
        return Err(BytesFault::Size {
            recorded: size,
            found: bytes.len() as u64,
        });
    }
    let hashed = HashedBytes::new(bytes);
    if hashed.digest() == digest {
        Ok(hashed)
    } else {
        Err(BytesFault::Differ {
            recorded: digest,
            found: hashed.digest(),
        })
    }
}

/// Stores bytes; says whether they had to be written. What stands in their place and is not them (rot, a link, a pipe) makes room.
pub(crate) fn put(store: &Locked<'_>, bytes: &[u8], digest: Digest) -> Result<bool, Trouble> {
    match read(Some(store), digest, bytes.len() as u64) {
        Ok(_) => return Ok(false),
        Err(BytesFault::Missing { .. }) => {}
        Err(BytesFault::Trouble(error @ (Trouble::Io { .. } | Trouble::NotOurs { .. }))) => return Err(error),
        Err(BytesFault::Trouble(Trouble::WrongKind {
            path,
            kind: kind @ EntryKind::Directory,
            needed,
        })) => {
            return Err(Trouble::WrongKind { path, kind, needed });
        }
        Err(_) => {
            store.remove(&file_of(digest))?;
        }
    }
    store.write(&file_of(digest), bytes, false)?;
    Ok(true)
}

/// Removes bytes that nothing names, and what interrupted writes left. Says how many bytes that freed. What is no file of ours is left.
pub(crate) fn collect(store: &Locked<'_>, named: &BTreeSet<Digest>) -> Result<u64, Trouble> {
    let mut freed = 0;
    let mut removed = store.clear()?;
    for name in store.names()?.into_iter().flatten() {
        if digest_of(&name).is_some_and(|digest| !named.contains(&digest)) {
            let size = store.size(&name);
            // A folder of such a name is nobody's of ours.
            match store.remove(&name) {
                Ok(true) => {
                    freed += size;
                    removed = true;
                }
                Ok(false) | Err(Trouble::WrongKind { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    if removed {
        store.sync()?;
    }
    Ok(freed)
}
