//! The one exit for text that came from outside: bounded, and harmless on a terminal.

/// Whether a character can change how a reader sees what stands around it: control characters, and the marks that reorder
/// or hide text.
fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
            | '\u{00AD}' | '\u{061C}' | '\u{2028}' | '\u{2029}' | '\u{E0000}'..='\u{E007F}')
}

/// Control characters, and marks that reorder or hide text, shown as `\n`, `\u{1b}` and so on.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

/// The same, but line feeds and tabs stay: for text that is shown in several lines.
pub fn escape_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' {
            out.push(c);
        } else {
            push_escaped(&mut out, c);
        }
    }
    out
}

fn push_escaped(out: &mut String, c: char) {
    if is_treacherous(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
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
