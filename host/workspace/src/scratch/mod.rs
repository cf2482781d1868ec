//! The workspace as it would be after the pending change, for a program to run in: never the workspace itself.
//!
//! There are two kinds of scratch, and they show the same tree. One is an upper layer ([`prepare_upper`]) for an overlay that is mounted over the
//! workspace's own path: it costs what the change costs, and absolute paths lead into it. The other is a copy ([`materialise`]), for where nothing
//! can be mounted. Afterwards [`written`] tells what the program wrote, and [`difference`] what of it is a change to submit.
//!
//! Everything is in it, ignored and untracked files too, since tests need build output and environments, except what is [`hidden`].
//!
//! Of a copy: modes and times (to the nanosecond) are kept, so that build tools see nothing to
//! do. Links are recreated as links, with the same text, wherever it leads. Files with several names become files of their own.
//! Named pipes, sockets and devices are left out, as is what cannot be read and what lies deeper than a path may; the report counts them.
//! Set-user-id bits and owners are not kept: the copy belongs to whoever makes it.
//!
//! What the copy cannot keep is its place: absolute paths that were written into files (a virtual environment's) lead to the workspace.

mod compare;
mod copy;
mod difference;
mod hidden;
mod kernel;
mod listing;
mod mounts;
mod pending;
mod remove;
mod snapshot;
mod upper;
mod written;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use self::copy::{Copier, finish_folder};
pub use self::difference::{Difference, LeftOut, difference};
pub use self::hidden::{Hidden, HiddenEntry, HiddenReason, hidden};
pub use self::mounts::mounts_below;
use self::pending::{Child, Pending};
pub use self::remove::remove_tree;
pub use self::snapshot::{Scratch, Snapshot};
pub use self::upper::{UpperReport, prepare_upper};
pub use self::written::{WriteKind, Written, WrittenEntry, written};
use crate::capability::{Cancel, EntryKind};
use crate::handle::kind_of;
use crate::limits::ScratchLimits;
use crate::overlay::OverlayEntry;
use crate::path::MAX_COMPONENTS;
use crate::view::View;

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScratchReport {
    /// Files, those of the pending change included.
    pub files: u64,
    /// Folders.
    pub folders: u64,
    /// Links.
    pub links: u64,
    /// Bytes written; shared blocks and holes are none.
    pub bytes: u64,
    /// Pipes, sockets and devices that were left out.
    pub special: u64,
    /// Files and folders that could not be read and were left out. Hidden, too.
    pub unreadable: u64,
    /// Folders that were left out since they lie deeper than a path may.
    pub too_deep: u64,
}

/// Why there is no scratch, or no telling what was done in it. What there is of it is the caller's to remove: [`remove_tree`].
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// Over the bound.
    #[error(
        "the workspace is too large to be copied for a test run: more than {limit} {what} (its ignored files count, too)"
    )]
    TooLarge {
        /// Bytes or entries.
        what: &'static str,
        /// How many are allowed.
        limit: u64,
    },
    /// Asked to stop.
    #[error("interrupted while a scratch was being made or looked at")]
    Cancelled,
    /// No room where the scratch is.
    #[error("the disk is full: there is no room for a scratch to run a program in")]
    DiskFull,
    /// The system would not.
    #[error("the scratch to run a program in: `{path}`: {error}")]
    Io {
        /// From the root of the workspace. Escaped.
        path: String,
        /// Its reason.
        error: io::Error,
    },
    /// The place of the upper layer takes no whiteouts: the workspace has to be copied instead.
    #[error("what a program must not see cannot be hidden in an upper layer here (`{path}`: {error})")]
    NoWhiteout {
        /// The first path that was to be hidden. Escaped.
        path: String,
        /// The system's reason.
        error: io::Error,
    },
}

impl ScratchError {
    fn io(path: &OsStr, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io {
                path: shown(path),
                error,
            },
        }
    }
}

/// A path for a message.
fn shown(path: &OsStr) -> String {
    crate::escape::escaped(&path.to_string_lossy()).into_owned()
}

