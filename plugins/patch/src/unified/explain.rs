//! Why a hunk has no place, for whoever has to correct the patch.

use super::locate::{Miss, Wanted};
use super::placed::Unplaced;
use crate::find;
use crate::lines::Line;
use crate::nearest;
use crate::show;

/// The nearest line, from 1 (0: none), and what was expected and found there.
pub(super) fn explain(file: &[Line<'_>], unplaced: &Unplaced<'_, '_>) -> (usize, String) {
    let wanted = &unplaced.wanted;
    let stated = wanted.stated.saturating_add(1);
    match unplaced.miss {
        Miss::NothingToFind => (
            stated.min(file.len()),
            "the hunk only adds lines and holds no context, so nothing shows that they belong at this line: make the diff with context \
             (`git diff` and `diff -u` without `-U0`)"
                .to_owned(),
        ),
        Miss::Ambiguous(one, other) => (
            one + 1,
            format!(
                "the hunk says line {stated}, and its lines stand at line {} and at line {}; nothing tells which of them is meant: make the diff \
                 anew, or with more context",
                one + 1,
                other + 1
            ),
        ),
        Miss::Nowhere => {
            let (line, mut reason) = nowhere(file, wanted);
            if let Some(at) = applied(file, unplaced) {
                reason = format!(
                    "{reason}; what the hunk makes of them stands at line {}: it seems to be applied already",
                    at + 1
                );
            }
            (line, reason)
        }
    }
}

fn nowhere(file: &[Line<'_>], wanted: &Wanted<'_, '_>) -> (usize, String) {
    if file.is_empty() {
        return (
            0,
            format!("{}: the file is empty", show::difference(wanted.lines[0], None)),
        );
    }
    if let Some(answer) = elsewhere(file, wanted) {
        return answer;
    }
    let first = wanted.stated.saturating_sub(wanted.max_offset);
    let last = wanted.stated.saturating_add(wanted.max_offset);
    let best = nearest::nearest(wanted.lines, file, first, last, wanted.carried, find::EXACTLY)
        .or_else(|| nearest::nearest(wanted.lines, file, 0, usize::MAX, wanted.carried, find::EXACTLY));
    let (line, mut reason) = if let Some(best) = best {
        (
            best.at + best.differing + 1,
            format!(
                "{} of its {} fit at line {}; at line {} it {}",
                best.fitting,
                show::counted(wanted.lines.len(), "line"),
                best.at + 1,
                best.at + best.differing + 1,
                show::difference(
                    wanted.lines[best.differing],
                    file.get(best.at + best.differing).copied()
                )
            ),
        )
    } else {
        let at = wanted.stated.min(file.len() - 1);
        (
            at + 1,
            format!(
                "not one of its {} fits anywhere near line {} where it says; at line {} it {}",
                show::counted(wanted.lines.len(), "line"),
                wanted.stated.saturating_add(1),
                at + 1,
                show::difference(wanted.lines[0], file.get(at).copied())
            ),
        )
    };
    if let Some(note) = nearest::white_space(wanted.lines, file) {
        reason = format!("{reason}; {note}");
    }
    (line, reason)
}

/// When all lines stand somewhere, only not where the hunk may go.
fn elsewhere(file: &[Line<'_>], wanted: &Wanted<'_, '_>) -> Option<(usize, String)> {
    let at = find::positions(wanted.lines, file, find::EXACTLY)
        .into_iter()
        .min_by_key(|at| at.abs_diff(wanted.stated))?;
    let line = at + 1;
    let says = wanted.stated.saturating_add(1);
    let reason = if at < wanted.floor {
        format!(
            "its lines stand at line {line}, which is before the end of the hunk above it, or within it: hunks are in the order of the file \
             and do not overlap"
        )
    } else if !wanted.is_near(at) {
        format!(
            "its lines stand at line {line}, {} from line {says} where it says; {} are allowed (the setting `max-offset`)",
            show::counted(at.abs_diff(wanted.stated), "line"),
            wanted.max_offset
        )
    } else {
        format!(
            "its lines stand at line {line}, but it says that the file ends behind them, without a newline, and the file goes on"
        )
    };
    Some((line, reason))
}

/// Where the lines stand that the hunk would leave behind, if it adds any.
fn applied(file: &[Line<'_>], unplaced: &Unplaced<'_, '_>) -> Option<usize> {
    let (before, after) = (&unplaced.piece.before, &unplaced.piece.after);
    if after.len() <= before.len() && after.iter().all(|line| before.contains(line)) {
        return None;
    }
    find::positions(after, file, find::EXACTLY)
        .into_iter()
        .filter(|at| unplaced.wanted.is_near(*at))
        .min_by_key(|at| at.abs_diff(unplaced.wanted.stated))
}
