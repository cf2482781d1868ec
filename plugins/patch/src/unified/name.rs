//! Names of files in the headers of a diff.

use super::header::Fault;
use crate::show;
use crate::source::cut;

/// What a `---` or `+++` line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// `/dev/null`: there is no file on this side.
    Nothing,
    /// A path, with its prefix.
    Path(String),
}

impl Name {
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Path(path) => Some(path),
        }
    }
}

/// Reads what stands behind `--- ` or `+++ `: a name, quoted or not, and behind a tab a time. Answers the name and the time.
pub(super) fn of_header(rest: &str) -> Result<(Name, &str), Fault> {
    let (path, behind) = if rest.starts_with('"') {
        unquote(rest)?
    } else {
        match rest.split_once('\t') {
            Some((path, time)) => (path.to_owned(), time),
            None => (rest.to_owned(), ""),
        }
    };
    if path.is_empty() {
        return Err(Fault::new("the header names no file"));
    }
    let name = if path == "/dev/null" {
        Name::Nothing
    } else {
        Name::Path(path)
    };
    Ok((name, behind.trim_ascii()))
}

/// Reads a whole line that is a name, quoted or not (`rename from …`).
pub(super) fn of_line(rest: &str) -> Result<String, Fault> {
    if !rest.starts_with('"') {
        return Ok(rest.to_owned());
    }
    match unquote(rest)? {
        (path, "") => Ok(path),
        (_, behind) => Err(Fault::new(format!(
            "{} stands behind the closing quote of the name",
            show::quote(behind)
        ))),
    }
}

/// The two names of `diff --git`, with their prefixes, where the line alone tells where one ends: when they are quoted, or when they
/// are of the same length (which they are when both sides name one file: prefixes are one letter each, or none).
pub(super) fn of_git_line(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        let (old, behind) = unquote(rest).ok()?;
        let new = of_line(behind.strip_prefix(' ')?).ok()?;
        return Some((old, new));
    }
    if let Some((old, _)) = cut(rest, " \"")
        && rest.ends_with('"')
    {
        let new = of_line(rest.get(old.len() + 1..)?).ok()?;
        return Some((old.to_owned(), new));
    }
    let middle = rest.len() / 2;
    let old = rest.get(..middle)?;
    let new = rest.get(middle..)?.strip_prefix(' ')?;
    (old.len() == new.len() && !old.is_empty()).then(|| (old.to_owned(), new.to_owned()))
}

/// Reads a name in double quotes with the escapes of C, as git and GNU diff write names with unusual characters. Answers it and what
/// stands behind the closing quote.
fn unquote(text: &str) -> Result<(String, &str), Fault> {
    let mut bytes = Vec::new();
    let mut rest = text.strip_prefix('"').unwrap_or(text).as_bytes();
    loop {
        match rest {
            [] | [b'\\'] => return Err(Fault::new("a quoted name does not end")),
            [b'"', ..] => break,
            [
                b'\\',
                first @ b'0'..=b'3',
                second @ b'0'..=b'7',
                third @ b'0'..=b'7',
                behind @ ..,
            ] => {
                bytes.push(((first - b'0') << 6) | ((second - b'0') << 3) | (third - b'0'));
                rest = behind;
            }
            [b'\\', escape, behind @ ..] => {
                bytes.push(match escape {
                    b'a' => 0x07,
                    b'b' => 0x08,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 0x0b,
                    b'f' => 0x0c,
                    b'r' => b'\r',
                    b'"' | b'\\' => *escape,
                    _ => return Err(Fault::new("a quoted name holds an escape that is none")),
                });
                rest = behind;
            }
            [byte, behind @ ..] => {
                bytes.push(*byte);
                rest = behind;
            }
        }
    }
    // A quote is one byte, so what stands behind it begins at a character.
    let behind = text.get(text.len() - (rest.len() - 1)..).unwrap_or_default();
    match String::from_utf8(bytes) {
        Ok(name) => Ok((name, behind)),
        Err(_) => Err(Fault::new(
            "a quoted name is not UTF-8: such a path cannot be changed through the host",
        )),
    }
}

/// Whether the two names carry one-letter prefixes that are no folders. Of git these are `a/` and `b/`, or, with
/// `diff.mnemonicPrefix`, two others of its letters; of anything else only `a/` and `b/`.
pub(super) fn prefixed(old: &str, new: &str, git: bool) -> bool {
    let letters: &[u8] = if git { b"abciow12" } else { b"ab" };
    let letter = |name: &str| match name.as_bytes() {
        [letter, b'/', _, ..] => Some(*letter).filter(|letter| letters.contains(letter)),
        _ => None,
    };
    match (letter(old), letter(new)) {
        (Some(old), Some(new)) => old != new,
        _ => false,
    }
}

/// The path without its leading folders; none when nothing would be left. Slashes are not merged: a path is literal.
pub(super) fn strip(path: &str, folders: u32) -> Option<&str> {
    let mut rest = path;
    for _ in 0..folders {
        rest = rest.split_once('/')?.1;
    }
    (!rest.is_empty()).then_some(rest)
}

