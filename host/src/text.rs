//! The one exit for text that came from outside: bounded, and harmless on a terminal.

use snodo_workspace::escape::{acts, escaped};

/// Control characters, and marks that reorder or hide text, shown as `\n`, `\u{1b}` and so on.
pub fn escape(text: &str) -> String {
    escaped(text).into_owned()
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
    let mut out = escape(&cut);
    if cut.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_shown_escaped() {
        assert_eq!(escape("a\u{1b}[2Jb\u{202e}c\0"), "a\\u{1b}[2Jb\\u{202e}c\\u{0}");
        assert_eq!(escape("naïve — 日本"), "naïve — 日本");
    }

    #[test]
    fn one_line_says_that_it_was_cut() {
        assert_eq!(one_line("ab\ncd", 10), "ab\\ncd");
        assert_eq!(one_line("abcdef", 3), "abc…");
    }
}
