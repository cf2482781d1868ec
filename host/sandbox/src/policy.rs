//! What the user says about containment. A repository has no say in it.

use std::ffi::OsString;
use std::path::PathBuf;

pub use snodo_config::host_config::SandboxPolicy;

/// What the user opened for a program beside what every program gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The network of the machine.
    pub network: bool,
    /// A read-only view of the workspace's own `.git`.
    pub git: bool,
    /// More files and folders that may be read, absolute.
    pub read: Vec<PathBuf>,
    /// Folders outside the scratch that may be written, absolute.
    pub write: Vec<PathBuf>,
    /// Folders of the workspace that are not of the scratch but the real ones, from its root.
    pub write_in_workspace: Vec<PathBuf>,
    /// Environment variables beside those that every program gets.
    pub variables: Vec<(OsString, OsString)>,
}

/// Bounds of one program and all that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Processes and threads at a time.
    pub processes: u64,
    /// Bytes of the largest file that it may write.
    pub file_bytes: u64,
    /// Open files of each process.
    pub open_files: u64,
}
