//! The moments of a commit. In a test, something may happen at one of them.

use crate::error::CommitError;

/// A moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The index is locked. Nothing is written.
    Locked,
    /// Before an object is written.
    Object,
    /// All objects are written, and the new index stands in the lock file.
    Prepared,
    /// Everything is on the disk.
    Synced,
    /// The references are locked.
    ReferencesLocked,
    /// The branch has moved.
    Moved,
    /// The index is in place.
    InPlace,
}

/// Told of each moment.
pub(crate) trait Watch {
    /// An error ends the commit here, as if the system had given it.
    fn at(&self, moment: Moment) -> Result<(), CommitError>;
}

/// Nobody.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    fn at(&self, _: Moment) -> Result<(), CommitError> {
        Ok(())
    }
}
