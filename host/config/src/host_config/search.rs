//! `[search]`: of listing and searching.

use snodo_workspace::limits::SearchLimits;

use super::value::within;
use crate::node::Node;
use crate::record::{Extra, Record};
use crate::report::Log;

/// `[search]`: of listing and searching. How large a file is searched is [`super::ReadConfig::file_mib`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchConfig {
    /// Results of one call, whatever a plugin asks for. 1 to 10000, the ceiling that the contract names.
    pub results: u32,
    /// Of all results of one call, in MiB. 1 to 256.
    pub answer_mib: u32,
    /// Of a line that is shown, in bytes; a longer one is clipped. 40 to 65536.
    pub line_bytes: u32,
    /// Lines of context on each side. 0 to 20, the ceiling that the contract names.
    pub context_lines: u32,
    /// The longest pattern, in bytes. 16 to 65536.
    pub pattern_bytes: u32,
}

impl SearchConfig {
    /// Searching without a file. The reasons stand at [`SearchLimits::standard`].
    pub fn standard() -> Self {
        Self {
            results: 10_000,
            answer_mib: 4,
            line_bytes: 400,
            context_lines: 20,
            pattern_bytes: 4096,
        }
    }

    /// As the workspace keeps them.
    pub fn search_limits(&self) -> SearchLimits {
        SearchLimits {
            results: self.results as usize,
            answer_bytes: (self.answer_mib as usize) << 20,
            line_bytes: self.line_bytes as usize,
            context_lines: self.context_lines,
            pattern_bytes: self.pattern_bytes as usize,
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<SearchConfig> {
    let standard = SearchConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let results = record.or("results", standard.results, within(1, 10_000));
    let answer_mib = record.or("answer_mib", standard.answer_mib, within(1, 256));
    let line_bytes = record.or("line_bytes", standard.line_bytes, within(40, 65_536));
    let context_lines = record.or("context_lines", standard.context_lines, within(0, 20));
    let pattern_bytes = record.or("pattern_bytes", standard.pattern_bytes, within(16, 65_536));
    record.close(Extra::Refused);
    Some(SearchConfig {
        results: results?,
        answer_mib: answer_mib?,
        line_bytes: line_bytes?,
        context_lines: context_lines?,
        pattern_bytes: pattern_bytes?,
    })
}
