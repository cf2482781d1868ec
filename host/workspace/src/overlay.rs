//! The overlay: what was submitted, over the base. Pure algebra; nothing here writes to the workspace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::base::Base;
use crate::capability::{Operation, Submission, SubmitError};
use crate::limits::SubmitLimits;
use crate::path::WorkspacePath;

/// What a path will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlayEntry {
    /// A file with this content; it differs from the base in content or executable bit, or is not there.
    File {
        /// All of it.
        bytes: Arc<[u8]>,
        /// The executable bit.
        executable: bool,
        /// The file of the base that it was moved from. Then: the base has a file there and none here, that path is
        /// [`OverlayEntry::Deleted`] in the overlay, and no other entry names it.
        renamed_from: Option<WorkspacePath>,
    },
    /// Nothing: the base has a file, or a link, here, and it goes.
    Deleted,
}

/// What is pending, by path.
pub type Entries = BTreeMap<WorkspacePath, OverlayEntry>;

/// What was submitted so far. One value is shared by the submit capability and the view.
#[derive(Debug)]
pub struct Overlay {
    base: Arc<Base>,
    limits: SubmitLimits,
    entries: Mutex<Arc<Entries>>,
}

impl Overlay {
    /// Nothing submitted yet.
    pub fn new(base: Arc<Base>, limits: SubmitLimits) -> Self {
        Self {
            base,
            limits,
            entries: Mutex::default(),
        }
    }

    /// What it lies over.
    pub fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// What is pending now: a snapshot, cheap to take, that later submissions do not change.
    pub fn entries(&self) -> Arc<Entries> {
        self.entries.lock().map_or_else(
            |poisoned| Arc::clone(&poisoned.into_inner()),
            |entries| Arc::clone(&entries),
        )
    }

    /// Takes operations, all or none.
    pub fn submit(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError> {
        let _ = (operations, self.limits);
        todo!()
    }

    /// Takes back what was submitted for these paths, all or none; answers those for which there was something.
    pub fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        let _ = paths;
        todo!()
    }
}
