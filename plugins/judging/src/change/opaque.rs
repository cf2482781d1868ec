//! Files of which nothing can be shown, since their bytes are no text.

use snodo_plugin::ChangeKind;
use snodo_plugin::change::ChangedFile;
use snodo_plugin::pattern::Pattern;
use snodo_plugin::tools::Sight;

use crate::seam::Changes;

/// Bytes that are compared, to know moved files for what they were.
const COMPARED: u64 = 16 << 20;

/// Why a binary file counts as looked at, or that it does not.
///
/// One byte that is no text makes a whole file binary, and no line of it is shown: to take such a file for looked at would let anything
/// pass that holds a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bytes {
    /// Its lines can be shown, or it has none.
    Text,
    /// The change wrote no bytes: the file is gone, moved as it was, or has another mode.
    Old,
    /// It wrote bytes that nobody is shown, and a setting says that they need not be.
    Allowed,
    /// It wrote bytes that nobody is shown.
    Unseen,
}

/// Tells them apart.
pub(super) struct Sorting<'a, C, S> {
    pub(super) changes: &'a C,
    pub(super) sight: &'a S,
    pub(super) allowed: &'a [Pattern],
    left: u64,
}

impl<'a, C: Changes, S: Sight> Sorting<'a, C, S> {
    pub(super) fn new(changes: &'a C, sight: &'a S, allowed: &'a [Pattern]) -> Self {
        Self {
            changes,
            sight,
            allowed,
            left: COMPARED,
        }
    }

    pub(super) fn bytes(&mut self, changed: &ChangedFile) -> Bytes {
        let wrote = match changed.kind {
            ChangeKind::Deleted | ChangeKind::ModeChanged => false,
            ChangeKind::Added | ChangeKind::Modified => true,
            ChangeKind::Renamed => changed.binary && !self.same(changed),
        };
        if !changed.binary {
            Bytes::Text
        } else if !wrote {
            Bytes::Old
        } else if self.allowed.iter().any(|pattern| pattern.matches(&changed.path)) {
            Bytes::Allowed
        } else {
            Bytes::Unseen
        }
    }

    /// Whether a moved file is, byte for byte, what it was. One that cannot be compared is not known to be.
    fn same(&mut self, changed: &ChangedFile) -> bool {
        let (Some(old), Some(before), Some(after)) = (&changed.old_path, changed.size_before, changed.size_after)
        else {
            return false;
        };
        if before != after || before > self.left {
            return false;
        }
        self.left -= before;
        match (self.changes.before(old), self.sight.file(&changed.path)) {
            (Ok(before), Ok(after)) => before.content.as_bytes() == after.content.as_bytes(),
            _ => false,
        }
    }
}
