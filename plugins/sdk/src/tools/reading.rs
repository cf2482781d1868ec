//! Answers of the tools that read.

use std::fmt::Write as _;

use crate::read::File;
use crate::types::{Content, Count};
use crate::{Explain, read};

use super::seen::{END, Seen, normal_path};
use super::{ArgumentError, Arguments, Outcome, Sight, fence, one_line};

/// Paths of one `read_files`, and bytes of its answer: snodo's figures.
const BATCH_PATHS: usize = 10;
const BATCH_BYTES: usize = 32_768;

/// Bytes of text in the answer of the other two. About 32,000 tokens: more in one answer leaves a model no room for its work.
const ANSWER_BYTES: usize = 131_072;

/// Bytes for what stands around a file's text in an answer.
const AROUND: usize = 400;

/// Paths left out that are named; the others are counted.
const NAMED: usize = 50;

/// Characters of a name in a sentence of ours.
const NAME: usize = 300;

/// How a model gets at the rest of a file.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    /// `read_file_lines` is on offer.
    pub(super) by_lines: bool,
}

impl Rest {
    fn of(self, next: u64) -> String {
        if self.by_lines {
            format!("go on with read_file_lines from line {next}")
        } else {
            format!("what follows from line {next} cannot be shown here")
        }
    }
}

pub(super) fn name(path: &str) -> String {
    format!("`{}`", one_line(path, NAME))
}

/// `read_file`.
pub(super) fn file(
    sight: &impl Sight,
    seen: &mut Seen,
    rest: Rest,
    arguments: &Arguments,
) -> Result<Outcome, ArgumentError> {
    arguments.only(&["path"])?;
    let path = arguments.text("path")?;
    if let Some(place) = seen.lines(path, 1, END) {
        return Ok(Outcome::pointer(format!(
            "{} was shown whole {place}, and is unchanged since. Look there.",
            name(path)
        )));
    }
    Ok(match sight.file(path) {
        Err(error) => not_read(&error),
        Ok(file) => match show(&file, ANSWER_BYTES, rest) {
            None => Outcome::refused(not_text(&file)),
            Some(shown) => {
                shown.record(seen, path);
                shown.outcome(&file)
            }
        },
    })
}

/// `read_file_lines`.
pub(super) fn lines(
    sight: &impl Sight,
    seen: &mut Seen,
    rest: Rest,
    arguments: &Arguments,
) -> Result<Outcome, ArgumentError> {
    arguments.only(&["path", "start", "end"])?;
    let path = arguments.text("path")?;
    let first = arguments.number("start")?;
    let last = arguments.optional_number("end")?.unwrap_or(END);
    if first == 0 || last < first {
        return Ok(Outcome::refused(
            "Not read: lines are counted from 1, and `end` is not before `start`.",
        ));
    }
    if let Some(place) = seen.lines(path, first, last) {
        return Ok(Outcome::pointer(format!(
            "These lines of {} were shown {place}, and are unchanged since. Look there.",
            name(path)
        )));
    }
    let lines = match sight.lines(path, first, last) {
        Ok(lines) => lines,
        Err(error) => return Ok(not_read(&error)),
    };
    let total = total(&lines.total);
    let Content::Text(text) = &lines.content else {
        return Ok(Outcome::refused(format!(
            "Not shown: these lines of {} are not text.",
            name(&lines.path)
        )));
    };
    if lines.last < lines.first {
        // Nothing in the range: behind the end of the file, or a line longer than the host hands over.
        return Ok(if lines.truncated {
            Outcome::refused(format!("Not shown: line {first} of {} is too long.", name(&lines.path)))
        } else {
            Outcome::told(format!(
                "{} has {total} lines; there is no line {first}.",
                name(&lines.path)
            ))
        });
    }
    let (part, count) = whole_lines(text, ANSWER_BYTES);
    if count == 0 {
        let part = beginning(text, ANSWER_BYTES);
        let label = format!("{} line {first} of {total}, its first {} bytes", lines.path, part.len());
        return Ok(Outcome {
            complete: false,
            ..Outcome::told(format!(
                "{}\nThe line is longer than an answer may be; {}.",
                fence(&label, part),
                rest.of(first.saturating_add(1))
            ))
            .examined(in_part(&lines.path, first))
        });
    }
    let end = lines.first.saturating_add(count - 1);
    let at_end = matches!(lines.total, Count::Exact(total) if end >= total);
    let complete = at_end || end >= last || (part.len() == text.len() && !lines.truncated);
    seen.show_lines(path, lines.first, end, at_end);
    let mut answer = fence(&format!("{} lines {}-{end} of {total}", lines.path, lines.first), part);
    if !complete {
        let _ = write!(answer, "\nThe answer is full; {}.", rest.of(end.saturating_add(1)));
    }
    Ok(Outcome {
        complete,
        ..Outcome::told(answer).examined(format!("{}:{}-{end}", lines.path, lines.first))
    })
}

