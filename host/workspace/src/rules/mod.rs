//! What plugins may read and change, by rules that somebody set.

mod deny;
mod ignored;
mod protect;

pub use deny::DenyList;
pub use ignored::IgnoredReads;

use crate::capability::Refusal;
use crate::path::WorkspacePath;

/// A declaration that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{declared}` in {origin}: {reason}")]
pub struct BadRule {
    /// As written.
    pub declared: String,
    /// Where it stands.
    pub origin: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The rules of a run.
#[derive(Debug, Clone)]
pub struct AccessRules {
    protected: Vec<WorkspacePath>,
    deny: DenyList,
    ignored: IgnoredReads,
}

impl AccessRules {
    /// From the protocol's protected paths, the deny list of reads, and what of the ignored files may be read.
    pub fn new(protected: &[String], deny: DenyList, ignored: IgnoredReads) -> Result<Self, BadRule> {
        let _ = (protected, deny, ignored);
        todo!()
    }

    /// Whether a file's content may be given to a plugin. Ignored files are a question of their own: [`crate::base::Base::check_readable`].
    pub fn check_read(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let _ = (path, &self.deny);
        todo!()
    }

    /// Whether a folder may be listed and searched below (`.snodo` may, `.git` may not; its files are asked for one by one).
    pub fn check_enter(&self, folder: &WorkspacePath) -> Result<(), Refusal> {
        let _ = folder;
        todo!()
    }

    /// Whether a plugin may make, replace, move or delete a file at this path.
    pub fn check_write(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let _ = path;
        todo!()
    }

    /// What the protocol declared, normalised.
    pub fn protected_paths(&self) -> &[WorkspacePath] {
        &self.protected
    }

    /// What of the ignored files may be read.
    pub fn ignored_reads(&self) -> &IgnoredReads {
        &self.ignored
    }
}
