//! What is shown of a stranger's text: little, in one line, harmless on a terminal. Secrets are out of it before.

use snodo_workspace::escape::escaped;

/// How much, in characters.
const SHOWN: usize = 300;

/// The beginning of a text.
pub(crate) fn of_text(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    escaped(&shown).into_owned()
}

/// What a body is that cannot be read, in a few words.
pub(crate) fn of_body(body: &[u8]) -> String {
    let start = &body[..body.len().min(SHOWN * 8)];
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start();
    if text.is_empty() {
        return "it is empty".to_owned();
    }
    let kind = if text.starts_with("data:") || text.starts_with("event:") {
        "it is an event stream, which was not asked for: "
    } else if text.starts_with('<') {
        "it is a page: "
    } else {
        ""
    };
    format!("{kind}{}", of_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown() {
        assert_eq!(of_body(b""), "it is empty");
        assert_eq!(of_body(b" \n"), "it is empty");
        assert_eq!(of_body(b"<html>\n  <b>"), "it is a page: <html> <b>");
        assert_eq!(
            of_body(b"data: {}\n\n"),
            "it is an event stream, which was not asked for: data: {}"
        );
        assert_eq!(of_body(b"\xff\x1b[2Ja"), "\u{fffd}\\u{1b}[2Ja");
        let long = of_body("ä".repeat(5000).as_bytes());
        assert!(long.chars().count() <= SHOWN + 1 && long.ends_with('…'), "{long}");
    }
}
