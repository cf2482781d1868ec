//! What an external program made of its scratch, as operations to submit: the way of a coder that edits files.
//!
//! Files alone are work. A file made or written is a write with its executable bit, one whose bit alone is another a `set-executable`, one that went a
//! delete; a file written with what stood there before is nothing. **A file that was moved is a delete and a write**: nothing in the tree says
//! where a file came from. A folder is there through its files; of one that went, each file and link that was seen in it goes.
//!
//! Left out, and counted: what the workspace's ignore files name and git does not track, since build output is no part of the work (a folder counts
//! as one, if anything in it changed). So an ignored file that was deleted stays in the workspace. The root's own `.git` in the scratch is the program's, whatever it is.
//!
//! Refused, by name: everything else that a coder could not have submitted, or that would be applied to something that the program did not see.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Read as _;

use cap_std::fs::Dir;

use super::compare::{Change, Visitor, What, compare};
use super::listing::Look;
use super::remove::open_file_by_force;
use super::snapshot::{Scratch, Snapshot};
use super::written::refusal;
use super::{Hidden, ScratchError};
use crate::base::Base;
use crate::capability::{Cancel, Content, EntryKind, Operation, Refusal};
use crate::handle::{self, ReachError};
use crate::limits::SubmitLimits;
use crate::overlay::{Entries, OverlayEntry};
use crate::path::WorkspacePath;
use crate::seen::Stat;
use crate::view::View;

/// Refusals that are kept; all are counted.
const KEPT: usize = 1_000;
/// Paths that are named of those that were left out.
const EXAMPLES: usize = 10;

const LINK: &str = "a symbolic link cannot be made or changed, only deleted";
const MEANWHILE: &str =
    "it changed in the workspace while the program was at work: what the program made of it would undo that";

/// What a program made of its scratch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// To be submitted in this order: first what goes, so that a name is free when one that differs in letter case only comes, then the rest;
    /// each in the order of path bytes. There may be more than one call takes.
    pub operations: Vec<Operation>,
    /// What cannot be submitted, in the order of the paths: the first 1,000. The paths are raw, with bytes that are not UTF-8 replaced.
    pub refused: Vec<Refusal>,
    /// How many there are in all.
    pub refused_total: u64,
    /// What is no part of the work.
    pub left_out: LeftOut,
    /// Something was not looked at: after two million entries, and deeper than a path may be, it ends.
    pub truncated: bool,
}

/// What is no part of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files and folders that ignore files name, a folder with all that is in it as one.
    pub ignored: u64,
    /// The first of them. Raw.
    pub examples: Vec<String>,
}

/// What a program made of a scratch that `before` was taken of, and that showed `view`. The view is to be one that does not grow meanwhile.
///
/// Call it when no process of the program is left and, of an upper layer, when the overlay is not mounted any more. Long work: call it where blocking is
/// allowed.
pub fn difference(
    view: &View,
    hidden: &Hidden,
    scratch: Scratch<'_>,
    before: &Snapshot,
    limits: &SubmitLimits,
    cancel: &Cancel,
) -> Result<Difference, ScratchError> {
    let entries = view.entries();
    let mut gather = Gather {
        base: view.base(),
        pending: &entries,
        hidden,
        before,
        limits,
        bytes: 0,
        deletes: BTreeMap::new(),
        rest: BTreeMap::new(),
        refused: BTreeMap::new(),
        refused_total: 0,
        ignored: BTreeSet::new(),
        ignored_total: 0,
        last_ignored: None,
    };
    let root = view.base().root().dir();
    let complete = compare(root, hidden, scratch, before, cancel, &mut gather)?;
    Ok(Difference {
        operations: gather.deletes.into_values().chain(gather.rest.into_values()).collect(),
        refused: gather
            .refused
            .into_iter()
            .map(|(path, rule)| Refusal { path, rule })
            .collect(),
        refused_total: gather.refused_total,
        left_out: LeftOut {
            ignored: gather.ignored_total,
            examples: gather.ignored.into_iter().collect(),
        },
        truncated: !complete,
    })
}

