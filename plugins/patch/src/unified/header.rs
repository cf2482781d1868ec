//! What stands above the hunks of a file: the two names, and what git says beside them.

use super::extended::Extended;
use super::name::{self, Name};
use super::resolve::Head;
use super::{FilePatch, Hunk, hunk};
use crate::error::PatchError;
use crate::options::Options;
use crate::source::{Source, number};

/// What is wrong with a line, before it is known which one.
#[derive(Debug)]
pub(super) struct Fault(String);

impl Fault {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    pub(super) fn at(self, at: usize) -> PatchError {
        PatchError::Malformed {
            line: number(at),
            reason: self.0,
        }
    }
}

/// Whether the lines from here are the head of a plain diff: `--- name` and `+++ name`.
pub(crate) fn starts_plain(source: &Source<'_>, at: usize, indent: usize) -> bool {
    source.frame(at, indent).is_some_and(|line| line.starts_with("--- "))
        && source
            .frame(at + 1, indent)
            .is_some_and(|line| line.starts_with("+++ "))
}

/// Reads the diff of one file, which begins at `at` with `diff --git ` or `--- `. Answers where the next line stands; none for a
/// line that begins with `diff --git ` and is prose.
pub(crate) fn parse<'a>(
    source: &Source<'a>,
    at: usize,
    indent: usize,
    options: &Options,
) -> Result<Option<(FilePatch<'a>, usize)>, PatchError> {
    let mut next = at;
    let mut git = None;
    if let Some(rest) = source
        .frame(at, indent)
        .and_then(|line| line.strip_prefix("diff --git "))
    {
        let (extended, behind) = Extended::parse(source, at + 1, indent)?;
        next = behind;
        let names = name::of_git_line(rest);
        let is_bare = next == at + 1 && !starts_plain(source, next, indent);
        // A bare line of git is printed for a file that differs in nothing; any other one is prose.
        let is_printed = names
            .as_ref()
            .is_some_and(|(old, new)| name::prefixed(old, new, true) && name::strip(old, 1) == name::strip(new, 1));
        if is_bare && !is_printed {
            return Ok(None);
        }
        git = Some((names, extended));
    }
    let mut names = None;
    if starts_plain(source, next, indent) {
        names = Some(Names::parse(source, next, indent)?);
        next += 2;
    }
    let (hunks, next) = parse_hunks(source, next, indent)?;
    if names.is_some() && hunks.is_empty() {
        return Err(Fault::new("the two names of a diff, but no hunk (`@@ -1,3 +1,4 @@`) follows them").at(next - 1));
    }
    let head = Head {
        at,
        names,
        hunks: &hunks,
        strip: options.strip,
    };
    let patch = match git {
        None => head.plain().map_err(|fault| fault.at(at))?,
        Some((line, extended)) => head.git(line.as_ref(), &extended)?,
    };
    let (target, stripped, old_executable, new_executable) = patch;
    Ok(Some((
        FilePatch {
            at,
            target,
            old_executable,
            new_executable,
            hunks,
            stripped,
        },
        next,
    )))
}

/// Reads the hunks from here on; blank lines between two of them are passed over.
fn parse_hunks<'a>(source: &Source<'a>, mut at: usize, indent: usize) -> Result<(Vec<Hunk<'a>>, usize), PatchError> {
    let mut hunks = Vec::new();
    loop {
        let start = if hunks.is_empty() { at } else { source.skip_blank(at) };
        // Also what only begins like a header: it is an error there, never prose.
        match source.frame(start, indent) {
            Some(line) if line.starts_with("@@") => {
                let (hunk, behind) = hunk::parse(source, start, indent)?;
                hunks.push(hunk);
                at = behind;
            }
            _ => return Ok((hunks, at)),
        }
    }
}

/// The `---` and `+++` lines.
pub(super) struct Names<'a> {
    pub(super) old: Name,
    pub(super) old_time: &'a str,
    pub(super) new: Name,
    pub(super) new_time: &'a str,
}

impl<'a> Names<'a> {
    /// Of the two lines at `at`, which [`starts_plain`] has seen.
    fn parse(source: &Source<'a>, at: usize, indent: usize) -> Result<Self, PatchError> {
        let rest = |at: usize, mark: &str| {
            let line = source.frame(at, indent).unwrap_or_default();
            name::of_header(line.strip_prefix(mark).unwrap_or(line)).map_err(|fault| fault.at(at))
        };
        let (old, old_time) = rest(at, "--- ")?;
        let (new, new_time) = rest(at + 1, "+++ ")?;
        if old == Name::Nothing && new == Name::Nothing {
            return Err(Fault::new("both names of the diff are /dev/null").at(at));
        }
        Ok(Self {
            old,
            old_time,
            new,
            new_time,
        })
    }
}
