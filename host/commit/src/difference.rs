//! What the working tree of a workspace changes of a commit's tree: a change set, made from bytes.
//!
//! * Files of the commit are compared by content, by hashing what stands there now; no time stamp and no index is believed. Files that it does
//!   not have and that no ignore file names (or that git tracks all the same) are added ones. A rename is a deletion and an addition.
//!   What `.git/info/exclude` or the user's own excludes name is not ignored: those are no part of what is shared.
//! * Bytes are compared as they are: no clean filter, no line ending conversion, no text conversion, whatever `.gitattributes` and the
//!   configuration say. A file that a filter changes on its way differs.
//! * Links (but for one that is gone), submodules, other repositories below, and what is neither file nor folder have no place in a change
//!   set: each is named as not looked at. So is what a sparse checkout leaves out.
//! * What is untracked in `.snodo` is the host's own and no part of it.
//! * Nothing is started and nothing is written. What is read, and held in memory, is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

use gix_hash::ObjectId;
use gix_object::Kind;
use gix_object::tree::EntryKind as TreeEntry;
use snodo_workspace::ambient::{OpenError, open_root};
use snodo_workspace::base::{Base, BaseError};
use snodo_workspace::capability::{Cancel, EntryKind, ListQuery, Listing, Read as _, ReadError, SkipReason};
use snodo_workspace::change::{After, Before, ChangeSet};
use snodo_workspace::handle;
use snodo_workspace::limits::{SearchLimits, SubmitLimits};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::seen::{Seen, Stat};
use snodo_workspace::view::View;

use crate::check::with_index;
use crate::config::RepositoryConfig;
use crate::error::{CommitError, said, shown};
use crate::layout;
use crate::objects::{HASH, Objects};
use crate::place::Place;
use crate::revision::Revision;
use crate::tree::{Leaves, leaves};

/// Files, folders and links of a working tree, and bytes of all that is said of them.
const MAX_LISTED: usize = 2_000_000;
const MAX_LISTED_BYTES: usize = 1024 * 1024 * 1024;

const FILE: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;

/// A working tree against a commit.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The commit's name, in hexadecimal.
    pub commit: String,
    /// What differs.
    pub change: ChangeSet,
    /// What is no part of `change` and may differ all the same, in the order of paths.
    pub not_looked_at: Vec<NotLookedAt>,
}

/// Something that is no part of a change set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotLookedAt {
    /// From the root of the workspace; escaped.
    pub path: String,
    /// What it is.
    pub why: &'static str,
}

/// Why there is no difference.
#[derive(Debug, thiserror::Error)]
pub enum DifferenceError {
    /// The workspace is in no repository.
    #[error("`{}` is in no git repository, so there is nothing that it could differ from", .workspace.display())]
    NoRepository {
        /// The workspace.
        workspace: PathBuf,
    },
    /// Nothing was ever committed.
    #[error("HEAD has no commit yet: there is nothing that the working tree could differ from")]
    NoCommitYet,
    /// Well-formed, and not there.
    #[error("`{revision}` is no branch, tag or commit of this repository")]
    UnknownRevision {
        /// As given, escaped.
        revision: String,
    },
    /// It may mean several.
    #[error("`{revision}` is not clear: {what}. Give the whole name, or more digits")]
    AmbiguousRevision {
        /// As given, escaped.
        revision: String,
        /// What it may be.
        what: String,
    },
    /// A side of a file is over the bound.
    #[error("`{path}` differs and has {size} bytes; at most {limit} are looked at")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// All of it is over the bound.
    #[error("what differs is too much: more than {limit} {what}")]
    TooMuch {
        /// The bound.
        limit: u64,
        /// Of what.
        what: &'static str,
    },
    /// A format of repository that is not supported.
    #[error("the repository uses {0}, which is not supported here")]
    UnsupportedFormat(String),
    /// The repository.
    #[error(transparent)]
    Repository(CommitError),
    /// A file of the working tree.
    #[error(transparent)]
    File(#[from] BaseError),
    /// The top of the working tree cannot be opened.
    #[error(transparent)]
    Open(OpenError),
    /// The working tree cannot be listed.
    #[error("the working tree cannot be listed: {0}")]
    List(ReadError),
    /// Nobody knows which new files an ignore file would have left out.
    #[error("`{folder}` has a `.gitignore` that cannot be used ({why}), so nobody can say which of its files are new")]
    UnusableIgnoreFile {
        /// From the top of the working tree, escaped; `.` for the top.
        folder: String,
        /// Why.
        why: String,
    },
    /// Another folder stands where the workspace was.
    #[error("the workspace was moved or replaced while it was looked at")]
    Moved,
    /// Somebody asked for an end.
    #[error("interrupted")]
    Interrupted,
}

impl From<CommitError> for DifferenceError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::NoRepository { workspace } => Self::NoRepository { workspace },
            CommitError::UnsupportedFormat(what) => Self::UnsupportedFormat(what),
            error => Self::Repository(error),
        }
    }
}

