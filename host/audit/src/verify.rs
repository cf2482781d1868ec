//! Verification of a whole log: archives, then the log.

use cap_std::fs::Dir;

use crate::event::Head;
use crate::files::FileFault;
use crate::lock::{LockError, ReadLock};
use crate::walk::{Broken, Note, Walk, WalkError};

/// A log that verifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many events it has. None at all is a log, too, as in snodo; so is one whose file is missing.
    pub events: u64,
    /// The last event: to be kept in a run record.
    pub head: Option<Head>,
    /// What is no damage, and worth knowing.
    pub notes: Vec<Note>,
}

/// A log that does not verify, or could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It is damaged.
    #[error(transparent)]
    Broken(Box<Broken>),
    /// A file of it cannot be read, or is none.
    #[error(transparent)]
    File(#[from] FileFault),
    /// Writers could not be kept out.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl VerifyError {
    /// snodo's reason code where it has one.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Broken(broken) => broken.damage.code(),
            Self::File(_) => "file_unreadable",
            Self::Lock(_) => "locked",
        }
    }
}

/// Follows the chain from the first archive to the last line of the log. `known` are heads from run records: the log must still have each
/// of them. Writes nothing, and needs no right to.
///
/// Only when something is wrong it is looked at once more with the writers locked out, since a line that is being written, and a
/// log that is being renamed, look like damage.
pub fn verify(dir: &Dir, known: &[Head]) -> Result<Verified, VerifyError> {
    if let Ok(walk) = Walk::whole(dir, known) {
        return Ok(walk.into());
    }
    let _lock = ReadLock::acquire(dir)?;
    Ok(Walk::whole(dir, known)?.into())
}

impl From<Walk> for Verified {
    fn from(walk: Walk) -> Self {
        Self {
            events: walk.chain.events(),
            head: walk.chain.head(),
            notes: walk.notes,
        }
    }
}

impl From<WalkError> for VerifyError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Broken { broken, .. } => Self::Broken(broken),
            WalkError::File(fault) => Self::File(fault),
        }
    }
}
