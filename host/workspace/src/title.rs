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
    use super::title;

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
