//! The tool with which a judge sees more of the change than it was shown at first.

use snodo_plugin::completion::Tool;
use snodo_plugin::tools::{Arguments, Outcome, one_line, tool};

use super::{ChangeView, FileView, NAMED, PATH, bounded};
use crate::seam::Changes;
use crate::text::data;

/// Its name.
pub(crate) const READ_DIFF: &str = "read_diff";

/// Characters of one answer.
const PAGE: u64 = 32_000;

impl ChangeView {
    /// What the model is told of it.
    pub(crate) fn read_diff_tool() -> Tool {
        tool(
            READ_DIFF,
            "Shows the difference of one changed file, by its path as listed, from a character on. Without a path: the list of changed \
             files, from a place on. An answer that is cut says where to go on.",
            r#"{"type":"object","properties":{"path":{"type":"string","description":"A changed file, as it is listed. Left out: the list of changed files."},"start":{"type":"integer","minimum":0,"description":"Where to start, counted from 0: a character of the difference, or a place in the list."}},"additionalProperties":false}"#,
        )
    }

    /// Carries out a call of it.
    pub(crate) fn read_diff(&mut self, changes: &impl Changes, arguments: &str) -> Outcome {
        let asked = Arguments::parse(arguments).and_then(|arguments| {
            arguments.only(&["path", "start"])?;
            let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
            Ok((
                path.map(str::to_owned),
                arguments.optional_number("start")?.unwrap_or(0),
            ))
        });
        match asked {
            Err(error) => Outcome::refused(format!("`{READ_DIFF}` was not carried out: {error}.")),
            Ok((None, start)) => self.list_from(start),
            Ok((Some(path), start)) => self.difference_from(changes, &path, start),
        }
    }

    fn list_from(&mut self, start: u64) -> Outcome {
        let total = self.files.len();
        let Some(start) = usize::try_from(start).ok().filter(|&start| start < total) else {
            return Outcome::refused(format!("There are {total} changed files, counted from 0."));
        };
        let known = self.files[start..].iter().all(|file| file.listed);
        if known {
            return pointer("These changed files are listed above already.".to_owned());
        }
        let (list, next) = self.list(start, PAGE);
        let shown = data("changed files", &list);
        match next {
            None => Outcome::told(shown),
            Some(next) => Outcome {
                complete: false,
                ..Outcome::told(format!(
                    "{shown}\n{} more files: go on with `start` {next}.",
                    total - next
                ))
            },
        }
    }

    fn difference_from(&mut self, changes: &impl Changes, path: &str, start: u64) -> Outcome {
        // As it is, or as it is shown.
        let named = |file: &FileView| file.changed.path == path || one_line(&file.changed.path, PATH) == path;
        let Some(index) = self.files.iter().position(named) else {
            let names: Vec<String> = self
                .files
                .iter()
                .map(|file| one_line(&file.changed.path, PATH))
                .collect();
            let names = data("changed files", &bounded(&names, NAMED / 4));
            let asked = one_line(path, PATH);
            return Outcome::refused(format!("`{asked}` is not a changed file. These are:\n{names}"));
        };
        let file = &mut self.files[index];
        if !file.has_lines() {
            file.listed = true;
            let line = data("changed file", &super::headline(&file.changed));
            let why = if file.is_opaque() {
                format!(
                    " It holds {}, now or before; what is text now, `read_file` shows.",
                    super::NO_TEXT
                )
            } else {
                String::new()
            };
            return Outcome::told(format!("This file has no lines to show.{why}\n{line}"));
        }
        let rendered = match file.load(changes) {
            Ok(rendered) => rendered,
            Err(why) => return Outcome::refused(format!("There is no difference of this file to show: {why}.")),
        };
        if start >= rendered.length {
            let length = rendered.length;
            return Outcome::refused(format!("The difference has {length} characters, counted from 0."));
        }
        let (part, end) = rendered.part(start, PAGE);
        if file.seen.covers(start, end) {
            let rest = if end < rendered.length {
                format!(" Go on with `start` {end}.")
            } else {
                String::new()
            };
            return pointer(format!(
                "Characters {start} to {end} of this difference are shown above already.{rest}"
            ));
        }
        let shown = data("difference", part);
        let length = rendered.length;
        file.show(&rendered, start, end);
        file.listed = true;
        let text = format!("Characters {start} to {end} of {length}.\n{shown}");
        if end < length {
            Outcome {
                complete: false,
                ..Outcome::told(format!("{text}\nThis is not all: go on with `start` {end}."))
            }
        } else {
            Outcome::told(text)
        }
    }
}

/// What was shown before is free.
fn pointer(text: String) -> Outcome {
    Outcome {
        progress: false,
        ..Outcome::told(text)
    }
}
