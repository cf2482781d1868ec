//! The walk behind listing and searching: the base, merged with what is pending, by handles and in parallel.
//!
//! Each folder is opened from its parent's handle by one name, following no link, so nothing outside the root can be reached whatever
//! happens to the tree meanwhile. What a walk finds does not depend on the order in which it finds it: whoever
//! collects sorts by path before anything is cut.
//!
//! What is passed over is counted once, for the first of these reasons that holds:
//!
//! 1. *unreadable*: a name that no path of the contract can hold (not UTF-8, `:` or `\` in it, too deep), a folder that cannot be opened;
//! 2. *refused*: `.git` and whatever else the rules keep plugins from; a folder counts as one and is not entered;
//! 3. *hidden*: the name starts with a dot (judged below the folder asked for, so asking for `.github` finds it);
//! 4. *ignored*: a `.gitignore` of the workspace names it and git does not track it; a folder counts as one and is not entered, unless
//!    git tracks something below it.
//!
//! What the caller's own globs leave out is not counted.

pub(crate) mod at;
mod first;
mod folder;
mod pending;
pub(crate) mod pool;
mod select;
mod skips;
mod start;

use std::sync::Arc;

use cap_std::fs::Dir;

use crate::capability::{Cancel, EntryKind, IoFailure, Refusal};
use crate::path::{BadPath, WorkspacePath};
use crate::view::View;

pub(crate) use self::first::{First, Group};
pub(crate) use self::select::Selection;
pub(crate) use self::skips::Skips;

/// Where to walk, and what is wanted there.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// As the caller gave it; empty for the root.
    pub under: &'a str,
    /// 1: the folder's own entries only.
    pub depth: Option<u32>,
    /// Dot files too.
    pub hidden: bool,
    /// What ignore files name too.
    pub ignored: bool,
    /// Which of the paths.
    pub selection: Selection,
    /// What `under` may name.
    pub start: Start,
}

/// What `under` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A folder.
    Folder,
    /// A folder, or a file whose content is looked at.
    FolderOrFile,
}

/// Something that stands in the workspace.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    /// From the root.
    pub path: &'a WorkspacePath,
    /// What it is.
    pub kind: EntryKind,
    /// An ignore file names it, or a folder above it.
    pub ignored: bool,
    /// Where to look at it.
    pub place: Place<'a>,
}

/// Where something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// In this folder of the base, by this name.
    Base { folder: &'a Dir, name: &'a str },
    /// In the overlay: a file with this content.
    Pending(&'a Arc<[u8]>),
    /// In the overlay: a folder that the base does not have.
    PendingFolder,
}

/// Who collects. Each thread has its own.
pub(crate) trait Visitor: Send {
    /// Called once for everything found, in no order. Counts what it passes over itself.
    fn visit(&mut self, found: &Found<'_>, skips: &mut Skips);
}

/// Why a walk was not made.
#[derive(Debug)]
pub(crate) enum WalkError {
    BadPath(BadPath),
    NotFound(String),
    WrongKind { path: String, kind: EntryKind },
    Symlink(String),
    Refused(Refusal),
    Io(IoFailure),
    Cancelled,
}

/// Walks, and gives back the visitors and what was passed over.
pub(crate) fn walk<V: Visitor>(
    view: &View,
    scope: &Scope<'_>,
    cancel: &Cancel,
    make: impl Fn() -> V + Sync,
) -> Result<(Vec<V>, Skips), WalkError> {
    // One snapshot for the whole walk: what is submitted meanwhile belongs to the next one.
    let entries = view.entries();
    let view = View::frozen(Arc::clone(view.base()), Arc::clone(&entries));
    let pending = pending::Pending::new(&entries);
    let start = start::find(&view, scope, &pending)?;
    let walker = folder::Walker::new(view.base(), scope, cancel);
    let results = walker.run(start, make);
    if cancel.is_cancelled() {
        return Err(WalkError::Cancelled);
    }
    let mut skips = Skips::default();
    let visitors = results
        .into_iter()
        .map(|(visitor, own)| {
            skips.add_all(&own);
            visitor
        })
        .collect();
    Ok((visitors, skips))
}
