//! A file's bytes as text, and places in it.

use serde::Serialize;

use crate::fault::FaultKind;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In bytes, from the first one after a byte order mark.
    #[serde(skip)]
    pub offset: u32,
    /// In bytes; 0 where something is missing.
    #[serde(skip)]
    pub length: u32,
}

impl Place {
    /// Where a file begins.
    pub const START: Self = Self {
        line: 1,
        column: 1,
        offset: 0,
        length: 0,
    };
}

/// A file's bytes as text: within its size, UTF-8, with nothing in it that acts on a terminal.
///
/// A UTF-8 byte order mark is taken off, as PyYAML does.
pub(crate) fn decode(bytes: &[u8], allowed: usize) -> Result<&str, (Place, FaultKind)> {
    if bytes.len() > allowed {
        return Err((
            Place::START,
            FaultKind::TooLarge {
                bytes: bytes.len(),
                allowed,
            },
        ));
    }
    for (mark, encoding) in [
        // The marks of UTF-32 begin like those of UTF-16, so they come first.
        (&[0xFF, 0xFE, 0, 0][..], "UTF-32"),
        (&[0, 0, 0xFE, 0xFF][..], "UTF-32"),
        (&[0xFF, 0xFE][..], "UTF-16"),
        (&[0xFE, 0xFF][..], "UTF-16"),
    ] {
        if bytes.starts_with(mark) {
            return Err((Place::START, FaultKind::OtherEncoding { encoding }));
        }
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let good = String::from_utf8_lossy(&bytes[..e.valid_up_to()]);
            return Err((
                place_at(&good, good.len(), 0),
                FaultKind::NotUtf8 {
                    offset: e.valid_up_to(),
                },
            ));
        }
    };
    let bare_return = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    let mut chars = text.char_indices();
    if let Some((at, c)) = chars.find(|(at, c)| is_forbidden(*c) || (*c == '\r' && bare_return(*at))) {
        return Err((
            place_at(text, at, c.len_utf8()),
            FaultKind::ForbiddenCharacter { character: c },
        ));
    }
    Ok(text)
}

/// The text before the first byte that is none, to show a fault in what [`decode`] refused.
pub(crate) fn decodable(bytes: &[u8], allowed: usize) -> &str {
    let bytes = bytes.get(..allowed.min(bytes.len())).unwrap_or(bytes);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or(""),
    }
}

/// YAML allows no control characters but tab and line ends; the next-line character and the Unicode line and
/// paragraph separators end a line for YAML 1.1 and do not for 1.2, so that a file with them says different things to
/// different readers. The same goes for a carriage return without a line feed, which on a terminal also hides what
/// stands before it; [`decode`] looks for that one.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The place of a range of bytes. Linear in the text before it: for single places, not for every node of a file.
pub(crate) fn place_at(text: &str, offset: usize, length: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: small(before.bytes().filter(|b| *b == b'\n').count() + 1),
        column: small(before[line_start..].chars().count() + 1),
        offset: small(offset),
        length: small(length),
    }
}

/// Files are capped far below 4 GiB, so nothing is ever cut here.
pub(crate) fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// From character index to place, without walking the text each time.
pub(crate) struct CharIndex<'t> {
    text: &'t str,
    /// Of every `STEP`th character.
    samples: Vec<Sample>,
}

struct Sample {
    /// Its offset.
    byte: usize,
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
}

impl<'t> CharIndex<'t> {
    const STEP: usize = 64;

    pub(crate) fn new(text: &'t str) -> Self {
        let mut samples = Vec::with_capacity(text.len() / Self::STEP + 1);
        let (mut line, mut column) = (1, 1);
        for (i, (byte, c)) in text.char_indices().enumerate() {
            if i % Self::STEP == 0 {
                samples.push(Sample { byte, line, column });
            }
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        Self { text, samples }
    }

    /// The byte offset of a character; the text's length for one behind its end.
    pub(crate) fn byte(&self, character: usize) -> usize {
        self.text.len() - self.rest(character).map_or(0, |(_, rest)| rest.len())
    }

    /// The place of a character, with a length of 0; the text's end for one behind it.
    pub(crate) fn place(&self, character: usize) -> Place {
        let Some((sample, rest)) = self.rest(character) else {
            return place_at(self.text, self.text.len(), 0);
        };
        let offset = self.text.len() - rest.len();
        let (mut line, mut column) = (sample.line, sample.column);
        for c in self.text[sample.byte..offset].chars() {
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        Place {
            line: small(line),
            column: small(column),
            offset: small(offset),
            length: 0,
        }
    }

    /// The sample before a character, and the text from that character on.
    fn rest(&self, character: usize) -> Option<(&Sample, &'t str)> {
        let sample = self.samples.get(character / Self::STEP)?;
        let from = &self.text[sample.byte..];
        let (at, _) = from.char_indices().nth(character % Self::STEP)?;
        Some((sample, &from[at..]))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test fails by panicking

    use super::*;

    #[test]
    fn every_character_is_found() {
        let text: String = ["a", "é", "日", "🦀", "\n"]
            .iter()
            .cycle()
            .take(1000)
            .copied()
            .collect();
        let index = CharIndex::new(&text);
        for (i, (at, _)) in text.char_indices().enumerate() {
            assert_eq!(index.byte(i), at);
            assert_eq!(index.place(i), place_at(&text, at, 0));
        }
        assert_eq!(index.byte(1000), text.len());
        assert_eq!(index.byte(1_000_000), text.len());
    }

    #[test]
    fn a_byte_order_mark_is_taken_off() {
        assert_eq!(decode(b"\xEF\xBB\xBFa: 1", 100).unwrap(), "a: 1");
    }

    #[test]
    fn a_fault_in_the_encoding_has_its_line() {
        let (place, kind) = decode(b"a: 1\nb: \xE9t\xE9\n", 100).unwrap_err();
        assert_eq!((place.line, place.column), (2, 4));
        assert!(matches!(kind, FaultKind::NotUtf8 { offset: 8 }));
        assert!(matches!(
            decode(b"\xFF\xFEa\0", 100).unwrap_err().1,
            FaultKind::OtherEncoding { encoding: "UTF-16" }
        ));
        assert!(matches!(
            decode(b"\xFF\xFE\0\0a\0\0\0", 100).unwrap_err().1,
            FaultKind::OtherEncoding { encoding: "UTF-32" }
        ));
    }

    #[test]
    fn what_acts_on_a_terminal_or_hides_a_line_end_is_refused() {
        for c in ["\0", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}", "\u{2028}", "\r", "\rc"] {
            let (place, _) = decode(format!("a: 1\nb: {c}").as_bytes(), 100).unwrap_err();
            assert_eq!((place.line, place.column), (2, 4), "{c:?}");
        }
    }
}
