//! What a scratch must not show.
//!
//! A program that runs in a scratch is code that a plugin may have written, and what it prints goes back to plugins. So what plugins are not given
//! is not there for it either: `.git` at any depth (a linked worktree's file too), the root's `.snodo`, and what the deny list of reads names. What
//! git merely ignores is there, since tests need build output; and so is what the protocol protects, since it may be read.
//!
//! Also hidden is what nobody could look through: folders that may not be read (whoever runs the program owns them and could open them there), and
//! folders deeper than a path may be.
//!
//! Names are looked at as they stand at the time of the walk. What is made in the workspace afterwards is not known here, and an overlay over the
//! workspace shows it. A name that is not UTF-8 is held against the deny list with its other bytes replaced, so that `*.key` hides `\xff.key`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::Dir;

use super::ScratchError;
use super::listing::{self, HELD_OPEN};
use crate::base::Base;
use crate::capability::{Cancel, EntryKind};
use crate::path::MAX_COMPONENTS;
use crate::rules::{AccessRules, fold};
use crate::walk::pool::{Pool, threads};

/// How many paths are hidden at most: a workspace with more is not run in, since each is an entry to make in an upper layer.
const MAX_HIDDEN: u64 = 200_000;

/// Why a scratch does not show a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HiddenReason {
    /// `.git`, a folder or a linked worktree's file.
    Repository,
    /// The root's `.snodo`.
    OwnState,
    /// The deny list of reads names it: the rule, with where it stands.
    Denied(String),
    /// A folder that may not be read, so that nobody knows what is in it.
    Unreadable,
    /// A folder deeper than a path may be.
    TooDeep,
}

impl HiddenReason {
    /// In words, as the end of "`path`: …".
    pub fn explain(&self) -> &str {
        match self {
            Self::Repository => "`.git` is kept out of every scratch, at any depth",
            Self::OwnState => "`.snodo` is the host's own and kept out of every scratch",
            Self::Denied(rule) => rule,
            Self::Unreadable => "a folder that may not be read is kept out of every scratch",
            Self::TooDeep => "a folder deeper than a path may be is kept out of every scratch",
        }
    }
}

/// A path that a scratch does not show, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenEntry {
    /// From the root, names of any bytes with `/` between them.
    pub path: PathBuf,
    /// What stands there.
    pub kind: EntryKind,
    /// Why.
    pub reason: HiddenReason,
}

/// What a scratch does not show, in the order of the paths' bytes. Nothing below a hidden folder is listed on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    entries: Vec<HiddenEntry>,
}

impl Hidden {
    /// All of it.
    pub fn entries(&self) -> &[HiddenEntry] {
        &self.entries
    }

    /// The same, but for the root's own `.git`, which the user opened for reading.
    #[must_use]
    pub fn with_repository_shown(mut self) -> Self {
        self.entries
            .retain(|entry| entry.path != Path::new(".git") || entry.reason != HiddenReason::Repository);
        self
    }

    /// The entry of just this path.
    pub fn at(&self, path: &Path) -> Option<&HiddenEntry> {
        let wanted = path.as_os_str().as_encoded_bytes();
        let index = self.entries.binary_search_by(|entry| bytes(entry).cmp(wanted)).ok()?;
        self.entries.get(index)
    }

    /// The entry of this path, or of a folder above it.
    pub fn covering(&self, path: &Path) -> Option<&HiddenEntry> {
        if self.entries.is_empty() {
            return None;
        }
        path.ancestors().find_map(|step| self.at(step))
    }
}

/// What of a workspace a scratch must not show. Looks at every name of the tree, ignored folders too, on all threads that there are; no link is
/// followed, no file opened, and no hidden folder entered. Long work: call it where blocking is allowed.
pub fn hidden(base: &Base, cancel: &Cancel) -> Result<Hidden, ScratchError> {
    let walk = Walk {
        rules: base.rules(),
        root: base.root().dir(),
        cancel,
        found: AtomicU64::new(0),
    };
    let root = listing::reopen(walk.root).map_err(|e| ScratchError::io(OsStr::new("."), e))?;
    let pool = Pool::new(Work::Open(Arc::new(root), Folder::default()));
    let results = pool.run(
        threads(),
        || Ok(Vec::new()),
        |work, own: &mut Result<Vec<HiddenEntry>, ScratchError>| {
            if let Ok(found) = own
                && let Err(error) = walk.folder(work, found, &pool)
            {
                *own = Err(error);
                pool.stop();
            }
        },
    );
    let mut entries = Vec::new();
    for result in results {
        entries.append(&mut result?);
    }
    entries.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
    Ok(Hidden { entries })
}

fn bytes(entry: &HiddenEntry) -> &[u8] {
    entry.path.as_os_str().as_encoded_bytes()
}

