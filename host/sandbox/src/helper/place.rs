//! Where files may be read and written, as the program will see them: what Landlock is told.

use std::path::PathBuf;

use crate::plan::Plan;

/// Devices that every program gets; nothing can be done to the machine by them.
pub(super) const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Paths by what may be done below them.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// Read and executed.
    pub(super) read: Vec<PathBuf>,
    /// Listed, with all folders below.
    pub(super) listed: Vec<PathBuf>,
    /// Read, and files that are there already written.
    pub(super) devices: Vec<PathBuf>,
    /// All.
    pub(super) write: Vec<PathBuf>,
}

impl Place {
    /// The machine's own file system, for a program without a view of its own.
    pub(super) fn machine(plan: &Plan) -> Self {
        Self {
            read: plan.read.clone(),
            listed: Vec::new(),
            devices: DEVICES.iter().map(|name| PathBuf::from("/dev").join(name)).collect(),
            write: plan.write.clone(),
        }
    }
}
