//! Unified diffs as programs print them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{account, carried_out, error, patched, result, text, tree};
use snodo_patch::{Content, Edit, File, Options, PatchError, Strip, apply_text};

const CHANGE: &str = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";

#[test]
fn a_plain_diff_of_one_file() {
    assert_eq!(result("1\n2\n3\n", CHANGE), "1\ntwo\n3\n");
}

#[test]
fn prose_and_fences_stand_around_it() {
    let fenced = format!("Please do this:\n\n```diff\n{CHANGE}```\n\nThank you.\n- and good bye\n");
    let bare = format!("Please do this:\n{CHANGE}\n- a list\n+ another\n");
    let nested = format!("````\n```diff\n{CHANGE}```\n````\n");
    let unclosed = format!("```diff\n{CHANGE}");
    for task in [fenced, bare, nested, unclosed] {
        assert_eq!(result("1\n2\n3\n", &task), "1\ntwo\n3\n", "{task}");
    }
}

#[test]
fn a_fence_in_a_list_indents_the_patch() {
    let indented = common::indented("   ", &format!("```diff\n{CHANGE}```\n"));
    let task = format!("1. Do this:\n\n{indented}\n2. Then rest.\n");
    assert_eq!(result("1\n2\n3\n", &task), "1\ntwo\n3\n");
    // Under an indented fence a patch may still stand at the start of the line, and keeps its spaces then.
    assert_eq!(result("1\n2\n3\n", &format!("  ```\n{CHANGE}  ```\n")), "1\ntwo\n3\n");
}

#[test]
fn counts_tell_content_from_headers() {
    // Added `++ b/y` and removed `-- a/y` look like headers; a fence and a hunk header are content as well.
    let task = "--- a/x\n+++ b/x\n@@ -1,3 +1,5 @@\n 1\n--- a/y\n+++ b/y\n+```\n+@@ -1 +1 @@\n 3\n";
    assert_eq!(result("1\n-- a/y\n3\n", task), "1\n++ b/y\n```\n@@ -1 +1 @@\n3\n");
    let secret = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n 1\n+++ key = \"AKIA\"\n";
    assert_eq!(result("1\n", secret), "1\n++ key = \"AKIA\"\n");
}

#[test]
fn counts_may_be_left_out_and_sections_named() {
    assert_eq!(
        result("1\n", "--- x\n+++ x\n@@ -1 +1 @@ fn main()\n-1\n+one\n"),
        "one\n"
    );
}

#[test]
fn empty_context_lines_may_have_lost_their_space() {
    assert_eq!(
        result("1\n\n3\n", "--- x\n+++ x\n@@ -1,3 +1,3 @@\n 1\n\n-3\n+three\n"),
        "1\n\nthree\n"
    );
    assert_eq!(
        result(
            "1\r\n\r\n3\r\n",
            "--- x\n+++ x\n@@ -1,3 +1,3 @@\n 1\r\n\r\n-3\r\n+three\r\n"
        ),
        "1\r\n\r\nthree\r\n"
    );
}

#[test]
fn the_end_of_the_file_without_newline() {
    let none = "\\ No newline at end of file\n";
    assert_eq!(
        result("1\n2", &format!("--- x\n+++ x\n@@ -1,2 +1,2 @@\n 1\n-2\n{none}+two\n")),
        "1\ntwo\n"
    );
    assert_eq!(
        result(
            "1\n2\n",
            &format!("--- x\n+++ x\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n{none}")
        ),
        "1\ntwo"
    );
    assert_eq!(
        result("1\n2", &format!("--- x\n+++ x\n@@ -1,2 +1,3 @@\n+0\n 1\n 2\n{none}")),
        "0\n1\n2"
    );
    assert_eq!(
        result("1\n2", &format!("--- x\n+++ x\n@@ -1,2 +1,2 @@\n 1\n-2\n{none}+2\n")),
        "1\n2\n"
    );
    // In another language, and behind CR LF.
    assert_eq!(
        result(
            "1",
            "--- x\r\n+++ x\r\n@@ -1 +1 @@\r\n-1\n\\ Kein Zeilenumbruch am Dateiende.\r\n+2\n"
        ),
        "2\n"
    );
}

#[test]
fn line_ends_of_the_file_stay() {
    let task = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\r\n-b\n+B\n c\r\n";
    assert_eq!(result("a\r\nb\nc\r\nd\re", task), "a\r\nB\nc\r\nd\re");
    // A task saved with CR LF throughout, for a file with CR LF.
    let saved = CHANGE.replace('\n', "\r\n");
    assert_eq!(result("1\r\n2\r\n3\r\n", &saved), "1\r\ntwo\r\n3\r\n");
}

