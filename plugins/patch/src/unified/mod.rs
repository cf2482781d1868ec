//! Unified diffs, as `git diff` and `diff -u` print them.

mod apply;
mod explain;
mod extended;
mod header;
mod hunk;
mod locate;
mod name;
mod placed;
mod resolve;

pub(crate) use apply::apply;
pub(crate) use extended::is_binary_notice;
pub(crate) use header::{parse, starts_plain};
pub(crate) use hunk::is_header as is_hunk_header;

use crate::lines::Line;

/// What a diff does to one file.
#[derive(Debug)]
pub(crate) struct FilePatch<'a> {
    /// Where it begins in the task, from 0.
    pub(crate) at: usize,
    /// Which files it is about.
    pub(crate) target: Target,
    /// The executable bit before, where the diff says it.
    pub(crate) old_executable: Option<bool>,
    /// The executable bit after, where the diff says it.
    pub(crate) new_executable: Option<bool>,
    /// In the order of the task.
    pub(crate) hunks: Vec<Hunk<'a>>,
    /// How many leading folders were taken off its paths, for messages.
    pub(crate) stripped: u32,
}

/// Which files a diff is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A new file.
    Create(String),
    /// A file that goes.
    Delete(String),
    /// A file that stays where it is.
    Modify(String),
    /// The two names of a plain diff (`diff -u x.orig x`), of which one is in the workspace.
    OneOf { old: String, new: String },
    /// A file that moves.
    Rename { from: String, to: String },
    /// A new file that starts as another.
    Copy { from: String, to: String },
}

impl Target {
    /// The path that a message names: where the file stands afterwards, or stood.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Create(path)
            | Self::Delete(path)
            | Self::Modify(path)
            | Self::OneOf { new: path, .. }
            | Self::Rename { to: path, .. }
            | Self::Copy { to: path, .. } => path,
        }
    }

    /// The path that nothing stands at afterwards.
    pub(crate) fn vacated(&self) -> Option<&str> {
        match self {
            Self::Delete(path) | Self::Rename { from: path, .. } => Some(path),
            Self::Create(_) | Self::Modify(_) | Self::OneOf { .. } | Self::Copy { .. } => None,
        }
    }
}

/// Lines that change together.
#[derive(Debug)]
pub(crate) struct Hunk<'a> {
    /// Where its header stands in the task, from 0.
    pub(crate) at: usize,
    /// The starts that the header tells, from 1; 0 with a count of 0.
    pub(crate) old_start: u64,
    pub(crate) new_start: u64,
    pub(crate) lines: Vec<HunkLine<'a>>,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HunkLine<'a> {
    pub(crate) origin: Origin,
    pub(crate) line: Line<'a>,
}

/// In which of the two files a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Context,
    Removed,
    Added,
}

impl Origin {
    pub(crate) fn in_old(self) -> bool {
        self != Self::Added
    }

    pub(crate) fn in_new(self) -> bool {
        self != Self::Removed
    }
}

impl<'a> Hunk<'a> {
    /// The lines that stand before.
    pub(crate) fn before(&self) -> Vec<Line<'a>> {
        self.side(Origin::in_old)
    }

    /// The lines that stand after.
    pub(crate) fn after(&self) -> Vec<Line<'a>> {
        self.side(Origin::in_new)
    }

    fn side(&self, stands: fn(Origin) -> bool) -> Vec<Line<'a>> {
        self.lines
            .iter()
            .filter(|line| stands(line.origin))
            .map(|line| line.line)
            .collect()
    }
}
