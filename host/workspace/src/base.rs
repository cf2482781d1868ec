//! The workspace as found: read by handle, with a record of what was seen.
//!
//! The first look at a file, and the first submission that names it, record what stands there ([`Seen`]: identity, times, hash). That record
//! is what later looks are compared with, by content: a file that was saved again without a change, or only touched, is the same;
//! one with other content is `ChangedDuringRun`. Only what is touched is recorded; there is no scan of the tree.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::capability::{EntryKind, Refusal};
use crate::git::Tracked;
use crate::handle::{self, ReachError};
use crate::ignore_rules::IgnoreRules;
use crate::limits::{FileLimits, SearchLimits};
use crate::path::WorkspacePath;
use crate::root::Root;
use crate::rules::{AccessRules, BadRule, DenyList, IgnoredReads};
use crate::seen::{Seen, Sight, Stat};

/// A file of the base, whole; or a link (`mode` says `S_IFLNK`), whose bytes are its target's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseFile {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Any executable bit is set.
    pub executable: bool,
    /// As `st_mode` has it now.
    pub mode: u32,
    /// What is recorded of it: the first look of this run. Same content; inode, times and mode may have moved on since.
    pub seen: Seen,
}

/// Why the base has no answer.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(WorkspacePath),
    /// A link, at the path or on the way.
    #[error("`{at}` is a symbolic link: links are not followed")]
    Symlink {
        /// The link.
        at: WorkspacePath,
    },
    /// Something else stands at the path, or on the way.
    #[error("`{at}` is {}", .kind.describe())]
    WrongKind {
        /// Where.
        at: WorkspacePath,
        /// What it is.
        kind: EntryKind,
    },
    /// Over the size that is read whole.
    #[error("`{path}` has {size} bytes; at most {limit} are read at once")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// Not what this run saw before.
    #[error("`{0}` changed while the run was going on")]
    ChangedDuringRun(WorkspacePath),
    /// The system would not.
    #[error("`{path}`: {error}")]
    Io {
        /// What was asked for. Escaped.
        path: String,
        /// Its reason.
        error: io::Error,
    },
}

impl From<ReachError> for BaseError {
    fn from(error: ReachError) -> Self {
        match error {
            ReachError::NotFound(path) => Self::NotFound(path),
            ReachError::Symlink { at } => Self::Symlink { at },
            ReachError::WrongKind { at, kind } => Self::WrongKind { at, kind },
            ReachError::Io { path, error } => Self::Io { path, error },
        }
    }
}

/// How often a file that is being written while it is read is read again before it counts as changing.
const ATTEMPTS: u32 = 3;

/// The workspace as found. Shared; nothing here writes.
///
/// Rules are *not* asked here, but by whoever answers a plugin ([`crate::view::View`], [`crate::overlay::Overlay`]): the host
/// itself has to see what it compares.
#[derive(Debug)]
pub struct Base {
    root: Arc<Root>,
    rules: AccessRules,
    ignore_rules: IgnoreRules,
    limits: FileLimits,
    search_limits: SearchLimits,
    tracked: Tracked,
    sights: Mutex<HashMap<WorkspacePath, Sight>>,
}

impl Base {
    /// Over an open root.
    pub fn new(root: Arc<Root>, rules: AccessRules, limits: FileLimits, search_limits: SearchLimits) -> Self {
        Self {
            ignore_rules: IgnoreRules::new(Arc::clone(&root)),
            root,
            rules,
            limits,
            search_limits,
            tracked: Tracked::default(),
            sights: Mutex::default(),
        }
    }

