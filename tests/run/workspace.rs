//! What happens to a workspace, and what does not.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::support::finished::changes;
use crate::support::script::{answers, steps, write};
use crate::support::{Sandbox, guest};

#[test]
fn a_workspace_without_git_works_just_as_well() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    sandbox.run(&["anything", "--mock"]).completed();
    assert_eq!(
        before.differences(&sandbox.tree()),
        ["src/hello.py", "tests", "tests/test_hello.py"],
        "no folder of ours"
    );
}

#[test]
fn an_empty_workspace_works_too() {
    let sandbox = Sandbox::empty();
    sandbox.run(&["anything", "--mock"]).completed();
    assert!(sandbox.exists("src/hello.py"));
}

#[test]
fn no_run_makes_a_folder_of_the_hosts_in_somebodys_repository() {
    let sandbox = Sandbox::git();
    sandbox
        .run(&["anything", "--mock", "--test-command", "true"])
        .completed();
    sandbox
        .run(&["no patch"])
        .ended(4, "environment_error", Some("execution_error"));
    assert!(!sandbox.exists(".snodo"));
    assert_eq!(
        sandbox.git_command(&["status", "--porcelain"]),
        "?? src/hello.py\n?? tests/\n"
    );
}

#[test]
fn a_workspace_with_snodos_folder_gets_a_copy_of_the_report_for_reading() {
    let sandbox = Sandbox::new().with(".snodo/notes.txt", "mine\n");
    let report = sandbox.run(&["anything", "--mock"]).completed();
    let copy = sandbox.read(&format!(
        ".snodo/runs/{}/report.json",
        report["run_id"].as_str().unwrap()
    ));
    assert_eq!(serde_json::from_str::<Value>(&copy).unwrap(), report);
    assert_eq!(sandbox.read(".snodo/notes.txt"), "mine\n");
    assert!(
        report["report_path"]
            .as_str()
            .unwrap()
            .starts_with(sandbox.state().to_str().unwrap()),
        "the one that counts is the user's"
    );
}

#[test]
fn ignored_and_untracked_files_are_left_alone() {
    let sandbox = Sandbox::git()
        .with(".gitignore", "build/\n*.log\n")
        .with("build/out.bin", [0, 1, 2])
        .with("debug.log", "noise\n")
        .with("untracked.txt", "mine\n");
    let before = sandbox.tree();
    sandbox
        .run(&["anything", "--mock", "--test-command", "true"])
        .completed();
    assert_eq!(
        before.differences(&sandbox.tree()),
        ["src/hello.py", "tests", "tests/test_hello.py"]
    );
}

#[test]
fn git_is_left_alone_nothing_is_staged_and_nothing_committed() {
    let sandbox = Sandbox::git();
    let head = sandbox.git_command(&["rev-parse", "HEAD"]);
    let before = sandbox.tree();
    sandbox.run(&["anything", "--mock"]).completed();
    let changed: Vec<String> = before
        .differences(&sandbox.tree())
        .into_iter()
        .filter(|path| path.starts_with(".git"))
        .collect();
    assert_eq!(changed, [] as [&str; 0]);
    assert_eq!(sandbox.git_command(&["rev-parse", "HEAD"]), head);
}

#[test]
fn the_workspace_is_the_folder_that_is_named_or_the_current_one() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let report = sandbox
        .run(&["anything", "--mock", "--workspace", "../elsewhere"])
        .completed();
    assert!(elsewhere.join("src/hello.py").exists() && !sandbox.exists("src/hello.py"));
    assert_eq!(report["workspace"]["given"], "../elsewhere");
    assert_eq!(
        report["workspace"]["root"],
        elsewhere.canonicalize().unwrap().to_str().unwrap()
    );
}

#[test]
fn modes_and_everything_that_is_not_named_stay_as_they_are() {
    let sandbox = Sandbox::new().with("run.sh", "#!/bin/sh\necho 1\n");
    let script = sandbox.workspace().join("run.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("run.sh", sandbox.workspace().join("link")).unwrap();
    let before = sandbox.tree();
    let task = steps(json!([write("run.sh", "#!/bin/sh\necho 2\n")]));
    sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
    assert_eq!(before.differences(&sandbox.tree()), ["run.sh"]);
    assert_eq!(sandbox.mode("run.sh"), 0o750);
}

#[test]
fn a_file_that_was_changed_by_somebody_else_meanwhile_is_not_overwritten() {
    let sandbox = Sandbox::new();
    // The test command stands for somebody with an editor: it runs after the coder and before the apply; uncontained, or it would not reach
    // the workspace.
    let other = sandbox.workspace().join("docs/guide.md");
    let command = format!("echo mine > {} && true", other.display());
    let task = steps(json!([write("docs/guide.md", "theirs\n"), write("a.txt", "a\n")]));
    let report = sandbox
        .run_beside_somebody_else(&[
            &task,
            "--coder",
            &guest("guest_probe"),
            "--sandbox",
            "off",
            "--test-command",
            &command,
        ])
        .ended(4, "environment_error", Some("stale"));
    assert!(
        report["reason"].as_str().unwrap().contains("docs/guide.md"),
        "{report:#}"
    );
    assert_eq!(sandbox.read("docs/guide.md"), "mine\n");
    assert!(!sandbox.exists("a.txt"), "half a change was applied");
    assert_eq!(report["applied"], false);
}

#[test]
fn a_refused_submission_is_the_coders_to_handle_and_the_run_goes_on() {
    let sandbox = Sandbox::git();
    symlink("/etc/passwd", sandbox.workspace().join("link")).unwrap();
    let submit = |operation: Value| json!({ "do": "submit-files", "operations": [operation] });
    let task = steps(json!([
        submit(json!({ "write": "../escape.txt", "text": "x" })),
        submit(json!({ "write": "/etc/escape.txt", "text": "x" })),
        submit(json!({ "write": ".git/config", "text": "x" })),
        submit(json!({ "write": ".snodo/protocol.yml", "text": "x" })),
        submit(json!({ "write": "link", "text": "x" })),
        submit(json!({ "delete": "missing.txt" })),
        submit(json!({ "write": "README.md/below", "text": "x" })),
        { "do": "read-file", "path": "link" },
        { "do": "read-file", "path": ".git/config" },
        write("fine.txt", "fine\n"),
    ]));
    let report = sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
    let kinds: Vec<String> = answers(&report)
        .iter()
        .map(|a| a["error"]["kind"].as_str().unwrap_or("ok").to_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "bad-path",
            "bad-path",
            "refused",
            "refused",
            "symlink",
            "not-found",
            "conflict",
            "symlink",
            "refused",
            "ok"
        ]
    );
    assert_eq!(changes(&report), ["added fine.txt"]);
    assert!(!sandbox.path().join("escape.txt").exists());
}

