//! A change set as data: how a run record keeps it, and how it becomes a change set again.
//!
//! Contents are kept apart, by their hash. What comes back is built anew from paths and contents, checked like anything that comes from
//! outside, and must bear the digest of the change that was judged: what is applied from a record is that change or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{After, Before, ChangeKind, ChangeSet, FileChange};
use crate::path::{BadPath, WorkspacePath};
use crate::rules::{AccessRules, DenyList, IgnoredReads};
use crate::seen::Seen;

/// One changed path, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptFile {
    /// Where the file is after the change, or was when deleted.
    pub path: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Where it came from, of a rename.
    pub old_path: Option<String>,
    /// What the base had; none for a new file.
    pub before: Option<KeptBefore>,
    /// What was submitted; none for a deleted file.
    pub after: Option<KeptAfter>,
}

/// What the base had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptBefore {
    /// BLAKE3 of the content (of a link: of its target's text), in hexadecimal.
    pub hash: String,
    /// Of the content, in bytes.
    pub size: u64,
    /// As `st_mode` has it.
    pub mode: u32,
}

/// What was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptAfter {
    /// BLAKE3 of the content, in hexadecimal.
    pub hash: String,
    /// In bytes.
    pub size: u64,
    /// The executable bit.
    pub executable: bool,
}

/// Why kept data is no change set.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// A path that no change can have.
    #[error("a path of it {0}")]
    Path(BadPath),
    /// A path that no change may have.
    #[error("it would change `{0}`, which nothing may change")]
    Protected(WorkspacePath),
    /// Paths that are not each there once, in their order.
    #[error("`{0}` stands in it twice, or in the wrong place")]
    Order(WorkspacePath),
    /// Sides, kind and old path do not fit together.
    #[error("what it says of `{0}` contradicts itself")]
    Contradiction(WorkspacePath),
    /// A hash that is none.
    #[error("`{0}` has a hash that is none")]
    Hash(WorkspacePath),
    /// A content is not there or cannot be read.
    #[error("the content of `{path}` ({hash}) {why}")]
    Content {
        /// Of which path.
        path: WorkspacePath,
        /// Which.
        hash: String,
        /// Why, in a sentence's second half.
        why: String,
    },
    /// All of it together is another change than the one that it says to be.
    #[error("it is not the change that was judged: its digest is {found}, and {wanted} was recorded")]
    Digest {
        /// Of what is there.
        found: String,
        /// What was recorded.
        wanted: String,
    },
}

/// The bits of `st_mode` that say what kind of thing it is, and the two that a change can have before it.
const TYPE_BITS: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

impl ChangeSet {
    /// The change as data, without its contents: see [`ChangeSet::contents`].
    pub fn to_kept(&self) -> Vec<KeptFile> {
        let hex = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        let kept = |file: &FileChange| KeptFile {
            path: file.path.as_str().to_owned(),
            kind: file.kind,
            old_path: file.old_path.as_ref().map(|path| path.as_str().to_owned()),
            before: file.before.as_ref().map(|before| KeptBefore {
                hash: hex(&before.bytes),
                size: before.bytes.len() as u64,
                mode: before.mode,
            }),
            after: file.after.as_ref().map(|after| KeptAfter {
                hash: hex(&after.bytes),
                size: after.bytes.len() as u64,
                executable: after.executable,
            }),
        };
        self.files.iter().map(kept).collect()
    }

    /// Every content before and after, once, by its hash in hexadecimal.
    pub fn contents(&self) -> BTreeMap<String, Arc<[u8]>> {
        let before = self
            .files
            .iter()
            .filter_map(|file| file.before.as_ref().map(|b| &b.bytes));
        let after = self
            .files
            .iter()
            .filter_map(|file| file.after.as_ref().map(|a| &a.bytes));
        before
            .chain(after)
            .map(|bytes| (blake3::hash(bytes).to_hex().to_string(), Arc::clone(bytes)))
            .collect()
    }

