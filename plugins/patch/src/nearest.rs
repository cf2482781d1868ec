//! Which lines of a file are most like those that were looked for in vain.

use std::cmp::Reverse;

use crate::find::{self, Same};
use crate::lines::Line;

/// How many lines of a run are compared for a message: enough to tell it from others, and a bound on the work.
const COMPARED: usize = 200;

/// How many comparisons a message may cost.
const BUDGET: usize = 20_000_000;

/// The place that is most like the run.
pub(crate) struct Nearest {
    /// Where the run would begin, from 0.
    pub(crate) at: usize,
    /// How many of its lines stand there.
    pub(crate) fitting: usize,
    /// The first of its lines that does not, from 0.
    pub(crate) differing: usize,
}

/// The place between two lines of the file where the most lines of the run stand; of several the one where its first lines do, then the one nearest to `line`. None when
/// not one line stands anywhere.
pub(crate) fn nearest(
    run: &[Line<'_>],
    file: &[Line<'_>],
    first: usize,
    last: usize,
    line: usize,
    same: Same,
) -> Option<Nearest> {
    let compared = &run[..run.len().min(COMPARED)];
    if compared.is_empty() || file.is_empty() {
        return None;
    }
    let affordable = BUDGET / compared.len();
    let last = last.min(file.len() - 1);
    // Where there is too much to look at, the surroundings of the line come first.
    let (first, last) = if last.saturating_sub(first) > affordable {
        let start = line.saturating_sub(affordable / 2).clamp(first, last);
        (start, last.min(start.saturating_add(affordable)))
    } else {
        (first, last)
    };
    // The most lines, then the most from the first one on, then the least distance.
    let mut best = None;
    for at in first..=last {
        let (mut fitting, mut leading) = (0, 0);
        for (index, (wanted, found)) in compared.iter().zip(&file[at..]).enumerate() {
            if same(*wanted, *found) {
                fitting += 1;
                leading += usize::from(leading == index);
            }
        }
        let worth = (fitting, leading, Reverse(at.abs_diff(line)));
        if fitting > 0 && best.is_none_or(|(_, most)| worth > most) {
            best = Some((at, worth));
        }
    }
    let (at, _) = best?;
    let fits = |index: usize| file.get(at + index).is_some_and(|found| same(run[index], *found));
    let fitting = (0..run.len()).filter(|&index| fits(index)).count();
    let differing = (0..run.len()).find(|&index| !fits(index))?;
    Some(Nearest { at, fitting, differing })
}

/// A sentence, when the run stands in the file but for white space that can hardly be seen.
pub(crate) fn white_space(run: &[Line<'_>], file: &[Line<'_>]) -> Option<String> {
    let place = |same: Same| find::positions(run, file, same).first().copied();
    if run.iter().all(|line| line.text.trim_ascii().is_empty()) {
        return None;
    }
    if let Some(at) = place(|one, other| without_cr(one.text) == without_cr(other.text)) {
        let in_file = file[at..]
            .iter()
            .zip(run)
            .any(|(found, wanted)| found.text.len() > wanted.text.len());
        let (file, patch) = if in_file { ("CR LF", "LF") } else { ("LF", "CR LF") };
        return Some(format!(
            "it would fit at line {} but for the line ends: those of the file are {file}, those of the patch {patch}",
            at + 1
        ));
    }
    if let Some(at) = place(|one, other| one.text.trim_ascii_end() == other.text.trim_ascii_end()) {
        return Some(format!(
            "it would fit at line {} but for white space at the end of lines",
            at + 1
        ));
    }
    place(|one, other| one.text.trim_ascii() == other.text.trim_ascii())
        .map(|at| format!("it would fit at line {} but for the indentation", at + 1))
}

fn without_cr(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}
