//! The commit message: the task's text, and which run it was.

use std::borrow::Cow;

use snodo_workspace::escape::acts;
use snodo_workspace::title::{prose, title};

/// Characters of the subject, as git's own tools expect it to be short.
const MAX_SUBJECT: usize = 72;
/// Bytes of the task's text that are taken.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// What stands for a task without words.
const NO_WORDS: &str = "Change without a description";

/// A commit message. It holds no control characters but line feeds and tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(String);

impl Message {
    /// From the text of a task: of a bare patch the subject says which files it is for, and that is all. Else its first line becomes the subject, cut at a word (`…`) if it has more than 72 characters, in which case the
    /// whole line starts the body; the other lines are the body as they are, without the patches among them. The last line is `Snodo-Run: <run>`.
    pub fn from_task(task: &str, run: &str) -> Self {
        if let Cow::Owned(of_a_patch) = title(cut(task)) {
            // The patch itself is what is committed: repeated as text it would say nothing, and confuse who reads commits as mails.
            return Self::new(&subject(&harmless(&of_a_patch)), run);
        }
        let text = harmless(&words(cut(task)));
        let mut lines = text
            .lines()
            .map(str::trim_end)
            .skip_while(|line| line.trim().is_empty());
        let first = lines.next().map_or(NO_WORDS, str::trim).replace('\t', " ");
        let first = first.as_str();
        let subject = subject(first);
        let rest: Vec<&str> = lines.collect();
        let rest = rest.join("\n");
        let mut message = subject.clone().into_owned();
        let whole_first = if subject == first { "" } else { first };
        for part in [whole_first, rest.trim_matches('\n')] {
            if !part.is_empty() {
                message.push_str("\n\n");
                message.push_str(part);
            }
        }
        Self::new(&message, run)
    }

    fn new(words: &str, run: &str) -> Self {
        let mut message = words.to_owned();
        let run: String = run.chars().filter(|c| !acts(*c) && !c.is_whitespace()).collect();
        message.push_str("\n\nSnodo-Run: ");
        message.push_str(&run);
        message.push('\n');
        Self(message)
    }

    /// All of it, with a line feed at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first line.
    pub fn subject(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }
}

fn cut(task: &str) -> &str {
    let mut end = task.len().min(MAX_TEXT_BYTES);
    while !task.is_char_boundary(end) {
        end -= 1;
    }
    &task[..end]
}

/// What is said beside the patch, which is what is committed and need not be repeated; all of it where nothing would be left.
fn words(task: &str) -> String {
    let words = prose(task);
    if words.is_empty() { task.to_owned() } else { words }
}

fn harmless(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !acts(*c)).collect()
}

fn subject(line: &str) -> Cow<'_, str> {
    let Some((most, _)) = line.char_indices().nth(MAX_SUBJECT - 1) else {
        return Cow::Borrowed(line);
    };
    if line[most..].chars().nth(1).is_none() {
        return Cow::Borrowed(line);
    }
    let head = &line[..most];
    // At a word, unless that would leave next to nothing.
    let at = match head.rfind(char::is_whitespace) {
        _ if line[most..].starts_with(char::is_whitespace) => most,
        Some(at) if at >= most / 2 => at,
        _ => most,
    };
    Cow::Owned(format!("{}…", head[..at].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::{Message, NO_WORDS};

    fn message(task: &str) -> String {
        Message::from_task(task, "r1").0
    }

    #[test]
    fn a_bare_patch_is_not_repeated() {
        let message = Message::from_task("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "run_1");
        assert_eq!(message.as_str(), "Apply a patch to x\n\nSnodo-Run: run_1\n");
    }

    #[test]
    fn a_patch_among_words_is_not_repeated_either() {
        let task = "Mend the lock\n\nIt sticks.\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(message(task), "Mend the lock\n\nIt sticks.\n\nSnodo-Run: r1\n");
        let blocks = "Mend it\n\nx.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(message(blocks), "Mend it\n\nSnodo-Run: r1\n");
    }

    #[test]
    fn the_first_line_is_the_subject_and_the_rest_stays() {
        assert_eq!(message("Fix it"), "Fix it\n\nSnodo-Run: r1\n");
        assert_eq!(
            message("\n\n  Fix it \nbecause\n\n  - of this  \n\n"),
            "Fix it\n\nbecause\n\n  - of this\n\nSnodo-Run: r1\n"
        );
        assert_eq!(message("Fix\r\nit\r\n"), "Fix\n\nit\n\nSnodo-Run: r1\n");
        for empty in ["", " \n\t\n", "\u{1b}\u{0}"] {
            assert_eq!(message(empty), format!("{NO_WORDS}\n\nSnodo-Run: r1\n"));
        }
    }

    #[test]
    fn a_long_line_is_cut_at_a_word_and_kept_in_the_body() {
        let exact = format!("{} {}", "a".repeat(35), "b".repeat(36));
        assert_eq!(Message::from_task(&exact, "r").subject(), exact);
        let long = format!("{exact}c more words");
        let cut = Message::from_task(&long, "r");
        assert_eq!(cut.subject(), format!("{}…", "a".repeat(35)));
        assert!(cut.as_str().contains(&format!("\n\n{long}\n\n")));
        let at_the_edge = format!("{} {}", "é".repeat(71), "b");
        assert_eq!(
            Message::from_task(&at_the_edge, "r").subject(),
            format!("{}…", "é".repeat(71))
        );
        let one_word = "é".repeat(100);
        let subject = Message::from_task(&one_word, "r").subject().to_owned();
        assert_eq!(subject.chars().count(), 72);
        assert!(subject.ends_with("é…"));
    }

    #[test]
    fn nothing_in_it_acts_on_a_terminal_and_it_is_bounded() {
        let text = message("a\u{1b}[31m\u{202e}b\u{0}\nc\td\u{7}");
        assert_eq!(text, "a[31mb\n\nc\td\n\nSnodo-Run: r1\n");
        assert!(message(&"é\n".repeat(100_000)).len() < 70_000);
        assert!(
            Message::from_task("x", "a\nSigned-off-by: b")
                .as_str()
                .ends_with("Snodo-Run: aSigned-off-by:b\n")
        );
    }
}
