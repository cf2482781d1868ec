//! Lines: what ends with LF, or with the end of the file. CR stays in the text; git counts the same way.

use std::io::{self, Read};

use memchr::memchr_iter;

use crate::capability::Count;

/// Bytes looked at in one go.
const CHUNK: usize = 256 * 1024;

/// A range of lines, as far as it could be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineSlice {
    /// Whole lines, with their endings.
    pub(crate) bytes: Vec<u8>,
    /// The last line given; one below the first asked for when there is none.
    pub(crate) last: u64,
    /// Lines of the file.
    pub(crate) total: Count,
    /// Lines of the range were left out, or may have been: the end of the file was not reached.
    pub(crate) truncated: bool,
}

/// Lines `first` to `last` (from 1) of a text in memory, at most `max_bytes` of it. The lines are counted to the end.
pub(crate) fn of_bytes(text: &[u8], first: u64, last: u64, max_bytes: u64) -> LineSlice {
    let mut scan = Scan::new(first, last, max_bytes);
    scan.feed(text);
    scan.finish(true)
}

/// Lines `first` to `last` of a file too large to be held, at most `max_bytes` of it, looking through at most `scan_bytes`. It
/// ends as soon as the range is there, so that the lines are counted only as far.
pub(crate) fn of_reader(
    mut reader: impl Read,
    first: u64,
    last: u64,
    max_bytes: u64,
    scan_bytes: u64,
) -> io::Result<LineSlice> {
    let mut scan = Scan::new(first, last, max_bytes);
    let mut buffer = vec![0; CHUNK];
    let mut left = scan_bytes;
    while left > 0 && !scan.is_done() {
        let most = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
        let read = match reader.read(&mut buffer[..most]) {
            Ok(0) => return Ok(scan.finish(true)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        left -= read as u64;
        scan.feed(&buffer[..read]);
    }
    Ok(scan.finish(false))
}

struct Scan {
    first: u64,
    last: u64,
    max_bytes: u64,
    /// Lines that have ended.
    ended: u64,
    /// The line after them has begun.
    begun: bool,
    out: Vec<u8>,
    /// Where the line that is being taken starts in `out`.
    line_start: usize,
    /// The last line given whole.
    given: u64,
    /// A line did not fit.
    full: bool,
}

impl Scan {
    fn new(first: u64, last: u64, max_bytes: u64) -> Self {
        let given = first.saturating_sub(1);
        Self {
            first,
            last,
            max_bytes,
            ended: 0,
            begun: false,
            out: Vec::new(),
            line_start: 0,
            given,
            full: false,
        }
    }

    fn is_done(&self) -> bool {
        self.full || self.ended >= self.last
    }

    fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !rest.is_empty() {
            if self.is_done() {
                // Only counting is left.
                self.ended += memchr_iter(b'\n', rest).count() as u64;
                self.begun = rest.last() != Some(&b'\n');
                return;
            }
            let end = memchr::memchr(b'\n', rest);
            let (line, after) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
            self.take(line, end.is_some());
            rest = after;
        }
    }

    /// A piece of the line after those that have ended.
    fn take(&mut self, piece: &[u8], ends: bool) {
        let number = self.ended + 1;
        if number >= self.first {
            if (self.out.len() + piece.len()) as u64 > self.max_bytes {
                self.full = true;
                self.out.truncate(self.line_start);
            } else {
                self.out.extend_from_slice(piece);
            }
        }
        self.begun = !ends;
        if ends {
            self.ended = number;
            self.line_ended(number);
        }
    }

    fn line_ended(&mut self, number: u64) {
        if number >= self.first && number <= self.last && !self.full {
            self.line_start = self.out.len();
            self.given = number;
        }
    }

    fn finish(mut self, at_end: bool) -> LineSlice {
        let lines = self.ended + u64::from(self.begun);
        if at_end && self.begun {
            self.line_ended(lines);
        }
        // A line of which the end was not seen is not given.
        self.out.truncate(self.line_start);
        LineSlice {
            bytes: self.out,
            last: self.given,
            total: if at_end {
                Count::Exact(lines)
            } else {
                Count::AtLeast(lines)
            },
            truncated: self.full || (!at_end && self.given < self.last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LineSlice, of_bytes, of_reader};
    use crate::capability::Count;

    fn slice(bytes: &str, last: u64, total: Count, truncated: bool) -> LineSlice {
        LineSlice {
            bytes: bytes.as_bytes().to_vec(),
            last,
            total,
            truncated,
        }
    }

    #[test]
    fn ranges_of_a_text() {
        let text = b"a\r\nb\n\nlast";
        assert_eq!(of_bytes(text, 1, 2, 100), slice("a\r\nb\n", 2, Count::Exact(4), false));
        assert_eq!(of_bytes(text, 3, 3, 100), slice("\n", 3, Count::Exact(4), false));
        assert_eq!(of_bytes(text, 4, 9, 100), slice("last", 4, Count::Exact(4), false));
        assert_eq!(of_bytes(text, 5, 9, 100), slice("", 4, Count::Exact(4), false));
        assert_eq!(
            of_bytes(text, u64::MAX, u64::MAX, 100),
            slice("", u64::MAX - 1, Count::Exact(4), false)
        );
        assert_eq!(of_bytes(b"", 1, 1, 100), slice("", 0, Count::Exact(0), false));
        assert_eq!(of_bytes(b"x\n", 1, 5, 100), slice("x\n", 1, Count::Exact(1), false));
        assert_eq!(
            of_bytes(b"a\rb\rc", 1, 1, 100),
            slice("a\rb\rc", 1, Count::Exact(1), false)
        );
    }

    #[test]
    fn whole_lines_or_none() {
        let text = b"four\nfour\nfour\n";
        assert_eq!(
            of_bytes(text, 1, 3, 14),
            slice("four\nfour\n", 2, Count::Exact(3), true)
        );
        assert_eq!(
            of_bytes(text, 1, 3, 15),
            slice("four\nfour\nfour\n", 3, Count::Exact(3), false)
        );
        assert_eq!(of_bytes(text, 1, 1, 3), slice("", 0, Count::Exact(3), true));
        assert_eq!(
            of_bytes(b"a\nlong line", 1, 2, 4),
            slice("a\n", 1, Count::Exact(2), true)
        );
    }

    #[test]
    fn a_reader_is_read_as_far_as_needed() {
        let text = b"1\n2\n3\n4\n5\n6";
        assert_eq!(
            of_reader(&text[..], 2, 3, 100, 8).ok(),
            Some(slice("2\n3\n", 3, Count::AtLeast(4), false))
        );
        assert_eq!(
            of_reader(&text[..], 6, 6, 100, 100).ok(),
            Some(slice("6", 6, Count::Exact(6), false))
        );
        // The end is not seen: line 4 may go on, and more may follow.
        assert_eq!(
            of_reader(&text[..], 3, 9, 100, 7).ok(),
            Some(slice("3\n", 3, Count::AtLeast(4), true))
        );
        assert_eq!(
            of_reader(io_of_nul(), 1, 5, 1000, 10_000).ok(),
            Some(slice("", 0, Count::AtLeast(1), true))
        );
    }

    fn io_of_nul() -> impl std::io::Read {
        std::io::repeat(0)
    }
}
