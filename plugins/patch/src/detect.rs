//! Finds the patches in a task: anywhere, with prose around them, inside code fences or not.
//!
//! What begins like a patch must be one. A part that cannot be read is an error, never prose: else the rest would be applied, and
//! somebody would believe that all of it was.

use crate::blocks::{self, Block, Marker};
use crate::error::PatchError;
use crate::options::Options;
use crate::show;
use crate::source::{Fence, Source, cut, leading_spaces, number};
use crate::unified::{self, FilePatch};

/// All patches of a task.
pub(crate) struct Found<'a> {
    /// In the order of the task, at least one.
    pub(crate) parts: Vec<Part<'a>>,
    /// Remarks on lines that carry no patch and belong to one.
    pub(crate) remarks: Vec<String>,
}

/// One patch.
pub(crate) struct Part<'a> {
    /// Diffs with nothing between them are of one group: what one `diff` printed.
    pub(crate) group: usize,
    pub(crate) kind: Kind<'a>,
}

pub(crate) enum Kind<'a> {
    Unified(FilePatch<'a>),
    Block(Block<'a>),
}

/// Finds them.
pub(crate) fn detect<'a>(source: &Source<'a>, options: &Options) -> Result<Found<'a>, PatchError> {
    let mut scan = Scan {
        source,
        options,
        found: Found {
            parts: Vec::new(),
            remarks: Vec::new(),
        },
        group: 0,
        fence: None,
        end: 0,
    };
    let mut at = 0;
    while at < source.len() {
        at = scan.step(at)?;
    }
    if scan.found.parts.is_empty() {
        return Err(PatchError::NoPatch {
            found: describe(source),
        });
    }
    Ok(scan.found)
}

struct Scan<'s, 'a> {
    source: &'s Source<'a>,
    options: &'s Options,
    found: Found<'a>,
    group: usize,
    /// The code fence that is open here.
    fence: Option<Fence>,
    /// Where the line behind the last part stands.
    end: usize,
}

