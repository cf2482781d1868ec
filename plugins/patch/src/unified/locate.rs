//! Where a hunk stands in a file. There is no fuzz: all of its lines stand there exactly, or it does not fit.

use crate::find;
use crate::lines::Line;

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'p, 'a> {
    /// Context and removed lines.
    pub(super) lines: &'p [Line<'a>],
    /// Where the hunk says they stand, from 0.
    pub(super) stated: usize,
    /// The same, moved as far as the hunk before it had to be.
    pub(super) carried: usize,
    /// Lines before this one belong to earlier hunks.
    pub(super) floor: usize,
    /// How far from `stated` they may stand.
    pub(super) max_offset: usize,
    /// They must be the last of the file, since what comes in their place has no newline at its end.
    pub(super) to_the_end: bool,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss {
    /// Nowhere near.
    Nowhere,
    /// At two places with equal right, from 0.
    Ambiguous(usize, usize),
    /// The hunk holds no line that could be looked for, and the file is not empty.
    NothingToFind,
}

impl Wanted<'_, '_> {
    /// Whether the lines stand at this place.
    fn fits(&self, file: &[Line<'_>], at: usize) -> bool {
        at >= self.floor
            && file.get(at..).is_some_and(|rest| {
                rest.starts_with(self.lines) && (!self.to_the_end || rest.len() == self.lines.len())
            })
    }

    /// Whether a place is near enough.
    pub(super) fn is_near(&self, at: usize) -> bool {
        at.abs_diff(self.stated) <= self.max_offset
    }

    /// The places between two lines of the file at which the lines stand.
    pub(super) fn places(&self, file: &[Line<'_>], first: usize, last: usize) -> Vec<usize> {
        let end = last.saturating_add(self.lines.len()).min(file.len());
        if first > end {
            return Vec::new();
        }
        let mut places = find::positions(self.lines, &file[first..end], find::EXACTLY);
        for place in &mut places {
            *place += first;
        }
        places
    }
}

/// The one place at which the hunk fits.
///
/// That is where the hunk says, when its lines stand there. Else it is the nearest place, within the allowed offset, to where the
/// hunk says, moved as far as the hunk before it; two places at the same distance are an error. When the hunks before it were moved,
/// and another place would be the nearest without that, it is an error too: nothing tells which one is meant.
pub(super) fn locate(file: &[Line<'_>], wanted: &Wanted<'_, '_>) -> Result<usize, Miss> {
    if wanted.lines.is_empty() {
        return if file.is_empty() && wanted.floor == 0 {
            Ok(0)
        } else {
            Err(Miss::NothingToFind)
        };
    }
    if wanted.carried == wanted.stated && wanted.fits(file, wanted.stated) {
        return Ok(wanted.stated);
    }
    let first = wanted.stated.saturating_sub(wanted.max_offset).max(wanted.floor);
    let last = wanted.stated.saturating_add(wanted.max_offset);
    let mut places = wanted.places(file, first, last);
    if wanted.to_the_end {
        places.retain(|at| at + wanted.lines.len() == file.len());
    }
    let place = nearest(&places, wanted.carried)?;
    let unmoved = nearest(&places, wanted.stated);
    match unmoved {
        Ok(unmoved) if unmoved != place => Err(Miss::Ambiguous(unmoved.min(place), unmoved.max(place))),
        _ => Ok(place),
    }
}

/// The place that is nearest to a line. `places` are in order.
fn nearest(places: &[usize], line: usize) -> Result<usize, Miss> {
    let behind = places.partition_point(|&place| place < line);
    let before = behind.checked_sub(1).and_then(|index| places.get(index)).copied();
    let after = places.get(behind).copied();
    match (before, after) {
        (None, None) => Err(Miss::Nowhere),
        (Some(one), None) | (None, Some(one)) => Ok(one),
        (Some(before), Some(after)) => match (line - before).cmp(&(after - line)) {
            std::cmp::Ordering::Less => Ok(before),
            std::cmp::Ordering::Greater => Ok(after),
            std::cmp::Ordering::Equal => Err(Miss::Ambiguous(before, after)),
        },
    }
}
