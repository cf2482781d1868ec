//! `[sandbox]`: of every program that runs.

use super::UserPath;
use super::value::{readable, within, writable};
use crate::node::Node;
use crate::record::value::{one_of, strict_boolean};
use crate::record::{Extra, Record};
use crate::report::Log;

/// How much containment a program needs to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxPolicy {
    /// The boundary of files and of the network, or it does not run.
    Required,
    /// As much as the machine gives; what is missing is said.
    BestEffort,
    /// None.
    Off,
}

impl SandboxPolicy {
    /// Every word, as in `host.toml` and behind `--sandbox`.
    pub const WORDS: &'static [&'static str] = &["required", "best-effort", "off"];
    /// Every value, in the same order.
    pub const ALL: &'static [Self] = &[Self::Required, Self::BestEffort, Self::Off];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::BestEffort => "best-effort",
            Self::Off => "off",
        }
    }
}

/// `[sandbox]`: of every program that runs, be it the declared test command or an external coder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    /// How much containment it needs.
    pub policy: SandboxPolicy,
    /// Whether it may use the machine's network.
    pub network: bool,
    /// Whether the declared test command may read the repository's `.git`. An external coder has one of its own.
    pub git: bool,
    /// More files and folders that it may read. None is [`UserPath::Workspace`].
    pub read: Vec<UserPath>,
    /// Folders that it may write, and that stay when it ends. Those in the workspace are the real ones.
    pub write: Vec<UserPath>,
    /// Processes and threads at a time, of it and all that it starts. 16 to 1 million.
    pub processes: u32,
    /// The largest file that it may write, in MiB. 1 to 1048576.
    pub file_mib: u32,
    /// Files that each of its processes may have open. 64 to 1048576, which is what Linux allows.
    pub open_files: u32,
}

impl SandboxConfig {
    /// Programs without a file.
    pub fn standard() -> Self {
        Self {
            policy: SandboxPolicy::Required,
            network: false,
            git: false,
            read: Vec::new(),
            write: Vec::new(),
            // Threads count. A JavaScript runner on 128 cores has a worker a core with eleven threads each (1,400),
            // compilers and Go's tests some thousands on 64; systemd's own default for a service is 4,915. A fork
            // bomb of this size is ended before the machine suffers.
            processes: 4096,
            // Debug builds of large programs link to some GB; a file above fills a laptop's disk.
            file_mib: 4096,
            // Four times the usual soft limit, which watchers and parallel runners reach.
            open_files: 4096,
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<SandboxConfig> {
    let standard = SandboxConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let policy = record.or(
        "policy",
        standard.policy,
        one_of(SandboxPolicy::WORDS, SandboxPolicy::ALL),
    );
    let network = record.or("network", standard.network, strict_boolean);
    let git = record.or("git", standard.git, strict_boolean);
    let read = record.or("read", standard.read, readable);
    let write = record.or("write", standard.write, writable);
    let processes = record.or("processes", standard.processes, within(16, 1_000_000));
    let file_mib = record.or("file_mib", standard.file_mib, within(1, 1 << 20));
    let open_files = record.or("open_files", standard.open_files, within(64, 1 << 20));
    record.close(Extra::Refused);
    Some(SandboxConfig {
        policy: policy?,
        network: network?,
        git: git?,
        read: read?,
        write: write?,
        processes: processes?,
        file_mib: file_mib?,
        open_files: open_files?,
    })
}
