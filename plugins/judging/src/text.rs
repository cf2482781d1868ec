//! Text that is put before a model.

use snodo_plugin::tools::{fence, one_line};

use crate::visible::visible;

/// A block of data: between marks that it cannot forge, with nothing hidden in it.
pub(crate) fn data(label: &str, text: &str) -> String {
    fence(label, &visible(text))
}

/// At most so many characters, and how many more there were.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n[{} more characters]", &text[..at], text[at..].chars().count()),
    }
}

/// An excerpt in one line, for a message about an answer that was none.
pub(crate) fn excerpt(text: &str) -> String {
    one_line(text.trim(), 160)
}
