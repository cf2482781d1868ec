//! The change as a judge is shown it: within a budget, with what was left out named, and an account of what was seen since.

mod opaque;
mod order;
mod ranges;
mod read_diff;
mod render;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use snodo_plugin::ChangeKind;
use snodo_plugin::change::{ChangedFile, DiffQuery, FileDiff};
use snodo_plugin::pattern::Pattern;
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{Sight, one_line};

use crate::seam::Changes;
use crate::text::data;
use opaque::{Bytes, Sorting};
use order::looks_generated;
use ranges::Ranges;
use render::{PATH, Rendered, count, headline, render};

pub(crate) use read_diff::READ_DIFF;
pub(crate) use render::kind;

/// Lines of context around a change.
const CONTEXT: u32 = 3;

/// Less of a file than this says nothing: files for which there is not so much room are left out.
const LEAST_SHARE: u64 = 400;

/// The change, and what of it was seen.
pub(crate) struct ChangeView {
    files: Vec<FileView>,
    added: u64,
    deleted: u64,
}

struct FileView {
    changed: ChangedFile,
    bytes: Bytes,
    /// It stood in the list of changed files that was shown.
    listed: bool,
    /// Its difference was shown whole.
    whole: bool,
    /// Characters of its difference that were shown.
    seen: Ranges,
    /// Lines of the new file that were read.
    read: Ranges,
}

impl FileView {
    /// Whether there are lines to see.
    fn has_lines(&self) -> bool {
        !self.changed.binary && self.changed.added + self.changed.deleted > 0
    }

    /// Whether the change wrote bytes of it that nobody was shown. A file that is text now, and was none before, can be read.
    fn is_opaque(&self) -> bool {
        self.bytes == Bytes::Unseen && !self.read.covers(1, u64::MAX)
    }

    /// Its difference, all of it; or why it cannot be had.
    fn load(&self, changes: &impl Changes) -> Result<Rendered, String> {
        let path = &self.changed.path;
        let query = DiffQuery::all().paths(vec![path.clone()]).context_lines(CONTEXT);
        let answer = changes.diff(&query).map_err(|error| error.explain())?;
        let difference = answer.files.iter().find(|file| file.path == *path);
        match difference {
            Some(difference) if answer.omitted.is_empty() => Ok(render(&self.changed, difference)),
            _ => Err("the host does not show it whole".to_owned()),
        }
    }

    fn show(&mut self, rendered: &Rendered, start: u64, end: u64) {
        self.seen.add(start, end);
        self.whole |= self.seen.covers(0, rendered.length);
    }

    /// Its path, and how much of it was not seen, in one line; none when all of it was.
    fn unseen(&self, changes: &impl Changes) -> Option<String> {
        let path = one_line(&self.changed.path, PATH);
        if self.has_lines() && !self.whole {
            return match self.load(changes) {
                Ok(rendered) => match rendered.unseen_lines(&self.seen, &self.read) {
                    0 => None,
                    lines => Some(format!("{path}: {lines} of {} changed lines", rendered.changed_lines())),
                },
                // What was added stands in the file, too.
                Err(_) if self.changed.kind == ChangeKind::Added && self.read.covers(1, u64::MAX) => None,
                Err(why) => Some(format!("{path}: its difference ({why})")),
            };
        }
        if self.is_opaque() {
            Some(format!(
                "{path}: its content ({NO_TEXT}, so that nothing of it can be shown)"
            ))
        } else if self.listed || self.whole {
            None
        } else {
            Some(format!("{path}: that it was changed"))
        }
    }
}

impl ChangeView {
    /// Whether nothing was changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes the change in, and says it in at most some `budget` characters of differences: all of it where it fits, else the
    /// list of all files and a share for each, those first that people wrote.
    ///
    /// Files that match a pattern of `binary` need not be shown where they are no text.
    pub(crate) fn open(
        changes: &impl Changes,
        sight: &impl Sight,
        binary: &[Pattern],
        budget: u64,
    ) -> Result<(Self, String), Fault> {
        let summary = changes.summary()?;
        let mut sorting = Sorting::new(changes, sight, binary);
        let mut view = Self {
            added: summary.added,
            deleted: summary.deleted,
            files: summary
                .files
                .into_iter()
                .map(|changed| FileView {
                    bytes: sorting.bytes(&changed),
                    changed,
                    listed: false,
                    whole: false,
                    seen: Ranges::default(),
                    read: Ranges::default(),
                })
                .collect(),
        };
        let section = view.section(changes, budget);
        Ok((view, section))
    }

