//! The change as a patch in git's form.
//!
//! `git apply` takes it: several files, new, deleted and renamed ones, mode changes, files without a last newline, CRLF, names that need
//! quoting. A binary file is only named, as by `git diff` without `--binary`; `git apply` refuses a patch with one, rather than
//! leaving it out silently.

use super::lines::{HunkLine, LineDiff};
use super::{Before, ChangeKind, ChangeSet, FileChange};

/// Lines of context, as `git diff` gives.
const CONTEXT: usize = 3;

/// See [`ChangeSet::to_patch`].
pub(super) fn of(set: &ChangeSet) -> Vec<u8> {
    let mut out = Vec::new();
    for file in &set.files {
        write_file(&mut out, file);
    }
    out
}

fn write_file(out: &mut Vec<u8>, file: &FileChange) {
    let new_name = file.path.as_str();
    let old_name = file.old_path.as_ref().map_or(new_name, |p| p.as_str());
    line(
        out,
        &["diff --git ", &quoted("a/", old_name), " ", &quoted("b/", new_name)],
    );
    let old_mode = file.before.as_ref().map(git_mode);
    let new_mode = file
        .after
        .as_ref()
        .map(|a| if a.executable { "100755" } else { "100644" });
    match (file.kind, old_mode, new_mode) {
        (ChangeKind::Added, _, Some(new)) => line(out, &["new file mode ", new]),
        (ChangeKind::Deleted, Some(old), _) => line(out, &["deleted file mode ", old]),
        (_, Some(old), Some(new)) if old != new => {
            line(out, &["old mode ", old]);
            line(out, &["new mode ", new]);
        }
        _ => {}
    }
    let old_bytes = file.before.as_ref().map_or(&[][..], |b| &b.bytes);
    let new_bytes = file.after.as_ref().map_or(&[][..], |a| &a.bytes);
    if file.kind == ChangeKind::Renamed {
        if old_bytes == new_bytes {
            line(out, &["similarity index 100%"]);
        }
        line(out, &["rename from ", &quoted("", old_name)]);
        line(out, &["rename to ", &quoted("", new_name)]);
    }
    if old_bytes == new_bytes {
        return;
    }
    let from = if file.before.is_some() {
        quoted("a/", old_name)
    } else {
        "/dev/null".to_owned()
    };
    let to = if file.after.is_some() {
        quoted("b/", new_name)
    } else {
        "/dev/null".to_owned()
    };
    if file.binary {
        line(out, &["Binary files ", &from, " and ", &to, " differ"]);
        return;
    }
    line(out, &["--- ", &from, end_of_name(&from)]);
    line(out, &["+++ ", &to, end_of_name(&to)]);
    write_hunks(out, &LineDiff::compute(old_bytes, new_bytes));
}

fn write_hunks(out: &mut Vec<u8>, diff: &LineDiff<'_>) {
    for group in diff.groups(CONTEXT) {
        line(out, &["@@ -", &range(&group.old), " +", &range(&group.new), " @@"]);
        for shown in diff.lines_of(&group) {
            out.push(match shown {
                HunkLine::Context(_) => b' ',
                HunkLine::Removed(_) => b'-',
                HunkLine::Added(_) => b'+',
            });
            out.extend_from_slice(shown.bytes());
            if !shown.bytes().ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

/// `start,count`: a count of 1 is left out, and an empty range names the line before it.
fn range(lines: &std::ops::Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn git_mode(before: &Before) -> &'static str {
    if before.is_link() {
        "120000"
    } else if before.is_executable() {
        "100755"
    } else {
        "100644"
    }
}

/// A name with a space is ended by a tab in `---` and `+++`, where a date could follow.
fn end_of_name(name: &str) -> &'static str {
    if !name.starts_with('"') && name.contains(' ') {
        "\t"
    } else {
        ""
    }
}

/// The name as git prints it: in quotes, with C escapes and octal bytes, when it holds a quote, a backslash, a control character
/// or anything outside ASCII.
fn quoted(prefix: &str, name: &str) -> String {
    let plain = |b: u8| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\';
    if name.bytes().all(plain) {
        return format!("{prefix}{name}");
    }
    let mut out = format!("\"{prefix}");
    for byte in name.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0b => out.push_str("\\v"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            b if plain(b) => out.push(char::from(b)),
            b => {
                out.push('\\');
                out.extend([b >> 6, b >> 3 & 7, b & 7].map(|digit| char::from(b'0' + digit)));
            }
        }
    }
    out.push('"');
    out
}

fn line(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'\n');
}
