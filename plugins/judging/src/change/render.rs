//! One file's difference as text.

use std::fmt::Write as _;

use snodo_plugin::ChangeKind;
use snodo_plugin::change::{ChangedFile, FileDiff, LineOrigin};
use snodo_plugin::tools::one_line;

use super::ranges::Ranges;
use crate::visible::visible;

/// Characters of a path that is shown.
pub(crate) const PATH: usize = 400;

/// A difference, with the place of each line that the change added or removed.
pub(crate) struct Rendered {
    /// As a model sees it.
    pub(crate) text: String,
    /// Characters of `text`.
    pub(crate) length: u64,
    lines: Vec<Line>,
}

struct Line {
    /// In characters.
    start: u64,
    end: u64,
    /// Its number in the new file; none of a removed line.
    new: Option<u64>,
}

impl Rendered {
    /// How many of the added and removed lines were not seen: neither as parts of this text (`seen`, in characters) nor, of those added,
    /// as lines of the new file (`read`, counted from 1). What was removed stands nowhere but here.
    pub(crate) fn unseen_lines(&self, seen: &Ranges, read: &Ranges) -> usize {
        self.lines
            .iter()
            .filter(|line| {
                let in_file = line.new.is_some_and(|number| read.covers(number, number + 1));
                !in_file && !seen.covers(line.start, line.end)
            })
            .count()
    }

    /// How many lines were added or removed.
    pub(crate) fn changed_lines(&self) -> usize {
        self.lines.len()
    }

    /// As many characters from `start` on as fit into `room`, to the end of a line where that is possible. Where they end.
    pub(crate) fn part(&self, start: u64, room: u64) -> (&str, u64) {
        let rest = &self.text[byte_of(&self.text, start)..];
        let part = &rest[..byte_of(rest, room)];
        // A line that is longer than half of the room is cut: else a short one before it would be all that is shown.
        let part = match part.rfind('\n') {
            Some(at) if part.len() < rest.len() && at >= part.len() / 2 => &part[..=at],
            _ => part,
        };
        (part, start + count(part))
    }
}

fn byte_of(text: &str, character: u64) -> usize {
    usize::try_from(character)
        .ok()
        .and_then(|character| text.char_indices().nth(character))
        .map_or(text.len(), |(at, _)| at)
}

/// Characters of a text.
pub(crate) fn count(text: &str) -> u64 {
    text.chars().count() as u64
}

/// A line that begins with `=` is written by us: each line of a file comes after a blank, `+`, `-` or `\`.
pub(crate) fn render(changed: &ChangedFile, difference: &FileDiff) -> Rendered {
    let mut text = format!("=== {}\n", headline(changed));
    let mut at = count(&text);
    let mut lines = Vec::new();
    for hunk in &difference.hunks {
        let place = format!(
            "@@ -{},{} +{},{} @@\n",
            hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count
        );
        at += count(&place);
        text.push_str(&place);
        let mut number = hunk.new_start;
        for line in &hunk.lines {
            let from = text.len();
            text.push(match line.origin {
                LineOrigin::Context => ' ',
                LineOrigin::Added => '+',
                LineOrigin::Removed => '-',
            });
            push_line(&mut text, &line.text);
            if line.no_newline {
                text.push_str("\\ the file ends here without a line feed\n");
            }
            let end = at + count(&text[from..]);
            if line.origin != LineOrigin::Context {
                let new = (line.origin == LineOrigin::Added).then_some(number);
                lines.push(Line { start: at, end, new });
            }
            if line.origin != LineOrigin::Removed {
                number += 1;
            }
            at = end;
        }
    }
    Rendered {
        text,
        length: at,
        lines,
    }
}

fn push_line(text: &mut String, line: &str) {
    let (line, end) = match line.strip_suffix('\r') {
        Some(line) => (line, "\r\n"),
        None => (line, "\n"),
    };
    // Whatever is a line here stays one.
    text.push_str(&visible(line).replace('\n', "<U+000A>"));
    text.push_str(end);
}

/// A changed file in one line.
pub(crate) fn headline(changed: &ChangedFile) -> String {
    let mut line = format!("{}: {}", one_line(&changed.path, PATH), kind(changed.kind));
    if let Some(old) = &changed.old_path {
        let _ = write!(line, " from {}", one_line(old, PATH));
    }
    if changed.binary {
        let size = |size: Option<u64>| size.map_or_else(|| "nothing".to_owned(), |size| format!("{size} bytes"));
        let (before, after) = (size(changed.size_before), size(changed.size_after));
        let _ = write!(line, ", binary, {before} before, {after} after");
    } else if changed.added + changed.deleted > 0 {
        let _ = write!(line, ", {} lines added, {} removed", changed.added, changed.deleted);
    }
    match (changed.executable_before, changed.executable_after) {
        (false, true) => line.push_str(", executable now"),
        (true, false) if changed.kind != ChangeKind::Deleted => line.push_str(", not executable any more"),
        _ => {}
    }
    if let Some(reason) = &changed.test_governing {
        let _ = write!(line, ", governs tests: {}", one_line(reason, 200));
    }
    line
}

/// The kind of a change in a word.
pub(crate) fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::ModeChanged => "mode changed",
    }
}
