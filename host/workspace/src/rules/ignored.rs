//! Which of the files that git ignores and does not track may be read.

use super::BadRule;
use super::pattern::Patterns;
use crate::path::WorkspacePath;

/// Which ignored files may be read: none, or those that the user's patterns name. This loosens a rule, so patterns match
/// literally, letter by letter.
#[derive(Debug, Clone)]
pub struct IgnoredReads(Patterns);

impl IgnoredReads {
    /// None of them.
    pub fn refuse_all() -> Self {
        Self(Patterns::default())
    }

    /// Those that match one of the user's patterns (`--read-ignored PATTERN`), written as `.gitignore` files are. `origin`
    /// says where they stand, for errors.
    pub fn allowing(patterns: &[String], origin: &str) -> Result<Self, BadRule> {
        let mut allowed = Patterns::default();
        allowed.add(patterns, origin, str::to_owned)?;
        Ok(Self(allowed))
    }

    /// Whether this file may be read although it is ignored.
    pub fn allows(&self, path: &WorkspacePath) -> bool {
        self.0.decide(path.as_str(), false).is_some()
    }
}
