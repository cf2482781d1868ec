//! Going through the lines of a text that match.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::content::Text;
use crate::capability::Cancel;

/// Searched at once. A longer text is searched in pieces that end with a line, so that giving up is noticed between them.
const PIECE: usize = 256 * 1024;

/// The mark that some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub number: u64,
    /// The line in the text, without its LF; a byte-order mark belongs to it.
    pub range: Range<usize>,
    /// Where it starts for a pattern, which does not see a byte-order mark: `^use` finds the first line behind one.
    pub from: usize,
}

/// One thread's engine.
pub(super) struct Lines {
    searcher: Searcher,
    matcher: RegexMatcher,
}

/// The search was given up.
#[derive(Debug)]
pub(super) struct GivenUp;

impl Lines {
    /// The matcher is copied, so that threads do not wait for each other's tables.
    pub(super) fn new(matcher: &RegexMatcher) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::none())
            // What comes here is text already, and nothing is to be decoded or left out.
            .bom_sniffing(false)
            .build();
        Self {
            searcher,
            matcher: matcher.clone(),
        }
    }

    /// Calls `found` for each line that matches, from the first to the last, with what finds the hits in it.
    pub(super) fn each(
        &mut self,
        text: Text<'_>,
        cancel: &Cancel,
        mut found: impl FnMut(&Hits<'_>, &Line),
    ) -> Result<(), GivenUp> {
        let text = text.bytes();
        let mut start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let mut lines_above = 0;
        while start < text.len() {
            let piece = piece(&text[start..]);
            let hits = Hits {
                matcher: &self.matcher,
                text,
            };
            let sink = Collect {
                found: |line: &Line| found(&hits, line),
                start,
                lines_above,
                cancel,
            };
            self.searcher
                .search_slice(&self.matcher, piece, sink)
                .map_err(|_| GivenUp)?;
            if cancel.is_cancelled() {
                return Err(GivenUp);
            }
            start += piece.len();
            if start < text.len() {
                lines_above += memchr::memchr_iter(b'\n', piece).count() as u64;
            }
        }
        Ok(())
    }
}

/// What finds the hits in a line.
pub(super) struct Hits<'a> {
    matcher: &'a RegexMatcher,
    text: &'a [u8],
}

impl Hits<'_> {
    /// The first hit in a line, in bytes of the text.
    pub(super) fn first(&self, line: &Line) -> Range<usize> {
        match self.matcher.find(&self.text[line.from..line.range.end]) {
            Ok(Some(hit)) => line.from + hit.start()..line.from + hit.end(),
            _ => line.from..line.from,
        }
    }
}

/// The beginning of `text` up to the end of a line.
fn piece(text: &[u8]) -> &[u8] {
    if text.len() <= PIECE {
        return text;
    }
    match memchr::memrchr(b'\n', &text[..PIECE]).or_else(|| memchr::memchr(b'\n', text)) {
        Some(end) => &text[..=end],
        None => text,
    }
}

struct Collect<'a, F> {
    found: F,
    start: usize,
    lines_above: u64,
    cancel: &'a Cancel,
}

impl<F: FnMut(&Line)> Sink for Collect<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let offset = usize::try_from(matched.absolute_byte_offset()).map_err(io::Error::other)?;
        let from = self.start + offset;
        let bytes = matched.bytes();
        let length = bytes.strip_suffix(b"\n").unwrap_or(bytes).len();
        let number = self.lines_above + matched.line_number().unwrap_or(1);
        let begins = if number == 1 { 0 } else { from };
        (self.found)(&Line {
            number,
            range: begins..from + length,
            from,
        });
        Ok(!self.cancel.is_cancelled())
    }
}
