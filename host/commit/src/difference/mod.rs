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

mod error;
mod new_files;

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::sync::Arc;

use gix_hash::ObjectId;
use gix_object::Kind;
use gix_object::tree::EntryKind as TreeEntry;
use snodo_workspace::base::{Base, BaseError};
use snodo_workspace::capability::{Cancel, EntryKind};
use snodo_workspace::change::{After, Before, ChangeSet};
use snodo_workspace::handle;
use snodo_workspace::limits::SubmitLimits;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::seen::{Seen, Stat};

pub use self::error::DifferenceError;
use crate::check::with_index;
use crate::config::RepositoryConfig;
use crate::error::{CommitError, said, shown};
use crate::layout;
use crate::objects::{HASH, Objects};
use crate::place::Place;
use crate::revision::Revision;
use crate::tree::leaves;

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
}
