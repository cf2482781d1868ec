//! What begins like a patch and is none, and hostile input. Nothing is left out without a word, and nothing panics.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{error, malformed, patched, tree};
use proptest::prelude::*;
use snodo_patch::{Options, PatchError, apply_text};

const HEAD: &str = "--- a/x\n+++ b/x\n";

#[test]
fn tasks_without_a_patch() {
    for (task, found) in [
        ("", "it is empty"),
        (" \n\n", "it is empty"),
        ("Rename the function.\nPlease.", "it is 2 lines of text"),
        ("Do:\n    diff --git a/x b/x\n", "line 2 looks like an indented patch"),
        ("> +++ b/x\n", "a quoted patch"),
        ("3c3\n< a\n---\n> b\n", "a diff without context"),
        ("<<<<<<< HEAD\n", "a marker"),
        ("--- a/x\n@@ no\n", "without the other"),
        (
            "the command diff --git a b\ndiff --git is a command\n",
            "2 lines of text",
        ),
    ] {
        let PatchError::NoPatch { found: said } = error(&[("x", "a\n")], task) else {
            panic!("{task}")
        };
        assert!(said.contains(found), "{said}");
        let shown = PatchError::NoPatch { found: said }.to_string();
        assert!(shown.contains("git diff > fix.patch\n"), "{shown}");
    }
}

