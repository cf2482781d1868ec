//! Text as lines.

/// A line, and whether LF ends it. Only the last line of a file can be without. A CR stays in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Without its LF.
    pub(crate) text: &'a str,
    /// LF follows.
    pub(crate) lf: bool,
}

impl<'a> Line<'a> {
    /// A line that LF ends.
    pub(crate) fn ended(text: &'a str) -> Self {
        Self { text, lf: true }
    }
}

/// The lines of a text; none for an empty one.
pub(crate) fn split(text: &str) -> Vec<Line<'_>> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(text) => Line { text, lf: true },
            None => Line { text: line, lf: false },
        })
        .collect()
}

/// The text of these lines: the opposite of [`split`].
pub(crate) fn join(lines: &[Line<'_>]) -> String {
    let size = lines.iter().map(|line| line.text.len() + usize::from(line.lf)).sum();
    let mut text = String::with_capacity(size);
    for line in lines {
        text.push_str(line.text);
        if line.lf {
            text.push('\n');
        }
    }
    text
}

/// A number of lines, or the number of a line, as the contract counts it.
pub(crate) fn count(lines: usize) -> u64 {
    u64::try_from(lines).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_and_join_are_opposites() {
        for text in ["", "\n", "a", "a\n", "a\r\nb\rc\n\n", "\r", "é\n\u{0}"] {
            assert_eq!(join(&split(text)), text);
        }
        assert_eq!(split("").len(), 0);
        assert_eq!(split("\n\na").len(), 3);
    }
}
