//! Reads SEARCH/REPLACE blocks.

use crate::error::PatchError;
use crate::lines::Line;
use crate::source::{Fence, Source, number, undecorated};

/// The three lines that frame a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    /// `<<<<<<< SEARCH`
    Search,
    /// `=======`
    Divider,
    /// `>>>>>>> REPLACE`
    Replace,
}

impl Marker {
    pub(crate) fn of(line: &str) -> Option<Self> {
        match line.trim_ascii_end() {
            "<<<<<<< SEARCH" => Some(Self::Search),
            "=======" => Some(Self::Divider),
            ">>>>>>> REPLACE" => Some(Self::Replace),
            _ => None,
        }
    }
}

/// Reads the search and replacement of the block that begins at `at`; answers where the next line stands.
pub(crate) fn parse<'a>(
    source: &Source<'a>,
    at: usize,
    indent: usize,
) -> Result<(Vec<Line<'a>>, Vec<Line<'a>>, usize), PatchError> {
    let fault = |at: usize, reason: &str| PatchError::Malformed {
        line: number(at),
        reason: reason.to_owned(),
    };
    let mut search = Vec::new();
    let mut replace = Vec::new();
    let mut divider = None;
    let mut next = at + 1;
    loop {
        let Some(line) = source.line(next, indent) else {
            return Err(fault(
                at,
                "the SEARCH block does not end: behind `<<<<<<< SEARCH` come `=======` and `>>>>>>> REPLACE`, each on a line of its own",
            ));
        };
        match (Marker::of(line), divider) {
            (Some(Marker::Search), _) => {
                return Err(fault(next, "a SEARCH block begins before the one above it has ended"));
            }
            (Some(Marker::Divider), None) => divider = Some(next),
            // The text itself could hold such a line (a heading, a merge conflict); which of them divides cannot be told.
            (Some(Marker::Divider), Some(_)) => {
                return Err(fault(
                    next,
                    "a second `=======` in one SEARCH block: nothing tells which of them divides it; such a change needs a unified diff",
                ));
            }
            (Some(Marker::Replace), None) => {
                return Err(fault(next, "the SEARCH block ends without `=======`"));
            }
            (Some(Marker::Replace), Some(_)) => return Ok((search, replace, next + 1)),
            (None, None) => search.push(Line::ended(line)),
            (None, Some(_)) => replace.push(Line::ended(line)),
        }
        next += 1;
    }
}

/// The path of the block that begins at `at`: the line above it, or above the code fence it stands in. `end` is where the line behind the
/// patch before it stands, and `previous` its path, if that was a block too: it holds on when nothing but blank lines and fences lie
/// between.
pub(crate) fn path(source: &Source<'_>, at: usize, end: usize, previous: Option<&str>) -> Result<String, PatchError> {
    let above = |at: usize| at.checked_sub(1).filter(|above| *above >= end);
    let text = |at: usize| source.raw(at).unwrap_or_default();
    let mut line = above(at);
    if let Some(fence) = line.filter(|line| Fence::of(text(*line)).is_some()) {
        line = above(fence);
    }
    if let Some(line) = line
        && Fence::of(text(line)).is_none()
    {
        let path = undecorated(text(line));
        if !path.is_empty() {
            return Ok(path.to_owned());
        }
    }
    let goes_on = (end..at).all(|line| text(line).trim_ascii().is_empty() || Fence::of(text(line)).is_some());
    match previous {
        Some(path) if goes_on => Ok(path.to_owned()),
        _ => Err(PatchError::Malformed {
            line: number(at),
            reason: "the SEARCH block names no file: its path stands alone on the line above `<<<<<<< SEARCH`, or above the code fence around it"
                .to_owned(),
        }),
    }
}
