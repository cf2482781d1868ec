//! SEARCH/REPLACE blocks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{account, applied, malformed, misfit, patched, result, text, tree};
use snodo_patch::{Edit, File, Options, apply_text};

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

#[test]
fn the_path_stands_above_in_several_ways() {
    let block = block("b\n", "B\n");
    for head in [
        "x\n",
        "`x`\n",
        "**x**:\n",
        "x:\n",
        "Change this:\n\nx\n```python\n",
        "Change this:\n\n`x`:\n~~~~\n",
    ] {
        assert_eq!(result("a\nb\nc\n", &format!("{head}{block}")), "a\nB\nc\n", "{head}");
    }
    assert_eq!(
        result("a\nb\n", &format!("x\r\n{}", block.replace("REPLACE\n", "REPLACE\r\n"))),
        "a\nB\n"
    );
    let indented = common::indented("  ", &format!("x\n```\n{}```\n", self::block("  b\n\n", "  B\n")));
    assert_eq!(result("a\n  b\n\nc\n", &format!("- In:\n{indented}")), "a\n  B\nc\n");
}

#[test]
fn several_blocks_of_one_file() {
    let (one, two) = (block("a\n", "A\n"), block("b\n", "B\nB\n"));
    for task in [
        format!("x\n{one}{two}"),
        format!("x\n```\n{one}```\n\n```\n{two}```\n"),
        format!("x\n{one}\nand then\nx\n{two}"),
    ] {
        assert_eq!(result("a\nb\n", &task), "A\nB\nB\n", "{task}");
    }
    let (line, reason) = malformed(&format!("x\n{one}\nand then\n\n{two}"));
    assert_eq!(line, 10);
    assert!(reason.contains("names no file"), "{reason}");
    assert_eq!(
        account(&[("x", "a\nb\n")], &format!("x\n{one}{two}"))[1],
        "`x` changed, block 2 at line 2"
    );
    let found = misfit(&[("x", "a\n")], &format!("x\n{one}{two}"));
    assert_eq!(found.hunk, 2);
}

#[test]
fn new_files_and_empty_replacements() {
    let task = format!("p/new\n{}", block("", "1\n2\n"));
    assert_eq!(patched(&tree(&[]), &task).unwrap(), tree(&[("p/new", "1\n2\n")]));
    assert_eq!(
        patched(&tree(&[("p/new", "")]), &task).unwrap(),
        tree(&[("p/new", "1\n2\n")])
    );
    applied(&[("p/new", "1\n2\n")], &task);
    assert!(misfit(&[("p/new", "3\n")], &task).reason.contains("stands there"));
    assert_eq!(result("a\nb\nc\n", &format!("x\n{}", block("b\n", ""))), "a\nc\n");
    assert_eq!(result("b\n", &format!("x\n{}", block("b\n", ""))), "");
}

#[test]
fn it_must_stand_exactly_once() {
    let task = format!("x\n{}", block("a\na\n", "b\n"));
    let found = misfit(&[("x", "a\na\na\nc\na\na\n")], &task);
    assert!(
        found.reason.contains("stands 3 times, at lines 1, 2 and 5"),
        "{}",
        found.reason
    );
    assert_eq!((found.hunk, found.nearest_line), (1, 1));
    let found = misfit(&[("x", "0\na\nb c\n")], &task);
    assert_eq!(found.nearest_line, 3);
    assert!(
        found.reason.contains("expected `a`, there stands `b c`"),
        "{}",
        found.reason
    );
    let found = misfit(&[("x", "c\n")], &task);
    assert_eq!(found.nearest_line, 0);
    assert!(misfit(&[], &task).reason.contains("no such file"));
    // Whole lines, never a part of one.
    misfit(&[("x", "xa\nax\n")], &task);
    let crlf = misfit(&[("x", "a\r\na\r\n")], &task);
    assert!(crlf.reason.contains("CR LF"), "{}", crlf.reason);
}

#[test]
fn the_end_of_the_file_keeps_its_newline_or_none() {
    let task = format!("x\n{}", block("b\n", "B\n"));
    assert_eq!(result("a\nb", &task), "a\nB");
    assert_eq!(result("a\nb\n", &task), "a\nB\n");
    assert_eq!(result("b\nc", &task), "B\nc");
    assert_eq!(result("a\nb", &format!("x\n{}", block("b\n", ""))), "a\n");
}

#[test]
fn applied_blocks_are_recognised() {
    let found = applied(&[("x", "a\nB\n")], &format!("x\n{}", block("b\n", "B\n")));
    assert!(found.reason.contains("already applied"), "{}", found.reason);
    assert_eq!(found.nearest_line, 2);
}

#[test]
fn blocks_that_cannot_be_read() {
    for (task, line, reason) in [
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", 1, "names no file"),
        (
            "\n\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            4,
            "names no file",
        ),
        ("x\n<<<<<<< SEARCH\na\n", 2, "does not end"),
        ("x\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", 4, "without `=======`"),
        (
            "x\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
            6,
            "a second `=======`",
        ),
        ("x\n<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", 4, "before the one above"),
    ] {
        let (at, said) = malformed(task);
        assert_eq!(at, line, "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn blocks_and_diffs_in_one_task() {
    let task = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n\nx\n{}", block("2\n", "3\n"));
    assert_eq!(result("1\n", &task), "3\n");
    let (_, reason) = malformed(&format!(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n{}",
        block("2\n", "3\n")
    ));
    assert!(reason.contains("names no file"), "{reason}");
    // A diff inside a block is content, and the other way round.
    let inner = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(result("1\n", &format!("x\n{}", block("1\n", inner))), inner);
    let outer = "--- a/x\n+++ b/x\n@@ -1 +1,4 @@\n 1\n+<<<<<<< SEARCH\n+=======\n+>>>>>>> REPLACE\n";
    assert_eq!(result("1\n", outer), format!("1\n{}", block("", "")));
}

#[test]
fn the_executable_bit_stays() {
    let before: common::Tree = [(
        "x".to_owned(),
        File {
            executable: true,
            ..text("a\n")
        },
    )]
    .into();
    let edits = apply_text(&format!("x\n{}", block("a\n", "b\n")), &before, &Options::default()).unwrap();
    assert!(matches!(
        &edits[..],
        [Edit::Write {
            executable: None,
            new: false,
            ..
        }]
    ));
}
