//! The task as numbered lines.

/// The lines of a task, without their LF, from 0.
pub(crate) struct Source<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(task: &'a str) -> Self {
        let task = task.strip_prefix('\u{feff}').unwrap_or(task);
        let mut lines: Vec<&str> = task.split('\n').collect();
        // Behind the last LF there is no further line.
        if lines.last() == Some(&"") {
            lines.pop();
        }
        Self { lines }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// As it stands, its CR kept; none behind the end.
    pub(crate) fn raw(&self, at: usize) -> Option<&'a str> {
        self.lines.get(at).copied()
    }

    /// Less at most `indent` leading spaces: the indentation of the code fence around it.
    pub(crate) fn line(&self, at: usize, indent: usize) -> Option<&'a str> {
        let line = self.raw(at)?;
        line.get(leading_spaces(line).min(indent)..)
    }

    /// The same for a line of a patch's frame, where a CR before the LF says only that the task was saved with such line ends.
    pub(crate) fn frame(&self, at: usize, indent: usize) -> Option<&'a str> {
        let line = self.line(at, indent)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The first line from here that is not blank.
    pub(crate) fn skip_blank(&self, mut at: usize) -> usize {
        while self.raw(at).is_some_and(|line| line.trim_ascii().is_empty()) {
            at += 1;
        }
        at
    }
}

/// What stands before and behind the first `mark`. As `str::split_once`, which brings a search for long texts into the component that is
/// not worth its size here.
pub(crate) fn cut<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let at = text
        .as_bytes()
        .windows(mark.len())
        .position(|window| window == mark.as_bytes())?;
    text.get(..at).zip(text.get(at + mark.len()..))
}

/// How many spaces a line starts with.
pub(crate) fn leading_spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The number of a line, as a message gives it: from 1.
pub(crate) fn number(at: usize) -> u64 {
    crate::lines::count(at.saturating_add(1))
}

/// A line of a code fence of Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
    /// Leading spaces.
    pub(crate) indent: usize,
    /// Nothing stands behind the marks, so that it can close a block.
    pub(crate) bare: bool,
}

impl Fence {
    /// Three or more backticks or tildes at the start of a line, as `CommonMark` says, at any indentation (lists indent theirs).
    pub(crate) fn of(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        // Backticks in the same line make it inline code.
        if length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        Some(Self {
            mark,
            length,
            indent: leading_spaces(line),
            bare: info.trim_ascii().is_empty(),
        })
    }

    /// Whether this line ends the block that `opening` began.
    pub(crate) fn closes(&self, opening: &Self) -> bool {
        self.bare && self.mark == opening.mark && self.length >= opening.length
    }
}

/// A path on a line of its own, as people decorate it: `` `src/a.py` ``, `**src/a.py**`, `src/a.py:`. Only what surrounds it goes. (A
/// colon is in no path that the host takes.)
pub(crate) fn undecorated(line: &str) -> &str {
    let line = line.trim_ascii();
    let line = line.strip_suffix(':').unwrap_or(line);
    for mark in ["`", "**"] {
        if let Some(path) = line.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)) {
            return path.strip_suffix(':').unwrap_or(path);
        }
    }
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails here says where")]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_task() {
        let source = Source::new("\u{feff}a\r\n  b\n\nc");
        assert_eq!(source.len(), 4);
        assert_eq!(source.raw(0), Some("a\r"));
        assert_eq!(source.frame(0, 0), Some("a"));
        assert_eq!(source.line(1, 1), Some(" b"));
        assert_eq!(source.line(1, 9), Some("b"));
        assert_eq!(source.skip_blank(2), 3);
        assert_eq!(source.raw(4), None);
        assert_eq!(Source::new("").len(), 0);
        assert_eq!(Source::new("\n").len(), 1);
    }

    #[test]
    fn fences_open_and_close() {
        let opening = Fence::of("  ````diff").unwrap();
        assert_eq!(opening.indent, 2);
        assert!(!Fence::of("```").unwrap().closes(&opening));
        assert!(Fence::of("`````  ").unwrap().closes(&opening));
        assert!(!Fence::of("````x").unwrap().closes(&opening));
        assert!(!Fence::of("~~~~").unwrap().closes(&opening));
        for none in ["", "``", "```a``` is code", "a ```"] {
            assert_eq!(Fence::of(none), None, "{none}");
        }
    }

    #[test]
    fn decoration_goes() {
        for line in [
            "a/b c.py",
            " `a/b c.py` ",
            "a/b c.py:",
            "`a/b c.py`:",
            "**a/b c.py**",
            "**a/b c.py:**\r",
        ] {
            assert_eq!(undecorated(line), "a/b c.py", "{line}");
        }
        for line in ["`", "**", "a`b`"] {
            assert_eq!(undecorated(line), line);
        }
        assert_eq!(undecorated(":"), "");
    }
}
