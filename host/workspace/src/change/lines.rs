//! The difference of two texts, line by line.
//!
//! A line ends with its LF; what follows the last LF is a line too. CR is text. Lines are equal when all their bytes
//! are, so a last line with LF differs from the same line without.

use std::ops::Range;

use super::compare::compare;

/// A stretch of lines of the old text and what stands in its place in the new one; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    /// Indexes of old lines, from 0.
    pub(super) old: Range<usize>,
    /// Indexes of new lines, from 0.
    pub(super) new: Range<usize>,
}

/// Two texts, cut into lines, and where they differ.
pub(super) struct LineDiff<'a> {
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
    changes: Vec<Replaced>,
}

/// A line of a hunk, with its LF if it has one: how it stands in the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkLine<'a> {
    /// In both.
    Context(&'a [u8]),
    /// Only in the old one.
    Removed(&'a [u8]),
    /// Only in the new one.
    Added(&'a [u8]),
}

impl<'a> HunkLine<'a> {
    /// The line with its LF, if it has one.
    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Context(b) | Self::Removed(b) | Self::Added(b) => b,
        }
    }
}

/// Changes that are shown together with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Of the old text, context included, from 0.
    pub(super) old: Range<usize>,
    /// Of the new text, context included, from 0.
    pub(super) new: Range<usize>,
    /// Indexes in the list of changes.
    changes: Range<usize>,
}

impl<'a> LineDiff<'a> {
    /// Compares two texts.
    pub(super) fn compute(old: &'a [u8], new: &'a [u8]) -> Self {
        let old: Vec<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
        let new: Vec<&[u8]> = new.split_inclusive(|b| *b == b'\n').collect();
        let changes = compare(&old, &new);
        Self { old, new, changes }
    }

    /// Lines that only the new text has.
    pub(super) fn added(&self) -> u64 {
        self.changes.iter().map(|c| c.new.len() as u64).sum()
    }

    /// The lines that only the new text has, each with its index, from 0.
    pub(super) fn added_lines(&self) -> impl Iterator<Item = (usize, &'a [u8])> {
        self.changes
            .iter()
            .flat_map(|change| change.new.clone().map(|index| (index, self.new[index])))
    }

    /// Lines that only the old text has.
    pub(super) fn deleted(&self) -> u64 {
        self.changes.iter().map(|c| c.old.len() as u64).sum()
    }

    /// The changes with up to `context` lines around them; changes whose context meets are one group.
    pub(super) fn groups(&self, context: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (index, change) in self.changes.iter().enumerate() {
            let earlier = index.checked_sub(1).map_or(0, |i| self.changes[i].old.end);
            let later = self.changes.get(index + 1).map_or(self.old.len(), |c| c.old.start);
            let start = change.old.start.saturating_sub(context).max(earlier);
            let end = change.old.end.saturating_add(context).min(later);
            // Between two changes both texts have the same lines: the context is as long in either.
            let new_start = change.new.start - (change.old.start - start);
            let new_end = change.new.end + (end - change.old.end);
            match groups.last_mut() {
                Some(last) if start <= last.old.end => {
                    last.old.end = end;
                    last.new.end = new_end;
                    last.changes.end = index + 1;
                }
                _ => groups.push(Group {
                    old: start..end,
                    new: new_start..new_end,
                    changes: index..index + 1,
                }),
            }
        }
        groups
    }

    /// The lines of a group in the order of a unified diff.
    pub(super) fn lines_of<'s>(&'s self, group: &Group) -> impl Iterator<Item = HunkLine<'a>> + 's {
        let the_rest = Replaced {
            old: group.old.end..group.old.end,
            new: group.new.end..group.new.end,
        };
        let changes = self.changes[group.changes.clone()].iter().cloned().chain([the_rest]);
        let mut at = group.old.start;
        changes.flat_map(move |change| {
            let context = self.old[at..change.old.start].iter().map(|l| HunkLine::Context(l));
            at = change.old.end;
            let removed = self.old[change.old].iter().map(|l| HunkLine::Removed(l));
            let added = self.new[change.new].iter().map(|l| HunkLine::Added(l));
            context.chain(removed).chain(added)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HunkLine, LineDiff};

    fn shown(old: &str, new: &str, context: usize) -> Vec<String> {
        let diff = LineDiff::compute(old.as_bytes(), new.as_bytes());
        let mut out = Vec::new();
        for group in diff.groups(context) {
            out.push(format!(
                "@{}+{} {}+{}",
                group.old.start,
                group.old.len(),
                group.new.start,
                group.new.len()
            ));
            for line in diff.lines_of(&group) {
                let sign = match line {
                    HunkLine::Context(_) => ' ',
                    HunkLine::Removed(_) => '-',
                    HunkLine::Added(_) => '+',
                };
                out.push(format!(
                    "{sign}{}",
                    String::from_utf8_lossy(line.bytes()).escape_debug()
                ));
            }
        }
        out
    }

    #[test]
    fn a_changed_line_comes_with_its_context() {
        assert_eq!(
            shown("a\nb\nc\nd\n", "a\nb\nX\nd\n", 1),
            ["@1+3 1+3", " b\\n", "-c\\n", "+X\\n", " d\\n"]
        );
    }

    #[test]
    fn a_missing_last_newline_is_a_difference() {
        assert_eq!(shown("a\nb\n", "a\nb", 3), ["@0+2 0+2", " a\\n", "-b\\n", "+b"]);
    }

    #[test]
    fn carriage_returns_are_text() {
        assert_eq!(shown("a\r\nb\nc\r", "a\r\nb\nc\r", 3), Vec::<String>::new());
        assert_eq!(shown("a\r\nb\nc\r", "a\nb\nc\r", 0), ["@0+1 0+1", "-a\\r\\n", "+a\\n"]);
    }

    #[test]
    fn context_that_meets_makes_one_group() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        assert_eq!(
            shown(old, "1\nx\n3\n4\n5\ny\n7\n8\n", 1)
                .iter()
                .filter(|l| l.starts_with('@'))
                .count(),
            2
        );
        assert_eq!(
            shown(old, "1\nx\n3\n4\ny\n6\n7\n8\n", 1)
                .iter()
                .filter(|l| l.starts_with('@'))
                .count(),
            1
        );
    }

    proptest! {
        /// Whatever the texts: what is context or removed is the old text, what is context or added is the new one.
        #[test]
        fn a_group_of_everything_rebuilds_both_texts(old in "([ab]{0,2}\n){0,12}[ab]{0,1}", new in "([ab]{0,2}\n){0,12}[ab]{0,1}", context in 0usize..5) {
            let diff = LineDiff::compute(old.as_bytes(), new.as_bytes());
            prop_assert_eq!(diff.groups(context).is_empty(), old == new);
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for group in diff.groups(usize::MAX) {
                for line in diff.lines_of(&group) {
                    match line {
                        HunkLine::Context(l) => { left.extend_from_slice(l); right.extend_from_slice(l); }
                        HunkLine::Removed(l) => left.extend_from_slice(l),
                        HunkLine::Added(l) => right.extend_from_slice(l),
                    }
                }
            }
            if old != new {
                prop_assert_eq!(left, old.as_bytes());
                prop_assert_eq!(right, new.as_bytes());
            }
            for group in diff.groups(context) {
                let lines: Vec<_> = diff.lines_of(&group).collect();
                prop_assert_eq!(lines.iter().filter(|l| !matches!(l, HunkLine::Added(_))).count(), group.old.len());
                prop_assert_eq!(lines.iter().filter(|l| !matches!(l, HunkLine::Removed(_))).count(), group.new.len());
            }
        }
    }
}
