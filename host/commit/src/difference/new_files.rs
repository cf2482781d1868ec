//! Files of the working tree that the commit does not have.

use std::collections::BTreeMap;
use std::sync::Arc;

use gix_object::tree::EntryKind as TreeEntry;
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, EntryKind, ListQuery, Listing, Read as _, ReadError, SkipReason};
use snodo_workspace::handle;
use snodo_workspace::limits::SearchLimits;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::view::View;

use super::{Comparison, DifferenceError, check};
use crate::error::{CommitError, shown};
use crate::place::Place;
use crate::tree::Leaves;

/// Files, folders and links of a working tree, and bytes of all that is said of them.
const MAX_LISTED: usize = 2_000_000;
const MAX_LISTED_BYTES: usize = 1024 * 1024 * 1024;

impl Comparison<'_> {
    /// What the commit does not have. Looked for from the top of the working tree, since ignore files above the workspace count too.
    pub(super) fn new_files(&mut self, place: &Place, old: &Leaves, cancel: &Cancel) -> Result<(), DifferenceError> {
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
