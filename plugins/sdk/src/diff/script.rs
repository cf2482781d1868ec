//! The shortest way from one list of lines to another (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986).

use crate::change::LineOrigin;

/// Edits up to which the shortest way is looked for: some 4 MB and a million steps. Two texts that differ in more have little in common,
/// and are shown as one replaced by the other.
const MOST_EDITS: usize = 1_000;

/// Line by line: in both, removed from the old, added by the new.
pub(super) fn script(old: &[&str], new: &[&str]) -> Vec<LineOrigin> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let middle = shortest(old, new).unwrap_or_else(|| {
        let mut all = vec![LineOrigin::Removed; old.len()];
        all.resize(old.len() + new.len(), LineOrigin::Added);
        all
    });
    let same = |count| std::iter::repeat_n(LineOrigin::Context, count);
    same(head).chain(middle).chain(same(tail)).collect()
}

/// None: it takes too many edits.
///
/// A diagonal is where `old` index less `new` index is the same; its place in `reached` is that difference plus `zero`.
fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<LineOrigin>> {
    let most = (old.len() + new.len()).min(MOST_EDITS);
    let zero = most + 1;
    // How far in `old` each diagonal was followed.
    let mut reached = vec![0_usize; 2 * most + 3];
    // What was reached before each number of edits, as far as the next step looks.
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for edits in 0..=most {
        trace.push(reached[zero - edits - 1..=zero + edits + 1].to_vec());
        for diagonal in (zero - edits..=zero + edits).step_by(2) {
            let from = previous(&reached, diagonal, zero - edits, zero + edits);
            let mut at = if from > diagonal {
                reached[from]
            } else {
                reached[from] + usize::from(edits > 0)
            };
            let mut in_new = at + zero - diagonal;
            while at < old.len() && in_new < new.len() && old[at] == new[in_new] {
                at += 1;
                in_new += 1;
            }
            reached[diagonal] = at;
            if at == old.len() && in_new == new.len() {
                return Some(back(&trace, old.len(), new.len(), zero));
            }
        }
    }
    None
}

/// The diagonal from which this one is reached: the one above by an added line, the one below by a removed one.
fn previous(reached: &[usize], diagonal: usize, lowest: usize, highest: usize) -> usize {
    let added = diagonal == lowest || (diagonal != highest && reached[diagonal - 1] < reached[diagonal + 1]);
    if added { diagonal + 1 } else { diagonal - 1 }
}

/// The way that was taken, from its end.
fn back(trace: &[Vec<usize>], old: usize, new: usize, zero: usize) -> Vec<LineOrigin> {
    let (mut at, mut in_new) = (old, new);
    let mut way = Vec::new();
    for (edits, reached) in trace.iter().enumerate().skip(1).rev() {
        // `reached` begins one diagonal below the lowest of these edits.
        let base = zero - edits - 1;
        let diagonal = at + zero - in_new - base;
        let from = previous(reached, diagonal, 1, 2 * edits + 1);
        let came_at = reached[from];
        let came_in_new = came_at + zero - (from + base);
        let added = from > diagonal;
        let (after_at, after_in_new) = if added {
            (came_at, came_in_new + 1)
        } else {
            (came_at + 1, came_in_new)
        };
        way.extend(std::iter::repeat_n(LineOrigin::Context, at - after_at));
        debug_assert_eq!(at - after_at, in_new - after_in_new);
        way.push(if added { LineOrigin::Added } else { LineOrigin::Removed });
        (at, in_new) = (came_at, came_in_new);
    }
    way.extend(std::iter::repeat_n(LineOrigin::Context, at));
    way.reverse();
    way
}