struct Gather<'a> {
    base: &'a Base,
    pending: &'a Entries,
    hidden: &'a Hidden,
    before: &'a Snapshot,
    limits: &'a SubmitLimits,
    bytes: u64,
    deletes: BTreeMap<WorkspacePath, Operation>,
    rest: BTreeMap<WorkspacePath, Operation>,
    refused: BTreeMap<String, String>,
    refused_total: u64,
    ignored: BTreeSet<String>,
    ignored_total: u64,
    last_ignored: Option<WorkspacePath>,
}

impl Visitor for Gather<'_> {
    fn enters(&mut self, path: &OsStr) -> bool {
        path != ".git"
    }

    fn change(&mut self, change: &Change<'_>) -> Result<bool, ScratchError> {
        if change.path == ".git" {
            return Ok(false);
        }
        // Nothing is said of a folder itself but that it is there.
        if change.what == What::ModeOnly && change.kind() == EntryKind::Directory {
            return Ok(false);
        }
        let path = match change.path.to_str().map(WorkspacePath::parse) {
            Some(Ok(path)) => path,
            Some(Err(bad)) => return Ok(self.refuse(change.path, format!("the path {}", bad.rule.explain()))),
            None => return Ok(self.refuse(change.path, "the name is not UTF-8, so no path can hold it".to_owned())),
        };
        let went_as_folder = change.what == What::Deleted && change.kind() == EntryKind::Directory;
        // A folder in which something protected lies can go as far as the rest of it is concerned.
        if !went_as_folder && let Err(rule) = refusal(self.base, self.hidden, change) {
            return Ok(self.refuse(change.path, rule));
        }
        if let Some(ignored) = self.ignored_as(&path, change.kind() == EntryKind::Directory) {
            self.leave_out(ignored);
            return Ok(false);
        }
        match (change.what, change.kind()) {
            (What::Replaced, now) => {
                let was = change.before.map_or(EntryKind::Unknown, |look| look.kind);
                let rule = if was == EntryKind::Symlink || now == EntryKind::Symlink {
                    LINK.to_owned()
                } else {
                    format!(
                        "{} cannot take the place of {} within one change",
                        now.describe(),
                        was.describe()
                    )
                };
                return Ok(self.refuse(change.path, rule));
            }
            (_, EntryKind::Directory) => return Ok(true),
            (What::Deleted, EntryKind::File | EntryKind::Symlink) => self.delete(change, path),
            (_, EntryKind::File) => self.file(change, path),
            (_, EntryKind::Symlink) => {
                self.refuse(change.path, LINK.to_owned());
            }
            (_, kind) => {
                self.refuse(change.path, format!("{} is no part of a change", kind.describe()));
            }
        }
        Ok(false)
    }
}

