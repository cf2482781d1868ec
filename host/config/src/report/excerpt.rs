//! The part of a file that is shown beside a fault.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::printable::{printable, same_length};

/// How many bytes of the file are shown beside one fault at most. A file may be a single line of a megabyte.
const SHOWN: usize = 800;

/// How many bytes are shown on each side where not even the lines fit.
const MARGIN: usize = 60;

/// How long a label is at most, in bytes.
const LABEL: usize = 100;

/// A file's name and text, fit to be printed, from which small parts are cut.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
}

impl Excerpt {
    pub(super) fn new(name: &str, text: &str) -> Self {
        Self {
            name: printable(name).to_string(),
            text: same_length(text),
        }
    }

    /// The length of a label, cut to what can be shown.
    pub(super) fn label_length(&self, offset: usize, length: usize) -> usize {
        let end = self.text.floor_char_boundary(offset.saturating_add(length.min(LABEL)));
        end.saturating_sub(offset)
    }

    /// The lines of a range with as many around, by their bytes.
    fn lines(&self, start: usize, end: usize, before: usize, after: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        let mut from = line_start(bytes, start);
        for _ in 0..before {
            if from > 0 {
                from = line_start(bytes, from - 1);
            }
        }
        let mut to = line_end(bytes, end);
        for _ in 0..after {
            to = line_end(bytes, to);
        }
        (from, to)
    }
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |newline| newline + 1)
}

/// Behind the line's end.
fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|b| *b == b'\n')
        .map_or(bytes.len(), |newline| at + newline + 1)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset().saturating_add(span.len()));
        if end > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let bytes = self.text.as_bytes();
        let (from, to) = match self.lines(start, end, before, after) {
            // Without context the part begins with the range itself: so its line and column are asked for.
            (_, to) if before == 0 && to - start <= SHOWN => (start, to),
            (from, to) if before > 0 && to - from <= SHOWN => (from, to),
            _ => {
                let margin = if before == 0 { 0 } else { MARGIN };
                let from = self
                    .text
                    .floor_char_boundary(start - margin.min(start - line_start(bytes, start)));
                let to = self
                    .text
                    .ceil_char_boundary(end.saturating_add(MARGIN).min(line_end(bytes, end)));
                (from, to)
            }
        };
        let data = &bytes[from..to];
        let count = |range: std::ops::Range<usize>| self.text[range].matches('\n').count();
        let column = self.text[line_start(bytes, from)..from].chars().count();
        let contents = MietteSpanContents::new_named(
            self.name.clone(),
            data,
            (from, to - from).into(),
            count(0..from),
            column,
            count(from..to) + 1,
        );
        Ok(Box::new(contents))
    }
}
