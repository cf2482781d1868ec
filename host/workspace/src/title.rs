//! A task in one line: the subject of a commit, a line in a list of runs.

use std::borrow::Cow;

/// The first line with words. Of a task that is nothing but a patch, whose first line says nothing, the paths that it changes.
///
/// ```
/// use snodo_workspace::title::title;
///
/// assert_eq!(title("\n Mend the lock \nIt sticks."), "Mend the lock");
/// let patch = "--- a/src/lock.rs\n+++ b/src/lock.rs\n@@ -1 +1 @@\n-old\n+new\n";
/// assert_eq!(title(patch), "Apply a patch to src/lock.rs");
/// ```
pub fn title(task: &str) -> Cow<'_, str> {
    let mut lines = task.lines().map(str::trim).skip_while(|line| is_blank(line));
    let Some(first) = lines.next() else {
        return Cow::Borrowed("");
    };
    if !begins_a_patch(first) || (first.starts_with("---") && !task.contains("\n+++ ")) {
        return Cow::Borrowed(first);
    }
    let mut paths: Vec<&str> = std::iter::once(first).chain(lines).filter_map(changed).collect();
    paths.dedup();
    match paths.as_slice() {
        [] => Cow::Borrowed(first),
        [only] => Cow::Owned(format!("Apply a patch to {only}")),
        [one, other] => Cow::Owned(format!("Apply a patch to {one} and {other}")),
        [one, rest @ ..] => Cow::Owned(format!("Apply a patch to {one} and {} more files", rest.len())),
    }
}

/// The words of a task, without the patches in it: unified diffs, SEARCH/REPLACE blocks with the line that names their file, and the fences
/// around them. Empty for a task that is nothing but a patch.
///
/// ```
/// use snodo_workspace::title::prose;
///
/// let task = "Mend the lock\n\nIt sticks.\n\n--- a/lock.rs\n+++ b/lock.rs\n@@ -1 +1 @@\n-old\n+new\n";
/// assert_eq!(prose(task), "Mend the lock\n\nIt sticks.");
/// ```
pub fn prose(task: &str) -> String {
    let lines: Vec<&str> = task.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((length, named)) = block(&lines[at..]) else {
            kept.push(lines[at]);
            at += 1;
            continue;
        };
        at += length;
        let fenced = pop_blank(&mut kept);
        // In a fence or before it, the line above a SEARCH/REPLACE block says which file it is for.
        let fenced = fenced
            | (named
                && kept.last().is_some_and(|line| is_a_path(line))
                && kept.pop().is_some()
                && pop_blank(&mut kept));
        if fenced
            && let Some(close) = lines[at..].iter().position(|line| !line.trim().is_empty())
            && is_fence(lines[at + close])
        {
            at += close + 1;
        }
        if !kept.is_empty() {
            kept.push("");
        }
    }
    let text = kept.join("\n");
    text.trim_matches('\n').trim_end().to_owned()
}