/// Whether a name alone hides an entry of a folder at this depth (0: the root).
pub(super) fn by_name(name: &OsStr, depth: usize) -> Option<HiddenReason> {
    if name.eq_ignore_ascii_case(".git") {
        Some(HiddenReason::Repository)
    } else if depth == 0 && name.eq_ignore_ascii_case(".snodo") {
        Some(HiddenReason::OwnState)
    } else {
        None
    }
}

struct Walk<'a> {
    rules: &'a AccessRules,
    root: &'a Dir,
    cancel: &'a Cancel,
    found: AtomicU64,
}

/// A folder on the way, empty for the root.
#[derive(Default)]
struct Folder {
    path: OsString,
    /// The same, as the rules compare it.
    folded: String,
    /// Of its entries: how many names lie above them.
    depth: usize,
}

enum Work {
    Open(Arc<Dir>, Folder),
    /// To be opened from here.
    In(Arc<Dir>, Folder),
    /// To be opened from the root.
    ByPath(Folder),
}

impl Walk<'_> {
    fn folder(&self, work: Work, found: &mut Vec<HiddenEntry>, pool: &Pool<Work>) -> Result<(), ScratchError> {
        if self.cancel.is_cancelled() {
            return Err(ScratchError::Cancelled);
        }
        let (opened, folder) = match work {
            Work::Open(dir, folder) => (Ok(dir), folder),
            Work::In(parent, folder) => {
                let name = Path::new(&folder.path).file_name().unwrap_or_default();
                (listing::open_folder(&parent, name).map(Arc::new), folder)
            }
            Work::ByPath(folder) => (listing::open_below(self.root, &folder.path).map(Arc::new), folder),
        };
        let dir = match opened {
            Ok(dir) => dir,
            Err(error) => {
                return if error.kind() == io::ErrorKind::PermissionDenied {
                    self.add(found, folder.path, EntryKind::Directory, HiddenReason::Unreadable)
                } else if listing::is_no_folder(&error) {
                    // There are no names below it.
                    Ok(())
                } else {
                    Err(ScratchError::io(&folder.path, error))
                };
            }
        };
        let mut below = Vec::new();
        let mut folded = folder.folded.clone();
        if !folded.is_empty() {
            folded.push('/');
        }
        let above = folded.len();
        let mut failed = Ok(());
        let listed = listing::list(&dir, |name, kind| {
            folded.truncate(above);
            failed = self.entry(&dir, &folder, name, kind, &mut folded, found, &mut below);
            failed.is_ok()
        });
        failed?;
        listed.map_err(|e| ScratchError::io(&folder.path, e))?;
        pool.add(below);
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a loop's body: what it works on is borrowed apart"
    )]
    fn entry(
        &self,
        dir: &Arc<Dir>,
        folder: &Folder,
        name: &OsStr,
        mut kind: EntryKind,
        folded: &mut String,
        found: &mut Vec<HiddenEntry>,
        below: &mut Vec<Work>,
    ) -> Result<(), ScratchError> {
        let path = || listing::join(&folder.path, name);
        if kind == EntryKind::Unknown {
            // Some file systems list names without kinds.
            match listing::look(dir, name) {
                Ok(Some(look)) => kind = look.kind,
                Ok(None) => return Ok(()),
                Err(error) => return Err(ScratchError::io(&path(), error)),
            }
        }
        if let Some(reason) = by_name(name, folder.depth) {
            return self.add(found, path(), kind, reason);
        }
        folded.push_str(&fold(&name.to_string_lossy()));
        let is_folder = kind == EntryKind::Directory;
        if let Some(rule) = self.rules.denied_step(folded, is_folder) {
            return self.add(found, path(), kind, HiddenReason::Denied(rule));
        }
        if !is_folder {
            return Ok(());
        }
        if folder.depth + 1 >= MAX_COMPONENTS {
            return self.add(found, path(), kind, HiddenReason::TooDeep);
        }
        let next = Folder {
            path: path(),
            folded: folded.clone(),
            depth: folder.depth + 1,
        };
        below.push(if folder.depth < HELD_OPEN {
            Work::In(Arc::clone(dir), next)
        } else {
            Work::ByPath(next)
        });
        Ok(())
    }

    fn add(
        &self,
        found: &mut Vec<HiddenEntry>,
        path: OsString,
        kind: EntryKind,
        reason: HiddenReason,
    ) -> Result<(), ScratchError> {
        if self.found.fetch_add(1, Ordering::Relaxed) >= MAX_HIDDEN {
            return Err(ScratchError::TooLarge {
                what: "files and folders that a program must not see",
                limit: MAX_HIDDEN,
            });
        }
        found.push(HiddenEntry {
            path: PathBuf::from(path),
            kind,
            reason,
        });
        Ok(())
    }
}
