//! Going through the lines of a text that match.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::content::Text;
use super::long_line::{NoAnswer, Tables};
use super::pattern::Pattern;
use crate::capability::Cancel;

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
    /// The first hit in it, in bytes of the text, where it is known already.
    hit: Option<Range<usize>>,
}

/// One thread's engine.
pub(super) struct Lines<'a> {
    searcher: Searcher,
    pattern: &'a Pattern,
    matcher: RegexMatcher,
    tables: Option<Tables>,
}

/// Why a text was not searched to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// By the caller.
    GivenUp,
    /// A line is too long for this pattern.
    TooLong,
}

impl<'a> Lines<'a> {
    /// The matcher is copied, so that threads do not wait for each other's tables.
    pub(super) fn new(pattern: &'a Pattern) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::none())
            // What comes here is text already, and nothing is to be decoded or left out.
            .bom_sniffing(false)
            .build();
        Self {
            searcher,
            pattern,
            matcher: pattern.matcher.clone(),
            tables: None,
        }
    }

    /// Calls `found` for each line that matches, from the first to the last, with what finds the hits in it.
    pub(super) fn each(
        &mut self,
        text: Text<'_>,
        cancel: &Cancel,
        mut found: impl FnMut(&Hits<'_>, &Line),
    ) -> Result<(), Stopped> {
        let text = text.bytes();
        let mut start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let mut lines_above = 0;
        while start < text.len() {
            let piece = piece(&text[start..], self.pattern.piece);
            if piece.len() > self.pattern.piece && !self.pattern.is_one_text() {
                let line = piece.strip_suffix(b"\n").unwrap_or(piece);
                if let Some(hit) = self.long_line(line, cancel)? {
                    let line = line_at(
                        start,
                        line.len(),
                        lines_above + 1,
                        Some(start + hit.start..start + hit.end),
                    );
                    found(
                        &Hits {
                            matcher: &self.matcher,
                            text,
                        },
                        &line,
                    );
                }
            } else {
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
                    .map_err(|_| Stopped::GivenUp)?;
            }
            if cancel.is_cancelled() {
                return Err(Stopped::GivenUp);
            }
            start += piece.len();
            if start < text.len() {
                lines_above += memchr::memchr_iter(b'\n', piece).count() as u64;
            }
        }
        Ok(())
    }

    /// The first hit in one line, by the engine that can be stopped.
    fn long_line(&mut self, line: &[u8], cancel: &Cancel) -> Result<Option<Range<usize>>, Stopped> {
        let engine = self.pattern.long_line().ok_or(Stopped::TooLong)?;
        let tables = self.tables.get_or_insert_with(|| engine.tables());
        engine.find(tables, line, cancel).map_err(|no| match no {
            NoAnswer::GivenUp => Stopped::GivenUp,
            NoAnswer::Unable => Stopped::TooLong,
        })
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
        if let Some(hit) = &line.hit {
            return hit.clone();
        }
        match self.matcher.find(&self.text[line.from..line.range.end]) {
            Ok(Some(hit)) => line.from + hit.start()..line.from + hit.end(),
            _ => line.from..line.from,
        }
    }
}

/// The beginning of `text` up to the end of a line: as many lines as fit into `most` bytes, or one longer one.
fn piece(text: &[u8], most: usize) -> &[u8] {
    if text.len() <= most {
        return text;
    }
    match memchr::memrchr(b'\n', &text[..most]).or_else(|| memchr::memchr(b'\n', text)) {
        Some(end) => &text[..=end],
        None => text,
    }
}

fn line_at(from: usize, length: usize, number: u64, hit: Option<Range<usize>>) -> Line {
    // The first line begins with the byte-order mark, if there is one.
    let begins = if number == 1 { 0 } else { from };
    Line {
        number,
        range: begins..from + length,
        from,
        hit,
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
        let bytes = matched.bytes();
        let length = bytes.strip_suffix(b"\n").unwrap_or(bytes).len();
        let number = self.lines_above + matched.line_number().unwrap_or(1);
        (self.found)(&line_at(self.start + offset, length, number, None));
        Ok(!self.cancel.is_cancelled())
    }
}
