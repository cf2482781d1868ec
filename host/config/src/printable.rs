//! Text from a file or a plugin, made fit to be printed.

use std::fmt;

/// The longest excerpt of foreign text in a message, in characters. A message is one line; more than this hides what
/// it says.
const EXCERPT: usize = 80;

/// Foreign text for a message: control and direction-changing characters escaped, cut to a length that leaves the
/// message readable.
///
/// What stands in a protocol file comes with a repository, and what a plugin calls its settings comes with the
/// plugin: neither may move the reader's cursor or turn the text around.
pub(crate) fn printable(text: &str) -> Printable<'_> {
    Printable(text)
}

/// See [`printable`].
pub(crate) struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, c) in self.0.chars().enumerate() {
            if i == EXCERPT {
                return f.write_str("…");
            }
            if is_unprintable(c) {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// Several texts as `a`, `b`, `c`; the first dozen of them.
pub(crate) fn listed<S: AsRef<str>>(texts: &[S]) -> String {
    const SHOWN: usize = 12;
    let mut out = String::new();
    for (i, text) in texts.iter().take(SHOWN).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push('`');
        out.push_str(&printable(text.as_ref()).to_string());
        out.push('`');
    }
    if texts.len() > SHOWN {
        out.push_str(", …");
    }
    out
}

/// Whether a character acts on the terminal or on the direction of the text instead of showing itself.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{061C}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        )
}

/// A whole text for a source excerpt: every unprintable character but line feeds and tabs is replaced by as many
/// bytes, so that offsets stay valid.
///
/// Carriage returns too: a bare one is drawn as it is and moves the cursor back over what stands before it, and at the end of an
/// excerpt it also makes the lines be counted wrongly.
pub(crate) fn same_length(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c == '\r' && text[at + 1..].starts_with('\n') {
            // A line of Windows ends in a space then, which nobody sees.
            out.push(' ');
        } else if is_unprintable(c) && !matches!(c, '\n' | '\t') {
            match c.len_utf8() {
                3 => out.push('\u{FFFD}'),
                n => (0..n).for_each(|_| out.push('?')),
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_be_turned_around_or_run_on() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c").to_string(), "a\\u{1b}[2Jb\\u{202e}c");
        assert_eq!(printable(&"x".repeat(500)).to_string().chars().count(), EXCERPT + 1);
    }

    #[test]
    fn a_source_keeps_its_offsets() {
        let hostile = "a\u{1b}b\u{9b}c\u{202e}d\r\n\te\rf\r";
        let shown = same_length(hostile);
        assert_eq!(shown.len(), hostile.len());
        assert_eq!(shown, "a?b??c\u{FFFD}d \n\te?f?");
    }
}