/// `read_files`.
pub(super) fn files(
    sight: &impl Sight,
    seen: &mut Seen,
    rest: Rest,
    arguments: &Arguments,
) -> Result<Outcome, ArgumentError> {
    arguments.only(&["paths"])?;
    let asked = arguments.texts("paths")?;
    if asked.is_empty() {
        return Ok(Outcome::refused("Nothing read: `paths` is empty."));
    }
    let (now, later) = asked.split_at(asked.len().min(BATCH_PATHS));
    let mut answer = String::new();
    let mut omitted: Vec<&str> = Vec::new();
    let mut outcome = Outcome::pointer("");
    let mut full = false;
    for &path in now {
        if let Some(place) = seen.lines(path, 1, END) {
            line(
                &mut answer,
                &format!("{} was shown whole {place}, and is unchanged since.", name(path)),
            );
            continue;
        }
        outcome.progress = true;
        let room = BATCH_BYTES.saturating_sub(answer.len() + AROUND + path.len());
        if full || room == 0 {
            omitted.push(path);
            continue;
        }
        match sight.file(path) {
            Err(error) => {
                outcome.complete = false;
                line(
                    &mut answer,
                    &format!("Not read: {}.", one_line(&error.explain(), 2 * NAME)),
                );
            }
            Ok(file) => match show(&file, room, rest) {
                None => {
                    outcome.complete = false;
                    line(&mut answer, &not_text(&file));
                }
                // The first line alone would fill the answer: another call begins with it.
                Some(shown) if shown.lines == 0 && !outcome.examined.is_empty() => {
                    full = true;
                    omitted.push(path);
                }
                Some(shown) => {
                    shown.record(seen, path);
                    full = !shown.whole;
                    outcome.complete &= shown.whole;
                    line(&mut answer, &shown.text);
                    outcome.examined.push(shown.examined(&file));
                }
            },
        }
    }
    omitted.extend(later);
    if !omitted.is_empty() {
        outcome.progress = true;
        outcome.complete = false;
        let names: Vec<String> = omitted.iter().take(NAMED).map(|path| name(path)).collect();
        let more = match omitted.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(
            &mut answer,
            &format!(
                "Left out, since one call reads {BATCH_PATHS} paths and {BATCH_BYTES} bytes: {}{more}. Ask for them in another call.",
                names.join(", ")
            ),
        );
    }
    outcome.text = answer;
    Ok(outcome)
}

/// What of a file stands in an answer.
struct Shown {
    text: String,
    /// Whole lines that are in it, from the first.
    lines: u64,
    /// All of the file.
    whole: bool,
}

impl Shown {
    fn record(&self, seen: &mut Seen, path: &str) {
        if self.whole {
            seen.show_lines(path, 1, self.lines.max(1), true);
        } else if self.lines > 0 {
            seen.show_lines(path, 1, self.lines, false);
        }
    }

    fn examined(&self, file: &File) -> String {
        if self.whole {
            file.path.clone()
        } else if self.lines == 0 {
            in_part(&file.path, 1)
        } else {
            format!("{}:1-{}", file.path, self.lines)
        }
    }

    fn outcome(self, file: &File) -> Outcome {
        let examined = self.examined(file);
        Outcome {
            complete: self.whole,
            ..Outcome::told(self.text).examined(examined)
        }
    }
}

/// As much of a file as fits in `room` bytes, cut at a line; none where it is not text.
fn show(file: &File, room: usize, rest: Rest) -> Option<Shown> {
    let text = file.text()?;
    let total = text.split_inclusive('\n').count();
    if text.len() <= room {
        let executable = if file.executable { ", executable" } else { "" };
        return Some(Shown {
            text: fence(&format!("{} all {total} lines{executable}", file.path), text),
            lines: u64::try_from(total).unwrap_or(END),
            whole: true,
        });
    }
    let (part, lines) = whole_lines(text, room);
    let (part, label, note) = if lines == 0 {
        let part = beginning(text, room);
        let label = format!("{} line 1 of {total}, its first {} bytes", file.path, part.len());
        (
            part,
            label,
            format!("The line is longer than an answer may be; {}.", rest.of(2)),
        )
    } else {
        let label = format!("{} lines 1-{lines} of {total}", file.path);
        (part, label, format!("The answer is full; {}.", rest.of(lines + 1)))
    };
    Some(Shown {
        text: format!("{}\n{note}", fence(&label, part)),
        lines,
        whole: false,
    })
}

/// A line of which only the beginning was shown, as an entry of [`Outcome::examined`]: in words, so that nobody who reads spans of lines
/// from there takes it for a line that was seen.
fn in_part(path: &str, line: u64) -> String {
    format!("{path}:{line} in part")
}

/// The whole lines that fit in `room` bytes, from the first, and how many they are.
fn whole_lines(text: &str, room: usize) -> (&str, u64) {
    let mut end = 0;
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        if end + line.len() > room {
            break;
        }
        end += line.len();
        count += 1;
    }
    (&text[..end], count)
}

/// The beginning of a text, cut between characters.
fn beginning(text: &str, room: usize) -> &str {
    &text[..text.floor_char_boundary(room)]
}

fn total(count: &Count) -> String {
    match count {
        Count::Exact(total) => total.to_string(),
        Count::AtLeast(total) => format!("at least {total}"),
    }
}

fn not_text(file: &File) -> String {
    format!(
        "Not shown: {} is not text; it has {} bytes.",
        name(&file.path),
        file.size
    )
}

fn not_read(error: &read::ReadError) -> Outcome {
    Outcome::refused(format!("Not read: {}.", one_line(&error.explain(), 2 * NAME)))
}

fn line(answer: &mut String, text: &str) {
    if !answer.is_empty() {
        answer.push('\n');
    }
    answer.push_str(text);
}

/// A folder as an argument: `.` and its like are the root; everything else is left as it was given.
pub(super) fn folder(given: Option<&str>) -> &str {
    given.filter(|given| !normal_path(given).is_empty()).unwrap_or_default()
}
