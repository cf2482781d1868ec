//! Which of the files that git ignores and does not track may be read.

use super::BadRule;
use crate::path::WorkspacePath;

/// Which ignored files may be read: none, or those that the user's patterns name.
#[derive(Debug, Clone)]
pub struct IgnoredReads {}

impl IgnoredReads {
    /// None of them.
    pub fn refuse_all() -> Self {
        todo!()
    }

    /// Those that match one of the user's globs (`--read-ignored PATTERN`).
    pub fn allowing(patterns: &[String], origin: &str) -> Result<Self, BadRule> {
        let _ = (patterns, origin);
        todo!()
    }

    /// Whether this file may be read although it is ignored.
    pub fn allows(&self, path: &WorkspacePath) -> bool {
        let _ = path;
        todo!()
    }
}