/// Compares the working tree of a workspace with the tree of a commit, below the workspace.
///
/// Files that differ are read through `base`: what is seen there later is held against it.
pub fn difference(
    base: &Base,
    revision: &Revision,
    limits: &SubmitLimits,
    cancel: &Cancel,
) -> Result<Difference, DifferenceError> {
    let place = Place::find(base.root())?;
    RepositoryConfig::read(&place)?;
    layout::check_to_read(&place)?;
    let objects = Objects::open(&place)?;
    let commit = revision.resolve(&place, &objects)?;
    let old = leaves(&objects, objects.tree_of(commit)?, &place.prefix)?;
    let mut comparison = Comparison {
        base,
        objects: &objects,
        limits,
        bytes_before: 0,
        bytes_after: 0,
        sides: Vec::new(),
        not_looked_at: BTreeSet::new(),
    };
    let mut missing = Vec::new();
    for (path, &(kind, id)) in &old {
        check(cancel)?;
        let parsed = std::str::from_utf8(path).ok().map(WorkspacePath::parse);
        let Some(Ok(parsed)) = parsed else {
            comparison.leave_out(shown(path), "its name is none that a workspace can have");
            continue;
        };
        if parsed.components().any(|name| name.eq_ignore_ascii_case(".git")) {
            comparison.leave_out(parsed.to_string(), "git's own, which no commit can have");
            continue;
        }
        match kind {
            TreeEntry::Commit => comparison.leave_out(shown(path), "a submodule"),
            TreeEntry::Link => comparison.link(&parsed, id, &mut missing)?,
            _ => comparison.file(&parsed, kind == TreeEntry::BlobExecutable, id, &mut missing)?,
        }
    }
    comparison.gone(&place, missing)?;
    comparison.new_files(&place, &old, cancel)?;
    place.check_still_there()?;
    if !base.root().still_there() {
        return Err(DifferenceError::Moved);
    }
    Ok(Difference {
        commit: commit.to_string(),
        change: ChangeSet::of_sides(comparison.sides),
        not_looked_at: comparison.not_looked_at.into_iter().collect(),
    })
}

fn check(cancel: &Cancel) -> Result<(), DifferenceError> {
    if cancel.is_cancelled() {
        Err(DifferenceError::Interrupted)
    } else {
        Ok(())
    }
}

type Side = (WorkspacePath, Option<Before>, Option<After>);

struct Comparison<'a> {
    base: &'a Base,
    objects: &'a Objects<'a>,
    limits: &'a SubmitLimits,
    bytes_before: u64,
    bytes_after: u64,
    sides: Vec<Side>,
    not_looked_at: BTreeSet<NotLookedAt>,
}

/// What a path of the commit was that is there no more.
struct Missing {
    path: WorkspacePath,
    mode: u32,
    id: ObjectId,
}

