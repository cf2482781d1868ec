//! What differs between the base and what was submitted, file by file.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lines::LineDiff;
use super::{ChangeKind, TestGoverningChange, test_governing};
use crate::base::{Base, BaseError};
use crate::capability::{ChangeSummary, ChangedFile, EntryKind};
use crate::overlay::{Entries, OverlayEntry};
use crate::path::WorkspacePath;
use crate::seen::{Seen, Sight};

/// The bits of `st_mode` that say what kind of thing it is, and its value for a link.
const TYPE_BITS: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// Everything that a run changes, in the order of path bytes. What is judged, shown, applied and reported is this one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Each path once; a rename stands at its new path.
    pub files: Vec<FileChange>,
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where the file is now, or was when deleted.
    pub path: WorkspacePath,
    /// What happened.
    pub kind: ChangeKind,
    /// Where it came from, of a rename.
    pub old_path: Option<WorkspacePath>,
    /// The file, or link, of the base: at `path`, or at `old_path` for a rename. None for a new file.
    pub before: Option<Before>,
    /// The file as submitted. None for a deleted one.
    pub after: Option<After>,
    /// Lines that only the new file has; 0 for a binary file.
    pub added: u64,
    /// Lines that only the old file has; 0 for a binary file.
    pub deleted: u64,
    /// Not text (UTF-8 without NUL) before or after.
    pub binary: bool,
    /// Why the path, or the one it came from, counts as one that governs tests.
    pub test_governing: Option<String>,
}

/// A file of the base, or a link that is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// All of it; of a link, its target's text.
    pub bytes: Arc<[u8]>,
    /// As `st_mode` has it.
    pub mode: u32,
    /// What the run saw of it: what apply compares against.
    pub seen: Seen,
}

/// A file as submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// All of it.
    pub bytes: Arc<[u8]>,
    /// The executable bit.
    pub executable: bool,
}

/// Why there is no change set.
#[derive(Debug, thiserror::Error)]
pub enum ChangeSetError {
    /// The workspace is not what the submissions were made against.
    #[error("`{0}` changed while the run was going on")]
    ChangedDuringRun(WorkspacePath),
    /// The base has no answer.
    #[error(transparent)]
    Base(BaseError),
}

impl From<BaseError> for ChangeSetError {
    fn from(error: BaseError) -> Self {
        match error {
            BaseError::ChangedDuringRun(path) => Self::ChangedDuringRun(path),
            // What was there when it was submitted is gone, or something else took its place.
            BaseError::NotFound(path) | BaseError::Symlink { at: path } | BaseError::WrongKind { at: path, .. } => {
                Self::ChangedDuringRun(path)
            }
            error @ (BaseError::TooLarge { .. } | BaseError::Io { .. }) => Self::Base(error),
        }
    }
}

impl Before {
    /// A link, not a file.
    pub fn is_link(&self) -> bool {
        self.mode & TYPE_BITS == LINK
    }

    /// A file with any executable bit set.
    pub fn is_executable(&self) -> bool {
        !self.is_link() && self.mode & 0o111 != 0
    }
}

impl ChangeSet {
    /// Compares what is pending with the base. An entry that equals the base is no change.
    pub fn compute(base: &Base, entries: &Entries) -> Result<Self, ChangeSetError> {
        let moved = moved(base, entries)?;
        let mut files = Vec::with_capacity(entries.len());
        for (path, entry) in entries {
            let change = match entry {
                OverlayEntry::Deleted if moved.contains(path) => None,
                OverlayEntry::Deleted => {
                    present(base, path)?.map(|before| FileChange::new(path, None, Some(before), None))
                }
                OverlayEntry::File {
                    bytes,
                    executable,
                    renamed_from,
                } => {
                    let after = After {
                        bytes: Arc::clone(bytes),
                        executable: *executable,
                    };
                    match (present(base, path)?, renamed_from) {
                        (None, Some(from)) if moved.contains(from) => {
                            let before = present(base, from)?;
                            Some(FileChange::new(path, Some(from), before, Some(after)))
                        }
                        (Some(before), _)
                            if before.bytes == after.bytes && before.is_executable() == after.executable =>
                        {
                            None
                        }
                        (before, _) => Some(FileChange::new(path, None, before, Some(after))),
                    }
                }
            };
            files.extend(change);
        }
        Ok(Self { files })
    }

