//! `[read]`: of reading in the workspace.

use snodo_workspace::limits::FileLimits;

use super::value::{patterns, within};
use crate::node::Node;
use crate::record::{Extra, Places, Record};
use crate::report::Log;

/// `[read]`: of reading in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadConfig {
    /// Patterns of files that no plugin may read, beside those that are always denied.
    pub deny: Vec<String>,
    /// Patterns of ignored files that plugins may read all the same.
    pub allow_ignored: Vec<String>,
    /// The largest file that is read whole, searched, replaced, renamed or deleted, in MiB. 1 to 1024; it is held in
    /// memory three times.
    pub file_mib: u32,
    /// Of lines that one call gives, in MiB. 1 to 256.
    pub lines_mib: u32,
    /// Looked through for lines of a file too large to be read whole, in MiB. 1 to 65536.
    pub scan_mib: u32,
    /// Files of one call. 1 to 100000.
    pub batch_paths: u32,
    /// Of the files that one call gives, in MiB. 1 to 1024.
    pub batch_mib: u32,
}

impl ReadConfig {
    /// Reading without a file. The reasons of the bounds stand at [`FileLimits::standard`].
    pub fn standard() -> Self {
        Self {
            deny: Vec::new(),
            allow_ignored: Vec::new(),
            file_mib: 16,
            lines_mib: 4,
            scan_mib: 64,
            batch_paths: 1000,
            batch_mib: 64,
        }
    }

    /// As the workspace keeps them.
    pub fn file_limits(&self) -> FileLimits {
        let mib = |n: u32| u64::from(n) << 20;
        FileLimits {
            whole_bytes: mib(self.file_mib),
            lines_bytes: mib(self.lines_mib),
            scan_bytes: mib(self.scan_mib),
            batch_paths: self.batch_paths as usize,
            batch_bytes: mib(self.batch_mib),
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<(ReadConfig, Places)> {
    let standard = ReadConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let deny = record.or("deny", standard.deny, patterns);
    let allow_ignored = record.or("allow_ignored", standard.allow_ignored, patterns);
    let file_mib = record.or("file_mib", standard.file_mib, within(1, 1024));
    let lines_mib = record.or("lines_mib", standard.lines_mib, within(1, 256));
    let scan_mib = record.or("scan_mib", standard.scan_mib, within(1, 65_536));
    let batch_paths = record.or("batch_paths", standard.batch_paths, within(1, 100_000));
    let batch_mib = record.or("batch_mib", standard.batch_mib, within(1, 1024));
    let places = record.close(Extra::Refused);
    let config = ReadConfig {
        deny: deny?,
        allow_ignored: allow_ignored?,
        file_mib: file_mib?,
        lines_mib: lines_mib?,
        scan_mib: scan_mib?,
        batch_paths: batch_paths?,
        batch_mib: batch_mib?,
    };
    Some((config, places))
}
