//! What ignore files name is build output, and no part of the work.

use serde_json::json;

use super::run;
use crate::support::Sandbox;
use crate::support::finished::changes;

#[test]
fn ignored_files_are_left_out_and_that_is_said() {
    let sandbox = Sandbox::git().with(".gitignore", "target/\n*.log\n");
    let script =
        "mkdir -p target/deep; echo x > target/deep/a; echo x > target/b; echo x > run.log; echo real > real.txt";
    let report = run(&sandbox, script, &[]).completed();
    assert_eq!(changes(&report), ["added real.txt"]);
    assert!(!sandbox.exists("target") && !sandbox.exists("run.log"));
    let notes = report["coder"]["execution"]["notes"].to_string();
    assert!(
        notes.contains("2 files and folders were left out, since ignore files name them"),
        "{notes}"
    );
}

#[test]
fn nothing_but_ignored_files_is_nothing() {
    let sandbox = Sandbox::git().with(".gitignore", "*.log\n");
    let report = run(&sandbox, "echo x > run.log", &[]).ended(4, "internal_error", Some("no_file_operations"));
    let notes = report["coder"]["execution"]["notes"].to_string();
    assert!(
        notes.contains("`run.log` was left out: ignore files name it"),
        "{notes}"
    );
}

#[test]
fn an_ignored_file_that_git_tracks_is_work() {
    let sandbox = Sandbox::new().with("kept.log", "one\n").committed();
    sandbox.put(".gitignore", "*.log\n");
    sandbox.git_command(&["add", "--force", ".gitignore", "kept.log"]);
    let report = run(&sandbox, "echo two >> kept.log; echo x > other.log", &[]).completed();
    assert_eq!(changes(&report), ["modified kept.log"]);
    assert_eq!(sandbox.read("kept.log"), "one\ntwo\n");
}

#[test]
fn ignore_files_that_it_writes_hide_nothing_that_was_tracked() {
    let sandbox = Sandbox::git();
    let script = "echo '*' > .gitignore; echo x > a.txt; echo more >> docs/guide.md";
    let report = run(&sandbox, script, &[]).completed();
    let changes = changes(&report);
    assert!(changes.contains(&"modified docs/guide.md".to_owned()), "{changes:?}");
    // Whether `a.txt` counts is decided by the rules that stood before it worked.
    assert!(changes.contains(&"added a.txt".to_owned()), "{changes:?}");
    assert_eq!(report["coder"]["error"], json!(null));
}