#[test]
fn several_hunks_and_files() {
    let task = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+0\n 1\n 2\n@@ -5,2 +6,1 @@\n 5\n-6\n\
                diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-y\n+Y\n";
    let after = patched(&tree(&[("x", "1\n2\n3\n4\n5\n6\n"), ("y", "y\n")]), task).unwrap();
    assert_eq!(after, tree(&[("x", "0\n1\n2\n3\n4\n5\n"), ("y", "Y\n")]));
}

#[test]
fn one_file_several_times_is_changed_in_sequence() {
    let task = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-1\n+one\n+two\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_eq!(result("1\n", task), "one\n2\n");
    let back = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1\n";
    assert_eq!(
        apply_text(back, &tree(&[("x", "1\n")]), &Options::default()).unwrap(),
        []
    );
}

#[test]
fn new_files() {
    let git = "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n";
    let edits = apply_text(git, &tree(&[]), &Options::default()).unwrap();
    assert_eq!(
        edits,
        [Edit::Write {
            path: "n".to_owned(),
            content: Content::Text("1\n2\n".to_owned()),
            executable: Some(true),
            new: true
        }]
    );
    for head in [
        "--- /dev/null\n+++ b/n",
        "--- /dev/null\t1970-01-01 00:00:00\n+++ n\t2024-01-01 00:00:00",
        "--- n\t1970-01-01 01:00:00.000000000 +0100\n+++ n\t2024-01-01 10:00:00.000000000 +0100",
        "--- old/n\t1970-01-01 00:00:00.000000000 +0000\n+++ n\t2024-01-01 10:00:00.000000000 +0100",
        "--- a/n\n+++ b/n",
    ] {
        let after = patched(&tree(&[]), &format!("{head}\n@@ -0,0 +1 @@\n+1\n")).unwrap();
        assert_eq!(after, tree(&[("n", "1\n")]), "{head}");
    }
    // Into an empty file.
    let after = patched(&tree(&[("n", "")]), "--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+1\n").unwrap();
    assert_eq!(after, tree(&[("n", "1\n")]));
}

#[test]
fn empty_files_come_and_go() {
    let new = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n";
    assert_eq!(patched(&tree(&[]), new).unwrap(), tree(&[("n", "")]));
    let gone = "diff --git a/n b/n\ndeleted file mode 100644\nindex e69de29..0000000\n";
    assert_eq!(patched(&tree(&[("n", "")]), gone).unwrap(), tree(&[]));
    let PatchError::DoesNotApply(misfit) = error(&[("n", "1\n")], gone) else {
        panic!()
    };
    assert!(
        misfit.reason.contains("1 line of it would be left"),
        "{}",
        misfit.reason
    );
}

#[test]
fn deleted_files() {
    for head in [
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null",
        "--- a/x\n+++ /dev/null",
        "--- x\t2024-01-01 00:00:00.0 +0000\n+++ x\t1970-01-01 00:00:00.000000000 +0000",
    ] {
        let task = format!("{head}\n@@ -1,2 +0,0 @@\n-1\n-2\n");
        assert_eq!(patched(&tree(&[("x", "1\n2\n")]), &task).unwrap(), tree(&[]), "{head}");
        let PatchError::DoesNotApply(misfit) = error(&[("x", "1\n2\n3\n")], &task) else {
            panic!()
        };
        assert!(misfit.reason.contains("the first being `3`"), "{}", misfit.reason);
    }
    // Emptied is not deleted.
    assert_eq!(result("1\n", "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-1\n"), "");
}

#[test]
fn renames_with_and_without_changes() {
    let pure = "diff --git a/old name b/new\nsimilarity index 100%\nrename from old name\nrename to new\n";
    let edits = apply_text(pure, &tree(&[("old name", "1\n")]), &Options::default()).unwrap();
    assert_eq!(
        edits,
        [Edit::Rename {
            from: "old name".to_owned(),
            to: "new".to_owned()
        }]
    );
    let changed = "diff --git a/p/x b/y\nsimilarity index 90%\nrename from p/x\nrename to y\nindex 1..2 100644\n--- a/p/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n";
    let edits = apply_text(changed, &tree(&[("p/x", "1\n2\n")]), &Options::default()).unwrap();
    assert_eq!(edits.len(), 2);
    assert_eq!(
        carried_out(tree(&[("p/x", "1\n2\n")]), &edits),
        tree(&[("y", "one\n2\n")])
    );
    // Bytes move as they are; only their lines cannot be changed.
    let bytes = File {
        content: Content::Bytes(vec![0, 255]),
        executable: true,
    };
    let before = [("old name".to_owned(), bytes.clone())].into();
    assert_eq!(patched(&before, pure).unwrap(), [("new".to_owned(), bytes)].into());
}

