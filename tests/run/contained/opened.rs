//! What the user opens for the tests, and what cannot be opened.

use serde_json::{Value, json};

use super::{execution, test};
use crate::support::Sandbox;
use crate::support::machine::Without;

/// On this machine and on one without namespaces.
fn both_ways(sandbox: &Sandbox, command: &str) -> Vec<Value> {
    let mut reports = vec![test(sandbox, command, &[]).completed()];
    if sandbox.contains_in("plain", Some(Without::Namespaces)) {
        let before = sandbox.tree();
        let mut call = sandbox.command(&[
            "run",
            "--json",
            "anything",
            "--mock",
            "--dry-run",
            "--test-command",
            command,
        ]);
        Without::Namespaces.apply(&mut call);
        let finished = crate::support::Finished::of(&call.output().unwrap());
        finished.check_against_the_schema();
        reports.push(finished.completed());
        let touched = before.differences(&sandbox.tree());
        assert!(touched.iter().all(|path| path.starts_with("target")), "{touched:?}");
        sandbox.assert_nothing_is_left();
    }
    reports
}

#[test]
fn a_folder_of_the_workspace_stays_warm() {
    let sandbox = Sandbox::new()
        .with(".gitignore", "target/\n")
        .with("target/deep/warm", "built before\n")
        .committed()
        .host_toml("[sandbox]\nwrite = [\"target\"]\n");
    // The control: without the setting it is a scratch's.
    let command = "cat target/deep/warm && echo again >> target/deep/warm && echo x > beside.txt";
    let arguments = [
        "run",
        "--json",
        "anything",
        "--mock",
        "--dry-run",
        "--test-command",
        command,
    ];
    let mut call = sandbox.command(&arguments);
    call.env("XDG_CONFIG_HOME", sandbox.path().join("no-config"));
    crate::support::Finished::of(&call.output().unwrap()).completed();
    assert_eq!(sandbox.read("target/deep/warm"), "built before\n");

    // `Sandbox::run` holds that nothing is touched; this is what the user opened.
    let mut times = 0;
    for without in [None, Some(Without::Namespaces)] {
        if without.is_some() && !sandbox.contains_in("plain", without) {
            continue;
        }
        times += 1;
        let mut call = sandbox.command(&arguments);
        if let Some(without) = without {
            without.apply(&mut call);
        }
        let report = crate::support::Finished::of(&call.output().unwrap()).completed();
        let execution = execution(&report);
        assert_eq!(execution["opened"], json!(["write target"]));
        assert_eq!(
            sandbox.read("target/deep/warm"),
            format!("built before\n{}", "again\n".repeat(times))
        );
        assert!(!sandbox.exists("beside.txt"));
        let written = execution["written"].to_string();
        assert!(written.contains("beside.txt") && !written.contains("warm"), "{written}");
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn the_repository_can_be_shown_and_not_be_written() {
    let sandbox = Sandbox::git().host_toml("[sandbox]\ngit = true\n");
    sandbox.git_command(&["tag", "v1.2.3"]);
    let command = "git describe --tags && git log --format=%s && git status --short && \
                   ! echo x > .git/planted && ! git commit --quiet --allow-empty -m x 2>/dev/null && ! git tag v2 2>/dev/null";
    for report in both_ways(&sandbox, command) {
        let execution = execution(&report);
        let seen = execution["output_tail"].as_str().unwrap();
        assert!(seen.starts_with("v1.2.3\nstart\n"), "{report:#}");
        assert_eq!(execution["opened"], json!(["read .git"]));
    }
    assert!(!sandbox.exists(".git/planted"));
    assert_eq!(sandbox.git_command(&["tag"]), "v1.2.3\n");

    // Closed, it is not there.
    let closed = Sandbox::git();
    test(&closed, "! test -e .git && ! git log 2>/dev/null", &[]).completed();
}

#[test]
fn more_files_can_be_read_and_none_of_them_written() {
    let sandbox = Sandbox::git();
    let data = sandbox.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("file"), "fixture\n").unwrap();
    let sandbox = sandbox.host_toml(&format!("[sandbox]\nread = [{}]\n", json!(data)));
    let command = format!(
        "cat {0}/file && ! echo x > {0}/file && ! echo x > {0}/new",
        data.display()
    );
    for report in both_ways(&sandbox, &command) {
        assert!(
            execution(&report)["output_tail"]
                .as_str()
                .unwrap()
                .starts_with("fixture\n"),
            "{report:#}"
        );
        assert_eq!(
            execution(&report)["opened"],
            json!([format!("read {}", data.display())])
        );
    }
    assert_eq!(std::fs::read_to_string(data.join("file")).unwrap(), "fixture\n");
}

#[test]
fn a_cache_of_the_users_can_be_written() {
    let sandbox = Sandbox::git();
    let cache = sandbox.path().join("cache-of-mine");
    std::fs::create_dir(&cache).unwrap();
    let sandbox = sandbox.host_toml(&format!("[sandbox]\nwrite = [{}]\n", json!(cache)));
    let command = format!("echo x >> {}/made", cache.display());
    let reports = both_ways(&sandbox, &command);
    let made = std::fs::read_to_string(cache.join("made")).unwrap();
    assert_eq!(made, "x\n".repeat(reports.len()));
}

#[test]
fn what_would_act_outside_later_is_never_opened() {
    let sandbox = Sandbox::git().with("deep/.git/config", "").with("fine/x", "");
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, sandbox.workspace().join(name)).unwrap();
    link(".git", "into-git");
    link("deep/.git", "into-deep");
    link(".", "into-itself");
    link("..", "above");
    link("../state", "into-state");
    let outside = sandbox.path().join("link");
    std::os::unix::fs::symlink(sandbox.workspace().join(".git/hooks"), &outside).unwrap();
    let path = |below: &str| sandbox.path().join(below).display().to_string();
    for (write, words) in [
        (path("state/snodo-host"), "the host's own state folder is there"),
        (path("state/snodo-host/scratch"), "the host's own state folder is there"),
        (path("state"), "the host's own state folder is there"),
        (
            path("config/snodo-host"),
            "the host's own configuration folder is there",
        ),
        (path(""), "folder is there"),
        (path("workspace"), "the whole workspace is there"),
        (path("link"), "`.git`"),
        (path("workspace/.git"), ".git"),
        ("/".to_owned(), "`/`"),
        ("~/".to_owned(), "home"),
        (".git".to_owned(), ".git"),
        (".GIT/hooks".to_owned(), ".GIT"),
        (".snodo".to_owned(), ".snodo"),
        ("..".to_owned(), ".."),
        ("fine/../..".to_owned(), ".."),
        (".".to_owned(), "."),
        ("into-git".to_owned(), "`.git`"),
        ("into-git/hooks".to_owned(), "`.git`"),
        ("into-deep".to_owned(), "`.git`"),
        ("into-itself".to_owned(), "the whole workspace is there"),
        ("above".to_owned(), "is there"),
        ("into-state".to_owned(), "the host's own state folder is there"),
    ] {
        std::fs::write(
            sandbox.path().join("config/snodo-host/host.toml"),
            format!("[sandbox]\nwrite = [{}]\n", json!(write)),
        )
        .unwrap();
        let finished = sandbox.run(&["anything", "--mock", "--test-command", "true"]);
        assert_eq!(finished.code, 64, "`{write}` was opened: {finished:#?}");
        let why = finished.refused();
        assert!(
            why.contains(words) && why.contains("host.toml"),
            "{write}: no `{words}` in {why}"
        );
    }
    // What the host keeps to itself is not opened for reading either.
    let secret = path("state/snodo-host");
    let sandbox = sandbox.host_toml(&format!("[sandbox]\nread = [{}]\n", json!(secret)));
    let why = sandbox.run(&["anything", "--mock", "--test-command", "true"]).refused();
    assert!(why.contains("the host's own state folder is there"), "{why}");
}
