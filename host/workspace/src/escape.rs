//! Text of strangers, bounded and made harmless on a terminal: the one exit for what came from outside.

use std::borrow::Cow;

/// `text` with what could move a cursor, break a line, or reorder letters shown as an escape (`\n`, `\u{202e}`).
/// Everything else stays as it is.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Whether the character does something to a terminal or to a reader instead of being seen: control characters, line and
/// paragraph separators, marks of writing direction, zero-width characters, and the invisible "tag" letters.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The same, but line feeds and tabs stay: for text that is shown in several lines.
pub fn escape_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) && !matches!(c, '\n' | '\t') {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// One line of at most `max` characters; what was cut is said by `…`.
pub fn one_line(text: &str, max: usize) -> String {
    let cut: String = text.chars().take(max).collect();
    let mut out = escaped(&cut).into_owned();
    if cut.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{escaped, one_line};

    #[test]
    fn plain_text_stays() {
        assert_eq!(escaped("src/é [id]/a b.rs"), "src/é [id]/a b.rs");
    }

    #[test]
    fn what_acts_is_shown() {
        assert_eq!(
            escaped("a\n\u{1b}[2J\u{202e}x\u{200c}\u{e0041}"),
            "a\\n\\u{1b}[2J\\u{202e}x\\u{200c}\\u{e0041}"
        );
    }

    #[test]
    fn one_line_says_that_it_was_cut() {
        assert_eq!(one_line("ab\ncd", 10), "ab\\ncd");
        assert_eq!(one_line("abcdef", 3), "abc…");
    }
}
