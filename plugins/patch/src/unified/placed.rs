//! Hunks on the lines of a file.

use super::Hunk;
use super::locate::{self, Miss, Wanted};
use crate::lines::Line;

/// A hunk as what stands before and after, in either direction.
pub(super) struct Piece<'a> {
    /// The line that the hunk names, from 0.
    pub(super) stated: usize,
    pub(super) before: Vec<Line<'a>>,
    pub(super) after: Vec<Line<'a>>,
}

impl<'a> Piece<'a> {
    /// The hunk as it is meant.
    pub(super) fn of(hunk: &Hunk<'a>) -> Self {
        let (before, after) = (hunk.before(), hunk.after());
        Self {
            stated: index(hunk.old_start, before.len()),
            before,
            after,
        }
    }

    /// The hunk as it would be undone.
    pub(super) fn undone(hunk: &Hunk<'a>) -> Self {
        let (before, after) = (hunk.after(), hunk.before());
        Self {
            stated: index(hunk.new_start, before.len()),
            before,
            after,
        }
    }
}

/// The start that a header tells, from 0. With no lines on that side it names the line *behind* which the hunk stands.
fn index(start: u64, count: usize) -> usize {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    if count == 0 { start } else { start.saturating_sub(1) }
}

/// The lines of the file with all pieces in place.
pub(super) struct Placed<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// Where each piece was found, from 0.
    pub(super) places: Vec<usize>,
}

/// The piece that has no place.
pub(super) struct Unplaced<'p, 'a> {
    /// Which one, from 0.
    pub(super) index: usize,
    pub(super) piece: &'p Piece<'a>,
    pub(super) wanted: Wanted<'p, 'a>,
    pub(super) miss: Miss,
}

/// Puts the pieces in place, each where its lines stand exactly, in their order and without overlap.
pub(super) fn place<'p, 'a>(
    file: &'p [Line<'a>],
    pieces: &'p [Piece<'a>],
    max_offset: u64,
) -> Result<Placed<'a>, Unplaced<'p, 'a>> {
    let max_offset = usize::try_from(max_offset).unwrap_or(usize::MAX);
    let mut lines = Vec::with_capacity(file.len());
    let mut places = Vec::with_capacity(pieces.len());
    let mut done = 0;
    let mut moved: isize = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let wanted = Wanted {
            lines: &piece.before,
            stated: piece.stated,
            carried: piece.stated.saturating_add_signed(moved),
            floor: done,
            max_offset,
            to_the_end: piece.after.last().is_some_and(|line| !line.lf),
        };
        let at = match locate::locate(file, &wanted) {
            Ok(at) => at,
            Err(miss) => {
                return Err(Unplaced {
                    index,
                    piece,
                    wanted,
                    miss,
                });
            }
        };
        moved = at.cast_signed().wrapping_sub(piece.stated.cast_signed());
        lines.extend_from_slice(&file[done..at]);
        lines.extend_from_slice(&piece.after);
        done = at + piece.before.len();
        places.push(at);
    }
    lines.extend_from_slice(&file[done..]);
    Ok(Placed { lines, places })
}