/// Whether the time behind a name is the beginning of 1970: how `diff -N` marks a file that is not there.
pub(super) fn is_epoch(time: &str) -> bool {
    // `1970-01-01 01:00:00.000000000 +0100`
    let mut parts = time.split(' ');
    let (Some(date), Some(clock), Some(zone), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let day = match date {
        "1970-01-01" => 0,
        "1969-12-31" => -24 * 60,
        _ => return false,
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    if fraction.bytes().any(|digit| digit != b'0') {
        return false;
    }
    let (Some(clock), Some(zone)) = (minutes_of_clock(clock), minutes_of_zone(zone)) else {
        return false;
    };
    day + clock == zone
}

/// `01:30:00` as minutes; none with seconds.
fn minutes_of_clock(clock: &str) -> Option<i32> {
    let minutes = clock.strip_suffix(":00")?;
    let (hours, minutes) = minutes.split_once(':')?;
    Some(two_digits(hours)? * 60 + two_digits(minutes)?)
}

/// `+0130` as minutes.
fn minutes_of_zone(zone: &str) -> Option<i32> {
    let digits = zone.get(1..)?;
    let minutes = two_digits(digits.get(..2)?)? * 60 + two_digits(digits.get(2..)?)?;
    match zone.as_bytes().first()? {
        b'+' => Some(minutes),
        b'-' => Some(-minutes),
        _ => None,
    }
}

fn two_digits(text: &str) -> Option<i32> {
    match text.as_bytes() {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(i32::from(tens - b'0') * 10 + i32::from(ones - b'0')),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails here says where")]
mod tests {
    use super::*;

    fn path(text: &str) -> Name {
        Name::Path(text.to_owned())
    }

    #[test]
    fn reads_names_of_headers() {
        for (rest, name, time) in [
            ("a/x", path("a/x"), ""),
            ("a/my file\t", path("a/my file"), ""),
            (
                "x\t2024-01-01 10:00:00.000000000 +0100",
                path("x"),
                "2024-01-01 10:00:00.000000000 +0100",
            ),
            ("/dev/null", Name::Nothing, ""),
            ("/dev/null\t1970-01-01", Name::Nothing, "1970-01-01"),
            (r#""a/b\tc""#, path("a/b\tc"), ""),
            ("\"a/\\303\\251\\\\\\\"\"\tx", path("a/é\\\""), "x"),
            (
                r#""a/new\nline\a\b\v\f\r""#,
                path("a/new\nline\u{7}\u{8}\u{b}\u{c}\r"),
                "",
            ),
        ] {
            assert_eq!(of_header(rest).unwrap(), (name, time), "{rest}");
        }
        for bad in [
            "",
            "\t",
            "\"",
            "\"a",
            "\"a\\",
            "\"a\\\"",
            r#""\q""#,
            r#""\400""#,
            r#""\1""#,
            r#""\377""#,
            "\"\"",
        ] {
            assert!(of_header(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_the_line_of_git_where_it_is_unambiguous() {
        let both = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(of_git_line("a/x b/x"), both("a/x", "b/x"));
        assert_eq!(of_git_line("x x"), both("x", "x"));
        assert_eq!(of_git_line("a/x b/y b/x b/y"), both("a/x b/y", "b/x b/y"));
        assert_eq!(of_git_line("a/é b/é"), both("a/é", "b/é"));
        assert_eq!(of_git_line(r#""a/\t" "b/\t""#), both("a/\t", "b/\t"));
        assert_eq!(of_git_line(r#"a/x "b/\t""#), both("a/x", "b/\t"));
        assert_eq!(of_git_line(r#""a/\t" b/x"#), both("a/\t", "b/x"));
        for none in ["", " ", "a", "a/x b/xy", "a/longer b/x", "\"a/x", "é"] {
            assert_eq!(of_git_line(none), None, "{none}");
        }
    }

    #[test]
    fn tells_prefixes_from_folders() {
        assert!(prefixed("a/x", "b/x", false));
        assert!(prefixed("b/x", "a/x", false));
        assert!(prefixed("i/x", "w/x", true));
        for (old, new) in [
            ("a/x", "a/x"),
            ("x", "x"),
            ("i/x", "w/x"),
            ("a/", "b/"),
            ("ab/x", "b/x"),
        ] {
            assert!(!prefixed(old, new, false), "{old} {new}");
        }
    }

    #[test]
    fn strips_folders() {
        assert_eq!(strip("a/b/c", 0), Some("a/b/c"));
        assert_eq!(strip("a/b/c", 2), Some("c"));
        assert_eq!(strip("a/b/c", 3), None);
        assert_eq!(strip("a/", 1), None);
        assert_eq!(strip("a//b", 1), Some("/b"));
    }

    #[test]
    fn knows_the_epoch_in_every_zone() {
        for epoch in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 00:00:00 +0000",
            "1970-01-01 05:30:00.000000000 +0530",
            "1969-12-31 16:00:00.000000000 -0800",
        ] {
            assert!(is_epoch(epoch), "{epoch}");
        }
        for other in [
            "",
            "1970-01-01",
            "1970-01-01 00:00:00.000000001 +0000",
            "1970-01-01 00:00:01 +0000",
            "1970-01-01 01:00:00 +0000",
            "1970-01-01 00:00:00 é000",
            "1970-01-01 é:00:00 +0000",
            "2024-01-01 00:00:00 +0000",
        ] {
            assert!(!is_epoch(other), "{other}");
        }
    }
}
