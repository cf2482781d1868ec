//! Where two lists of lines differ, at a bounded cost.
//!
//! The comparison of two texts that share no order takes time that grows with the product of their lengths: two files of
//! 100,000 lines drawn from two different ones took six seconds, and both a plugin and a repository may bring such files. So only
//! below a product in proportion to their size are texts compared as they are. Above it they are first cut at lines that
//! occur once in each, in one order (as patience diff does), and each piece between two cuts is compared while the budget lasts. A
//! piece for which it does not last counts as replaced whole: still a true account, only a longer one.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};

use super::lines::Replaced;

/// What any comparison may cost, in products of line counts: two files of 1,000 lines. A million is some 0.6 ms at worst.
const FLOOR: u64 = 1_000_000;
/// What it may cost more for each line, so that a change of the largest size that is taken is compared within seconds.
const EACH_LINE: u64 = 300;

/// The stretches that differ, in order.
pub(super) fn compare(old: &[&[u8]], new: &[&[u8]]) -> Vec<Replaced> {
    compare_within(old, new, FLOOR + EACH_LINE * (old.len() + new.len()) as u64)
}

fn compare_within(old: &[&[u8]], new: &[&[u8]], budget: u64) -> Vec<Replaced> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..]
        .iter()
        .rev()
        .zip(new[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let middle = Replaced {
        old: start..old.len() - end,
        new: start..new.len() - end,
    };
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    if cost(&middle) <= budget {
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        return diff
            .hunks()
            .map(|h| Replaced {
                old: range(&h.before),
                new: range(&h.after),
            })
            .collect();
    }
    let mut left = budget;
    let mut changes = Vec::new();
    for piece in pieces(&input.before, &input.after, &middle, input.interner.num_tokens()) {
        if piece.old.is_empty() && piece.new.is_empty() {
            continue;
        }
        let cost = cost(&piece);
        if cost > left {
            changes.push(piece);
            continue;
        }
        left -= cost;
        let (before, after) = (&input.before[piece.old.clone()], &input.after[piece.new.clone()]);
        let mut diff = Diff::default();
        // Not by histogram: it would lay out a table of all lines for each piece.
        diff.compute_with(Algorithm::Myers, before, after, input.interner.num_tokens());
        diff.postprocess_with(before, after, IndentHeuristic::new(|t| indent(&input, t)));
        changes.extend(diff.hunks().map(|h| Replaced {
            old: h.before.start as usize + piece.old.start..h.before.end as usize + piece.old.start,
            new: h.after.start as usize + piece.new.start..h.after.end as usize + piece.new.start,
        }));
    }
    changes
}

fn indent(input: &InternedInput<&[u8]>, token: Token) -> IndentLevel {
    IndentLevel::for_ascii_line(input.interner[token].iter().copied(), 8)
}

fn cost(piece: &Replaced) -> u64 {
    (piece.old.len() as u64).saturating_mul(piece.new.len() as u64)
}

fn range(r: &Range<u32>) -> Range<usize> {
    r.start as usize..r.end as usize
}

/// What lies between the lines at which the two texts can be tied together.
fn pieces(old: &[Token], new: &[Token], middle: &Replaced, tokens: u32) -> Vec<Replaced> {
    let mut pieces = Vec::new();
    let (mut at_old, mut at_new) = (middle.old.start, middle.new.start);
    for (in_old, in_new) in anchors(old, new, middle, tokens) {
        pieces.push(Replaced {
            old: at_old..in_old,
            new: at_new..in_new,
        });
        (at_old, at_new) = (in_old + 1, in_new + 1);
    }
    pieces.push(Replaced {
        old: at_old..middle.old.end,
        new: at_new..middle.new.end,
    });
    pieces
}

/// Lines that occur once in each text, as many as stand in one order in both: pairs of indexes, rising in both.
fn anchors(old: &[Token], new: &[Token], middle: &Replaced, tokens: u32) -> Vec<(usize, usize)> {
    const NONE: u32 = u32::MAX;
    const MANY: u32 = u32::MAX - 1;
    let place = |text: &[Token], within: &Range<usize>| {
        let mut places = vec![NONE; tokens as usize];
        for index in within.clone() {
            let place = &mut places[text[index].0 as usize];
            *place = if *place == NONE {
                u32::try_from(index).unwrap_or(MANY)
            } else {
                MANY
            };
        }
        places
    };
    let (in_old, in_new) = (place(old, &middle.old), place(new, &middle.new));
    // Longest rising run of places in the new text, by patience: the top of each pile, and what each lies on.
    let mut tops: Vec<usize> = Vec::new();
    let mut pairs: Vec<(usize, usize, Option<usize>)> = Vec::new();
    for index in middle.old.clone() {
        let token = old[index].0 as usize;
        let (a, b) = (in_old[token], in_new[token]);
        if a >= MANY || b >= MANY {
            continue;
        }
        let b = b as usize;
        let pile = tops.partition_point(|top| pairs[*top].1 < b);
        let below = pile.checked_sub(1).map(|p| tops[p]);
        pairs.push((index, b, below));
        if pile == tops.len() {
            tops.push(pairs.len() - 1);
        } else {
            tops[pile] = pairs.len() - 1;
        }
    }
    let mut run = Vec::with_capacity(tops.len());
    let mut at = tops.last().copied();
    while let Some(index) = at {
        let (a, b, below) = pairs[index];
        run.push((a, b));
        at = below;
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test of how long it takes needs a clock")]

    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::{Replaced, compare, compare_within};

    /// Every change differs, and what lies between the changes is the same in both.
    fn is_a_true_account(old: &[&[u8]], new: &[&[u8]], changes: &[Replaced]) -> bool {
        let (mut at_old, mut at_new) = (0, 0);
        for change in changes {
            if change.old.start < at_old
                || change.new.start < at_new
                || old[at_old..change.old.start] != new[at_new..change.new.start]
            {
                return false;
            }
            if change.old.is_empty() && change.new.is_empty() {
                return false;
            }
            (at_old, at_new) = (change.old.end, change.new.end);
        }
        old[at_old..] == new[at_new..]
    }

    fn lines(text: &str) -> Vec<&[u8]> {
        text.as_bytes().split_inclusive(|b| *b == b'\n').collect()
    }

    proptest! {
        #[test]
        fn any_budget_gives_a_true_account(old in "([a-f]\n){0,30}", new in "([a-f]\n){0,30}", budget in 0u64..200) {
            let (old, new) = (lines(&old), lines(&new));
            prop_assert!(is_a_true_account(&old, &new, &compare_within(&old, &new, budget)));
        }
    }

    #[test]
    fn a_large_file_with_scattered_changes_is_compared_line_by_line() {
        let old: String = (0..60_000).fold(String::new(), |text, i| text + &format!("line {i}\n"));
        let new: String = (0..60_000)
            .map(|i| {
                if i % 1000 == 7 {
                    format!("changed {i}\n")
                } else {
                    format!("line {i}\n")
                }
            })
            .collect();
        let (old, new) = (lines(&old), lines(&new));
        let changes = compare(&old, &new);
        assert_eq!(changes.len(), 60);
        assert!(changes.iter().all(|c| c.old.len() == 1 && c.new.len() == 1));
    }

    /// The control is in the module's comment: without the budget this took minutes.
    #[test]
    fn a_file_made_to_be_slow_ends_soon() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut text = || {
            let mut text = String::new();
            for _ in 0..400_000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(if state.is_multiple_of(2) { "0\n" } else { "1\n" });
            }
            text
        };
        let (old, new) = (text(), text());
        let (old, new) = (lines(&old), lines(&new));
        let begun = Instant::now();
        let changes = compare(&old, &new);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(is_a_true_account(&old, &new, &changes));
    }
}