    /// Of sides that were compared by somebody else: each path once, in any order, with what was there and what is there now. What has
    /// neither side, or two that are the same, is no change.
    pub fn of_sides(sides: impl IntoIterator<Item = (WorkspacePath, Option<Before>, Option<After>)>) -> Self {
        let mut files: Vec<FileChange> = sides
            .into_iter()
            .filter(|(_, before, after)| match (before, after) {
                (None, None) => false,
                (Some(before), Some(after)) => {
                    before.is_link() || before.bytes != after.bytes || before.is_executable() != after.executable
                }
                _ => true,
            })
            .map(|(path, before, after)| FileChange::new(&path, None, before, after))
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// Nothing differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The change as plugins and reports see it.
    pub fn summary(&self) -> ChangeSummary {
        ChangeSummary {
            added: self.files.iter().map(|f| f.added).sum(),
            deleted: self.files.iter().map(|f| f.deleted).sum(),
            files: self.files.iter().map(FileChange::summary).collect(),
        }
    }

    /// The changes of files that govern tests.
    pub fn test_governing(&self) -> Vec<TestGoverningChange> {
        self.files
            .iter()
            .filter_map(|file| {
                file.test_governing.as_ref().map(|reason| TestGoverningChange {
                    path: file.path.as_str().to_owned(),
                    change: file.kind,
                    reason: reason.clone(),
                })
            })
            .collect()
    }

    /// Identifies the change: `blake3` in hexadecimal over paths, kinds, contents before and after, and executable bits.
    /// Two sets have the same digest exactly when they would do the same to the same files.
    pub fn digest(&self) -> String {
        super::digest::of(self)
    }

    /// The change as git prints it, for people and for `git apply`, which takes it as long as no file is binary: binary files
    /// are only named ("Binary files … differ"), as `git diff` does without `--binary`.
    pub fn to_patch(&self) -> Vec<u8> {
        super::patch::of(self)
    }
}

impl FileChange {
    pub(super) fn new(
        path: &WorkspacePath,
        from: Option<&WorkspacePath>,
        before: Option<Before>,
        after: Option<After>,
    ) -> Self {
        let kind = match (&before, &after) {
            _ if from.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (Some(before), Some(after)) if before.bytes == after.bytes => ChangeKind::ModeChanged,
            _ => ChangeKind::Modified,
        };
        let old_bytes = before.as_ref().map_or(&[][..], |b| &b.bytes);
        let new_bytes = after.as_ref().map_or(&[][..], |a| &a.bytes);
        let binary = !is_text(old_bytes) || !is_text(new_bytes);
        let (added, deleted) = if binary || old_bytes == new_bytes {
            (0, 0)
        } else {
            let lines = LineDiff::compute(old_bytes, new_bytes);
            (lines.added(), lines.deleted())
        };
        let moved_from = |from: &WorkspacePath| {
            test_governing(from.as_str()).map(|reason| format!("it was moved from `{from}`: {reason}"))
        };
        Self {
            kind,
            added,
            deleted,
            binary,
            test_governing: test_governing(path.as_str())
                .map(str::to_owned)
                .or_else(|| from.and_then(moved_from)),
            path: path.clone(),
            old_path: from.cloned(),
            before,
            after,
        }
    }

    fn summary(&self) -> ChangedFile {
        ChangedFile {
            path: self.path.as_str().to_owned(),
            kind: self.kind,
            old_path: self.old_path.as_ref().map(|p| p.as_str().to_owned()),
            added: self.added,
            deleted: self.deleted,
            binary: self.binary,
            test_governing: self.test_governing.clone(),
            size_before: self.before.as_ref().map(|b| b.bytes.len() as u64),
            size_after: self.after.as_ref().map(|a| a.bytes.len() as u64),
            executable_before: self.before.as_ref().is_some_and(Before::is_executable),
            executable_after: self.after.as_ref().is_some_and(|a| a.executable),
        }
    }

    /// The lines that only the new file has, each with its number, from 1, and without its line feed. None of a binary file.
    pub fn added_lines(&self) -> Vec<(u64, &[u8])> {
        let Some(after) = self.after.as_ref().filter(|_| !self.binary) else {
            return Vec::new();
        };
        let before = self.before.as_ref().map_or(&[][..], |b| &b.bytes);
        if *before == *after.bytes {
            return Vec::new();
        }
        let diff = LineDiff::compute(before, &after.bytes);
        diff.added_lines()
            .map(|(index, line)| (index as u64 + 1, line.strip_suffix(b"\n").unwrap_or(line)))
            .collect()
    }

    /// The path in the base: of a rename, where the file came from; none for a new file.
    pub fn path_before(&self) -> Option<&WorkspacePath> {
        self.before
            .as_ref()
            .map(|_| self.old_path.as_ref().unwrap_or(&self.path))
    }
}

/// The contract's rule: valid UTF-8 without a NUL.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

/// The paths of the base from which a file moved to a path where the base has none.
fn moved<'a>(base: &Base, entries: &'a Entries) -> Result<BTreeSet<&'a WorkspacePath>, ChangeSetError> {
    let mut moved = BTreeSet::new();
    for (path, entry) in entries {
        let OverlayEntry::File {
            renamed_from: Some(from),
            ..
        } = entry
        else {
            continue;
        };
        let leaves = matches!(entries.get(from), Some(OverlayEntry::Deleted));
        if leaves && !is_present(base, path)? && is_present(base, from)? {
            moved.insert(from);
        }
    }
    Ok(moved)
}

fn is_present(base: &Base, path: &WorkspacePath) -> Result<bool, ChangeSetError> {
    Ok(match base.sight(path) {
        Some(Sight::Present(_)) => true,
        // Also when something stands there by now: it was not there for the coder, and apply will find it in the way.
        Some(Sight::Absent) => false,
        None => base.kind(path)?.is_some(),
    })
}

/// What the base has at a path, if it has something; checked against what was seen of it.
fn present(base: &Base, path: &WorkspacePath) -> Result<Option<Before>, ChangeSetError> {
    if !is_present(base, path)? {
        return Ok(None);
    }
    let file = match base.kind(path)? {
        Some(EntryKind::Symlink) => base.read_link(path)?,
        _ => base.read(path)?,
    };
    Ok(Some(Before {
        bytes: file.bytes.into(),
        mode: file.mode,
        seen: file.seen,
    }))
}
