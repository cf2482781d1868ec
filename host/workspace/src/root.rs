//! The root of a workspace, held open.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

/// Which folder it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The inode on the device.
    pub inode: u64,
}

/// The root of a workspace: an open folder. Made by [`crate::ambient::open_root`] only.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    given: PathBuf,
    resolved: PathBuf,
    identity: Identity,
}

impl Root {
    pub(crate) fn new(dir: Dir, given: PathBuf, resolved: PathBuf, identity: Identity) -> Self {
        Self {
            dir,
            given,
            resolved,
            identity,
        }
    }

    /// The handle that every access goes through.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// As the user named it. For messages.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// With every link resolved when it was opened. For messages and for programs that are started in it.
    pub fn resolved(&self) -> &Path {
        &self.resolved
    }

    /// Which folder it is.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Whether the resolved name still leads to this folder: false once it was moved, replaced or unmounted.
    pub fn still_there(&self) -> bool {
        crate::ambient::identity_by_name(&self.resolved).is_some_and(|found| found == self.identity)
    }
}