impl<'a> Scan<'_, 'a> {
    /// Looks at one line; answers which is next.
    fn step(&mut self, at: usize) -> Result<usize, PatchError> {
        let raw = self.source.raw(at).unwrap_or_default();
        // A fence in a list is indented, and so is all that it holds.
        let indent = self.fence.map_or(0, |fence| fence.indent.min(leading_spaces(raw)));
        let line = self.source.frame(at, indent).unwrap_or_default();
        if line.starts_with("diff --git ") || unified::starts_plain(self.source, at, indent) {
            if let Some((patch, next)) = unified::parse(self.source, at, indent, self.options)? {
                self.push(Kind::Unified(patch), next);
                return Ok(next);
            }
        } else if Marker::of(line) == Some(Marker::Search) {
            return self.block(at, indent);
        }
        self.refuse(at, indent, line)?;
        self.pass_over(at, raw, line);
        Ok(at + 1)
    }

    fn push(&mut self, kind: Kind<'a>, end: usize) {
        self.end = end;
        self.found.parts.push(Part {
            group: self.group,
            kind,
        });
    }

    fn block(&mut self, at: usize, indent: usize) -> Result<usize, PatchError> {
        let previous = match self.found.parts.last() {
            Some(Part {
                kind: Kind::Block(block),
                ..
            }) => Some(block.path.as_str()),
            _ => None,
        };
        let path = blocks::path(self.source, at, self.end, previous)?;
        let (search, replace, next) = blocks::parse(self.source, at, indent)?;
        let block = Block {
            at,
            path,
            search,
            replace,
        };
        self.group += 1;
        self.push(Kind::Block(block), next);
        self.group += 1;
        Ok(next)
    }

    /// Lines that are part of a patch which is not taken, or lost its head.
    fn refuse(&self, at: usize, indent: usize, line: &str) -> Result<(), PatchError> {
        let follows = |offset: usize, is: fn(&str) -> bool| self.source.frame(at + offset, indent).is_some_and(is);
        let unsupported = |path: Option<String>, reason: &str| {
            Err(PatchError::Unsupported {
                line: number(at),
                path,
                reason: reason.to_owned(),
            })
        };
        if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || is_combined_hunk(line) {
            return unsupported(
                cut(line, "--cc ").map(|(_, path)| path.to_owned()),
                "a combined diff of a merge, which has no one file to start from; make a diff against one parent",
            );
        }
        if line.starts_with("*** ")
            && follows(1, |line| line.starts_with("--- "))
            && follows(2, |line| line.starts_with("***************"))
        {
            return unsupported(None, "a context diff; make a unified one, with `diff -u`");
        }
        if line == "*** Begin Patch" {
            return unsupported(
                None,
                "a patch of the form `*** Begin Patch`; a unified diff or SEARCH/REPLACE blocks are taken",
            );
        }
        if unified::is_binary_notice(line) {
            return unsupported(
                None,
                &format!("{}: the diff does not hold the content", show::quote(line)),
            );
        }
        if unified::is_hunk_header(line) {
            return Err(PatchError::Malformed {
                line: number(at),
                reason: format!(
                    "the hunk {} belongs to no file: above it stand the lines `--- a/path` and `+++ b/path`",
                    show::quote(line)
                ),
            });
        }
        if Marker::of(line) == Some(Marker::Replace) {
            return Err(PatchError::Malformed {
                line: number(at),
                reason: "`>>>>>>> REPLACE` without a `<<<<<<< SEARCH` before it".to_owned(),
            });
        }
        Ok(())
    }

    /// Prose, and what programs print between the diffs of files.
    fn pass_over(&mut self, at: usize, raw: &str, line: &str) {
        if let Some(fence) = Fence::of(raw) {
            self.fence = match self.fence {
                Some(opening) if fence.closes(&opening) => None,
                Some(opening) => Some(opening),
                None => Some(fence),
            };
        }
        if let Some((folder, name)) = line.strip_prefix("Only in ").and_then(|rest| cut(rest, ": ")) {
            self.found.remarks.push(format!(
                "line {} of the task tells of {} only in {}: it carries no content, and nothing was done",
                number(at),
                show::quote(name),
                show::quote(folder)
            ));
        }
        let is_printed_between = line.trim_ascii().is_empty()
            || line.starts_with("diff ")
            || line.starts_with("Index: ")
            || line.starts_with("Only in ")
            || line.bytes().all(|byte| byte == b'=');
        if !is_printed_between {
            self.group += 1;
        }
    }
}

/// `@@@ -1,2 -1,2 +1,3 @@@`
fn is_combined_hunk(line: &str) -> bool {
    line.starts_with("@@@ -")
}

/// What a task without a patch holds.
fn describe(source: &Source<'_>) -> String {
    if source.skip_blank(0) == source.len() {
        return "it is empty".to_owned();
    }
    let text = show::counted(source.len(), "line");
    for at in 0..source.len() {
        let line = source.frame(at, 0).unwrap_or_default();
        let looks = line.trim_ascii_start();
        let found = if looks.len() < line.len()
            && (looks.starts_with("diff --git ") || looks.starts_with("+++ ") || is_marker(looks))
        {
            "an indented patch; its lines begin at the start of the line, or in a code fence that is indented as they are"
        } else if line.starts_with("> diff --git ") || line.starts_with("> +++ ") {
            "a quoted patch; its lines begin at the start of the line"
        } else if is_marker(line) || line.starts_with("<<<<<<<") {
            "a marker of a SEARCH/REPLACE block; a block begins with a line `<<<<<<< SEARCH`"
        } else if is_normal_diff(line) {
            "a diff without context; make it with `diff -u`"
        } else if line.starts_with("--- ") || line.starts_with("+++ ") {
            "one of the two lines `--- a/path` and `+++ b/path` that begin a diff, without the other"
        } else {
            continue;
        };
        return format!("it is {text} of text, of which line {} looks like {found}", number(at));
    }
    format!("it is {text} of text")
}

fn is_marker(line: &str) -> bool {
    matches!(Marker::of(line), Some(Marker::Search | Marker::Replace))
}

/// `12c12`, `3,4d2`: a command of a plain `diff`.
fn is_normal_diff(line: &str) -> bool {
    let is_range = |side: &str| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    line.split_once(['a', 'c', 'd'])
        .is_some_and(|(before, after)| is_range(before) && is_range(after))
}
