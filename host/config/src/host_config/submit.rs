//! `[submit]`: of what a coder submits.

use snodo_workspace::limits::SubmitLimits;

use super::value::within;
use crate::node::Node;
use crate::record::{Extra, Places, Record};
use crate::report::Log;

/// `[submit]`: of what a coder submits. Reaching one refuses that call and ends nothing; what may cross the boundary at
/// all is [`super::Limits::submit_mib`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmitConfig {
    /// One file, in MiB. 1 to 1024, at most `read.file_mib`: what can be submitted can be read back.
    pub file_mib: u32,
    /// All pending files together, in MiB, what renamed files keep of the workspace's included: they are held in memory.
    /// 1 to 4096.
    pub pending_mib: u32,
    /// Paths that differ from the workspace. 1 to 1 million.
    pub pending_paths: u32,
    /// Operations of one call. 1 to 1 million.
    pub call_operations: u32,
}

impl SubmitConfig {
    /// Submitting without a file. The reasons stand at [`SubmitLimits::standard`].
    pub fn standard() -> Self {
        Self {
            file_mib: 16,
            pending_mib: 128,
            pending_paths: 50_000,
            call_operations: 10_000,
        }
    }

    /// As the overlay keeps them.
    pub fn submit_limits(&self) -> SubmitLimits {
        let mib = |n: u32| u64::from(n) << 20;
        SubmitLimits {
            file_bytes: mib(self.file_mib),
            total_bytes: mib(self.pending_mib),
            call_operations: self.call_operations as usize,
            pending_paths: self.pending_paths as usize,
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<(SubmitConfig, Places)> {
    let standard = SubmitConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let file_mib = record.or("file_mib", standard.file_mib, within(1, 1024));
    let pending_mib = record.or("pending_mib", standard.pending_mib, within(1, 4096));
    let pending_paths = record.or("pending_paths", standard.pending_paths, within(1, 1_000_000));
    let call_operations = record.or("call_operations", standard.call_operations, within(1, 1_000_000));
    let places = record.close(Extra::Refused);
    let config = SubmitConfig {
        file_mib: file_mib?,
        pending_mib: pending_mib?,
        pending_paths: pending_paths?,
        call_operations: call_operations?,
    };
    Some((config, places))
}