#[test]
fn a_file_that_is_moved_and_then_written_is_one_change_with_its_lines_counted() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "submit-files", "operations": [{ "rename": "docs/guide.md", "to": "docs/manual.md" }] },
        write("docs/manual.md", "one\ntwo\nthree\nfour\n5\n"),
    ]));
    let report = sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
    assert_eq!(changes(&report), ["renamed docs/manual.md"]);
    let change = &report["changes"][0];
    assert_eq!(
        (&change["old_path"], &change["added"], &change["deleted"]),
        (&json!("docs/guide.md"), &json!(1), &json!(1))
    );
    assert!(!sandbox.exists("docs/guide.md"));
}

#[test]
fn the_user_can_let_plugins_read_ignored_files() {
    let sandbox = Sandbox::git()
        .with(".gitignore", "*.log\n.env\n")
        .with("build.log", "a line\n")
        .with(".env", "KEY=1\n");
    let task = steps(json!([{ "do": "read-file", "path": "build.log" }, { "do": "read-file", "path": ".env" }]));
    let probe = guest("guest_probe");
    let read = |more: &[&str]| -> Vec<Value> {
        let mut arguments = vec![task.as_str(), "--coder", probe.as_str(), "--expect", "findings"];
        arguments.extend(more);
        answers(&sandbox.run(&arguments).completed())
    };
    let kinds = |answers: &[Value]| -> Vec<Value> { answers.iter().map(|a| a["error"]["kind"].clone()).collect() };
    assert_eq!(kinds(&read(&[])), ["refused", "refused"]);
    let allowed = read(&["--read-ignored", "*.log"]);
    assert_eq!(allowed[0]["ok"]["content"]["text"], "a line\n");
    assert_eq!(allowed[1]["error"]["kind"], "refused");
}

#[test]
fn a_submission_is_taken_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "submit-files", "operations": [{ "write": "a.txt", "text": "a" }, { "write": "../b.txt", "text": "b" }] },
        write("c.txt", "c\n"),
    ]));
    let report = sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
    assert_eq!(answers(&report)[0]["error"]["index"], 1);
    assert_eq!(changes(&report), ["added c.txt"]);
}

#[test]
fn a_coder_reads_and_searches_the_base_with_its_own_pending_change_on_top() {
    let sandbox = Sandbox::git()
        .with(".gitignore", "ignored.txt\n")
        .with("ignored.txt", "hidden needle\n");
    let task = steps(json!([
        write("docs/guide.md", "needle\n"),
        { "do": "read-lines", "path": "docs/guide.md", "first": 1, "last": 1 },
        { "do": "search-text", "pattern": "needle" },
        { "do": "search-symbol", "name": "main" },
        { "do": "list-files", "under": "", "depth": 1 },
        { "do": "read-file", "path": "ignored.txt" },
        { "do": "read-files", "paths": ["README.md", "missing.txt"] },
    ]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--dry-run"])
        .completed();
    let seen = answers(&report);
    assert_eq!(seen[1]["ok"]["content"]["text"], "needle\n");
    let found: Vec<&Value> = seen[2]["ok"]["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["path"])
        .collect();
    assert_eq!(found, ["docs/guide.md"]);
    assert_eq!(
        (
            &seen[3]["ok"]["symbols"][0]["path"],
            &seen[3]["ok"]["symbols"][0]["language"]
        ),
        (&json!("src/main.py"), &json!("Python"))
    );
    let names: Vec<&Value> = seen[4]["ok"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["path"])
        .collect();
    assert_eq!(names, ["README.md", "docs", "src"]);
    assert_eq!(seen[5]["error"]["kind"], "refused", "{:#}", seen[5]);
    assert_eq!(seen[6]["ok"][0]["outcome"]["ok"]["path"], "README.md");
    assert_eq!(seen[6]["ok"][1]["outcome"]["error"]["kind"], "not-found");
}
