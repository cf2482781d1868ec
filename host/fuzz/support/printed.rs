//! What every message promises that has a stranger's text in it.

/// One line, of at most so many bytes, in which nothing acts on a terminal or turns the direction of the text.
pub(crate) fn check(message: &str, most: usize) {
    assert!(!message.contains('\n'), "more than a line: {message:?}");
    check_lines(message, most);
}

/// The same for several lines.
pub(crate) fn check_lines(message: &str, most: usize) {
    assert!(!message.contains('\t'), "a tab in {message:.300?}");
    check_drawn(message, most);
}

/// The same for lines among which a file's own are shown: a tab stays there.
pub(crate) fn check_drawn(message: &str, most: usize) {
    assert!(
        message.len() <= most,
        "{} bytes, and at most {most} were meant: {message:.300?}",
        message.len()
    );
    let acting = message.chars().find(|c| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    });
    assert_eq!(acting, None, "in {message:.300?}");
}
