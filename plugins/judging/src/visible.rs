//! Text in which nothing is hidden.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with each character that acts or hides instead of being seen written out, as `<U+202E>`: control characters, marks of
/// writing direction, zero-width and filling characters, variation selectors and the invisible tag letters, in which whole sentences
/// can be put. Line feeds, tabs, and a carriage return right before a line feed stay. What is visible stays as it is, so doing it twice
/// does nothing more.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        let before_line_feed = c == '\r' && text[at + 1..].starts_with('\n');
        if !hides(c) || before_line_feed {
            continue;
        }
        shown.push_str(&text[copied..at]);
        let _ = write!(shown, "<U+{:04X}>", u32::from(c));
        copied = at + c.len_utf8();
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

fn hides(c: char) -> bool {
    if matches!(c, '\n' | '\t') {
        return false;
    }
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_written_out_and_the_rest_stays() {
        for (text, shown) in [
            ("plain\ttext\r\nüñ 日本\n", "plain\ttext\r\nüñ 日本\n"),
            ("a\rb\r", "a<U+000D>b<U+000D>"),
            ("\u{1b}[2Kx", "<U+001B>[2Kx"),
            ("a\u{202e}b\u{2066}", "a<U+202E>b<U+2066>"),
            (
                "\u{e0070}\u{e0061}\u{e0073}\u{e0073}",
                "<U+E0070><U+E0061><U+E0073><U+E0073>",
            ),
            ("x\u{fe0f}\u{200d}\u{feff}\u{2028}", "x<U+FE0F><U+200D><U+FEFF><U+2028>"),
            ("", ""),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible(shown), shown, "doing it twice does nothing more");
        }
    }
}