/// Takes empty lines and one fence, which opened a block, off the end. Whether there was a fence.
fn pop_blank(kept: &mut Vec<&str>) -> bool {
    let mut fenced = false;
    while let Some(last) = kept.last() {
        let fence = is_fence(last);
        if !(last.trim().is_empty() || (fence && !fenced)) {
            break;
        }
        fenced |= fence;
        kept.pop();
    }
    fenced
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// One word that could be a file's name.
fn is_a_path(line: &str) -> bool {
    let line = line.trim().trim_matches(['`', '*']);
    !line.is_empty() && !line.contains(char::is_whitespace) && line.contains(['.', '/'])
}

/// How many lines the patch takes that begins here, and whether the line above it names its file; none where none begins.
fn block(lines: &[&str]) -> Option<(usize, bool)> {
    let first = *lines.first()?;
    if first.starts_with("<<<<<<< SEARCH") {
        let end = lines.iter().position(|line| line.starts_with(">>>>>>> REPLACE"))?;
        return Some((end + 1, true));
    }
    if first.starts_with("*** Begin Patch") {
        let end = lines.iter().position(|line| line.starts_with("*** End Patch"))?;
        return Some((end + 1, false));
    }
    let names_both = first.starts_with("--- ") && lines.get(1).is_some_and(|line| line.starts_with("+++ "));
    if !names_both && !first.starts_with("diff --git ") {
        return None;
    }
    Some((diff(lines), false))
}

/// How many lines of a unified diff there are: headers, and as many lines of each hunk as it says that it has.
fn diff(lines: &[&str]) -> usize {
    let mut at = 1;
    while let Some(line) = lines.get(at) {
        if let Some((old, new)) = hunk(line) {
            at = hunk_end(lines, at + 1, old, new);
        } else if HEADERS.iter().any(|start| line.starts_with(start)) {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// What stands in a diff outside its hunks.
const HEADERS: [&str; 16] = [
    "--- ",
    "+++ ",
    "diff --git ",
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "GIT binary patch",
    "Binary files ",
];

/// The lengths in `@@ -1,2 +1,3 @@`.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let length = |range: &str| match range.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => Some(1),
    };
    Some((length(old)?, length(new)?))
}

fn hunk_end(lines: &[&str], mut at: usize, mut old: usize, mut new: usize) -> usize {
    while let Some(line) = lines.get(at) {
        match line.as_bytes().first() {
            Some(b'\\') => {}
            _ if old == 0 && new == 0 => break,
            Some(b'-') => old = old.saturating_sub(1),
            Some(b'+') => new = new.saturating_sub(1),
            // An editor may have taken the space of an empty line.
            Some(b' ') | None => {
                old = old.saturating_sub(1);
                new = new.saturating_sub(1);
            }
            _ => break,
        }
        at += 1;
    }
    at
}

/// Nothing, or the fence around a block.
fn is_blank(line: &str) -> bool {
    line.is_empty() || line.starts_with("```")
}

fn begins_a_patch(line: &str) -> bool {
    ["--- ", "diff --git ", "*** Begin Patch"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The path of a line that says which file is changed.
fn changed(line: &str) -> Option<&str> {
    if let Some(path) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
        // Of a file that is made or removed only one side has a name; what follows a tab is a time.
        let path = path.split('\t').next().unwrap_or(path).trim();
        let path = path
            .strip_prefix("a/")
            .or_else(|| path.strip_prefix("b/"))
            .unwrap_or(path);
        return (path != "/dev/null" && !path.is_empty()).then_some(path);
    }
    ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
        .iter()
        .find_map(|start| line.strip_prefix(start))
}

#[cfg(test)]
mod tests {
    use super::{prose, title};

    #[test]
    fn the_words_of_a_task_are_what_is_no_patch() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n\n";
        let git = "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n";
        let block = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n";
        for (task, expected) in [
            (format!("Fix it\n\nBecause.\n\n{diff}"), "Fix it\n\nBecause."),
            (format!("Fix it\n{diff}{git}That is all.\n"), "Fix it\n\nThat is all."),
            (format!("Fix it\n\n```diff\n{diff}```\nThanks\n"), "Fix it\n\nThanks"),
            (
                format!("Fix it\n\nsrc/x.py\n```\n{block}```\nThanks\n"),
                "Fix it\n\nThanks",
            ),
            (format!("Fix it\n\n```\nsrc/x.py\n{block}```\n"), "Fix it"),
            (format!("Fix it\nsrc/x.py\n{block}\n{block}"), "Fix it"),
            (diff.to_owned(), ""),
            (
                "Fix it\n*** Begin Patch\n*** Update File: x\n*** End Patch\n".to_owned(),
                "Fix it",
            ),
            (
                "Keep\n--- this\n- and this\n```\ncode\n```".to_owned(),
                "Keep\n--- this\n- and this\n```\ncode\n```",
            ),
            (
                "<<<<<<< SEARCH without an end".to_owned(),
                "<<<<<<< SEARCH without an end",
            ),
        ] {
            assert_eq!(prose(&task), expected, "{task}");
        }
    }

    #[test]
    fn a_patch_is_called_by_what_it_changes() {
        for (task, expected) in [
            ("```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "Apply a patch to x"),
            ("--- /dev/null\n+++ b/new\n", "Apply a patch to new"),
            (
                "diff --git a/x b/x\n--- a/x\t2026-01-01\n+++ /dev/null\n",
                "Apply a patch to x",
            ),
            ("--- a/x\n+++ b/x\n--- a/y\n+++ b/y\n", "Apply a patch to x and y"),
            (
                "--- a/x\n+++ b/x\n--- a/y\n+++ b/y\n+++ b/z\n",
                "Apply a patch to x and 2 more files",
            ),
            (
                "*** Begin Patch\n*** Update File: src/a.py\n",
                "Apply a patch to src/a.py",
            ),
            ("--- is how I start", "--- is how I start"),
            ("*** Begin Patch", "*** Begin Patch"),
            ("Fix it:\n--- a/x\n+++ b/x\n", "Fix it:"),
            (" \n", ""),
        ] {
            assert_eq!(title(task), expected, "{task}");
        }
    }
}