#[test]
fn renames_of_one_diff_start_from_the_files_before_it() {
    let swap = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n\
                diff --git a/y b/x\nsimilarity index 100%\nrename from y\nrename to x\n";
    let before = tree(&[("x", "1\n"), ("y", "2\n")]);
    assert_eq!(patched(&before, swap).unwrap(), tree(&[("x", "2\n"), ("y", "1\n")]));
    let chain = "diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/y b/z\nrename from y\nrename to z\n";
    assert_eq!(patched(&before, chain).unwrap(), tree(&[("y", "1\n"), ("z", "2\n")]));
    let replaced = "diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n";
    assert_eq!(patched(&before, replaced).unwrap(), tree(&[("y", "1\n")]));
    // Two diffs, one after the other.
    let series = "First:\ndiff --git a/x b/z\nrename from x\nrename to z\nThen:\ndiff --git a/z b/x\nrename from z\nrename to x\n";
    assert_eq!(apply_text(series, &before, &Options::default()).unwrap(), []);
    // Without anybody to make room it is an error.
    let onto = "diff --git a/x b/y\nrename from x\nrename to y\n";
    assert!(matches!(patched(&before, onto), Err(PatchError::DoesNotApply(misfit)) if misfit.path == "y"));
}

#[test]
fn copies() {
    let task = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n\
                diff --git a/x b/y\nsimilarity index 50%\ncopy from x\ncopy to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1,2 @@\n 1\n+2\n";
    let after = patched(&tree(&[("x", "1\n")]), task).unwrap();
    assert_eq!(after, tree(&[("x", "one\n"), ("y", "1\n2\n")]));
    // One file moves and is copied in one diff.
    let both = "diff --git a/x b/y\ncopy from x\ncopy to y\ndiff --git a/x b/z\nrename from x\nrename to z\n";
    assert_eq!(
        patched(&tree(&[("x", "1\n")]), both).unwrap(),
        tree(&[("y", "1\n"), ("z", "1\n")])
    );
    let both = "diff --git a/x b/a\nrename from x\nrename to a\ndiff --git a/x b/b\ncopy from x\ncopy to b\n";
    assert_eq!(
        patched(&tree(&[("x", "1\n")]), both).unwrap(),
        tree(&[("a", "1\n"), ("b", "1\n")])
    );
}

#[test]
fn modes() {
    let set = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    let edits = apply_text(set, &tree(&[("x", "1\n")]), &Options::default()).unwrap();
    assert_eq!(
        edits,
        [Edit::SetExecutable {
            path: "x".to_owned(),
            executable: true
        }]
    );
    let both =
        "diff --git a/x b/x\nold mode 100755\nnew mode 100644\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    let before = [(
        "x".to_owned(),
        File {
            executable: true,
            ..text("1\n")
        },
    )]
    .into();
    assert_eq!(patched(&before, both).unwrap(), tree(&[("x", "2\n")]));
    // A change of content leaves the bit alone, whatever the index line says.
    let content = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    assert!(patched(&before, content).unwrap()["x"].executable);
    let moved = "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nrename from x\nrename to y\n";
    let after = patched(&tree(&[("x", "1\n")]), moved).unwrap();
    assert!(after["y"].executable && after.len() == 1);
}

#[test]
fn names_of_every_shape() {
    for (name, old, new) in [
        ("my file", "a/my file\t", "b/my file\t"),
        ("tab\there", "\"a/tab\\there\"", "\"b/tab\\there\""),
        ("é\"\\\n", "\"a/\\303\\251\\\"\\\\\\n\"", "\"b/\\303\\251\\\"\\\\\\n\""),
        ("日本", "a/日本", "b/日本"),
        ("a*b", "a/a*b", "b/a*b"),
        ("x b/y", "a/x b/y", "b/x b/y"),
        ("./x", "a/./x", "b/./x"),
        ("x", "a/x\t2024-01-01", "b/x\t2024-01-02"),
        ("x", "x", "x"),
        ("a/x", "a/x", "a/x"),
        ("..", "a/..", "b/.."),
    ] {
        let before = tree(&[(name, "1\n")]);
        let plain = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-1\n+2\n");
        assert_eq!(patched(&before, &plain).unwrap(), tree(&[(name, "2\n")]), "{plain}");
        if !old.contains("2024") {
            let (old_name, new_name) = (old.trim_end(), new.trim_end());
            let git = format!("diff --git {old_name} {new_name}\nindex 1..2 100644\n{plain}");
            assert_eq!(patched(&before, &git).unwrap(), tree(&[(name, "2\n")]), "{git}");
            let mode = format!("diff --git {old_name} {new_name}\nold mode 100644\nnew mode 100755\n");
            assert!(patched(&before, &mode).unwrap()[name].executable, "{mode}");
        }
    }
}

