//! Reading files to search them: by handle, into one buffer, and no further than it takes to see that they are not text.

use std::io::{self, Read as _};

use cap_std::fs::Dir;

use crate::capability::{Cancel, SkipReason};
use crate::walk::at;

/// Read before anything else is asked: most files end within it, and most that are not text show a NUL in it.
const FIRST_BYTES: usize = 64 * 1024;

/// Read at once after that, so that giving up is noticed.
const NEXT_BYTES: usize = 1024 * 1024;

/// What was found to be text: valid UTF-8 without a NUL, all of it.
///
/// Kept as bytes, since that is what the engine takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// `None` when it is none.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        (memchr::memchr(0, bytes).is_none() && is_utf8(bytes)).then_some(Self(bytes))
    }

    /// All of it.
    pub(super) fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// A part that starts and ends where a line does.
    pub(super) fn part(self, range: std::ops::Range<usize>) -> &'a str {
        // Lines end with an ASCII character, so a part of them is valid when the whole is.
        self.0
            .get(range)
            .and_then(|part| std::str::from_utf8(part).ok())
            .unwrap_or_default()
    }
}

/// Whether all of it is UTF-8. Looks for ASCII first, block by block: seeing that is several times faster than following UTF-8, and
/// most text has little else.
fn is_utf8(mut bytes: &[u8]) -> bool {
    const BLOCK: usize = 1024;
    while !bytes.is_empty() {
        let (block, _) = bytes.split_at(bytes.len().min(BLOCK));
        let mut end = block.len();
        if !block.is_ascii() {
            // With the rest of a character that the block's end cuts in two.
            while bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
                end += 1;
            }
            if std::str::from_utf8(&bytes[..end]).is_err() {
                return false;
            }
        }
        bytes = &bytes[end..];
    }
    true
}

/// A buffer for one file at a time, used again for the next.
pub(super) struct Reader {
    max_bytes: usize,
    /// As long as the longest file so far; only the beginning belongs to the present one.
    buffer: Vec<u8>,
}

/// Why there is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoText {
    Skip(SkipReason),
    /// Not there any more, or given up.
    Gone,
}

impl Reader {
    /// For files of at most `max_bytes`.
    pub(super) fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX - 1),
            buffer: vec![0; FIRST_BYTES],
        }
    }

    /// The text of a file, or why there is none.
    pub(super) fn read(&mut self, folder: &Dir, name: &str, cancel: &Cancel) -> Result<Text<'_>, NoText> {
        let mut file = at::open_file(folder, name).map_err(|error| failure(&error))?;
        let mut length = 0;
        // Bytes that the file has; known once it turns out not to end with the first read.
        let mut size: Option<usize> = None;
        loop {
            let want = match size {
                None => FIRST_BYTES,
                // One more than it should have, so that its end shows by a short read and costs no call of its own.
                Some(size) => (size + 1).saturating_sub(length).clamp(1, NEXT_BYTES),
            };
            if self.buffer.len() < length + want {
                self.buffer.resize(length + want, 0);
            }
            let space = &mut self.buffer[length..length + want];
            let read = match file.read(space) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failure(&error)),
            };
            if memchr::memchr(0, &space[..read]).is_some() {
                return Err(NoText::Skip(SkipReason::Binary));
            }
            length += read;
            if length > self.max_bytes {
                return Err(NoText::Skip(SkipReason::TooLarge));
            }
            // A regular file gives less than asked for only at its end. (One that took a FIFO's name meanwhile gives what
            // was in it, without waiting for more.)
            if read < want && size.is_none_or(|size| length >= size || read == 0) {
                break;
            }
            if size.is_none() {
                let metadata = file.metadata().map_err(|error| failure(&error))?;
                if !metadata.is_file() {
                    return Err(NoText::Skip(SkipReason::Special));
                }
                let whole = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
                if whole > self.max_bytes {
                    return Err(NoText::Skip(SkipReason::TooLarge));
                }
                size = Some(whole);
            }
            if cancel.is_cancelled() {
                return Err(NoText::Gone);
            }
        }
        Text::new(&self.buffer[..length]).ok_or(NoText::Skip(SkipReason::Binary))
    }
}

/// The text of a pending file, or why there is none.
pub(super) fn pending(bytes: &[u8], max_bytes: u64) -> Result<Text<'_>, NoText> {
    if bytes.len() as u64 > max_bytes {
        return Err(NoText::Skip(SkipReason::TooLarge));
    }
    Text::new(bytes).ok_or(NoText::Skip(SkipReason::Binary))
}

fn failure(error: &io::Error) -> NoText {
    match error.kind() {
        io::ErrorKind::NotFound => NoText::Gone,
        _ => NoText::Skip(SkipReason::Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn utf8_is_told_as_the_standard_library_does() {
        let characters = ["a", "é", "€", "💡", "\u{80}", "\u{10ffff}"];
        for shift in 0..8 {
            for piece in characters {
                let text = format!("{}{}", "x".repeat(1020 + shift), piece.repeat(700));
                assert!(is_utf8(text.as_bytes()));
                // With one byte taken away anywhere near a block's end.
                for at in 1016..1034 {
                    let mut bytes = text.clone().into_bytes();
                    bytes.remove(at);
                    assert_eq!(
                        is_utf8(&bytes),
                        std::str::from_utf8(&bytes).is_ok(),
                        "{shift} {piece:?} {at}"
                    );
                    bytes[at] ^= 0x40;
                    assert_eq!(
                        is_utf8(&bytes),
                        std::str::from_utf8(&bytes).is_ok(),
                        "{shift} {piece:?} {at}"
                    );
                }
                for cut in 1..4 {
                    let bytes = &text.as_bytes()[..text.len() - cut];
                    assert_eq!(is_utf8(bytes), std::str::from_utf8(bytes).is_ok());
                }
            }
        }
        assert!(is_utf8(b"") && !is_utf8(b"\xFF") && !is_utf8(b"\x80"));
    }
}