    /// For the host's own eyes: no deny list, and no protected paths.
    ///
    /// # Errors
    /// None that can come up: an empty list has no bad pattern.
    pub fn for_the_host(root: Arc<Root>, limits: FileLimits, search_limits: SearchLimits) -> Result<Self, BadRule> {
        let rules = AccessRules::new(&[], DenyList::new(&[], "nobody")?, IgnoredReads::refuse_all())?;
        Ok(Self::new(root, rules, limits, search_limits))
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The rules of the run.
    pub fn rules(&self) -> &AccessRules {
        &self.rules
    }

    /// The workspace's own ignore files, each as it was first read in this run.
    pub fn ignore_rules(&self) -> &IgnoreRules {
        &self.ignore_rules
    }

    /// The bounds of reading.
    pub fn limits(&self) -> &FileLimits {
        &self.limits
    }

    /// The bounds of listing and searching.
    pub fn search_limits(&self) -> &SearchLimits {
        &self.search_limits
    }

    /// What stands there now; a link is a link. `None` also below something that is not a folder; a link on the way is an error.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, BaseError> {
        match handle::stat(self.root.dir(), path) {
            Ok(metadata) => Ok(Some(handle::kind_of(&metadata))),
            Err(ReachError::NotFound(_) | ReachError::WrongKind { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A whole file. The first look is recorded; once the content differs from it, the answer is `ChangedDuringRun`.
    pub fn read(&self, path: &WorkspacePath) -> Result<BaseFile, BaseError> {
        let content = self.load(path);
        self.compare(path, content)
    }

    /// A link's own content: its target's text. Recorded and compared like a file. `WrongKind` for anything but a link.
    pub fn read_link(&self, path: &WorkspacePath) -> Result<BaseFile, BaseError> {
        let content = handle::read_link(self.root.dir(), path)
            .map(|(target, metadata)| (target, Stat::of(&metadata)))
            .map_err(BaseError::from);
        self.compare(path, content)
    }

    /// What was recorded of a path: what apply compares against. `None` for a path never touched, or recorded as absent.
    pub fn seen(&self, path: &WorkspacePath) -> Option<Seen> {
        match self.sight(path) {
            Some(Sight::Present(seen)) => Some(seen),
            Some(Sight::Absent) | None => None,
        }
    }

    /// What was recorded of a path, absence included: a path that a submission created was `Absent` and has to be so still.
    pub fn sight(&self, path: &WorkspacePath) -> Option<Sight> {
        self.sights().get(path).copied()
    }

    /// Records that nothing stands at a path where a submission wants to make a file.
    pub(crate) fn record_absent(&self, path: &WorkspacePath) -> Result<(), BaseError> {
        match self.sights().entry(path.clone()).or_insert(Sight::Absent) {
            Sight::Absent => Ok(()),
            Sight::Present(_) => Err(BaseError::ChangedDuringRun(path.clone())),
        }
    }

    /// Whether a plugin may be given the base's content of this path: the rules, and the ignore files of the workspace.
    pub fn check_readable(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        self.rules.check_read(path)?;
        self.check_not_ignored(path)
    }

    /// Whether a file is not one that git ignores and does not track (build output, or secrets), or one that the user allows all
    /// the same. The refusal names the line of the ignore file.
    pub fn check_not_ignored(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let Some(hit) = self.ignore_rules.why_ignored(path, false) else {
            return Ok(());
        };
        if self.rules.ignored_reads().allows(path) || self.tracked.contains(&self.root, path) {
            return Ok(());
        }
        Err(Refusal {
            path: path.as_str().to_owned(),
            rule: format!("{hit}: ignored files are read only when the user allows them (`--read-ignored PATTERN`)"),
        })
    }

    /// Whether git tracks this file: then no ignore file has a say.
    pub(crate) fn tracks(&self, path: &WorkspacePath) -> bool {
        self.tracked.contains(&self.root, path)
    }

    /// Whether git tracks a file below this folder.
    pub(crate) fn tracks_below(&self, folder: &WorkspacePath) -> bool {
        self.tracked.contains_below(&self.root, folder)
    }

    fn load(&self, path: &WorkspacePath) -> Result<(Vec<u8>, Stat), BaseError> {
        let io = |error| BaseError::Io {
            path: path.to_string(),
            error,
        };
        let limit = self.limits.whole_bytes;
        let too_large = |size| BaseError::TooLarge {
            path: path.clone(),
            size,
            limit,
        };
        for _ in 0..ATTEMPTS {
            let (file, metadata) = handle::open_file(self.root.dir(), path)?;
            let before = Stat::of(&metadata);
            if before.size > limit {
                return Err(too_large(before.size));
            }
            let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0));
            // Just what it says it has: that it grew, the second look at it tells. One that tells nothing (a file of the
            // kernel's) is read as far as the limit goes.
            let most = if before.size == 0 {
                limit.saturating_add(1)
            } else {
                before.size
            };
            (&file).take(most).read_to_end(&mut bytes).map_err(io)?;
            let read = bytes.len() as u64;
            if read > limit {
                return Err(too_large(read));
            }
            let after = Stat::of(&file.metadata().map_err(io)?);
            let unmoved = (before.size, before.mtime, before.ctime) == (after.size, after.mtime, after.ctime);
            if unmoved {
                return Ok((bytes, after));
            }
        }
        Err(BaseError::ChangedDuringRun(path.clone()))
    }

    /// Holds what was found against the record, or records it.
    fn compare(&self, path: &WorkspacePath, found: Result<(Vec<u8>, Stat), BaseError>) -> Result<BaseFile, BaseError> {
        let (bytes, stat) = match found {
            Ok(found) => found,
            Err(error) => {
                return Err(match self.seen(path) {
                    Some(seen) if contradicts(&error, path, &seen) => BaseError::ChangedDuringRun(path.clone()),
                    _ => error,
                });
            }
        };
        let seen = match self.sight(path) {
            // The system tells of no change since it was hashed. What is applied is hashed once more in any case.
            Some(Sight::Present(seen)) if seen.same_stat(&stat) => seen,
            _ => {
                let now = stat.seen_with(&bytes);
                match *self.sights().entry(path.clone()).or_insert(Sight::Present(now)) {
                    Sight::Present(seen) if seen.same_content(&now) => seen,
                    Sight::Present(_) | Sight::Absent => {
                        return Err(BaseError::ChangedDuringRun(path.clone()));
                    }
                }
            }
        };
        Ok(BaseFile {
            bytes,
            executable: stat.is_executable(),
            mode: stat.mode,
            seen,
        })
    }

    fn sights(&self) -> MutexGuard<'_, HashMap<WorkspacePath, Sight>> {
        self.sights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an error says that what was recorded is there no more (and not only that it is something else than was asked for).
fn contradicts(error: &BaseError, path: &WorkspacePath, seen: &Seen) -> bool {
    match error {
        BaseError::NotFound(_) | BaseError::TooLarge { .. } => true,
        BaseError::Symlink { at } => at != path || !seen.is_link(),
        BaseError::WrongKind { at, kind } => at != path || *kind != EntryKind::File || seen.is_link(),
        BaseError::ChangedDuringRun(_) | BaseError::Io { .. } => false,
    }
}
