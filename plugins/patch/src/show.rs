//! Text of strangers in messages.

use std::fmt::Write as _;

use crate::lines::Line;

/// How much of a line or a path a message shows, in characters.
const SHOWN: usize = 120;

/// The text between backticks, on one line: control characters escaped, cut when long.
pub(crate) fn quote(text: &str) -> String {
    let mut shown = String::from("`");
    for (index, character) in text.chars().enumerate() {
        if index == SHOWN {
            shown.push('…');
            break;
        }
        if is_plain(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    shown.push('`');
    shown
}

/// What has a shape of its own on a screen. Letters of every script are shown as they are; what is invisible or changes the
/// direction of what follows is not.
fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// What a patch expects and what the file holds, in words. `found` is none behind the end of the file.
pub(crate) fn difference(expected: Line<'_>, found: Option<Line<'_>>) -> String {
    let Some(found) = found else {
        return format!("expected {}, but the file ends", quote(expected.text));
    };
    if expected.text == found.text {
        let shown = quote(expected.text);
        return if expected.lf {
            format!("expected {shown} with a newline behind it, but the file ends there without one")
        } else {
            format!("expected {shown} as the end of the file, without a newline, but a newline follows")
        };
    }
    format!("expected {}, there stands {}", quote(expected.text), quote(found.text))
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// `3, 17 and 40`; what is over five is only counted.
pub(crate) fn enumerated(numbers: &[usize]) -> String {
    const NAMED: usize = 5;
    let mut text = String::new();
    let named = numbers.len().min(NAMED);
    for (index, number) in numbers[..named].iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == numbers.len() => " and ",
            _ => ", ",
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{number}");
    }
    if numbers.len() > named {
        let _ = write!(text, " and {} more", numbers.len() - named);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_strangers_text_on_one_line() {
        assert_eq!(quote("a\tb"), "`a\\tb`");
        assert_eq!(quote("\u{1b}[2J\r"), "`\\u{1b}[2J\\r`");
        assert_eq!(quote("naïve 日本"), "`naïve 日本`");
        assert_eq!(quote("a\u{202e}b"), "`a\\u{202e}b`");
        assert_eq!(quote(&"x".repeat(500)).chars().count(), SHOWN + 3);
    }

    #[test]
    fn enumerates() {
        assert_eq!(enumerated(&[3]), "3");
        assert_eq!(enumerated(&[3, 4]), "3 and 4");
        assert_eq!(enumerated(&[1, 2, 3]), "1, 2 and 3");
        assert_eq!(enumerated(&[1, 2, 3, 4, 5]), "1, 2, 3, 4 and 5");
        assert_eq!(enumerated(&[1, 2, 3, 4, 5, 6, 7]), "1, 2, 3, 4, 5 and 2 more");
    }
}