#[test]
fn hunks_that_cannot_be_read() {
    for (hunk, line, reason) in [
        ("", 2, "no hunk"),
        ("prose\n", 2, "no hunk"),
        ("@@\n-a\n+b\n", 3, "is not the header of a hunk"),
        ("@@ ... @@\n-a\n+b\n", 3, "is not the header of a hunk"),
        (
            "@@ -1,99999999999999999999 +1 @@\n-a\n+b\n",
            3,
            "is not the header of a hunk",
        ),
        ("@@ -1,-1 +1 @@\n-a\n+b\n", 3, "is not the header of a hunk"),
        ("@@ -+1 +1 @@\n-a\n+b\n", 3, "is not the header of a hunk"),
        ("@@ -, +1 @@\n-a\n+b\n", 3, "is not the header of a hunk"),
        ("@@ -1 +1\n-a\n+b\n", 3, "is not the header of a hunk"),
        ("@@ -0,0 +0,0 @@\n", 3, "holds no lines"),
        ("@@ -0 +1 @@\n-a\n+b\n", 3, "counted from 1"),
        ("@@ -1,99999999999 +1 @@\n-a\n+b\n", 3, "the task ends before them"),
        (
            "@@ -1,2 +1,2 @@\n-a\n+b\n",
            3,
            "announces 2 lines before and 2 lines after",
        ),
        (
            "@@ -1,2 +1,2 @@\n-a\n+b\n```\n",
            6,
            "there are still 1 line before and 1 line after to come",
        ),
        ("@@ -1 +1,2 @@\n-a\n-a\n+b\n", 5, "more lines than that stand before"),
        ("@@ -1,2 +1 @@\n+b\n+b\n-a\n", 5, "more lines than that stand after"),
        ("@@ -1 +1 @@\n-a\n+b\n+c\n", 6, "looks like a further line"),
        ("@@ -1 +1 @@\n-a\n+b\n c\n", 6, "looks like a further line"),
        ("@@ -1 +1 @@\n-a\n+b\n ```\n+c\n", 7, "looks like a further line"),
        (
            "@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n b\n",
            3,
            "not the last line of the hunk",
        ),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline\n\\ No newline\n", 7, "a second"),
    ] {
        let (at, said) = malformed(&format!("{HEAD}{hunk}"));
        assert_eq!(at, line, "{hunk}: {said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn parts_that_lost_their_head_are_errors() {
    let good = format!("{HEAD}@@ -1 +1 @@\n-a\n+b\n");
    for (more, reason) in [
        ("\nprose\n@@ -1 +1 @@\n-a\n+b\n", "belongs to no file"),
        ("\n>>>>>>> REPLACE\n", "without a `<<<<<<< SEARCH`"),
        ("diff --git a/y b/y\nindex 1234..5678 100644\n", "cut off"),
        (
            "diff --git a/y b/y\nnew file mode 100644\nindex 0000000..5678123\n",
            "cut off",
        ),
        ("diff --git a/y b/z\nindex 1234..1234\n", "names"),
        ("diff --git a/y b/z\nrename from y\n", "go together"),
        (
            "diff --git a/y b/z\nrename from y\nrename to z\n--- a/q\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
            "name `y`",
        ),
        (
            "diff --git a/y b/y\nnew file mode 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "is not /dev/null",
        ),
        ("diff --git a/y b/y\nold mode rw\n", "not a file mode"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both names"),
        ("--- \"a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "does not end"),
        ("--- /dev/null\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "is a new file, but"),
    ] {
        let (_, said) = malformed(&format!("{good}{more}"));
        assert!(said.contains(reason), "{more}: {said}");
    }
}

#[test]
fn kinds_that_are_not_taken() {
    for (task, path, reason) in [
        (
            "diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\n",
            Some("i.png"),
            "a binary patch",
        ),
        (
            "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n",
            Some("i.png"),
            "a binary patch",
        ),
        (
            "diff -ru a/i b/i\nBinary files a/i and b/i differ\n",
            None,
            "`Binary files a/i and b/i differ`",
        ),
        (
            "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+t\n\\ No newline\n",
            Some("l"),
            "a symbolic link",
        ),
        (
            "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-a\n+b\n",
            Some("s"),
            "a submodule",
        ),
        (
            "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n",
            Some("x"),
            "a combined diff",
        ),
        (
            "*** a/x\n--- b/x\n***************\n*** 1,2 ****\n",
            None,
            "a context diff",
        ),
        (
            "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n",
            None,
            "`*** Begin Patch`",
        ),
    ] {
        let PatchError::Unsupported {
            path: named,
            reason: said,
            ..
        } = error(&[("x", "a\n")], task)
        else {
            panic!("{task}")
        };
        assert_eq!(named.as_deref(), path, "{task}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_deep_pile_of_headers_is_read_in_time() {
    // Each of these is linear, or the test would not end.
    let many = "a\n".repeat(60_000);
    let hunk = format!("{HEAD}@@ -1,30001 +1,30000 @@\n{}-b\n", " a\n".repeat(30_000));
    let all = Options {
        max_offset: u64::MAX,
        ..Options::default()
    };
    assert!(apply_text(&hunk, &tree(&[("x", &many)]), &all).is_err());
    let block = format!(
        "x\n<<<<<<< SEARCH\n{}b\n=======\n>>>>>>> REPLACE\n",
        "a\n".repeat(30_000)
    );
    assert!(apply_text(&block, &tree(&[("x", &many)]), &all).is_err());
    let heads = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nprose\n\
                 diff --git a/x b/x\nold mode 100755\nnew mode 100644\nprose\n"
        .repeat(5_000);
    assert!(apply_text(&heads, &tree(&[("x", "a\n")]), &all).unwrap().is_empty());
    let new = (0..5_000).fold(String::new(), |task, number| {
        task + &format!("prose\ndiff --git a/{number} b/{number}\nnew file mode 100644\n")
    });
    assert_eq!(apply_text(&new, &tree(&[]), &all).unwrap().len(), 5_000);
    assert!(apply_text(&format!("diff --git {}\n", " ".repeat(1_000_000)), &tree(&[]), &all).is_err());
}

/// Lines from which most things that look like a patch can be made.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "--- a/x", "+++ b/x", "--- /dev/null", "+++ /dev/null", "--- x", "+++ y", "@@ -1 +1 @@", "@@ -1,2 +1,3 @@", "@@ -0,0 +1 @@",
            "@@ -2,0 +3 @@", "@@ -1,18446744073709551615 +1 @@", "@@ -18446744073709551615 +18446744073709551615 @@", "@@", " a", "-a", "+b", "",
            " ", "\\ No newline at end of file", "diff --git a/x b/x", "diff --git a/x b/y", "diff --git \"a/\\t\" \"b/\\t\"", "rename from x",
            "rename to y", "copy from x", "copy to z", "new file mode 100644", "deleted file mode 100644", "old mode 100644",
            "new mode 100755", "index 0000000..e69de29", "index 1..2 100644", "similarity index 100%", "<<<<<<< SEARCH", "=======",
            ">>>>>>> REPLACE", "x", "`y`:", "```diff", "```", "  ````", "~~~", "-- ", "Only in a: b", "prose", "\r", "--- a/x\r", "@@ -1 +1 @@\r",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(lines in prop::collection::vec(fragment(), 0..24), x in "[ab\r\n]{0,12}", strip in 0_u32..4, max_offset in prop::sample::select(vec![0, 1, 200, u64::MAX])) {
        let before = tree(&[("x", &x), ("y", "a\n")]);
        let strip = if strip == 3 { snodo_patch::Strip::Automatic } else { snodo_patch::Strip::Folders(strip) };
        let task = lines.join("\n");
        match apply_text(&task, &before, &Options { max_offset, strip }) {
            Ok(edits) => { common::carried_out(before, &edits); }
            Err(error) => { prop_assert!(!error.to_string().is_empty()); }
        }
    }

    #[test]
    fn any_text_is_read(task in "(?s).{0,200}") {
        let _ = patched(&tree(&[]), &task);
    }
}
