//! What a coder that is a program does to files, and what becomes of it.

use serde_json::{Value, json};

use super::run;
use crate::support::finished::{changes, said};
use crate::support::{Sandbox, machine};

#[test]
fn what_it_writes_is_proposed_judged_and_applied() {
    let sandbox = Sandbox::git();
    let script =
        "echo new > new.txt; mkdir -p deep/er; echo more > deep/er/file.txt; echo five >> docs/guide.md; echo done";
    let report = run(&sandbox, script, &[]).completed();
    assert_eq!(
        changes(&report),
        ["added deep/er/file.txt", "modified docs/guide.md", "added new.txt"]
    );
    assert_eq!(said(&report, "post_execute", "secrets")["severity"], "pass");
    assert_eq!(sandbox.read("new.txt"), "new\n");
    assert!(sandbox.read("docs/guide.md").ends_with("five\nfive\n"));
    let coder = &report["coder"];
    assert_eq!(
        (&coder["name"], &coder["delivery"], &coder["observes_tests"]),
        (&json!("mine"), &json!("edits-scratch"), &json!(false))
    );
    let execution = &coder["execution"];
    assert_eq!(execution["exit"], json!({ "code": 0 }));
    assert_eq!(execution["output_tail"], "done\n");
    assert_eq!(execution["by"], "mine");
    assert!(!execution["sandbox"].as_array().unwrap().is_empty(), "{execution:#}");
    assert_eq!(report["runner"], json!([]), "it is no run of the tests");
    // The repository in which it worked was its own: nothing is staged or committed in the real one.
    assert_eq!(sandbox.git_command(&["log", "--format=%s"]), "start\n");
    assert_eq!(sandbox.git_command(&["diff", "--cached", "--name-only"]), "");
}

#[test]
fn what_it_commits_counts_as_much_as_what_it_does_not() {
    let sandbox = Sandbox::git();
    let script = "\
        set -e\n\
        test \"$(git log --format=%s)\" = base\n\
        test -z \"$(git status --porcelain)\"\n\
        echo one > committed.txt; git add --all; git commit --quiet -m one\n\
        git switch --quiet -c side; git rm --quiet docs/guide.md; git commit --quiet -m two\n\
        echo two > staged.txt; git add staged.txt\n\
        echo three > loose.txt\n";
    let report = run(&sandbox, script, &[]).completed();
    assert_eq!(
        changes(&report),
        [
            "added committed.txt",
            "deleted docs/guide.md",
            "added loose.txt",
            "added staged.txt"
        ]
    );
    assert_eq!(sandbox.git_command(&["branch", "--format=%(refname:short)"]), "main\n");
    assert_eq!(sandbox.git_command(&["log", "--format=%s"]), "start\n");
    let written = report["coder"]["execution"]["written"].to_string();
    assert!(!written.contains(".git"), "its repository is its own affair: {written}");
}

#[test]
fn it_deletes_renames_and_makes_executable() {
    let sandbox = Sandbox::git().with("run.sh", "#!/bin/sh\n").with("old/a.txt", "a\n");
    let script = "rm docs/guide.md; mv README.md READ.md; chmod +x run.sh; mv old new";
    let report = run(&sandbox, script, &[]).completed();
    let changes = changes(&report);
    for change in ["deleted docs/guide.md", "mode-changed run.sh"] {
        assert!(changes.contains(&change.to_owned()), "no `{change}` in {changes:?}");
    }
    assert!(!sandbox.exists("docs/guide.md") && !sandbox.exists("README.md") && !sandbox.exists("old/a.txt"));
    assert!(sandbox.read("READ.md").starts_with("# A project"));
    assert_eq!(sandbox.read("new/a.txt"), "a\n");
    assert_eq!(sandbox.mode("run.sh") & 0o111, 0o111);
}

#[test]
fn what_it_leaves_out_of_a_folder_that_is_no_repository_counts_too() {
    let sandbox = Sandbox::new();
    let report = run(&sandbox, "echo x > a.txt; rm docs/guide.md", &[]).completed();
    assert_eq!(changes(&report), ["added a.txt", "deleted docs/guide.md"]);
    assert!(!sandbox.exists(".git"), "its repository reached the workspace");
}