/// Copies the workspace with the view's pending change into an empty folder, without what is hidden. Long work: call it where blocking is allowed.
pub fn materialise(
    view: &View,
    hidden: &Hidden,
    into: &Dir,
    limits: ScratchLimits,
    cancel: &Cancel,
) -> Result<ScratchReport, ScratchError> {
    let entries = view.entries();
    let root = view.base().root().dir();
    let pending = Pending::new(&entries);
    let copy = Copy {
        hidden,
        gone: pending.gone(root, cancel)?,
        pending,
    };
    let mut copier = Copier::new(root, limits, cancel);
    let from = listing::reopen(root).map_err(|e| ScratchError::io(OsStr::new("."), e))?;
    copy.folder(&mut copier, &from, into, OsStr::new(""), 0)?;
    Ok(copier.report)
}

/// What a copy is made by.
struct Copy<'a> {
    pending: Pending<'a>,
    gone: BTreeSet<String>,
    hidden: &'a Hidden,
}

impl Copy<'_> {
    fn folder(
        &self,
        copier: &mut Copier<'_>,
        from: &Dir,
        to: &Dir,
        path: &OsStr,
        depth: usize,
    ) -> Result<(), ScratchError> {
        let children = path.to_str().map(|path| self.pending.children(path));
        for entry in from.entries().map_err(|e| ScratchError::io(path, e))? {
            let entry = entry.map_err(|e| ScratchError::io(path, e))?;
            let name = entry.file_name();
            let below = listing::join(path, &name);
            copier.count_entry()?;
            // Not UTF-8: nothing pending can be named so.
            let child = children.and_then(|children| children.get(name.to_str()?));
            if let Some(Child::Entry(_)) = child {
                continue;
            }
            let is_hidden = self.hidden.at(below.as_ref());
            if is_hidden.is_some() || hidden::by_name(&name, depth).is_some() {
                match is_hidden.map(|entry| &entry.reason) {
                    Some(HiddenReason::Unreadable) => copier.report.unreadable += 1,
                    Some(HiddenReason::TooDeep) => copier.report.too_deep += 1,
                    _ => {}
                }
                continue;
            }
            if below.to_str().is_some_and(|below| self.gone.contains(below)) {
                continue;
            }
            let name = Path::new(&name);
            let metadata = match from.symlink_metadata(name) {
                Ok(metadata) => metadata,
                // Gone since the folder was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(ScratchError::io(&below, error)),
            };
            let kind = kind_of(&metadata);
            if matches!(child, Some(Child::Folder { replaces: true })) && kind != EntryKind::Directory {
                continue;
            }
            match kind {
                EntryKind::Directory if depth + 1 >= MAX_COMPONENTS => copier.report.too_deep += 1,
                EntryKind::Directory => {
                    let Some(folder) = copier.readable(from.open_dir_nofollow(name), &below)? else {
                        continue;
                    };
                    let copy = copier.make_folder(to, name, &below)?;
                    self.folder(copier, &folder, &copy, &below, depth + 1)?;
                    finish_folder(&copy, &metadata, &below)?;
                }
                EntryKind::File => copier.file(from, to, name, &metadata, &below)?,
                EntryKind::Symlink => copier.link(from, to, name, &metadata, &below)?,
                _ => copier.report.special += 1,
            }
        }
        match path.to_str() {
            Some(path) => self.pending_children(copier, to, path),
            None => Ok(()),
        }
    }

    /// What the change puts into a folder, and folders that the copy does not have from the base.
    fn pending_children(&self, copier: &mut Copier<'_>, to: &Dir, path: &str) -> Result<(), ScratchError> {
        for (name, child) in self.pending.children(path) {
            let below = listing::join(path.as_ref(), name.as_ref());
            match child {
                Child::Entry(OverlayEntry::Deleted) => {}
                Child::Entry(OverlayEntry::File {
                    bytes,
                    executable,
                    renamed_from,
                }) => {
                    copier.count_entry()?;
                    let like = copier.like(&below, renamed_from.as_ref());
                    copier.write_pending(to, name, bytes, *executable, like.as_ref(), &below)?;
                }
                Child::Folder { .. } => {
                    let text = join(path, name);
                    if to.symlink_metadata(name).is_ok() || !self.pending.gains_something(&text) {
                        continue;
                    }
                    copier.count_entry()?;
                    let copy = copier.make_folder(to, Path::new(name), &below)?;
                    self.pending_children(copier, &copy, &text)?;
                    // A folder of the base of which nothing else is shown.
                    if let Some(metadata) = copier.folder_like(&below) {
                        finish_folder(&copy, &metadata, &below)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
