//! A file line by line, with bounds.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

use crate::event::MAX_LINE_BYTES;

/// The lines of a file from some place on, up to where it ended when that began.
pub(crate) struct Lines<'a> {
    reader: BufReader<io::Take<&'a File>>,
    at: u64,
    number: u64,
    buffer: Vec<u8>,
}

/// One line.
pub(crate) struct Line<'a> {
    /// Without its line feed. Longer than [`MAX_LINE_BYTES`] is not read to its end.
    pub(crate) bytes: &'a [u8],
    /// Where it begins in the file.
    pub(crate) at: u64,
    /// The first one is 1.
    pub(crate) number: u64,
    /// Whether there is a line feed.
    pub(crate) ended: bool,
}

impl Line<'_> {
    /// What snodo passes over: nothing but what Python counts as space.
    pub(crate) fn is_blank(&self) -> bool {
        let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
        std::str::from_utf8(self.bytes).is_ok_and(|text| text.chars().all(space))
    }
}

impl<'a> Lines<'a> {
    /// Begins at a byte, which is in the line of that number.
    pub(crate) fn from(mut file: &'a File, at: u64, number: u64) -> io::Result<Self> {
        let end = file.metadata()?.len();
        file.seek(SeekFrom::Start(at))?;
        Ok(Self {
            reader: BufReader::with_capacity(64 * 1024, file.take(end.saturating_sub(at))),
            at,
            number,
            buffer: Vec::new(),
        })
    }

    /// The next line; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let most = MAX_LINE_BYTES as u64 + 2;
        let read = self.reader.by_ref().take(most).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        let (at, number) = (self.at, self.number);
        self.at += read as u64;
        self.number += 1;
        let ended = self.buffer.last() == Some(&b'\n');
        Ok(Some(Line {
            bytes: &self.buffer[..read - usize::from(ended)],
            at,
            number,
            ended,
        }))
    }

    /// Behind the last line that was given.
    pub(crate) fn place(&self) -> (u64, u64) {
        (self.at, self.number)
    }
}
