//! The change set: the one account of what differs between the base and what was submitted.

mod compare;
mod digest;
mod kept;
mod lines;
mod patch;
mod run_by_git;
mod set;
mod test_governing;
mod view;

use serde::{Deserialize, Serialize};

pub use kept::{Inverse, KeptAfter, KeptBefore, KeptError, KeptFile};
pub use run_by_git::run_by_git;
pub use set::{After, Before, ChangeSet, ChangeSetError, FileChange};
pub use test_governing::test_governing;
pub use view::{ChangeView, NoChangeYet};

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A new file.
    Added,
    /// Other content.
    Modified,
    /// No longer there.
    Deleted,
    /// At another path, perhaps with other content.
    Renamed,
    /// Only the executable bit differs.
    ModeChanged,
}

/// A change of a file that governs tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestGoverningChange {
    /// From the root.
    pub path: String,
    /// What happened.
    pub change: ChangeKind,
    /// Why the file counts as one.
    pub reason: String,
}