#[test]
fn a_coder_that_does_nothing_has_produced_nothing_whatever_it_says() {
    for script in [
        "exit 0",
        "echo 'done: 3 files changed, all tests pass'",
        "echo work > w.txt; rm w.txt; echo done",
        // Equal bytes, under another time.
        "cp README.md r; cat r > README.md; rm r; touch docs/guide.md; echo done",
        "git commit --quiet --allow-empty -m 'all done'; echo done",
        "mkdir empty; echo done",
        // A mode that no change knows.
        "chmod 600 README.md; echo done",
    ] {
        let sandbox = Sandbox::git();
        let report = run(&sandbox, script, &[]).ended(4, "internal_error", Some("no_file_operations"));
        assert_eq!(report["coder"]["execution"]["exit"], json!({ "code": 0 }), "{script}");
        assert!(
            report["reason"]
                .as_str()
                .unwrap()
                .contains("the coder `mine` produced nothing"),
            "{report:#}"
        );
    }
}

#[test]
fn an_answer_in_words_is_what_it_prints() {
    let sandbox = Sandbox::git();
    let report = run(
        &sandbox,
        "echo '  the answer is 42'; echo aside >&2",
        &["--expect", "findings"],
    )
    .completed();
    let findings = &report["coder"]["findings"];
    assert_eq!(
        findings,
        &json!([{ "title": "what `mine` answered", "detail": "the answer is 42", "path": null, "line": null }])
    );
    assert_eq!(report["applied"], false);

    let report = run(&sandbox, "echo aside >&2", &["--expect", "findings"]);
    report.ended(4, "internal_error", Some("no_file_operations"));
}

#[test]
fn the_same_gates_judge_it() {
    let sandbox = Sandbox::git();
    // Put together here, so that no scanner takes this file for a leak.
    let script = format!("echo 'key = \"{}{}\"' > config.py", "AKIA", "Z7Q2M4X9K1P8R5T3");
    let report = run(&sandbox, &script, &[]).ended(1, "blocker", Some("blocked"));
    assert_eq!(said(&report, "post_execute", "secrets")["severity"], "blocker");
    assert!(!sandbox.exists("config.py"));

    let report = run(
        &sandbox,
        "echo x > elsewhere.txt",
        &["--validator", "scope", "--set", "scope.paths=src"],
    );
    report.ended(1, "blocker", Some("blocked"));

    // The declared tests run on what it made.
    let script = "echo world > src/hello.py";
    let tests = ["--test-command", "grep -q world src/hello.py"];
    let report = run(&sandbox, script, &tests).completed();
    assert_eq!(report["runner"][0]["by"], "quality");
    let report = run(&Sandbox::git(), "echo hello > src/hello.py", &tests);
    report.ended(1, "blocker", Some("blocked"));
}

#[test]
fn in_a_dry_run_nothing_is_applied() {
    let sandbox = Sandbox::git();
    let report = run(&sandbox, "echo new > new.txt", &["--dry-run"]).completed();
    assert_eq!(changes(&report), ["added new.txt"]);
    assert!(!sandbox.exists("new.txt"));
}

#[test]
fn a_change_of_more_files_than_one_call_takes() {
    if !machine::has_program("split") {
        return;
    }
    let sandbox = Sandbox::git();
    let script = "mkdir many && cd many && seq 10050 | split -l 1 -a 3 - f";
    let report = run(&sandbox, script, &[]).completed();
    assert_eq!(report["changes"].as_array().unwrap().len(), 10_050);
    assert_eq!(
        std::fs::read_dir(sandbox.workspace().join("many")).unwrap().count(),
        10_050
    );
    assert_eq!(report["coder"]["error"], Value::Null);
}

#[test]
fn on_a_machine_without_namespaces_it_works_on_a_copy() {
    use crate::support::machine::Without;
    let sandbox = Sandbox::git().with(".gitignore", "target/\n");
    if !sandbox.contains_in("plain", Some(Without::Namespaces)) {
        return;
    }
    let script = "set -e; echo new > new.txt; git add --all; git commit --quiet -m mine; rm docs/guide.md; chmod +x README.md; test -w README.md; \
                  mkdir target; echo x > target/built";
    let program = super::program(&sandbox, script);
    let finished = sandbox.run_without(Without::Namespaces, &["do it", "--external", &program]);
    sandbox.assert_nothing_is_left();
    let report = finished.completed();
    assert_eq!(
        changes(&report),
        ["mode-changed README.md", "deleted docs/guide.md", "added new.txt"]
    );
    let execution = &report["coder"]["execution"];
    assert!(
        execution["notes"].to_string().contains("a copy in another folder"),
        "{execution:#}"
    );
    assert!(execution["sandbox"].to_string().contains("landlock"), "{execution:#}");
    assert!(sandbox.exists("new.txt") && !sandbox.exists("target"));
}
