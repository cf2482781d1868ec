//! Where a walk begins.

use std::sync::Arc;

use cap_std::fs::Dir;

use super::pending::{Entry, Pending};
use super::{Scope, Start, WalkError, at};
use crate::capability::{EntryKind, IoFailure, ReadError, Refusal};
use crate::handle::{self, ReachError};
use crate::ignore_rules;
use crate::path::WorkspacePath;
use crate::view::View;

/// What `under` turned out to be.
pub(super) enum Begin<'a> {
    Folder {
        /// `None`: only what is pending makes it a folder.
        dir: Option<Dir>,
        path: Option<WorkspacePath>,
        rules: Arc<ignore_rules::Folder>,
        pending: Option<&'a Pending>,
    },
    File {
        /// The folder it stands in; `None` for a pending one.
        dir: Option<Dir>,
        path: WorkspacePath,
        ignored: bool,
        pending: Option<&'a Arc<[u8]>>,
    },
}

/// Finds `under`, by the rules.
pub(super) fn find<'a>(view: &View, scope: &Scope<'_>, pending: &'a Pending) -> Result<Begin<'a>, WalkError> {
    let base = view.base();
    let root = base.root().dir();
    let Some(path) = WorkspacePath::parse_folder(scope.under).map_err(WalkError::BadPath)? else {
        return Ok(Begin::Folder {
            dir: Some(for_listing(root, scope.under)?),
            path: None,
            rules: base.ignore_rules().folder(""),
            pending: Some(pending),
        });
    };
    // Before anything is looked at: a path that no kind of thing could be read at is refused, whether or not something is there.
    if let (Err(refusal), Err(_)) = (base.rules().check_enter(&path), base.rules().check_read(&path)) {
        return Err(refused(refusal, scope.under));
    }
    let here = pending.at(Some(&path));
    let kind = match view.kind(&path).map_err(|e| kind_error(e, scope.under))? {
        // A file that went, with a folder in its place.
        None if here.is_some_and(|p| p.has_file) => Some(EntryKind::Directory),
        kind => kind,
    };
    let content = here.and_then(|p| match &p.entry {
        Some(Entry::File(bytes)) => Some(bytes),
        _ => None,
    });
    match kind {
        None => Err(WalkError::NotFound(scope.under.to_owned())),
        Some(EntryKind::Symlink) => Err(WalkError::Symlink(scope.under.to_owned())),
        Some(EntryKind::Directory) => {
            base.rules().check_enter(&path).map_err(|r| refused(r, scope.under))?;
            check_ignored(view, scope, &path, true)?;
            let dir = match handle::open_folder(root, Some(&path)) {
                Ok(dir) => Some(for_listing(&dir, scope.under)?),
                Err(ReachError::NotFound(_) | ReachError::WrongKind { .. }) if here.is_some_and(|p| p.has_file) => None,
                Err(error) => return Err(reach(error, scope.under)),
            };
            let rules = base.ignore_rules().folder(path.as_str());
            Ok(Begin::Folder {
                dir,
                path: Some(path),
                rules,
                pending: here,
            })
        }
        Some(EntryKind::File) if scope.start == Start::FolderOrFile => {
            if scope.under.ends_with('/') {
                // `f/` says that a folder is meant, here as everywhere.
                return Err(WalkError::WrongKind {
                    path: scope.under.to_owned(),
                    kind: EntryKind::File,
                });
            }
            base.rules().check_read(&path).map_err(|r| refused(r, scope.under))?;
            let ignored = check_ignored(view, scope, &path, false)?;
            let dir = match content {
                Some(_) => None,
                None => Some(handle::open_folder(root, path.parent().as_ref()).map_err(|e| reach(e, scope.under))?),
            };
            Ok(Begin::File {
                dir,
                path,
                ignored,
                pending: content,
            })
        }
        Some(kind) => Err(WalkError::WrongKind {
            path: scope.under.to_owned(),
            kind,
        }),
    }
}

/// Whether the path is ignored; refused when it is and ignored files were not asked for.
fn check_ignored(view: &View, scope: &Scope<'_>, path: &WorkspacePath, is_dir: bool) -> Result<bool, WalkError> {
    let base = view.base();
    let Some(hit) = base.ignore_rules().why_ignored(path, is_dir) else {
        return Ok(false);
    };
    if if is_dir {
        base.tracks_below(path)
    } else {
        base.tracks(path)
    } {
        return Ok(is_dir);
    }
    if scope.ignored {
        return Ok(true);
    }
    Err(WalkError::Refused(Refusal {
        path: scope.under.to_owned(),
        rule: format!("{hit}: ignored files were not asked for (`ignored`)"),
    }))
}

fn for_listing(dir: &Dir, asked: &str) -> Result<Dir, WalkError> {
    at::reopen(dir).map_err(|error| {
        WalkError::Io(IoFailure {
            path: asked.to_owned(),
            reason: error.to_string(),
        })
    })
}

fn refused(refusal: Refusal, asked: &str) -> WalkError {
    WalkError::Refused(Refusal {
        path: asked.to_owned(),
        ..refusal
    })
}

fn reach(error: ReachError, asked: &str) -> WalkError {
    let path = asked.to_owned();
    match error {
        ReachError::NotFound(_) => WalkError::NotFound(path),
        ReachError::Symlink { .. } => WalkError::Symlink(path),
        ReachError::WrongKind { kind, .. } => WalkError::WrongKind { path, kind },
        ReachError::Io { error, .. } => WalkError::Io(IoFailure {
            path,
            reason: error.to_string(),
        }),
    }
}

/// Only those of [`ReadError`] that asking for a kind can give; what else there is would be a failure all the same.
fn kind_error(error: ReadError, asked: &str) -> WalkError {
    let path = asked.to_owned();
    match error {
        ReadError::BadPath(bad) => WalkError::BadPath(bad),
        ReadError::NotFound(_) => WalkError::NotFound(path),
        ReadError::Symlink(_) => WalkError::Symlink(path),
        ReadError::WrongKind { kind, .. } => WalkError::WrongKind { path, kind },
        ReadError::Refused(refusal) => refused(refusal, asked),
        ReadError::Io(failure) => WalkError::Io(IoFailure { path, ..failure }),
        other => WalkError::Io(IoFailure {
            path,
            reason: other.to_string(),
        }),
    }
}
