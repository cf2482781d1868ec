//! Patches that do not fit: what is said about them, and where offsets end.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{account, applied, error, misfit, numbers, patched, result, tree};
use snodo_patch::{Content, File, Options, PatchError, apply_text};

/// Changes line 50 of [`numbers`], with three lines around it, as if it were line `line`.
fn at(line: usize) -> String {
    format!(
        "--- a/x\n+++ b/x\n@@ -{0},7 +{0},7 @@\n 47\n 48\n 49\n-50\n+fifty\n 51\n 52\n 53\n",
        line - 3
    )
}

#[test]
fn a_hunk_may_stand_elsewhere_within_the_offset() {
    let before = numbers(400);
    let after = before.replace("\n50\n", "\nfifty\n");
    for line in [50, 51, 49, 4, 250] {
        assert_eq!(result(&before, &at(line)), after, "{line}");
    }
    let told = account(&[("x", &before)], &at(60));
    assert_eq!(
        told,
        ["`x` changed, 1 hunk; hunk 1 stands at line 47, 10 lines above where it says"]
    );
    let far = misfit(&[("x", &before)], &at(251));
    assert_eq!((far.hunk, far.nearest_line), (1, 47));
    assert!(
        far.reason
            .contains("201 lines from line 248 where it says; 200 are allowed"),
        "{}",
        far.reason
    );
    let options = Options {
        max_offset: 201,
        ..Options::default()
    };
    assert!(apply_text(&at(251), &tree(&[("x", &before)]), &options).is_ok());
    let none = Options {
        max_offset: 0,
        ..Options::default()
    };
    assert!(apply_text(&at(50), &tree(&[("x", &before)]), &none).is_ok());
    assert!(apply_text(&at(51), &tree(&[("x", &before)]), &none).is_err());
    let all = Options {
        max_offset: u64::MAX,
        ..Options::default()
    };
    assert!(apply_text(&at(usize::MAX >> 1), &tree(&[("x", &before)]), &all).is_ok());
}

#[test]
fn two_places_at_one_distance_are_refused() {
    let task = "--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\n";
    let found = misfit(&[("x", "0\na\n0\na\n0\n")], task);
    assert!(found.reason.contains("at line 2 and at line 4"), "{}", found.reason);
    // The nearer one is taken, and the place it names first of all.
    assert_eq!(result("a\n0\n0\na\n0\n", task), "a\n0\n0\nb\n0\n");
    assert_eq!(result("0\na\na\na\n0\n", task), "0\na\nb\na\n0\n");
}

#[test]
fn later_hunks_move_with_the_ones_before() {
    let before = format!("{}{}", "head\n".repeat(30), numbers(100));
    let task = "--- a/x\n+++ b/x\n@@ -10 +10 @@\n-10\n+ten\n@@ -20 +20 @@\n-20\n+twenty\n";
    assert_eq!(
        result(&before, task),
        before.replace("\n10\n", "\nten\n").replace("\n20\n", "\ntwenty\n")
    );
    // One place is nearest to where the hunk says, another to where the first was moved to.
    let unclear = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n@@ -3 +3 @@\n-a\n+b\n";
    let found = misfit(&[("x", "0\n0\n0\n1\na\na\n")], unclear);
    assert_eq!(found.hunk, 2);
    assert!(found.reason.contains("nothing tells which of them"), "{}", found.reason);
}

#[test]
fn hunks_keep_their_order_and_do_not_overlap() {
    let task = "--- a/x\n+++ b/x\n@@ -3 +3 @@\n-3\n+three\n@@ -1 +1 @@\n-1\n+one\n";
    let found = misfit(&[("x", "1\n2\n3\n")], task);
    assert_eq!((found.hunk, found.nearest_line), (2, 1));
    assert!(found.reason.contains("do not overlap"), "{}", found.reason);
    let task = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -2,2 +2,2 @@\n 2\n-3\n+three\n";
    assert_eq!(misfit(&[("x", "1\n2\n3\n")], task).hunk, 2);
}

#[test]
fn names_hunk_line_and_difference() {
    let task = "Do:\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n";
    let found = misfit(&[("x", "1\n2\n3\n4\nV\n6\n")], task);
    assert_eq!((found.path.as_str(), found.hunk, found.nearest_line), ("x", 2, 5));
    assert_eq!(
        found.reason,
        "the hunk of line 7 of the task: 2 of its 3 lines fit at line 4; at line 5 it expected `5`, there stands `V`"
    );
    let shown = PatchError::DoesNotApply(found).to_string();
    assert!(shown.starts_with("`x`, hunk 2, near line 5: "), "{shown}");
}

