//! Looks for credentials in a line of text, and in bytes that are not text.

use std::cell::OnceCell;

use regex_lite::Regex;

use crate::rules::{Prefilter, RULES};

/// A line longer than this is looked at in parts: a bundle of several megabytes in one line names passwords somewhere, and should not be
/// searched for them from end to end.
const PART: usize = 16 * 1024;
/// Parts overlap by this, so that what crosses a border is whole in one of them. No credential of the table is so long.
const OVERLAP: usize = 4 * 1024;

/// A credential that was found. The value stays in here: it is compared, and shown by [`mask`](crate::mask) only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    /// Index in the table.
    pub(crate) rule: usize,
    pub(crate) value: String,
    /// Where the value stands in the line, in bytes.
    pub(crate) start: usize,
}

/// The table, ready for use.
pub(crate) struct Scanner {
    prefilter: Prefilter,
    /// Compiled when a line first needs it: most changes need none.
    patterns: Vec<OnceCell<Option<Regex>>>,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self {
            prefilter: Prefilter::new(),
            patterns: RULES.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Credentials in one line. A stretch of text is named once, by the first rule of the table that finds it.
    pub(crate) fn line(&self, line: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut from = 0;
        loop {
            let to = if line.len() - from > PART {
                line.floor_char_boundary(from + PART)
            } else {
                line.len()
            };
            self.part(&line[from..to], from, &mut hits);
            if to == line.len() {
                return hits;
            }
            from = line.floor_char_boundary(to - OVERLAP);
        }
    }

    /// Adds what is found in a part of a line, which starts at this offset of it.
    fn part(&self, part: &str, offset: usize, hits: &mut Vec<Hit>) {
        for rule in self.prefilter.candidates(part) {
            // A pattern that does not compile is a mistake in the table, which the tests exclude.
            let Some(pattern) = self.patterns[rule].get_or_init(|| Regex::new(RULES[rule].pattern).ok()) else {
                continue;
            };
            for captures in pattern.captures_iter(part) {
                let Some(value) = captures.iter().skip(1).flatten().next() else {
                    continue;
                };
                let (start, end) = (offset + value.start(), offset + value.end());
                if !hits
                    .iter()
                    .any(|hit| start < hit.start + hit.value.len() && hit.start < end)
                {
                    hits.push(Hit {
                        rule,
                        value: value.as_str().to_owned(),
                        start,
                    });
                }
            }
        }
    }

    /// Credentials in bytes that may be anything, each with its line, counted from 1 by LF.
    ///
    /// ASCII is looked at as it stands, and once more with NUL bytes taken out, which shows the ASCII in UTF-16 and UTF-32.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Vec<(u64, Hit)> {
        let mut hits = self.ascii(bytes.split(|&byte| byte == b'\n'));
        if bytes.contains(&0) {
            let without: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
            for hit in self.ascii(without.split(|&byte| byte == b'\n')) {
                let known = hits
                    .iter()
                    .any(|(_, other)| other.rule == hit.1.rule && other.value == hit.1.value);
                if !known {
                    hits.push(hit);
                }
            }
        }
        // Offsets differ between the two ways of looking; a value is what tells two findings apart here.
        for (_, hit) in &mut hits {
            hit.start = 0;
        }
        hits
    }

    fn ascii<'a>(&self, lines: impl Iterator<Item = &'a [u8]>) -> Vec<(u64, Hit)> {
        let mut text = String::new();
        let mut hits = Vec::new();
        for (number, line) in (1..).zip(lines) {
            text.clear();
            // What is not ASCII ends every pattern, as any character outside its classes does.
            text.extend(
                line.iter()
                    .map(|&byte| if byte.is_ascii() { char::from(byte) } else { '\u{fffd}' }),
            );
            hits.extend(self.line(&text).into_iter().map(|hit| (number, hit)));
        }
        hits
    }
}