    fn section(&mut self, changes: &impl Changes, budget: u64) -> String {
        if self.files.is_empty() {
            return "The change is empty: no file differs from what was there before.\n".to_owned();
        }
        let mut section = format!(
            "The change: {}, {} lines added, {} removed. This list and the differences below are the host's own account.\n\n",
            files(self.files.len()),
            self.added,
            self.deleted
        );
        let (list, next) = self.list(0, budget / 2);
        section.push_str(&data("changed files", &list));
        if let Some(next) = next {
            let _ = write!(
                section,
                "\nNot listed: {} more. `{READ_DIFF}` without a path goes on with `start` {next}.",
                files(self.files.len() - next)
            );
        }
        let parts = match self.all(changes, budget) {
            Some(parts) => parts,
            None => self.shares(changes, budget),
        };
        if !parts.is_empty() {
            section.push_str("\n\n");
            section.push_str(&data("differences", &parts));
        }
        section.push('\n');
        section.push_str(&self.left_out());
        section.push_str(&self.not_text());
        section
    }

    /// Everything, where it fits.
    fn all(&mut self, changes: &impl Changes, budget: u64) -> Option<String> {
        // A character has at most four bytes: what is over this cannot fit.
        let query = DiffQuery::all()
            .context_lines(CONTEXT)
            .max_bytes(budget.saturating_mul(4));
        let answer = changes.diff(&query).ok().filter(|answer| answer.omitted.is_empty())?;
        let differences: BTreeMap<&str, &FileDiff> =
            answer.files.iter().map(|file| (file.path.as_str(), file)).collect();
        let mut rendered = Vec::new();
        let mut left = budget;
        for index in self.in_order() {
            let changed = &self.files[index].changed;
            let difference = differences.get(changed.path.as_str())?;
            let text = render(changed, difference);
            left = left.checked_sub(text.length)?;
            rendered.push((index, text));
        }
        let mut parts = String::new();
        for (index, text) in rendered {
            parts.push_str(&text.text);
            self.files[index].show(&text, 0, text.length);
        }
        Some(parts)
    }

    /// A share for each file: what a small one does not need, the larger ones get; what people's files do not need, the others get.
    fn shares(&mut self, changes: &impl Changes, budget: u64) -> String {
        let mut left = budget;
        let mut shown: Vec<(usize, String)> = Vec::new();
        let order = self.in_order();
        for generated in [false, true] {
            let mut members: Vec<usize> = order
                .iter()
                .copied()
                .filter(|&index| looks_generated(&self.files[index].changed.path) == generated)
                .collect();
            members.sort_by_key(|&index| self.files[index].changed.added + self.files[index].changed.deleted);
            let room_for = usize::try_from(left / LEAST_SHARE).unwrap_or(usize::MAX);
            let taken = members.len().min(room_for);
            for (place, &index) in members[..taken].iter().enumerate() {
                let share = left / (taken - place) as u64;
                let file = &mut self.files[index];
                let Ok(rendered) = file.load(changes) else {
                    continue;
                };
                let (part, end) = rendered.part(0, share);
                left = left.saturating_sub(end);
                let mut part = part.to_owned();
                if end < rendered.length {
                    if !part.ends_with('\n') {
                        part.push('\n');
                    }
                    let _ = writeln!(
                        part,
                        "=== cut here, {} characters of it are not shown",
                        rendered.length - end
                    );
                }
                file.show(&rendered, 0, end);
                shown.push((index, part));
            }
        }
        shown.sort_by_key(|&(index, _)| (looks_generated(&self.files[index].changed.path), index));
        shown.into_iter().map(|(_, part)| part).collect()
    }