    /// The change set that was kept: every path is parsed, every content compared with its hash, and the whole with the recorded digest.
    /// `content` is asked for each content by hash and size in bytes, and answers why there is none in a sentence's second half.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn from_kept(
        kept: &[KeptFile],
        digest: &str,
        mut content: impl FnMut(&str, u64) -> Result<Arc<[u8]>, String>,
    ) -> Result<Self, KeptError> {
        // Of this run's own rules a change was held to before it was kept; these hold always.
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).ok();
        let mut fetch = |path: &WorkspacePath, hash: &str, size: u64| -> Result<Arc<[u8]>, KeptError> {
            let wanted = blake3::Hash::from_hex(hash).map_err(|_| KeptError::Hash(path.clone()))?;
            let failed = |why: String| KeptError::Content {
                path: path.clone(),
                hash: wanted.to_hex().to_string(),
                why,
            };
            let bytes = content(&wanted.to_hex(), size).map_err(failed)?;
            if bytes.len() as u64 != size || blake3::hash(&bytes) != wanted {
                return Err(failed("is not what was kept: it has another hash".to_owned()));
            }
            Ok(bytes)
        };
        let mut names = BTreeSet::new();
        let mut name = |text: &str| -> Result<WorkspacePath, KeptError> {
            let path = WorkspacePath::parse(text).map_err(KeptError::Path)?;
            let writable = rules.as_ref().is_some_and(|rules| rules.check_write(&path).is_ok());
            if !writable {
                return Err(KeptError::Protected(path));
            }
            if path.as_str() != text || !names.insert(path.clone()) {
                return Err(KeptError::Order(path));
            }
            Ok(path)
        };
        let mut files: Vec<FileChange> = Vec::with_capacity(kept.len().min(4096));
        for entry in kept {
            let path = name(&entry.path)?;
            let old_path = entry.old_path.as_deref().map(&mut name).transpose()?;
            if files.last().is_some_and(|last| last.path >= path) {
                return Err(KeptError::Order(path));
            }
            let before = match &entry.before {
                None => None,
                Some(before) => {
                    if !matches!(before.mode & TYPE_BITS, FILE | LINK) {
                        return Err(KeptError::Contradiction(path));
                    }
                    let bytes = fetch(&path, &before.hash, before.size)?;
                    Some(Before {
                        seen: Seen::by_content(&bytes, before.mode),
                        mode: before.mode,
                        bytes,
                    })
                }
            };
            let after = match &entry.after {
                None => None,
                Some(after) => Some(After {
                    bytes: fetch(&path, &after.hash, after.size)?,
                    executable: after.executable,
                }),
            };
            let fits = (before.is_some() || after.is_some())
                && (old_path.is_none() || (before.is_some() && after.is_some()))
                && !(after.is_some() && before.as_ref().is_some_and(Before::is_link));
            if !fits {
                return Err(KeptError::Contradiction(path));
            }
            let file = FileChange::new(&path, old_path.as_ref(), before, after);
            if file.kind != entry.kind {
                return Err(KeptError::Contradiction(path));
            }
            files.push(file);
        }
        let set = Self { files };
        let found = set.digest();
        if found == digest {
            Ok(set)
        } else {
            Err(KeptError::Digest {
                found,
                wanted: digest.to_owned(),
            })
        }
    }

    /// The change that takes this one back.
    pub fn inverse(&self) -> Inverse {
        let mut made = BTreeMap::new();
        let mut files: Vec<FileChange> = self
            .files
            .iter()
            .map(|file| {
                let from = file.old_path.as_ref().map(|_| &file.path);
                let path = file.old_path.as_ref().unwrap_or(&file.path);
                let before = file.after.as_ref().map(|after| {
                    let mode = FILE | if after.executable { 0o755 } else { 0o644 };
                    Before {
                        seen: Seen::by_content(&after.bytes, mode),
                        mode,
                        bytes: Arc::clone(&after.bytes),
                    }
                });
                let after = file.before.as_ref().map(|before| After {
                    bytes: Arc::clone(&before.bytes),
                    executable: before.is_executable(),
                });
                if let (None, Some(gone)) = (&before, &file.before) {
                    made.insert(path.clone(), gone.mode);
                }
                FileChange::new(path, from, before, after)
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Inverse {
            set: Self { files },
            made,
        }
    }
}

/// What takes a change back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inverse {
    /// The contents, the other way round. What was a link is a file with the link's target here, told apart by `made`.
    pub set: ChangeSet,
    /// What is made again with the `st_mode` that it had: what the change deleted.
    pub made: BTreeMap<WorkspacePath, u32>,
}
