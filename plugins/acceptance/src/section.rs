//! The part of a task's text that says when the task is done.
//!
//! It begins with a line that is a heading, or a label, of one of these words, in any letter case: `acceptance`, `acceptance
//! criteria`, `done when`, `done`. Text after the colon of a label belongs to it. A heading's section ends at the next heading of its own or
//! a higher level; a label's at the next heading or label. Code blocks are passed over: a `#` in them is no heading.

/// The words, in lower case.
const WORDS: [&str; 5] = [
    "acceptance criteria",
    "acceptance criterion",
    "acceptance",
    "done when",
    "done",
];

/// The text of all such sections, or none where there is no such section or nothing in it.
pub(crate) fn acceptance(spec: &str) -> Option<String> {
    let mut sections: Vec<String> = Vec::new();
    let mut open: Option<Start> = None;
    let mut block: Option<&str> = None;
    let mut after_blank = true;
    for line in spec.lines() {
        let in_block = block.is_some();
        block = next_block(block, line);
        if !in_block && block.is_none() {
            let starts = start(line);
            if open.is_some_and(|open| open.is_ended_by(line, after_blank)) {
                open = None;
            }
            if let (None, Some((begun, rest))) = (open, &starts) {
                open = Some(*begun);
                sections.push((*rest).to_owned());
                after_blank = false;
                continue;
            }
        }
        if let (Some(_), Some(section)) = (open, sections.last_mut()) {
            if !section.is_empty() {
                section.push('\n');
            }
            section.push_str(line);
        }
        after_blank = line.trim().is_empty();
    }
    let text = sections
        .iter()
        .map(|section| section.trim())
        .filter(|section| !section.is_empty());
    let text = text.collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

/// How a section began.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// With a heading of this level.
    Heading(usize),
    /// With a line of its own.
    Label,
}

impl Start {
    fn is_ended_by(self, line: &str, after_blank: bool) -> bool {
        match (self, level(line)) {
            (Self::Heading(own), Some(level)) => level <= own,
            (Self::Label, Some(_)) => true,
            (Self::Heading(_), None) => false,
            // "Constraints:" on a line of its own, after a blank one.
            (Self::Label, None) => after_blank && is_label(line),
        }
    }
}

/// The level of a heading.
fn level(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let level = line.chars().take_while(|&c| c == '#').count();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(level)
}

/// A line of a few words and a colon, which is no item of a list.
fn is_label(line: &str) -> bool {
    let text = line.trim_end().trim_end_matches(['*', '_']);
    text.ends_with(':')
        && text
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || matches!(c, '*' | '_'))
        && !text.starts_with("* ")
        && text.split_whitespace().count() <= 4
}

/// How a section begins with this line, and what of it belongs to the section already.
fn start(line: &str) -> Option<(Start, &str)> {
    let level = level(line);
    let text = line.trim().trim_start_matches('#').trim_end_matches('#');
    let text = text.trim().trim_start_matches(['*', '_']).trim_start();
    let lower = text.to_ascii_lowercase();
    let word = WORDS.into_iter().find(|word| {
        let rest = lower.strip_prefix(word);
        rest.is_some_and(ends_word)
    })?;
    let rest = text[word.len()..].trim_start_matches(['*', '_', ' ', '\t']);
    let rest = rest
        .strip_prefix(':')
        .unwrap_or(rest)
        .trim_start_matches(['*', '_'])
        .trim();
    let begun = level.map_or(Start::Label, Start::Heading);
    Some((begun, rest))
}

/// Whether nothing follows the word, or a colon and what it introduces.
fn ends_word(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', ' ', '\t']);
    rest.is_empty() || rest.starts_with(':')
}

/// Whether a code block is open after this line: its fence.
fn next_block<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let text = line.trim_start();
    let fence = |c: char| {
        let length = text.chars().take_while(|&found| found == c).count();
        (length >= 3).then(|| &text[..length])
    };
    let found = fence('`').or_else(|| fence('~'));
    match (open, found) {
        (None, found) => found,
        (Some(open), Some(found)) if found.starts_with(open) && text[found.len()..].trim().is_empty() => None,
        (open, _) => open,
    }
}

#[cfg(test)]
mod tests {
    use super::acceptance;

    #[test]
    fn a_heading_holds_up_to_the_next_of_its_level() {
        for heading in [
            "## Acceptance",
            "## ACCEPTANCE CRITERIA",
            "## Done when:",
            "##  Done ##",
            "## **Acceptance criteria**",
        ] {
            let spec = format!(
                "# Task\nAdd a thing.\n\n{heading}\n\n- it is there\n### detail\n- x\n\n## Notes\n- not this\n"
            );
            assert_eq!(
                acceptance(&spec).as_deref(),
                Some("- it is there\n### detail\n- x"),
                "{heading}"
            );
        }
    }

    #[test]
    fn a_label_holds_up_to_the_next_label_or_heading() {
        for (spec, expected) in [
            (
                "Do it.\n\nAcceptance criteria:\n- a\n- b:\n  c\n\nConstraints:\n- none",
                "- a\n- b:\n  c",
            ),
            (
                "Do it.\nDone when: tests pass\nand docs say so\n# Other\nx",
                "tests pass\nand docs say so",
            ),
            ("**Acceptance:** a\n\nstill it", "a\n\nstill it"),
            ("done\n* one\n* two", "* one\n* two"),
        ] {
            assert_eq!(acceptance(spec).as_deref(), Some(expected), "{spec}");
        }
    }

    #[test]
    fn several_sections_are_taken_together() {
        let spec = "## Acceptance\na\n## Other\nb\n## Done when\nc";
        assert_eq!(acceptance(spec).as_deref(), Some("a\n\nc"));
    }

    #[test]
    fn words_in_a_sentence_and_code_blocks_begin_nothing_and_end_nothing() {
        for spec in [
            "Acceptance of cookies has to be asked for.",
            "Done is better than perfect.",
            "The acceptance criteria: none",
            "```\n## Acceptance\nfake\n```\n",
            "## Acceptance\n\n## Next\nx",
            "",
        ] {
            assert_eq!(acceptance(spec), None, "{spec}");
        }
        let spec = "## Acceptance\n```sh\n# a comment\nrun\n```\nafter\n## Next";
        assert_eq!(acceptance(spec).as_deref(), Some("```sh\n# a comment\nrun\n```\nafter"));
    }
}
