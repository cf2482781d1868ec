//! `--commit`: exactly what was applied, known to be possible before the run, and nothing of git's own doing.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::Sandbox;

const PATCH: &str = "Greet the world\n\n--- a/src/main.py\n+++ b/src/main.py\n@@ -1,2 +1,2 @@\n def main():\n-    print(\"hello\")\n+    print(\"hello, world\")\n";

/// A repository, and a user who has a name.
fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    let config = "[user]\n\tname = Ada\n\temail = ada@example.invalid\n";
    std::fs::write(sandbox.path().join("home/.gitconfig"), config).unwrap();
    sandbox
}

#[test]
fn the_commit_is_the_change_and_what_else_is_dirty_or_staged_stays_so() {
    let sandbox = repository();
    sandbox.put("docs/guide.md", "edited, not staged\n");
    sandbox.put("staged.txt", "staged, not committed\n");
    sandbox.git_command(&["add", "staged.txt"]);
    let before = sandbox.git_command(&["status", "--porcelain=v2"]);
    let staged = sandbox.git_command(&["ls-files", "--stage", "staged.txt"]);

    let report = sandbox.run(&[PATCH, "--commit"]).completed();

    let id = report["commit"]["id"].as_str().unwrap();
    assert_eq!(sandbox.git_command(&["rev-parse", "HEAD"]).trim(), id);
    assert_eq!(report["commit"]["branch"], "main");
    let shown = sandbox.git_command(&["show", "--format=%an <%ae>%n%s%n%b", "--name-status", "HEAD"]);
    assert!(
        shown.starts_with("Ada <ada@example.invalid>\nGreet the world\n"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("Snodo-Run: {}", report["run_id"].as_str().unwrap())),
        "{shown}"
    );
    assert!(
        shown.trim_end().ends_with("M\tsrc/main.py"),
        "one file, and no other: {shown}"
    );
    assert_eq!(sandbox.git_command(&["status", "--porcelain=v2"]), before);
    assert_eq!(sandbox.git_command(&["ls-files", "--stage", "staged.txt"]), staged);
    sandbox.git_command(&["fsck", "--strict"]);
}

#[test]
fn no_hook_of_the_repository_is_run() {
    let sandbox = repository();
    let marker = sandbox.path().join("hook-was-here");
    for hook in ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"] {
        let file = sandbox.workspace().join(".git/hooks").join(hook);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\ntouch '{}'\n", marker.display())).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.run(&[PATCH, "--commit"]).completed();
    assert!(!marker.exists());
    // The control: git itself runs them.
    sandbox.git_command(&["commit", "--quiet", "--allow-empty", "--message=by git"]);
    assert!(marker.exists());
}

#[test]
fn what_cannot_be_committed_is_known_before_the_run() {
    let nowhere = Sandbox::new();
    let why = nowhere.run(&[PATCH, "--commit"]).refused();
    assert!(why.contains("is in no git repository"), "{why}");

    let nameless = Sandbox::git();
    let why = nameless.run(&[PATCH, "--commit"]).refused();
    assert!(why.contains("user.name"), "{why}");
    assert_eq!(
        nameless.read("src/main.py"),
        "def main():\n    print(\"hello\")\n\n\nmain()\n"
    );
}

#[test]
fn a_file_that_was_edited_before_the_run_is_not_committed_along_and_nothing_is_applied() {
    let sandbox = repository();
    sandbox.put(
        "src/main.py",
        "def main():\n    print(\"hello\")\n\n\nmain()  # an edit of the user's own\n",
    );
    let head = sandbox.git_command(&["rev-parse", "HEAD"]);
    let report = sandbox
        .run(&[PATCH, "--commit"])
        .ended(4, "environment_error", Some("environment_error"));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("cannot be committed, and was not applied") && reason.contains("src/main.py"),
        "{reason}"
    );
    assert_eq!(sandbox.git_command(&["rev-parse", "HEAD"]), head);
    // The control: without the commit it is applied.
    sandbox.run(&[PATCH]).completed();
}

#[test]
fn a_dry_run_commits_nothing() {
    let sandbox = repository();
    let head = sandbox.git_command(&["rev-parse", "HEAD"]);
    let refused = sandbox.call(&["run", PATCH, "--commit", "--dry-run"]);
    assert_eq!(refused.code, 64, "{refused:#?}");
    let report = sandbox.run(&[PATCH, "--dry-run"]).completed();
    assert!(report["commit"].is_null());
    assert_eq!(sandbox.git_command(&["rev-parse", "HEAD"]), head);
}

#[test]
fn a_repository_that_is_locked_meanwhile_is_noticed_before_the_apply() {
    let sandbox = repository();
    // Somebody else takes the lock of the index while the run goes on: here a test command that nothing contains.
    let lock = sandbox.workspace().join(".git/index.lock");
    let command = format!("touch '{}'", lock.display());
    let report = sandbox
        .run_beside_somebody_else(&[PATCH, "--commit", "--sandbox", "off", "--test-command", &command])
        .ended(4, "environment_error", Some("environment_error"));
    // Locked before the apply: it is asked once more then, and nothing is applied.
    assert_eq!(report["applied"], false);
    assert!(report["reason"].as_str().unwrap().contains("index.lock"), "{report}");
}
