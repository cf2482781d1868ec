//! Tabs between tokens.
//!
//! YAML 1.2 allows a tab wherever blanks separate; YAML 1.1's readers stop at it. A protocol must mean the same to
//! both, so it is refused everywhere but within quotes, block texts and comments.

use saphyr_parser::{Event, ScalarStyle};

use crate::source::{Place, place_at};

/// Watches the parser's events for tabs in the text that they leave out.
pub(super) struct Tabs<'t> {
    text: &'t str,
    /// Everything before is looked at.
    done: usize,
    found: Option<usize>,
}

impl<'t> Tabs<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        // The common file without one costs one search.
        let done = if text.contains('\t') { 0 } else { text.len() };
        Self {
            text,
            done,
            found: None,
        }
    }

    /// Takes note of an event with its range of bytes. Scalars come in the order of the text.
    pub(super) fn pass(&mut self, event: &Event<'_>, start: usize, end: usize) {
        if let Event::Scalar(_, style, ..) = event
            && *style != ScalarStyle::Plain
            && start >= self.done
        {
            // The range begins at the anchor or the tag, and may run on behind a closing quote, so the content is
            // found here.
            let range = &self.text[start..end];
            let begin = start + range.find(['"', '\'', '|', '>']).unwrap_or(0);
            self.look(begin);
            let end = if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                end
            } else {
                begin + quoted(&self.text[begin..end])
            };
            self.done = self.done.max(end);
        } else if matches!(event, Event::StreamEnd) {
            self.look(self.text.len());
        }
    }

    fn look(&mut self, until: usize) {
        if self.found.is_some() || until <= self.done {
            self.done = self.done.max(until);
            return;
        }
        let mut at = self.done;
        let gap = &self.text[self.done..until];
        for line in gap.split_inclusive('\n') {
            let code = comment(
                line,
                at == 0 || self.text.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace),
            );
            if let Some(tab) = line[..code].find('\t') {
                self.found = Some(at + tab);
                break;
            }
            at += line.len();
        }
        self.done = until;
    }

    /// The first tab that may not be there.
    pub(super) fn first(&self) -> Option<Place> {
        self.found.map(|at| place_at(self.text, at, 1))
    }
}

/// The length of the quoted text that begins here, quotes included.
fn quoted(text: &str) -> usize {
    let mut chars = text.char_indices();
    let quote = chars.next().map_or('"', |(_, quote)| quote);
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            // Within single quotes, two of them are one.
            let doubled = quote == '\'' && text[at + 1..].starts_with('\'');
            if !doubled {
                return at + 1;
            }
            chars.next();
        }
    }
    text.len()
}

/// Where the comment of a line begins; its length if it has none. A `#` begins one at the line's start or behind a
/// blank.
fn comment(line: &str, starts_blank: bool) -> usize {
    let mut blank = starts_blank;
    for (at, c) in line.char_indices() {
        if c == '#' && blank {
            return at;
        }
        blank = c.is_ascii_whitespace();
    }
    line.len()
}
