//! What a validator sees of the change.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lines::{HunkLine, LineDiff};
use super::{ChangeSet, FileChange};
use crate::base::Base;
use crate::capability::{
    BadParameter, BeforeError, Change, ChangeError, ChangeSummary, Content, DiffAnswer, DiffLine, DiffQuery, FileDiff,
    FileRead, Hunk, LineOrigin, ReadError,
};
use crate::path::WorkspacePath;

/// The contract's bound on context.
const MOST_CONTEXT: u32 = 100;
/// UTF-8's byte-order mark.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A change set as the capability `change`.
///
/// What a rule keeps from plugins is not shown by this way either: an earlier file that may not be read is refused by
/// [`Change::before`], and its difference is left out of [`Change::diff`] and named as omitted.
#[derive(Debug, Clone)]
pub struct ChangeView {
    base: Arc<Base>,
    set: Arc<ChangeSet>,
    /// What is new was not submitted, but stands in the base: what a rule keeps from plugins is kept from them on this side too.
    new_in_base: bool,
}

impl ChangeView {
    /// Over the base that the set was computed from.
    pub fn new(base: Arc<Base>, set: Arc<ChangeSet>) -> Self {
        Self {
            base,
            set,
            new_in_base: false,
        }
    }

    /// Over a base that has the change already: a working tree. Nothing of it was written by a plugin, so the new side of a file that no
    /// plugin may read is not shown either.
    pub fn of_working_tree(base: Arc<Base>, set: Arc<ChangeSet>) -> Self {
        Self {
            base,
            set,
            new_in_base: true,
        }
    }

    /// The files asked for, in the set's order.
    fn asked_for(&self, paths: &[String]) -> Result<Vec<&FileChange>, ChangeError> {
        if paths.is_empty() {
            return Ok(self.set.files.iter().collect());
        }
        let mut indexes = BTreeSet::new();
        for given in paths {
            let path = WorkspacePath::parse(given)?;
            let index = self
                .index(&path)
                .ok_or_else(|| ChangeError::NotInChange(given.clone()))?;
            indexes.insert(index);
        }
        Ok(indexes.into_iter().map(|i| &self.set.files[i]).collect())
    }

    fn index(&self, path: &WorkspacePath) -> Option<usize> {
        self.set.files.binary_search_by(|f| f.path.cmp(path)).ok()
    }

    fn may_be_shown(&self, file: &FileChange) -> bool {
        let before = file
            .path_before()
            .is_none_or(|path| self.base.check_readable(path).is_ok());
        before && (!self.new_in_base || self.base.check_readable(&file.path).is_ok())
    }
}

impl Change for ChangeView {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        Ok(self.set.summary())
    }

    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        if query.context_lines > MOST_CONTEXT {
            return Err(ChangeError::BadParameter(BadParameter {
                field: "context-lines",
                reason: format!("{} is more than {MOST_CONTEXT}", query.context_lines),
            }));
        }
        let mut answer = DiffAnswer {
            files: Vec::new(),
            omitted: Vec::new(),
        };
        let mut room = Room {
            left: query.max_bytes,
            full: false,
        };
        for file in self.asked_for(&query.paths)? {
            let mut shown = FileDiff {
                path: file.path.as_str().to_owned(),
                kind: file.kind,
                binary: file.binary,
                hunks: Vec::new(),
            };
            let whole = self.may_be_shown(file) && room.fill(file, query.context_lines as usize, &mut shown.hunks);
            if !whole {
                answer.omitted.push(shown.path.clone());
            }
            if whole || !shown.hunks.is_empty() {
                answer.files.push(shown);
            }
        }
        Ok(answer)
    }

    fn before(&self, given: &str) -> Result<FileRead, BeforeError> {
        let path = WorkspacePath::parse(given).map_err(ReadError::from)?;
        let found = self.set.files.iter().find(|f| f.path_before() == Some(&path));
        let before = found
            .and_then(|f| f.before.as_ref())
            .ok_or_else(|| BeforeError::NotInChange(given.to_owned()))?;
        self.base.check_readable(&path).map_err(ReadError::Refused)?;
        if before.is_link() {
            return Err(ReadError::Symlink(given.to_owned()).into());
        }
        Ok(FileRead {
            path: path.as_str().to_owned(),
            size: before.bytes.len() as u64,
            executable: before.is_executable(),
            bom: before.bytes.starts_with(BOM),
            content: Content::from_bytes(before.bytes.to_vec()),
        })
    }
}

/// Before execution: there is no change, and the answer says so by its type.
#[derive(Debug, Clone, Copy)]
pub struct NoChangeYet;

impl Change for NoChangeYet {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        Err(ChangeError::NoChangeYet)
    }

    fn diff(&self, _: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        Err(ChangeError::NoChangeYet)
    }

    fn before(&self, _: &str) -> Result<FileRead, BeforeError> {
        Err(BeforeError::NoChangeYet)
    }
}

/// How many bytes of text still fit into the answer. Once something did not fit, nothing more is shown: what is there is the
/// beginning of the whole, not a choice of what happened to fit.
struct Room {
    left: u64,
    full: bool,
}

impl Room {
    /// Shows as many lines of the file as fit, in hunks whose counts say what is shown. Whether that was all of it.
    fn fill(&mut self, file: &FileChange, context: usize, hunks: &mut Vec<Hunk>) -> bool {
        let old = file.before.as_ref().map_or(&[][..], |b| &b.bytes);
        let new = file.after.as_ref().map_or(&[][..], |a| &a.bytes);
        if self.full || file.binary || old == new {
            return !self.full;
        }
        let diff = LineDiff::compute(old, new);
        for group in diff.groups(context) {
            let mut hunk = Hunk {
                old_start: 0,
                old_count: 0,
                new_start: 0,
                new_count: 0,
                lines: Vec::new(),
            };
            for line in diff.lines_of(&group) {
                // A line counts with its LF, so that empty lines are not free.
                let cost = line.bytes().len().max(1) as u64;
                if cost > self.left {
                    self.full = true;
                    break;
                }
                self.left -= cost;
                push(&mut hunk, line);
            }
            if !hunk.lines.is_empty() {
                hunk.old_start = start(group.old.start, hunk.old_count);
                hunk.new_start = start(group.new.start, hunk.new_count);
                hunks.push(hunk);
            }
            if self.full {
                return false;
            }
        }
        true
    }
}

/// From 1; an empty range names the line before it.
fn start(index: usize, count: u64) -> u64 {
    index as u64 + u64::from(count > 0)
}

fn push(hunk: &mut Hunk, line: HunkLine<'_>) {
    let (origin, in_old, in_new) = match line {
        HunkLine::Context(_) => (LineOrigin::Context, 1, 1),
        HunkLine::Removed(_) => (LineOrigin::Removed, 1, 0),
        HunkLine::Added(_) => (LineOrigin::Added, 0, 1),
    };
    hunk.old_count += in_old;
    hunk.new_count += in_new;
    let bytes = line.bytes();
    let (text, no_newline) = bytes.strip_suffix(b"\n").map_or((bytes, true), |text| (text, false));
    hunk.lines.push(DiffLine {
        origin,
        // Only text gets here, so nothing is replaced.
        text: String::from_utf8_lossy(text).into_owned(),
        no_newline,
    });
}
