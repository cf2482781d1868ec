//! Hunks: read by the counts of their headers, so that an added line `++ x` (which shows as `+++ x`) is content, never a header.

use super::{Hunk, HunkLine, Origin};
use crate::error::PatchError;
use crate::lines::Line;
use crate::show;
use crate::source::{Fence, Source, cut, number};

/// The four numbers of a header.
struct Header {
    old_start: u64,
    old_count: u64,
    new_start: u64,
    new_count: u64,
}

/// Whether the line is the header of a hunk.
pub(crate) fn is_header(line: &str) -> bool {
    header(line).is_ok()
}

/// Reads the hunk whose header stands at `at`; answers where the next line stands.
pub(super) fn parse<'a>(source: &Source<'a>, at: usize, indent: usize) -> Result<(Hunk<'a>, usize), PatchError> {
    let fault = |at: usize, reason: String| PatchError::Malformed {
        line: number(at),
        reason,
    };
    let line = source.frame(at, indent).unwrap_or_default();
    let header = header(line).map_err(|reason| fault(at, reason))?;
    let announced = format!(
        "the hunk announces {} before and {} after, by its header {}",
        counted(header.old_count),
        counted(header.new_count),
        show::quote(line)
    );
    let (mut old_left, mut new_left) = (header.old_count, header.new_count);
    let mut lines: Vec<HunkLine<'a>> = Vec::new();
    let mut next = at + 1;
    loop {
        let line = source.line(next, indent);
        // It belongs to the line above, also behind the last one.
        if let Some(last) = lines.last_mut()
            && line.is_some_and(|line| line.starts_with("\\ "))
        {
            if !last.line.lf {
                return Err(fault(next, "a second `\\ No newline at end of file`".to_owned()));
            }
            last.line.lf = false;
            next += 1;
            continue;
        }
        if old_left == 0 && new_left == 0 {
            break;
        }
        let Some(line) = line else {
            return Err(fault(at, format!("{announced}, but the task ends before them")));
        };
        let marked = [(' ', Origin::Context), ('-', Origin::Removed), ('+', Origin::Added)]
            .into_iter()
            .find_map(|(mark, origin)| Some((origin, line.strip_prefix(mark)?)));
        let (origin, text) = match marked {
            Some(marked) => marked,
            // Some programs print, and many editors leave, an empty line of context without its space.
            None if matches!(line, "" | "\r") => (Origin::Context, line),
            None => {
                return Err(fault(
                    next,
                    format!(
                        "{announced}; {} is none of its lines (they begin with a space, `-` or `+`), and there are still {} before and {} after \
                         to come: the counts are wrong, or lines are missing",
                        show::quote(line),
                        counted(old_left),
                        counted(new_left)
                    ),
                ));
            }
        };
        for (stands, left, side) in [
            (origin.in_old(), &mut old_left, "before"),
            (origin.in_new(), &mut new_left, "after"),
        ] {
            if stands {
                *left = left
                    .checked_sub(1)
                    .ok_or_else(|| fault(next, format!("{announced}, but more lines than that stand {side}")))?;
            }
        }
        lines.push(HunkLine {
            origin,
            line: Line::ended(text),
        });
        next += 1;
    }
    check_ends(&lines).map_err(|reason| fault(at, reason))?;
    check_behind(source, next, indent, &announced)?;
    Ok((
        Hunk {
            at,
            old_start: header.old_start,
            new_start: header.new_start,
            lines,
        },
        next,
    ))
}

/// Reads `@@ -1,2 +3,4 @@ anything`, or says why not.
fn header(line: &str) -> Result<Header, String> {
    let wrong = || {
        format!(
            "{} is not the header of a hunk: it is written `@@ -12,3 +12,4 @@`, with the first line and the number of lines before and after",
            show::quote(line)
        )
    };
    let ranges = line.strip_prefix("@@ -").ok_or_else(wrong)?;
    let (ranges, _) = cut(ranges, " @@").ok_or_else(wrong)?;
    let (old, new) = cut(ranges, " +").ok_or_else(wrong)?;
    let (old_start, old_count) = range(old).ok_or_else(wrong)?;
    let (new_start, new_count) = range(new).ok_or_else(wrong)?;
    if old_count == 0 && new_count == 0 {
        return Err(format!("the hunk {} holds no lines", show::quote(line)));
    }
    for (start, count) in [(old_start, old_count), (new_start, new_count)] {
        if start == 0 && count > 0 {
            return Err(format!(
                "the header {} starts at line 0: lines are counted from 1",
                show::quote(line)
            ));
        }
    }
    Ok(Header {
        old_start,
        old_count,
        new_start,
        new_count,
    })
}

/// Reads `12,3`, or `12` for one line. None for what is no number, or one over 64 bits.
fn range(text: &str) -> Option<(u64, u64)> {
    let number = |digits: &str| {
        digits
            .bytes()
            .all(|digit| digit.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten()
    };
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

/// A line without LF can only be the last of its file.
fn check_ends(lines: &[HunkLine<'_>]) -> Result<(), String> {
    for stands in [Origin::in_old, Origin::in_new] {
        let mut side = lines.iter().filter(|line| stands(line.origin));
        side.next_back();
        if let Some(line) = side.find(|line| !line.line.lf) {
            return Err(format!(
                "`\\ No newline at end of file` stands behind {}, which is not the last line of the hunk on its side",
                show::quote(line.line.text)
            ));
        }
    }
    Ok(())
}

/// Refuses a line right behind a complete hunk that looks like one more of its lines: a header that counts too few would otherwise
/// leave out lines without a word.
fn check_behind(source: &Source<'_>, next: usize, indent: usize, announced: &str) -> Result<(), PatchError> {
    let Some(line) = source.frame(next, indent) else {
        return Ok(());
    };
    // The end of an indented code fence, or a line of context with one: what follows it tells.
    if line.starts_with(' ') && Fence::of(line).is_some_and(|fence| fence.bare) {
        return check_behind(source, next + 1, indent, announced);
    }
    let looks_like_more =
        line.starts_with(['+', '-', '\\']) || (line.starts_with(' ') && !line.trim_ascii().is_empty());
    // What mailed patches end with, and the next file.
    let is_known = matches!(line, "-- " | "--") || super::starts_plain(source, next, indent);
    if looks_like_more && !is_known {
        return Err(PatchError::Malformed {
            line: number(next),
            reason: format!(
                "{announced}, and has them; {} right behind it looks like a further line of the hunk: correct the counts, or put an empty line \
                 before it if it does not belong to the patch",
                show::quote(line)
            ),
        });
    }
    Ok(())
}

fn counted(lines: u64) -> String {
    if lines == 1 {
        "1 line".to_owned()
    } else {
        format!("{lines} lines")
    }
}
