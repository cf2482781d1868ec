//! Places of many nodes of one file, each found in constant time: counting from the beginning for each node would make what a
//! hostile file costs grow with the square of its size.

use crate::source::{Place, small};

/// Bytes between two counts.
const STEP: usize = 256;

/// What is known of a text beforehand.
pub(crate) struct PlaceIndex<'t> {
    text: &'t [u8],
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
    /// How many characters begin before each multiple of [`STEP`] bytes.
    characters: Vec<usize>,
}

impl<'t> PlaceIndex<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let text = text.as_bytes();
        let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        let mut so_far = 0;
        let mut characters = vec![0];
        for step in text.chunks(STEP) {
            so_far += beginning(step);
            characters.push(so_far);
        }
        Self {
            text,
            lines,
            characters,
        }
    }

    /// The place of a range of bytes; the same as [`crate::source::place_at`].
    pub(crate) fn place(&self, offset: usize, length: usize) -> Place {
        let at = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= at).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        Place {
            line: small(line),
            column: small(self.before(at) - self.before(start) + 1),
            offset: small(offset),
            length: small(length),
        }
    }

    /// How many characters begin before a byte.
    fn before(&self, at: usize) -> usize {
        let step = at / STEP;
        let counted = self.characters.get(step).copied().unwrap_or(0);
        counted + self.text.get(step * STEP..at).map_or(0, beginning)
    }
}

fn beginning(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0b1100_0000 != 0b1000_0000).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PlaceIndex;
    use crate::source::place_at;

    proptest! {
        #[test]
        fn it_says_what_counting_says(text in "([a\u{e9}\u{1f600}]|\n|\r\n|x{100}){0,40}") {
            let index = PlaceIndex::new(&text);
            for (at, _) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
                prop_assert_eq!(index.place(at, 1), place_at(&text, at, 1), "{}", at);
            }
        }
    }
}
