//! One stream of a program: read to its end so that the program never blocks, kept at both ends, bounded in memory.

use std::collections::VecDeque;
use std::fmt::Write as _;

use snodo_workspace::capability::Captured;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes kept from the beginning, and from the end: together what a reader, or a model, can take in.
const HEAD: usize = 24 * 1024;
const TAIL: usize = 24 * 1024;

/// The two ends of what came so far.
#[derive(Debug, Default)]
pub(super) struct Ends {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Ends {
    fn take(&mut self, mut bytes: &[u8]) {
        let room = HEAD - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        bytes = rest;
        if bytes.len() > TAIL {
            self.dropped += (self.tail.len() + bytes.len() - TAIL) as u64;
            self.tail.clear();
            self.tail.extend(&bytes[bytes.len() - TAIL..]);
            return;
        }
        let over = (self.tail.len() + bytes.len()).saturating_sub(TAIL);
        self.tail.drain(..over);
        self.dropped += over as u64;
        self.tail.extend(bytes);
    }

    /// As text that is harmless to a terminal; what is shown escaped is counted.
    pub(super) fn finish(self) -> Captured {
        let tail: Vec<u8> = self.tail.into();
        if self.dropped == 0 {
            // Nothing is missing between the two: one text, in which no character is cut in two.
            let whole = [self.head, tail].concat();
            let (head, escaped) = harmless(&whole);
            return Captured {
                head,
                tail: String::new(),
                dropped: 0,
                escaped,
            };
        }
        let (head, a) = harmless(&self.head);
        let (tail, b) = harmless(&tail);
        Captured {
            head,
            tail,
            dropped: self.dropped,
            escaped: a + b,
        }
    }
}

/// Reads a stream to its end. What came by then stays in `ends`, also when this is dropped before.
pub(super) async fn drain(mut stream: impl AsyncRead + Unpin, ends: &std::sync::Mutex<Ends>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(n) = stream.read(&mut buffer).await {
        if n == 0 {
            return;
        }
        ends.lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take(&buffer[..n]);
    }
}

fn harmless(bytes: &[u8]) -> (String, u64) {
    let (mut text, mut escaped) = (String::with_capacity(bytes.len()), 0);
    for chunk in bytes.utf8_chunks() {
        for line in chunk.valid().split_inclusive('\n') {
            // Programs for terminals and for Windows end lines with CR LF; that CR is not an attempt at anything.
            let (body, ending) = line.strip_suffix("\r\n").map_or((line, ""), |body| (body, "\n"));
            let shown = snodo_workspace::escape::escape_lines(body);
            if shown.len() != body.len() {
                escaped += body
                    .chars()
                    .filter(|c| c.is_control() && !matches!(c, '\n' | '\t'))
                    .count()
                    .max(1) as u64;
            }
            text.push_str(&shown);
            text.push_str(ending);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
            escaped += 1;
        }
    }
    (text, escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pieces: &[&[u8]]) -> Captured {
        let mut ends = Ends::default();
        for piece in pieces {
            ends.take(piece);
        }
        ends.finish()
    }

    #[test]
    fn both_ends_are_kept_and_the_middle_is_counted() {
        let line = [b'x'; 1000];
        let mut pieces: Vec<&[u8]> = vec![b"first "];
        pieces.extend(std::iter::repeat_n(&line[..], 200));
        pieces.push(b" last");
        let seen = captured(&pieces);
        assert!(seen.head.starts_with("first x"));
        assert!(seen.tail.ends_with("x last"));
        assert_eq!(
            seen.head.len() as u64 + seen.tail.len() as u64 + seen.dropped,
            200_000 + 11
        );
    }

    #[test]
    fn one_huge_piece_is_bounded_too() {
        let seen = captured(&[&vec![b'y'; 1 << 20]]);
        assert_eq!(seen.dropped, (1 << 20) - 48 * 1024);
    }

    #[test]
    fn escapes_and_bytes_that_are_not_utf8_are_shown() {
        let seen = captured(&[b"a\x1b[2Jb\xff\xfe\r\nc"]);
        assert_eq!(seen.head, "a\\u{1b}[2Jb\\xff\\xfe\nc");
        assert_eq!(seen.escaped, 3);
    }

    #[test]
    fn a_character_on_the_border_of_the_head_is_not_cut() {
        let mut bytes = vec![b'a'; HEAD - 1];
        bytes.extend("é!".as_bytes());
        let seen = captured(&[&bytes]);
        assert_eq!((seen.escaped, seen.head.ends_with("é!")), (0, true));
    }
}
