//! Text that is put before a model.

use snodo_plugin::tools::{fence, one_line};

use crate::visible::visible;

/// A block of data: between marks that it cannot forge, with nothing hidden in it.
pub(crate) fn data(label: &str, text: &str) -> String {
    let text = visible(text);
    if text.is_empty() || text.ends_with('\n') {
        fence(label, &text)
    } else {
        // Where our own lists and excerpts end is nothing that anybody has to know.
        fence(label, &format!("{text}\n"))
    }
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