    /// Files whose lines can be shown: what people wrote first, then by path.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.files.len())
            .filter(|&index| self.files[index].has_lines())
            .collect();
        order.sort_by_key(|&index| looks_generated(&self.files[index].changed.path));
        order
    }

    /// Changed files from `start` on, a line each, as many as fit into `room`; where to go on.
    fn list(&mut self, start: usize, room: u64) -> (String, Option<usize>) {
        let mut list = String::new();
        let mut left = room;
        for (index, file) in self.files.iter_mut().enumerate().skip(start) {
            let line = headline(&file.changed) + "\n";
            let length = count(&line);
            // One at least: else a list would never come to its end.
            if length > left && index > start {
                return (list, Some(index));
            }
            left = left.saturating_sub(length);
            list.push_str(&line);
            file.listed = true;
        }
        (list, None)
    }

    /// What the first message leaves out, said so that it cannot be overlooked.
    fn left_out(&self) -> String {
        let parts: Vec<&FileView> = self
            .files
            .iter()
            .filter(|file| file.has_lines() && !file.whole)
            .collect();
        if parts.is_empty() {
            return String::new();
        }
        let names: Vec<String> = parts
            .iter()
            .map(|file| {
                let path = one_line(&file.changed.path, PATH);
                if file.seen.is_empty() {
                    format!("{path}: not shown")
                } else {
                    format!("{path}: shown in part")
                }
            })
            .collect();
        format!(
            "\nThe change is larger than what is shown here: of {} not everything is shown. A pass needs that you have looked at all of \
             it: `{READ_DIFF}` shows the rest.\n{}\n",
            files(parts.len()),
            data("files not shown whole", &bounded(&names, NAMED))
        )
    }

    /// What nothing can be shown of, said so that a judge does not pass it unseen.
    fn not_text(&self) -> String {
        let names: Vec<String> = self
            .files
            .iter()
            .filter(|file| file.is_opaque())
            .map(|file| one_line(&file.changed.path, PATH))
            .collect();
        if names.is_empty() {
            return String::new();
        }
        format!(
            "\nOf {} the content cannot be shown: {NO_TEXT}. Such a file may still be text to whatever runs it. A pass is not taken \
             over it, unless it is text now and you read it whole; a `warn` or a `blocker` says that it was not seen.\n{}\n",
            files(names.len()),
            data("files that are not text", &bounded(&names, NAMED))
        )
    }

    /// Whether something is left that no model can be shown.
    pub(crate) fn is_opaque(&self) -> bool {
        self.files.iter().any(FileView::is_opaque)
    }

    /// Lines of a file that the judge was shown. `last` may be beyond the end.
    pub(crate) fn was_read(&mut self, path: &str, first: u64, last: u64) {
        if let Some(file) = self.files.iter_mut().find(|file| file.changed.path == path) {
            file.read.add(first, last.saturating_add(1));
        }
    }

    /// What was not looked at so far.
    pub(crate) fn unseen(&self, changes: &impl Changes) -> Vec<String> {
        self.files.iter().filter_map(|file| file.unseen(changes)).collect()
    }

    /// What of the change was looked at, a line for each file.
    pub(crate) fn examined(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for file in self
            .files
            .iter()
            .filter(|file| file.listed || file.whole || !file.seen.is_empty())
        {
            let path = one_line(&file.changed.path, PATH);
            if file.bytes == Bytes::Allowed {
                lines.push(format!("{path} (binary, allowed)"));
                continue;
            }
            let how = if file.bytes == Bytes::Unseen && !file.is_opaque() {
                "binary before, and read as the text that it is now"
            } else if file.changed.binary {
                "binary, only its name and size"
            } else if file.whole || !file.has_lines() {
                "its change"
            } else if file.seen.is_empty() {
                "only its name"
            } else {
                "its change, in part"
            };
            lines.push(format!("{path}: {how}"));
        }
        lines
    }
}

/// Why nothing of a binary file is shown.
const NO_TEXT: &str = "bytes that are not text: a NUL, or not UTF-8";

/// So many names are written out.
pub(crate) const NAMED: usize = 200;

/// Lines, at most so many of them, and how many more there are.
pub(crate) fn bounded(lines: &[String], most: usize) -> String {
    let mut text = lines
        .iter()
        .take(most)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    if lines.len() > most {
        let _ = write!(text, "\nand {} more", lines.len() - most);
    }
    text
}

fn files(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}