impl Gather<'_> {
    fn delete(&mut self, change: &Change<'_>, path: WorkspacePath) {
        if self.changed_meanwhile(change, &path) {
            self.refuse(change.path, MEANWHILE.to_owned());
        } else if self.has_room(change.path) {
            let operation = Operation::Delete {
                path: path.as_str().to_owned(),
            };
            self.deletes.insert(path, operation);
        }
    }

    fn file(&mut self, change: &Change<'_>, path: WorkspacePath) {
        let (Some((folder, name)), Some(now)) = (change.place, change.after) else {
            return;
        };
        let bytes = match self.content(folder, name, now) {
            Ok(bytes) => bytes,
            Err(rule) => {
                self.refuse(change.path, rule);
                return;
            }
        };
        let executable = now.stat.is_executable();
        let old = match change.before {
            None => None,
            Some(_) => match self.old(&path) {
                Ok(old) => Some(old),
                Err(rule) => {
                    self.refuse(change.path, rule);
                    return;
                }
            },
        };
        let operation = match old {
            Some((old, was)) if old == bytes => {
                if was == executable {
                    return;
                }
                Operation::SetExecutable {
                    path: path.as_str().to_owned(),
                    executable,
                }
            }
            _ => {
                self.bytes = self.bytes.saturating_add(bytes.len() as u64);
                if self.bytes > self.limits.total_bytes {
                    self.bytes -= bytes.len() as u64;
                    let limit = self.limits.total_bytes;
                    self.refuse(
                        change.path,
                        format!("with it the change would have more than {limit} bytes"),
                    );
                    return;
                }
                Operation::Write {
                    path: path.as_str().to_owned(),
                    content: Content::from_bytes(bytes),
                    executable: Some(executable),
                }
            }
        };
        if self.changed_meanwhile(change, &path) {
            self.refuse(change.path, MEANWHILE.to_owned());
        } else if self.has_room(change.path) {
            self.rest.insert(path, operation);
        }
    }

    /// What a file of the scratch holds; the rule by which it is not taken.
    fn content(&self, folder: &Dir, name: &OsStr, look: &Look) -> Result<Vec<u8>, String> {
        let limit = self.limits.file_bytes;
        let too_large = |size: u64| format!("it has {size} bytes; at most {limit} are taken");
        if look.stat.size > limit {
            return Err(too_large(look.stat.size));
        }
        let unreadable = |error: std::io::Error| format!("it cannot be read ({error})");
        let file = open_file_by_force(folder, name).map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err("it is no file any more".to_owned());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(look.stat.size).unwrap_or(0));
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        let size = bytes.len() as u64;
        if size > limit { Err(too_large(size)) } else { Ok(bytes) }
    }

    /// What the program saw at a path where a file stood.
    fn old(&self, path: &WorkspacePath) -> Result<(Vec<u8>, bool), String> {
        match self.pending.get(path) {
            Some(OverlayEntry::File { bytes, executable, .. }) => Ok((bytes.to_vec(), *executable)),
            _ => match self.base.read(path) {
                Ok(file) => Ok((file.bytes, file.executable)),
                Err(error) => Err(format!("what stood there cannot be compared: {error}")),
            },
        }
    }

    /// Whether the workspace has something else at this path than when the scratch was made. What was shown of a copied file stands in the snapshot;
    /// for all else the file system's clock decides.
    fn changed_meanwhile(&self, change: &Change<'_>, path: &WorkspacePath) -> bool {
        let now = match handle::stat(self.base.root().dir(), path) {
            Ok(metadata) => Some(Stat::of(&metadata)),
            Err(ReachError::NotFound(_)) => None,
            // Something else stands in the way, and was not there.
            Err(_) => return true,
        };
        let is_pending = self.pending.contains_key(path);
        match (now, change.before) {
            (None, None) => false,
            (None, Some(_)) => !is_pending,
            (Some(_), None) if !is_pending => true,
            (Some(now), Some(was)) if !is_pending && !self.before.is_upper() => {
                (now.size, now.mtime) != (was.stat.size, was.stat.mtime)
            }
            (Some(now), _) => now.ctime > self.before.at(),
        }
    }

    /// The topmost folder that is ignored and has this path in it, or the path itself.
    fn ignored_as(&self, path: &WorkspacePath, is_folder: bool) -> Option<WorkspacePath> {
        self.base.ignore_rules().why_ignored(path, is_folder)?;
        path.ancestors()
            .find(|folder| self.is_ignored(folder, true))
            .or_else(|| self.is_ignored(path, is_folder).then(|| path.clone()))
    }

    fn is_ignored(&self, path: &WorkspacePath, is_folder: bool) -> bool {
        self.base.ignore_rules().why_ignored(path, is_folder).is_some()
            && !if is_folder {
                self.base.tracks_below(path)
            } else {
                self.base.tracks(path)
            }
    }

    fn has_room(&mut self, path: &OsStr) -> bool {
        let limit = self.limits.pending_paths;
        let has_room = self.deletes.len() + self.rest.len() < limit;
        if !has_room {
            self.refuse(path, format!("with it more than {limit} paths would differ"));
        }
        has_room
    }

    /// False, for a folder: what is in it is refused with it.
    fn refuse(&mut self, path: &OsStr, rule: String) -> bool {
        self.refused_total += 1;
        self.refused.insert(path.to_string_lossy().into_owned(), rule);
        if self.refused.len() > KEPT {
            self.refused.pop_last();
        }
        false
    }

    fn leave_out(&mut self, path: WorkspacePath) {
        // Changes in one folder come one after the other.
        if self.last_ignored.as_ref() == Some(&path) {
            return;
        }
        self.ignored_total += 1;
        self.ignored.insert(path.as_str().to_owned());
        if self.ignored.len() > EXAMPLES {
            self.ignored.pop_last();
        }
        self.last_ignored = Some(path);
    }
}
