//! What the helper process is told, and what it tells: one line of JSON each, over the socket that is its standard input.
//!
//! Host and helper are the same binary, so this has no version.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::layer::{Layer, Layers};

/// The user and group that a program of root's becomes where [`Layer::Identity`] is asked for. Its scratch has to belong to it.
pub const NOBODY: u32 = 65_534;

/// What is to be executed, and inside of what. Every layer in `layers` is put in force, or nothing is executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program and its arguments; the program is looked for in the `PATH` of `environment`. With none, the layers are put in force,
    /// and that is all: so it is found out what a machine offers.
    pub argv: Vec<String>,
    /// Where it starts, as it will see it.
    pub folder: PathBuf,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// A file that it gets as standard input, opened before anything is closed; none is an empty one.
    pub input: Option<PathBuf>,
    /// The layers.
    pub layers: Layers,
    /// The root that it sees, where there is a mount namespace.
    pub root: Option<NewRoot>,
    /// What it may read and execute, absolute. What is not there is left out.
    pub read: Vec<PathBuf>,
    /// What it may write, absolute, the scratch included. What is not there is left out. At [`NewRoot::workspace`] stands what
    /// [`NewRoot::source`] says, whether it is named here or not.
    pub write: Vec<PathBuf>,
    /// Paths at which nothing may be, as the program would see them (what the scratch hides). Looked for when all is set up; where one is
    /// there after all, nothing is executed.
    pub absent: Vec<PathBuf>,
    /// The sockets it may make.
    pub sockets: Sockets,
    /// Processes and threads at a time.
    pub processes: u64,
    /// Bytes of the largest file that it may write.
    pub file_bytes: u64,
    /// Open files of each process.
    pub open_files: u64,
}

/// A root of its own: nothing but what is named in [`Plan::read`], [`Plan::write`] and here exists in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRoot {
    /// An empty folder of the host's on which the new root is built.
    pub root: PathBuf,
    /// The workspace's own path, at which the program sees it.
    pub workspace: PathBuf,
    /// What is mounted there.
    pub source: Source,
    /// The scratch's folder for temporary files, which also stands at `/tmp` and `/var/tmp`.
    pub temporary: PathBuf,
    /// Paths within the workspace that are shown read-only as they really are (`.git`, where the user opened it), from its root.
    pub shown: Vec<PathBuf>,
    /// Paths within the workspace that are the real ones, to be written, from its root.
    pub passed: Vec<PathBuf>,
}

/// What stands at the workspace's path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The workspace itself under an upper layer, by overlayfs.
    Overlay {
        /// The upper layer, prepared.
        upper: PathBuf,
        /// The empty folder that overlayfs wants beside it, on the same file system. It can be used once.
        work: PathBuf,
    },
    /// A copy, bound there to be written.
    Copy(PathBuf),
}

/// Which sockets a program may make, by seccomp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sockets {
    /// Only pairs, which lead nowhere else: a named one would lead out wherever the file system view is the machine's own.
    Pairs,
    /// Those of the machine itself (`AF_UNIX`).
    Local,
    /// Those of the network, and pairs: whatever listens at some path of the machine, such as a daemon that runs containers, was not opened.
    Network,
    /// Those of the network and of the machine itself. The kernel's own (packet, netlink beyond routing and the like) stay refused.
    Any,
}

/// A line from the helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// The layers are in force; the program is started next.
    Ready {
        /// Those.
        layers: Layers,
        /// The kernel's version of Landlock, where that is one of them.
        landlock_abi: Option<i32>,
        /// What a person should know about them.
        notes: Vec<String>,
    },
    /// A layer could not be had; nothing was executed.
    Fault {
        /// Which; none for the helper's own doings.
        layer: Option<Layer>,
        /// The system's reason, and what was tried.
        reason: String,
    },
    /// The program could not be started.
    NotStarted {
        /// How.
        kind: NotStarted,
        /// The system's reason.
        reason: String,
    },
    /// The program ended by itself.
    Ended {
        /// Its exit code, or none where a signal ended it.
        code: Option<i32>,
        /// That signal.
        signal: Option<i32>,
    },
    /// After its end: what it had left running could not be ended. Their process ids.
    Left {
        /// Those.
        processes: Vec<i32>,
    },
}

/// Why a program could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotStarted {
    /// Nothing of that name.
    NotFound,
    /// Not to be executed.
    NotExecutable,
    /// Its interpreter is not there.
    MissingInterpreter,
    /// The system would not.
    Io,
}