#[test]
fn nothing_alike_is_said_too() {
    let task = "--- a/x\n+++ b/x\n@@ -2 +2 @@\n-b\n+c\n";
    let found = misfit(&[("x", "1\n2\n3\n")], task);
    assert_eq!(found.nearest_line, 2);
    assert!(
        found.reason.ends_with("expected `b`, there stands `2`"),
        "{}",
        found.reason
    );
    let found = misfit(&[("x", "")], task);
    assert!(
        found
            .reason
            .ends_with("expected `b`, but the file ends: the file is empty"),
        "{}",
        found.reason
    );
    let beyond = "--- a/x\n+++ b/x\n@@ -900,2 +900,2 @@\n 3\n-b\n+c\n";
    let found = misfit(&[("x", "1\n2\n3\n")], beyond);
    assert_eq!(found.nearest_line, 4);
    assert!(
        found.reason.ends_with("expected `b`, but the file ends"),
        "{}",
        found.reason
    );
}

#[test]
fn white_space_is_never_forgiven_but_named() {
    let task = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    for (before, note) in [
        ("one\r\ntwo\r\n", "those of the file are CR LF, those of the patch LF"),
        ("one \ntwo\n", "but for white space at the end of lines"),
        ("one\n\ttwo\n", "but for the indentation"),
    ] {
        let found = misfit(&[("x", before)], task);
        assert!(found.reason.contains(note), "{}", found.reason);
    }
    let found = misfit(&[("x", "one\ntwo\n")], &task.replace('\n', "\r\n"));
    assert!(
        found
            .reason
            .contains("those of the file are LF, those of the patch CR LF"),
        "{}",
        found.reason
    );
}

#[test]
fn the_end_without_newline_counts() {
    let none = "\\ No newline at end of file\n";
    let with = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n";
    let found = misfit(&[("x", "1\n2")], with);
    assert!(
        found.reason.contains("the file ends there without one"),
        "{}",
        found.reason
    );
    let without = format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n-2\n{none}+two\n");
    let found = misfit(&[("x", "1\n2\n")], &without);
    assert!(found.reason.contains("but a newline follows"), "{}", found.reason);
    // The new end would stand in the middle.
    let inside = format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n{none}");
    let found = misfit(&[("x", "1\n2\n3\n")], &inside);
    assert!(found.reason.contains("the file goes on"), "{}", found.reason);
}

#[test]
fn a_hunk_without_context_has_no_place() {
    let task = "--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+new\n";
    let found = misfit(&[("x", "1\n2\n")], task);
    assert!(found.reason.contains("holds no context"), "{}", found.reason);
    // Lines that it removes are something to go by.
    assert_eq!(
        result("1\n2\n", "--- a/x\n+++ b/x\n@@ -2 +2 @@\n-2\n+two\n"),
        "1\ntwo\n"
    );
}

#[test]
fn applied_patches_are_recognised() {
    let task = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -7,2 +7,3 @@\n 7\n+7.5\n 8\n";
    let before = numbers(9);
    let after = result(&before, task);
    let found = applied(&[("x", &after)], task);
    assert!(found.reason.starts_with("already applied"), "{}", found.reason);
    // Some lines further down as well.
    applied(&[("x", &format!("head\n{after}"))], task);
    // One hunk of two is another thing, and says so.
    let half = before.replace("\n2\n", "\ntwo\n");
    let found = misfit(&[("x", &half)], task);
    assert_eq!(found.hunk, 1);
    assert!(found.reason.contains("seems to be applied already"), "{}", found.reason);

    let new = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n";
    applied(&[("x", "1\n")], new);
    assert!(misfit(&[("x", "2\n")], new).reason.contains("with other content"));
    let removal = "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n";
    applied(&[("x", "1\n3\n")], removal);
    let moved = "diff --git a/x b/y\nrename from x\nrename to y\n";
    assert!(misfit(&[("y", "1\n")], moved).reason.contains("done already"));
    let gone = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    assert!(misfit(&[], gone).reason.contains("deleted already"));
    applied(
        &[("x", "1\n")],
        "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n",
    );
}

#[test]
fn missing_files_are_named_with_a_hint() {
    let task = "--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-1\n+2\n";
    let found = misfit(&[("x", "1\n")], task);
    assert_eq!((found.path.as_str(), found.hunk, found.nearest_line), ("src/x", 0, 0));
    assert!(found.reason.contains("`x` is: set `strip` to 2"), "{}", found.reason);
}

#[test]
fn bytes_are_not_patched() {
    let bytes = File {
        content: Content::Bytes(vec![0xff, b'\n']),
        executable: false,
    };
    let before = [("x".to_owned(), bytes)].into();
    for task in [
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n",
        "x\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n",
    ] {
        assert!(matches!(patched(&before, task), Err(PatchError::NotText { path }) if path == "x"));
    }
}

#[test]
fn all_or_nothing() {
    let task = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n";
    assert!(matches!(error(&[("x", "1\n"), ("y", "?\n")], task), PatchError::DoesNotApply(found) if found.path == "y"));
}
