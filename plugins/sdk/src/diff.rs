//! Differences of texts: made from two of them, and written as unified diffs. No import stands behind it.
//!
//! ```
//! use snodo_plugin::diff;
//!
//! let text = diff::unified("src/a.rs", "one\ntwo\nthree\n", "one\n2\nthree\n");
//! assert_eq!(text, "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
//! ```
//!
//! What the host says of a change ([`change::diff`](crate::change::diff)) is written in the same way: a
//! [`FileDiff`] and a [`Hunk`] have a `Display`.
//!
//! ```
//! # use snodo_plugin::prelude::*;
//! # let workspace = snodo_plugin::testing::Workspace::new().file("a", "one\n");
//! # workspace.with_validator_imports([submit::write("a", "one\ntwo")], || {
//! let change = change::whole_diff(vec!["a".to_owned()], 3)?;
//! assert_eq!(change[0].to_string(), "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n one\n+two\n\\ No newline at end of file\n");
//! # Ok::<(), Fault>(()) }).unwrap();
//! ```

use std::fmt;
use std::ops::Range;

use crate::ChangeKind;
use crate::change::{DiffLine, FileDiff, Hunk, LineOrigin};

mod script;

use script::script;

/// Lines of context that people are used to.
const CONTEXT: u32 = 3;

/// The difference of two texts, hunk by hunk; none where they are the same.
///
/// ```
/// let hunks = snodo_plugin::diff::hunks("a\nb\n", "a\nc\n", 0);
/// assert_eq!((hunks[0].old_start, hunks[0].old_count), (2, 1));
/// assert!(snodo_plugin::diff::hunks("a", "a", 3).is_empty());
/// ```
pub fn hunks(old: &str, new: &str, context_lines: u32) -> Vec<Hunk> {
    let (old, new) = (lines(old), lines(new));
    let script = script(&old, &new);
    let context = usize::try_from(context_lines).unwrap_or(usize::MAX);
    let mut hunks = Vec::new();
    let (mut old_at, mut new_at, mut at) = (0, 0, 0);
    for part in parts(&script, context) {
        // Between two parts everything is the same.
        let same = part.start - at;
        (old_at, new_at) = (old_at + same, new_at + same);
        at = part.end;
        let mut hunk = Hunk {
            old_start: 0,
            old_count: 0,
            new_start: 0,
            new_count: 0,
            lines: Vec::new(),
        };
        let first = (old_at, new_at);
        for &origin in &script[part] {
            let text = match origin {
                LineOrigin::Added => new[new_at],
                LineOrigin::Context | LineOrigin::Removed => old[old_at],
            };
            if origin != LineOrigin::Added {
                old_at += 1;
                hunk.old_count += 1;
            }
            if origin != LineOrigin::Removed {
                new_at += 1;
                hunk.new_count += 1;
            }
            let (text, no_newline) = text.strip_suffix('\n').map_or((text, true), |text| (text, false));
            hunk.lines.push(DiffLine {
                origin,
                text: text.to_owned(),
                no_newline,
            });
        }
        hunk.old_start = start(first.0, hunk.old_count);
        hunk.new_start = start(first.1, hunk.new_count);
        hunks.push(hunk);
    }
    hunks
}

/// The difference of two texts as a unified diff of a file, with three lines of context; empty where they are the same. An empty text is
/// a file that is not there.
///
/// ```
/// assert_eq!(
///     snodo_plugin::diff::unified("new.txt", "", "hello\n"),
///     "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n"
/// );
/// ```
pub fn unified(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let kind = match (old.is_empty(), new.is_empty()) {
        (true, _) => ChangeKind::Added,
        (_, true) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    };
    let file = FileDiff {
        path: path.to_owned(),
        kind,
        binary: false,
        hunks: hunks(old, new, CONTEXT),
    };
    file.to_string()
}

/// With their line feeds.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// From 1; an empty range names the line before it.
fn start(index: usize, count: u64) -> u64 {
    index as u64 + u64::from(count > 0)
}

/// Where the script changes something, with so much context; what touches is one part.
fn parts(script: &[LineOrigin], context: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (index, _) in script
        .iter()
        .enumerate()
        .filter(|(_, origin)| **origin != LineOrigin::Context)
    {
        let from = index.saturating_sub(context);
        let to = index.saturating_add(context).saturating_add(1).min(script.len());
        match parts.last_mut() {
            Some(last) if from <= last.end => last.end = to,
            _ => parts.push(from..to),
        }
    }
    parts
}

/// As a unified diff: the range, then each line with its sign.
impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |start: u64, count: u64| match count {
            1 => start.to_string(),
            _ => format!("{start},{count}"),
        };
        let old = range(self.old_start, self.old_count);
        let new = range(self.new_start, self.new_count);
        writeln!(f, "@@ -{old} +{new} @@")?;
        for line in &self.lines {
            let sign = match line.origin {
                LineOrigin::Context => ' ',
                LineOrigin::Added => '+',
                LineOrigin::Removed => '-',
            };
            writeln!(f, "{sign}{}", line.text)?;
            if line.no_newline {
                writeln!(f, "\\ No newline at end of file")?;
            }
        }
        Ok(())
    }
}

/// As a unified diff, for reading: where a file came from is not part of it, and what has no lines is said in words.
impl fmt::Display for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        if self.hunks.is_empty() {
            let what = match self.kind {
                ChangeKind::Added => "added",
                ChangeKind::Modified => "modified",
                ChangeKind::Deleted => "deleted",
                ChangeKind::Renamed => "moved here",
                ChangeKind::ModeChanged => "executable bit changed",
            };
            let binary = if self.binary { ", not text" } else { "" };
            return writeln!(f, "{}: {what}{binary}", quoted("", path));
        }
        match self.kind {
            ChangeKind::Added => writeln!(f, "--- /dev/null")?,
            _ => writeln!(f, "--- {}", quoted("a/", path))?,
        }
        match self.kind {
            ChangeKind::Deleted => writeln!(f, "+++ /dev/null")?,
            _ => writeln!(f, "+++ {}", quoted("b/", path))?,
        }
        self.hunks.iter().try_for_each(|hunk| hunk.fmt(f))
    }
}

/// A name as git writes it: in quotes where it holds what would end the line or the quotes.
fn quoted(prefix: &str, path: &str) -> String {
    if !path.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for character in path.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push('\\');
                    out.extend([byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| char::from(b'0' + digit)));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
