//! What a program wrote in its scratch, for the report.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::compare::{Change, Visitor, What, compare};
use super::snapshot::{Scratch, Snapshot};
use super::{Hidden, ScratchError};
use crate::base::Base;
use crate::capability::{Cancel, EntryKind};
use crate::path::WorkspacePath;

/// Entries that are kept, and as many again of those that are marked: so a program cannot push what it should not have tried out of the list.
const KEPT: usize = 1_000;

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteKind {
    /// It was not there.
    Created,
    /// Its content is another, or may be: who sets the time back after writing leaves no other trace.
    Changed,
    /// Its mode is another, and nothing says that its content is.
    ModeOnly,
    /// It is not there any more, with all that was in it.
    Deleted,
    /// Something of another kind stands in its place.
    Replaced,
}

/// One entry that a program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenEntry {
    /// From the root of the scratch, names of any bytes with `/` between them. Raw: whoever shows it escapes it.
    pub path: PathBuf,
    /// What stands there now, or stood there.
    pub entry: EntryKind,
    /// What happened to it.
    pub kind: WriteKind,
    /// It is a place where no plugin may write, or which the scratch did not show: the rule. Nothing of it reached the workspace.
    pub attempt: Option<String>,
}

/// What a program wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// In the order of the paths' bytes: the first 1,000, and the first 1,000 of those with an `attempt`. A folder is not there because something in it
    /// is, and what was in a folder that went is not listed on its own.
    pub entries: Vec<WrittenEntry>,
    /// How many there are in all.
    pub total: u64,
    /// Not all are in `entries`, or not everything was looked at: after two million entries, and deeper than a path may be, it ends.
    pub truncated: bool,
}

/// What a program wrote in a scratch that `before` was taken of.
///
/// Call it when no process of the program is left and, of an upper layer, when the overlay is not mounted any more. Folders that may not be read are made
/// readable. Long work: call it where blocking is allowed.
pub fn written(
    base: &Base,
    hidden: &Hidden,
    scratch: Scratch<'_>,
    before: &Snapshot,
    cancel: &Cancel,
) -> Result<Written, ScratchError> {
    let mut list = List {
        base,
        hidden,
        plain: BTreeMap::new(),
        attempts: BTreeMap::new(),
        total: 0,
    };
    let complete = compare(base.root().dir(), hidden, scratch, before, cancel, &mut list)?;
    let List {
        mut plain,
        mut attempts,
        total,
        ..
    } = list;
    plain.append(&mut attempts);
    let entries: Vec<WrittenEntry> = plain.into_values().collect();
    Ok(Written {
        truncated: !complete || (entries.len() as u64) < total,
        entries,
        total,
    })
}

struct List<'a> {
    base: &'a Base,
    hidden: &'a Hidden,
    plain: BTreeMap<OsString, WrittenEntry>,
    attempts: BTreeMap<OsString, WrittenEntry>,
    total: u64,
}

impl Visitor for List<'_> {
    fn enters(&mut self, _: &OsStr) -> bool {
        true
    }

    fn change(&mut self, change: &Change<'_>) -> Result<bool, ScratchError> {
        self.total += 1;
        let attempt = refusal(self.base, self.hidden, change).err();
        let list = if attempt.is_some() {
            &mut self.attempts
        } else {
            &mut self.plain
        };
        let is_wanted = list.len() < KEPT
            || list
                .last_key_value()
                .is_some_and(|(last, _)| change.path < last.as_os_str());
        if is_wanted {
            list.insert(
                change.path.to_owned(),
                WrittenEntry {
                    path: PathBuf::from(change.path),
                    entry: change.kind(),
                    kind: match change.what {
                        What::Created => WriteKind::Created,
                        What::Changed => WriteKind::Changed,
                        What::ModeOnly => WriteKind::ModeOnly,
                        What::Deleted => WriteKind::Deleted,
                        What::Replaced => WriteKind::Replaced,
                    },
                    attempt,
                },
            );
            if list.len() > KEPT {
                list.pop_last();
            }
        }
        // Of a folder that went, what was in it went with it.
        Ok(!matches!(change.what, What::Deleted) && !change.before.is_some_and(super::listing::Look::is_folder))
    }
}

/// Whether a change is one that no plugin may make, or is of something that the scratch did not show: the rule.
pub(super) fn refusal(base: &Base, hidden: &Hidden, change: &Change<'_>) -> Result<(), String> {
    if let Some(entry) = hidden.covering(Path::new(change.path)) {
        return Err(entry.reason.explain().to_owned());
    }
    let rules = base.rules();
    let makes_folder = change.kind() == EntryKind::Directory && matches!(change.what, What::Created | What::ModeOnly);
    let refused = match change.path.to_str().map(WorkspacePath::parse) {
        Some(Ok(path)) if makes_folder => rules.check_make_folder(&path),
        Some(Ok(path)) => rules.check_write(&path),
        // No path of the contract: the nearest folder above that is one decides.
        _ => Path::new(change.path)
            .ancestors()
            .skip(1)
            .find_map(|above| WorkspacePath::parse(above.to_str()?).ok())
            .map_or(Ok(()), |above| rules.check_make_folder(&above)),
    };
    refused.map_err(|refusal| refusal.rule)
}