impl Comparison<'_> {
    fn leave_out(&mut self, path: String, why: &'static str) {
        self.not_looked_at.insert(NotLookedAt { path, why });
    }

    /// What stands at a path; nothing where a link or something else stands on the way.
    fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, DifferenceError> {
        match self.base.kind(path) {
            Err(BaseError::Symlink { .. }) => Ok(None),
            other => Ok(other?),
        }
    }

    fn link(&mut self, path: &WorkspacePath, id: ObjectId, missing: &mut Vec<Missing>) -> Result<(), DifferenceError> {
        match self.kind(path)? {
            Some(EntryKind::Symlink) => {
                let (target, _) = handle::read_link(self.base.root().dir(), path).map_err(BaseError::from)?;
                if Objects::name(Kind::Blob, &target)? != id {
                    self.leave_out(shown(path.as_str().as_bytes()), "a link, which leads elsewhere now");
                }
            }
            Some(EntryKind::File) => {
                let before = self.before(path, LINK, id)?;
                let after = self.after(path)?;
                self.put(path.clone(), Some(before), Some(after))?;
            }
            _ => missing.push(Missing {
                path: path.clone(),
                mode: LINK,
                id,
            }),
        }
        Ok(())
    }

    fn file(
        &mut self,
        path: &WorkspacePath,
        executable: bool,
        id: ObjectId,
        missing: &mut Vec<Missing>,
    ) -> Result<(), DifferenceError> {
        let mode = if executable { PROGRAM } else { FILE };
        if self.kind(path)? != Some(EntryKind::File) {
            // What took its place, if something did, comes up among what is new.
            missing.push(Missing {
                path: path.clone(),
                mode,
                id,
            });
            return Ok(());
        }
        if self.name_of(path)? == (Some(id), executable) {
            return Ok(());
        }
        let before = self.before(path, mode, id)?;
        let after = self.after(path)?;
        self.put(path.clone(), Some(before), Some(after))
    }

    /// What git would call the content that a file has now, and its executable bit. No name for a file that grows or shrinks meanwhile.
    fn name_of(&self, path: &WorkspacePath) -> Result<(Option<ObjectId>, bool), DifferenceError> {
        let io = |error: io::Error| BaseError::Io {
            path: path.to_string(),
            error,
        };
        let (mut file, metadata) = handle::open_file(self.base.root().dir(), path).map_err(BaseError::from)?;
        let stat = Stat::of(&metadata);
        let mut hasher = gix_hash::hasher(HASH);
        hasher.update(&gix_object::encode::loose_header(Kind::Blob, stat.size));
        let mut buffer = vec![0; 64 * 1024];
        let mut total = 0;
        loop {
            let read = match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(io(error).into()),
            };
            total += read as u64;
            if total > stat.size {
                break;
            }
            hasher.update(&buffer[..read]);
        }
        if total != stat.size {
            return Ok((None, stat.is_executable()));
        }
        let name = hasher
            .try_finalize()
            .map_err(|error| CommitError::Objects(said(&error)))?;
        Ok((Some(name), stat.is_executable()))
    }

    /// What the commit has.
    fn before(&mut self, path: &WorkspacePath, mode: u32, id: ObjectId) -> Result<Before, DifferenceError> {
        let size = self
            .objects
            .size(id)?
            .ok_or_else(|| CommitError::Objects(format!("the content {id} of `{path}` is not there")))?;
        self.check_size(path, size)?;
        self.bytes_before += size;
        self.check_total(self.bytes_before)?;
        let bytes = self.objects.blob(id)?;
        Ok(Before {
            seen: Seen::by_content(&bytes, mode),
            bytes: bytes.into(),
            mode,
        })
    }

    /// What stands there now. Its size is looked at before it is read.
    fn after(&mut self, path: &WorkspacePath) -> Result<After, DifferenceError> {
        let metadata = handle::stat(self.base.root().dir(), path).map_err(BaseError::from)?;
        self.check_size(path, metadata.len())?;
        let file = self.base.read(path)?;
        let size = file.bytes.len() as u64;
        self.check_size(path, size)?;
        self.bytes_after += size;
        self.check_total(self.bytes_after)?;
        Ok(After {
            bytes: Arc::from(file.bytes),
            executable: file.executable,
        })
    }

    fn check_size(&self, path: &WorkspacePath, size: u64) -> Result<(), DifferenceError> {
        let limit = self.limits.file_bytes;
        if size <= limit {
            return Ok(());
        }
        Err(DifferenceError::TooLarge {
            path: path.clone(),
            size,
            limit,
        })
    }

    fn check_total(&self, bytes: u64) -> Result<(), DifferenceError> {
        let limit = self.limits.total_bytes;
        if bytes <= limit {
            return Ok(());
        }
        Err(DifferenceError::TooMuch { limit, what: "bytes" })
    }

    fn put(
        &mut self,
        path: WorkspacePath,
        before: Option<Before>,
        after: Option<After>,
    ) -> Result<(), DifferenceError> {
        if self.sides.len() >= self.limits.pending_paths {
            return Err(DifferenceError::TooMuch {
                limit: self.limits.pending_paths as u64,
                what: "files",
            });
        }
        self.sides.push((path, before, after));
        Ok(())
    }

    /// What is there no more was deleted, unless a sparse checkout never put it there.
    fn gone(&mut self, place: &Place, missing: Vec<Missing>) -> Result<(), DifferenceError> {
        if missing.is_empty() {
            return Ok(());
        }
        let skipped = with_index(place, |index| Ok(index.not_checked_out()))?;
        for gone in missing {
            let full = [&place.prefix, gone.path.as_str().as_bytes()].concat();
            if skipped.binary_search(&full).is_ok() && self.kind(&gone.path)?.is_none() {
                self.leave_out(
                    shown(gone.path.as_str().as_bytes()),
                    "not checked out (a sparse checkout)",
                );
                continue;
            }
            let before = self.before(&gone.path, gone.mode, gone.id)?;
            self.put(gone.path, Some(before), None)?;
        }
        Ok(())
    }

    /// What the commit does not have. Looked for from the top of the working tree, since ignore files above the workspace count too.
    fn new_files(&mut self, place: &Place, old: &Leaves, cancel: &Cancel) -> Result<(), DifferenceError> {
        let limits = SearchLimits {
            results: MAX_LISTED,
            answer_bytes: MAX_LISTED_BYTES,
            ..*self.base.search_limits()
        };
        let prefix = place.prefix.strip_suffix(b"/").unwrap_or(&place.prefix);
        let above = std::str::from_utf8(prefix)
            .ok()
            .filter(|prefix| WorkspacePath::parse_folder(prefix).is_ok());
        let (top, under) = match above {
            Some(prefix) => (place.top.path.as_path(), prefix),
            // Ignore files above a folder of such a name are not looked at.
            None => (self.base.root().resolved(), ""),
        };
        let root = open_root(top).map_err(DifferenceError::Open)?;
        let base = Base::for_the_host(Arc::new(root), *self.base.limits(), limits)
            .map_err(|error| DifferenceError::Repository(CommitError::Damaged(error.to_string())))?;
        let base = Arc::new(base);
        let query = ListQuery {
            under: under.to_owned(),
            hidden: true,
            limit: u32::MAX,
            ..ListQuery::default()
        };
        let mut listing = View::of_base(Arc::clone(&base))
            .list_files(&query, cancel)
            .map_err(|error| match error {
                ReadError::Cancelled => DifferenceError::Interrupted,
                error => DifferenceError::List(error),
            })?;
        if listing.truncated {
            return Err(DifferenceError::TooMuch {
                limit: MAX_LISTED as u64,
                what: "files and folders in the working tree",
            });
        }
        check_ignore_files(&base, under, &listing)?;
        if !under.is_empty() {
            for entry in &mut listing.entries {
                entry.path.drain(..=under.len().min(entry.path.len() - 1));
            }
        }
        for skipped in &listing.skipped {
            if skipped.reason == SkipReason::Unreadable {
                self.leave_out(
                    format!("({} names)", skipped.files),
                    "folders that cannot be opened, or names that no workspace can have",
                );
            }
        }
        let mut repositories = BTreeMap::new();
        for entry in listing.entries {
            check(cancel)?;
            if entry.kind == EntryKind::Directory || old.contains_key(entry.path.as_bytes()) {
                continue;
            }
            let Ok(path) = WorkspacePath::parse(&entry.path) else {
                self.leave_out(
                    shown(entry.path.as_bytes()),
                    "its name is none that a workspace can have",
                );
                continue;
            };
            let own = path
                .components()
                .next()
                .is_some_and(|first| first.eq_ignore_ascii_case(".snodo"));
            if own || self.in_other_repository(&path, old, &mut repositories) {
                continue;
            }
            match entry.kind {
                EntryKind::File => {
                    let after = self.after(&path)?;
                    self.put(path, None, Some(after))?;
                }
                EntryKind::Symlink => self.leave_out(shown(path.as_str().as_bytes()), "a link"),
                other => self.leave_out(shown(path.as_str().as_bytes()), other.describe()),
            }
        }
        Ok(())
    }

    /// Whether a folder on the way is a submodule, or has a `.git` of its own and nothing that the commit has. Each is named once.
    fn in_other_repository(&mut self, path: &WorkspacePath, old: &Leaves, known: &mut BTreeMap<String, bool>) -> bool {
        for folder in path.ancestors() {
            let other = if let Some(&other) = known.get(folder.as_str()) {
                other
            } else {
                let submodule = old
                    .get(folder.as_str().as_bytes())
                    .is_some_and(|(kind, _)| *kind == TreeEntry::Commit);
                let repository = !submodule && self.is_repository(&folder) && !has_below(old, folder.as_str());
                if repository {
                    self.leave_out(shown(folder.as_str().as_bytes()), "a repository of its own");
                }
                known.insert(folder.as_str().to_owned(), submodule || repository);
                submodule || repository
            };
            if other {
                return true;
            }
        }
        false
    }

    fn is_repository(&self, folder: &WorkspacePath) -> bool {
        folder
            .join(".git")
            .is_ok_and(|git| handle::stat(self.base.root().dir(), &git).is_ok())
    }
}

/// An ignore file that cannot be used hides its whole folder from a listing. What it hides may be what somebody wants to be hidden.
fn check_ignore_files(base: &Base, under: &str, listing: &Listing) -> Result<(), DifferenceError> {
    let above = under.match_indices('/').map(|(at, _)| &under[..at]);
    let below = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    for folder in ["", under]
        .into_iter()
        .chain(above)
        .chain(below.map(|entry| entry.path.as_str()))
    {
        let Ok(folder) = WorkspacePath::parse_folder(folder) else {
            continue;
        };
        let Ok(any) = WorkspacePath::in_folder(folder.as_ref(), "any") else {
            continue;
        };
        if let Some(hit) = base.ignore_rules().why_ignored(&any, false).filter(|hit| hit.line == 0) {
            return Err(DifferenceError::UnusableIgnoreFile {
                folder: folder.map_or_else(|| ".".to_owned(), |folder| folder.to_string()),
                why: hit.pattern,
            });
        }
    }
    Ok(())
}

fn has_below(old: &Leaves, folder: &str) -> bool {
    let below = format!("{folder}/").into_bytes();
    old.range(below.clone()..)
        .next()
        .is_some_and(|(path, _)| path.starts_with(&below))
}