#[test]
fn prefixes_of_git() {
    for (old, new, path) in [
        ("i/x", "w/x", "x"),
        ("b/x", "a/x", "x"),
        ("a/x", "a/x", "a/x"),
        ("x", "x", "x"),
    ] {
        let task = format!("diff --git {old} {new}\nindex 1..2 100644\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-1\n+2\n");
        assert_eq!(
            patched(&tree(&[(path, "1\n")]), &task).unwrap(),
            tree(&[(path, "2\n")]),
            "{task}"
        );
    }
    // A new file in a folder that is called like a prefix: the line of git tells.
    let task = "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n";
    assert_eq!(patched(&tree(&[]), task).unwrap(), tree(&[("b/x", "1\n")]));
    let task = "diff --git a/b/x b/b/x\nnew file mode 100644\n--- /dev/null\n+++ b/b/x\n@@ -0,0 +1 @@\n+1\n";
    assert_eq!(patched(&tree(&[]), task).unwrap(), tree(&[("b/x", "1\n")]));
}

#[test]
fn strip_can_be_set() {
    let task = "--- old/p/x\n+++ new/p/x\n@@ -1 +1 @@\n-1\n+2\n";
    let before = tree(&[("p/x", "1\n")]);
    let options = Options {
        strip: Strip::Folders(1),
        ..Options::default()
    };
    let edits = apply_text(task, &before, &options).unwrap();
    assert_eq!(carried_out(before.clone(), &edits), tree(&[("p/x", "2\n")]));
    let PatchError::DoesNotApply(misfit) = apply_text(task, &before, &Options::default()).unwrap_err() else {
        panic!()
    };
    assert!(misfit.reason.contains("set `strip` to 1"), "{}", misfit.reason);
    let all = Options {
        strip: Strip::Folders(3),
        ..Options::default()
    };
    assert!(matches!(
        apply_text(task, &before, &all),
        Err(PatchError::Malformed { line: 1, .. })
    ));
}

#[test]
fn of_two_names_the_one_in_the_workspace_is_meant() {
    let task = "--- x.orig\n+++ x\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(result("1\n", task), "2\n");
    let task = "--- x\n+++ x.new\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(result("1\n", task), "2\n");
    assert!(matches!(
        error(&[("x", "1\n"), ("x.new", "1\n")], task),
        PatchError::DoesNotApply(misfit) if misfit.reason.contains("both are in the workspace")
    ));
}

#[test]
fn what_else_programs_print_is_no_hindrance() {
    let task = "From 0123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] x\n\n---\n x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n\
                diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n-- \n2.47.3\n\n";
    assert_eq!(result("1\n", task), "2\n");
    let svn = "Index: x\n===================================================================\n--- x\t(revision 1)\n+++ x\t(working copy)\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(result("1\n", svn), "2\n");
    let recursive = "diff -ru a/x b/x\n--- a/x\t2024-01-01 00:00:00.0 +0000\n+++ b/x\t2024-01-01 00:00:00.0 +0000\n@@ -1 +1 @@\n-1\n+2\nOnly in b: new\n";
    assert_eq!(result("1\n", recursive), "2\n");
    let told = account(&[("x", "1\n")], recursive);
    assert!(told[1].contains("`new` only in `b`"), "{told:?}");
    assert_eq!(
        result(
            "1\n",
            &format!("\u{feff}{CHANGE}")
                .replace("-1,3 +1,3", "-1,1 +1,1")
                .replace("-2\n+two\n 3\n", "")
        ),
        "1\n"
    );
}

#[test]
fn blank_lines_between_hunks_are_passed_over() {
    let task = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n\n@@ -3 +3 @@\n-3\n+three\n";
    assert_eq!(result("1\n2\n3\n", task), "one\n2\nthree\n");
}

#[test]
fn text_becomes_bytes_when_it_gets_a_nul() {
    let task = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+a\0b\n";
    let after = patched(&tree(&[("x", "1\n")]), task).unwrap();
    assert_eq!(after["x"].content, Content::Bytes(b"a\0b\n".to_vec()));
}
