//! A copy of the workspace as it would be after the pending change, for a program to run in.
//!
//! Everything is in it, ignored and untracked files too, since tests need build output and environments, except `.git` at any depth (folder or
//! file) and the root's own `.snodo`. Modes and times (to the nanosecond) are kept, so that build tools see nothing to
//! do. Links are recreated as links, with the same text, wherever it leads. Files with several names become files of their own.
//! Named pipes, sockets and devices are left out, as is what cannot be read and what lies deeper than a path may; the report counts them.
//! Set-user-id bits and owners are not kept: the copy belongs to whoever makes it.
//!
//! What the copy cannot keep is its place: absolute paths that were written into files (a virtual environment's) lead to the workspace.

mod copy;
mod kernel;
mod pending;
mod remove;

use std::io;
use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use self::copy::Copier;
use self::pending::{Child, Pending};
pub use self::remove::remove_tree;
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
    /// Files and folders that could not be read and were left out.
    pub unreadable: u64,
    /// Folders that were left out since they lie deeper than a path may.
    pub too_deep: u64,
}

/// Why there is no copy. What there is of it is the caller's to remove: [`remove_tree`].
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
    #[error("interrupted while the workspace was being copied")]
    Cancelled,
    /// No room where the copy is.
    #[error("the disk is full: the workspace cannot be copied for a test run")]
    DiskFull,
    /// The system would not.
    #[error("cannot copy `{path}`: {error}")]
    Io {
        /// From the root of the workspace.
        path: String,
        /// Its reason.
        error: io::Error,
    },
}

/// Copies the workspace with the view's pending change into an empty folder. Long work: call it where blocking is allowed.
pub fn materialise(
    view: &View,
    into: &Dir,
    limits: ScratchLimits,
    cancel: &Cancel,
) -> Result<ScratchReport, ScratchError> {
    let entries = view.entries();
    let root = view.base().root().dir();
    let mut copier = Copier::new(root, limits, cancel);
    let pending = Pending::new(&entries);
    // Not the root's own handle: reading a folder moves a handle's position.
    let from = root.open_dir(".").map_err(|e| copier.failed("", e))?;
    copier.folder(&pending, &from, into, "", 0)?;
    Ok(copier.report)
}

impl Copier<'_> {
    fn folder(
        &mut self,
        pending: &Pending<'_>,
        from: &Dir,
        to: &Dir,
        path: &str,
        depth: usize,
    ) -> Result<(), ScratchError> {
        let children = pending.children(path);
        for entry in from.entries().map_err(|e| self.failed(path, e))? {
            let entry = entry.map_err(|e| self.failed(path, e))?;
            let name = entry.file_name();
            let name_text = name.to_str();
            let below = join(path, &name.to_string_lossy());
            self.count_entry()?;
            if name.eq_ignore_ascii_case(".git") || (depth == 0 && name.eq_ignore_ascii_case(".snodo")) {
                continue;
            }
            // Not UTF-8: nothing pending can be named so.
            if let Some(Child::Entry(_)) = name_text.and_then(|n| children.get(n)) {
                continue;
            }
            let name = Path::new(&name);
            let metadata = match from.symlink_metadata(name) {
                Ok(metadata) => metadata,
                // Gone since the folder was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(self.failed(&below, error)),
            };
            match kind_of(&metadata) {
                EntryKind::Directory if depth + 1 >= MAX_COMPONENTS => self.report.too_deep += 1,
                EntryKind::Directory => {
                    let Some(folder) = self.readable(from.open_dir_nofollow(name), &below)? else {
                        continue;
                    };
                    let copy = self.make_folder(to, name, &below)?;
                    self.folder(pending, &folder, &copy, &below, depth + 1)?;
                    if pending.loses_something(&below) && to.remove_dir(name).is_ok() {
                        // It held nothing else: it will not be there after the change either.
                        self.report.folders -= 1;
                        continue;
                    }
                    self.finish_folder(&copy, &metadata, &below)?;
                }
                EntryKind::File => self.file(from, to, name, &metadata, &below)?,
                EntryKind::Symlink => self.link(from, to, name, &metadata, &below)?,
                _ => self.report.special += 1,
            }
        }
        self.pending_children(pending, Some(from), to, path)
    }

    /// What the change puts into a folder, and folders that the copy does not have from the base (`from` is none in such a one).
    fn pending_children(
        &mut self,
        pending: &Pending<'_>,
        from: Option<&Dir>,
        to: &Dir,
        path: &str,
    ) -> Result<(), ScratchError> {
        for (name, child) in pending.children(path) {
            let below = join(path, name);
            match child {
                Child::Entry(OverlayEntry::Deleted) => {}
                Child::Entry(OverlayEntry::File {
                    bytes,
                    executable,
                    renamed_from,
                }) => {
                    let like = match renamed_from {
                        Some(old) => crate::handle::stat(self.root, old).ok(),
                        None => from.and_then(|from| from.symlink_metadata(name).ok()),
                    };
                    self.count_entry()?;
                    self.write_pending(to, name, bytes, *executable, like.as_ref(), &below)?;
                }
                Child::Folder => {
                    if to.symlink_metadata(name).is_ok() || !pending.gains_something(&below) {
                        continue;
                    }
                    self.count_entry()?;
                    let copy = self.make_folder(to, Path::new(name), &below)?;
                    self.pending_children(pending, None, &copy, &below)?;
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
