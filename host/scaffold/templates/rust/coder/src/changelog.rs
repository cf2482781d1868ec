//! What a changelog looks like with one more entry. It touches nothing, so it can be tested anywhere.

/// The entry that a task makes: its first line that is not blank.
pub fn entry(task: &str) -> Option<String> {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(format!("- {line}"))
}

/// The changelog with the entry below the heading, newest first; none if it stands there already.
pub fn add_entry(changelog: &str, heading: &str, entry: &str) -> Option<String> {
    let line_end = if changelog.split_inclusive('\n').next().is_some_and(|first| first.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let mut lines: Vec<&str> = changelog.lines().collect();
    match lines.iter().position(|line| line.trim_end() == heading.trim_end()) {
        Some(at) => {
            let section = lines[at + 1..].iter().take_while(|line| !ends_section(line, heading));
            if section.map(|line| line.trim_end()).any(|line| line == entry) {
                return None;
            }
            insert(&mut lines, at + 1, &[entry]);
        }
        None if changelog.trim().is_empty() => lines = vec!["# Changelog", "", heading, "", entry],
        None => {
            let title = lines.iter().position(|line| line.starts_with("# "));
            insert(&mut lines, title.map_or(0, |at| at + 1), &[heading, "", entry]);
        }
    }
    let mut out = lines.join(line_end);
    out.push_str(line_end);
    Some(out)
}

/// Puts lines at a place, with one blank line before and, unless a list goes on there, after them.
fn insert<'a>(lines: &mut Vec<&'a str>, at: usize, new: &[&'a str]) {
    let blank = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
    let mut block = new.to_vec();
    if at > 0 {
        block.insert(0, "");
    }
    if lines.get(at + blank).is_some_and(|next| !next.starts_with("- ")) {
        block.push("");
    }
    lines.splice(at..at + blank, block);
}

/// Whether a line is a heading of the same level as this one, or of a higher one.
fn ends_section(line: &str, heading: &str) -> bool {
    let level = |line: &str| {
        let marks = line.bytes().take_while(|byte| *byte == b'#').count();
        (marks > 0 && line[marks..].starts_with(' ')).then_some(marks)
    };
    match (level(line), level(heading)) {
        (Some(line), Some(heading)) => line <= heading,
        (Some(_), None) => true,
        (None, _) => false,
    }
}
