//! Where a run of lines stands among others.

use crate::lines::Line;

/// When two lines count as the same. It must be an equivalence, or the search may pass over a place.
pub(crate) type Same = fn(Line<'_>, Line<'_>) -> bool;

/// All of the line.
pub(crate) const EXACTLY: Same = |one, other| one == other;

/// All of the line, whether or not a newline ends it.
pub(crate) const TEXT: Same = |one, other| one.text == other.text;

/// Every place, in order, at which `run` stands in `file`; overlapping ones too. None for an empty run.
///
/// Linear in the two lengths (Knuth, Morris and Pratt), since both come from strangers: a file of one line repeated a million times must
/// not cost a million times a million comparisons.
pub(crate) fn positions(run: &[Line<'_>], file: &[Line<'_>], same: Same) -> Vec<usize> {
    let mut found = Vec::new();
    if run.is_empty() || run.len() > file.len() {
        return found;
    }
    let borders = borders(run, same);
    let mut matched = 0;
    for (at, line) in file.iter().enumerate() {
        let fits = |matched: usize| run.get(matched).is_some_and(|wanted| same(*wanted, *line));
        while matched > 0 && !fits(matched) {
            matched = borders[matched - 1];
        }
        if fits(matched) {
            matched += 1;
        }
        if matched == run.len() {
            found.push(at + 1 - matched);
            matched = borders[matched - 1];
        }
    }
    found
}

/// For each beginning of the run, the length of the longest shorter beginning that is also its end.
fn borders(run: &[Line<'_>], same: Same) -> Vec<usize> {
    let mut borders = vec![0; run.len()];
    let mut length = 0;
    for at in 1..run.len() {
        while length > 0 && !same(run[at], run[length]) {
            length = borders[length - 1];
        }
        if same(run[at], run[length]) {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_the_plain_search_finds(
            pattern in prop::collection::vec(prop::sample::select(vec!["a", "b", "b "]), 0..6),
            text in prop::collection::vec(prop::sample::select(vec!["a", "b", "b "]), 0..40),
        ) {
            let pattern: Vec<Line<'_>> = pattern.into_iter().map(Line::ended).collect();
            let text: Vec<Line<'_>> = text.into_iter().map(Line::ended).collect();
            let plain: Vec<usize> = if pattern.is_empty() {
                Vec::new()
            } else {
                (0..=text.len().saturating_sub(pattern.len()))
                    .filter(|&at| text[at..].starts_with(&pattern))
                    .collect()
            };
            prop_assert_eq!(positions(&pattern, &text, EXACTLY), plain);
        }
    }
}
