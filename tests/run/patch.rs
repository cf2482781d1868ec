//! The default coder: a patch in, exactly that change out, or nothing.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::Sandbox;
use crate::support::finished::{changes, results};

fn apply(sandbox: &Sandbox, task: &str) -> serde_json::Value {
    let report = sandbox.run(&[task]).completed();
    assert_eq!(
        (&report["coder"]["name"], &report["applied"]),
        (&json!("patch"), &json!(true))
    );
    report
}

#[test]
fn everything_that_git_diff_can_say_in_one_patch() {
    let sandbox = Sandbox::new()
        .with("old.txt", "to be deleted\n")
        .with("move.txt", "a\nb\nc\nd\ne\nf\n")
        .with("same.txt", "it moves\nand stays the same\n")
        .with("tool.sh", "#!/bin/sh\n")
        .committed();
    // What git itself makes of such a change, and what the tree is then.
    sandbox.put("src/main.py", "def main():\n    print(\"hello, world\")\n\n\nmain()\n");
    sandbox.put("new/deep/file.txt", "no newline at the end");
    std::fs::remove_file(sandbox.workspace().join("old.txt")).unwrap();
    for (from, to) in [("move.txt", "moved.txt"), ("same.txt", "twin.txt")] {
        std::fs::rename(sandbox.workspace().join(from), sandbox.workspace().join(to)).unwrap();
    }
    sandbox.put("moved.txt", "a\nb\nC\nd\ne\nf\n");
    std::fs::set_permissions(
        sandbox.workspace().join("tool.sh"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    sandbox.git_command(&["add", "--all"]);
    let patch = sandbox.git_command(&["diff", "--cached", "--find-renames"]);
    assert!(
        patch.contains("rename from move.txt") && patch.contains("new mode 100755") && patch.contains("\\ No newline"),
        "{patch}"
    );
    sandbox.git_command(&["commit", "--quiet", "--message=wanted"]);
    let wanted = sandbox.git_command(&["write-tree"]);
    sandbox.git_command(&["reset", "--quiet", "--hard", "HEAD~"]);

    let report = apply(&sandbox, &patch);
    // A file that moves and changes at once is one file: its old lines are no added lines.
    assert_eq!(
        changes(&report),
        [
            "renamed moved.txt",
            "added new/deep/file.txt",
            "deleted old.txt",
            "modified src/main.py",
            "mode-changed tool.sh",
            "renamed twin.txt",
        ]
    );
    assert_eq!(report["changes"][0]["old_path"], "move.txt");
    assert_eq!(report["changes"][5]["old_path"], "same.txt");
    for changed in [0, 3] {
        let change = &report["changes"][changed];
        assert_eq!(
            (&change["added"], &change["deleted"]),
            (&json!(1), &json!(1)),
            "{change}"
        );
    }
    sandbox.git_command(&["add", "--all"]);
    assert_eq!(
        sandbox.git_command(&["write-tree"]),
        wanted,
        "not the tree that git makes of it"
    );
    assert_eq!(sandbox.mode("tool.sh"), 0o755);
    assert_eq!(results(&report, "post_execute")[0].1, "pass");
}

#[test]
fn a_patch_of_plain_diff_within_prose_is_found() {
    let sandbox = Sandbox::new();
    let task = "Please make it greet.\n\n```diff\n--- src/main.py\t2026-01-01 00:00:00\n+++ src/main.py\t2026-01-02 00:00:00\n@@ -1,3 +1,3 @@\n def main():\n-    print(\"hello\")\n+    print(\"good day\")\n \n```\n\nThank you.\n";
    apply(&sandbox, task);
    assert_eq!(
        sandbox.read("src/main.py"),
        "def main():\n    print(\"good day\")\n\n\nmain()\n"
    );
}

#[test]
fn search_and_replace_blocks_are_applied() {
    let sandbox = Sandbox::new();
    let task = "docs/guide.md\n<<<<<<< SEARCH\ntwo\nthree\n=======\n2\n3\n>>>>>>> REPLACE\n";
    apply(&sandbox, task);
    assert_eq!(sandbox.read("docs/guide.md"), "one\n2\n3\nfour\nfive\n");
}

#[test]
fn a_newline_at_the_end_comes_and_goes_as_the_patch_says() {
    let sandbox = Sandbox::new().with("end.txt", "last");
    apply(
        &sandbox,
        "Apply this.\n\n--- a/end.txt\n+++ b/end.txt\n@@ -1 +1 @@\n-last\n\\ No newline at end of file\n+last\n",
    );
    assert_eq!(sandbox.read("end.txt"), "last\n");
    apply(
        &sandbox,
        "Apply this.\n\n--- a/end.txt\n+++ b/end.txt\n@@ -1 +1 @@\n-last\n+last\n\\ No newline at end of file\n",
    );
    assert_eq!(sandbox.read("end.txt"), "last");
}

#[test]
fn a_hunk_may_stand_a_bounded_number_of_lines_away() {
    let numbered = |n: usize| {
        (1..=n)
            .map(|i| ["line ", &i.to_string(), "\n"].concat())
            .collect::<String>()
    };
    let patch =
        "Apply this.\n\n--- a/long.txt\n+++ b/long.txt\n@@ -10,3 +10,3 @@\n line 60\n-line 61\n+changed\n line 62\n";
    let sandbox = Sandbox::new().with("long.txt", numbered(100));
    apply(&sandbox, patch);
    assert!(sandbox.read("long.txt").contains("line 60\nchanged\nline 62\n"));

    let sandbox = Sandbox::new().with("long.txt", numbered(100));
    let before = sandbox.tree();
    let report =
        sandbox
            .run(&[patch, "--set", "patch.max-offset=10"])
            .ended(4, "environment_error", Some("execution_error"));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("`long.txt`, hunk 1, nearest line 60")
            && reason.contains("10 are allowed (the setting `max-offset`)"),
        "{reason}"
    );
    assert_eq!(before, sandbox.tree());
}

#[test]
fn a_hunk_that_does_not_fit_names_file_hunk_and_nearest_line_and_nothing_is_applied() {
    let sandbox = Sandbox::git();
    let before = sandbox.tree();
    let patch = "Apply this.\n\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\
                 --- a/src/main.py\n+++ b/src/main.py\n@@ -1,2 +1,2 @@\n def main():\n-    print(\"goodbye\")\n+    print(\"farewell\")\n";
    let report = sandbox
        .run(&[patch])
        .ended(4, "environment_error", Some("execution_error"));
    let reason = report["reason"].as_str().unwrap();
    for words in [
        "the coder `patch` failed",
        "`src/main.py`, hunk 1, nearest line 2",
        "goodbye",
        "hello",
    ] {
        assert!(reason.contains(words), "no `{words}` in {reason}");
    }
    assert_eq!(before, sandbox.tree());
    let shown = sandbox.run_for_people(&[patch]);
    assert_eq!(shown.code, 4);
    assert!(
        shown.stdout.starts_with("environment error  the coder `patch` failed"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_task_without_a_patch_is_an_error_that_says_what_it_takes() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let report = sandbox
        .run(&["make it better"])
        .ended(4, "environment_error", Some("execution_error"));
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("diff") && reason.contains("SEARCH"), "{reason}");
    assert_eq!(before, sandbox.tree());
}

#[test]
fn a_patch_cannot_reach_outside_nor_into_gits_own_folder() {
    for path in [
        "../outside.txt",
        ".git/hooks/post-commit",
        "/etc/snodo-test",
        ".snodo/protocol.yml",
    ] {
        let sandbox = Sandbox::git();
        let before = sandbox.tree();
        let patch = format!("Apply this.\n\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n");
        let report = sandbox
            .run(&[&patch])
            .ended(4, "environment_error", Some("execution_error"));
        assert!(!sandbox.path().join("outside.txt").exists());
        assert_eq!(before, sandbox.tree(), "{path}");
        assert_eq!(report["applied"], false);
    }
}
