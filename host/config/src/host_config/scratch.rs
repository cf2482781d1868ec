//! `[scratch]`: of copies of the workspace.

use snodo_workspace::limits::ScratchLimits;

use super::value::within;
use crate::node::Node;
use crate::record::{Extra, Record};
use crate::report::Log;

/// `[scratch]`: of a copy of the workspace for a program to run in. Where the machine can lay the change over the
/// workspace instead, nothing is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScratchConfig {
    /// What is copied, in MiB; a hole in a sparse file is nothing. 1 to 1048576.
    pub total_mib: u32,
    /// Files, folders and links. 1 to 100 million.
    pub entries: u32,
}

impl ScratchConfig {
    /// Copies without a file. The reasons stand at [`ScratchLimits::standard`].
    pub fn standard() -> Self {
        Self {
            total_mib: 8192,
            entries: 1_000_000,
        }
    }

    /// As the workspace keeps them.
    pub fn scratch_limits(&self) -> ScratchLimits {
        ScratchLimits {
            bytes: u64::from(self.total_mib) << 20,
            entries: u64::from(self.entries),
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<ScratchConfig> {
    let standard = ScratchConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let total_mib = record.or("total_mib", standard.total_mib, within(1, 1 << 20));
    let entries = record.or("entries", standard.entries, within(1, 100_000_000));
    record.close(Extra::Refused);
    Some(ScratchConfig {
        total_mib: total_mib?,
        entries: entries?,
    })
}
