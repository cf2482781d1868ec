//! What a coder that is a program must not touch: each path by name, and nothing of its work is taken.

use std::net::TcpListener;
use std::process::Command;

use serde_json::json;

use super::run;
use crate::support::protocol::simple;
use crate::support::{Sandbox, guest, machine};

/// The script touches this path, which ends the run; what else it wrote is not taken.
#[track_caller]
fn refused(sandbox: &Sandbox, touch: &str, path: &str, rule: &str, arguments: &[&str]) {
    let script = format!("echo fine > fine.txt\n{touch}\necho done\n");
    let report = run(sandbox, &script, arguments).ended(1, "blocker", Some("blocked"));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the coder `mine` failed: changed what no coder may change: "),
        "{touch}: {reason}"
    );
    assert!(
        reason.contains(&format!("`{path}` (")) && reason.contains(rule),
        "{touch}: {reason}"
    );
    assert_eq!((&report["changes"], &report["applied"]), (&json!([]), &json!(false)));
    assert!(!sandbox.exists("fine.txt"));
    assert_eq!(report["coder"]["cut_short"], false);
    // By a plain process the same is done.
    let plain = Command::new("sh")
        .args(["-ec", touch])
        .current_dir(sandbox.workspace())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(plain.unwrap().success(), "the control: {touch}");
}

#[test]
fn the_hosts_own_folder() {
    for (touch, path) in [
        ("mkdir -p .snodo && echo x > .snodo/protocol.yml", ".snodo"),
        ("mkdir -p .SNODO && echo x > .SNODO/protocol.yml", ".SNODO"),
        ("echo x > .snodo", ".snodo"),
    ] {
        refused(&Sandbox::git(), touch, path, "", &[]);
    }
    let sandbox = Sandbox::git().with(".snodo/protocol.yml", simple(""));
    let judge = guest("guest_judge");
    let touch = "mkdir -p .snodo && echo x > .snodo/protocol.yml";
    refused(&sandbox, touch, ".snodo", "", &["--validator", &judge]);
}

#[test]
fn repositories_within() {
    for (touch, path) in [
        ("mkdir -p sub/.git && echo x > sub/.git/config", "sub/.git"),
        ("git init --quiet docs", "docs/.git"),
        ("echo 'gitdir: /tmp/elsewhere' > src/.git", "src/.git"),
        ("mkdir -p sub/.GIT && echo x > sub/.GIT/config", "sub/.GIT"),
    ] {
        refused(&Sandbox::git(), touch, path, "", &[]);
    }
}

#[test]
fn what_the_protocol_protects() {
    let judge = guest("guest_judge");
    for (touch, path) in [
        ("echo x > docs/guide.md", "docs/guide.md"),
        ("echo x > docs/new.md", "docs/new.md"),
        ("rm docs/guide.md", "docs/guide.md"),
        ("mv docs/guide.md guide.md", "docs/guide.md"),
        ("chmod +x docs/guide.md", "docs/guide.md"),
        ("rm -r docs", "docs/guide.md"),
    ] {
        let protocol = simple("protected_paths: [docs]\n");
        let sandbox = Sandbox::git().with(".snodo/protocol.yml", protocol);
        refused(&sandbox, touch, path, "", &["--validator", &judge]);
    }
}

#[test]
fn links_and_what_is_no_file() {
    for (touch, path, rule) in [
        (
            "ln -s /etc/passwd link",
            "link",
            "a symbolic link cannot be made or changed, only deleted",
        ),
        ("ln -s ../../out/secret link", "link", "a symbolic link"),
        (
            "rm README.md && ln -s /etc/passwd README.md",
            "README.md",
            "a symbolic link",
        ),
        ("rm -r docs && ln -s src docs", "docs", "a symbolic link"),
        ("mkfifo pipe", "pipe", "is no part of a change"),
        ("rm README.md && mkfifo README.md", "README.md", ""),
        (
            "rm README.md && mkdir README.md && echo x > README.md/a",
            "README.md",
            "cannot take the place of",
        ),
    ] {
        refused(&Sandbox::git(), touch, path, rule, &[]);
    }
}

#[test]
fn every_path_is_named() {
    let sandbox = Sandbox::git();
    let script =
        "mkdir .snodo sub sub/.git; echo x > .snodo/a; echo x > sub/.git/b; mkfifo pipe; ln -s /etc/passwd out; exit 3";
    let report = run(&sandbox, script, &[]).ended(1, "blocker", Some("blocked"));
    let reason = report["reason"].as_str().unwrap();
    for path in ["`.snodo` (", "`sub/.git` (", "`pipe` (", "`out` ("] {
        assert!(reason.contains(path), "no {path} in {reason}");
    }
    assert_eq!(
        report["coder"]["execution"]["exit"],
        json!({ "code": 3 }),
        "what it was not to touch is named before how it ended"
    );
    let attempts = report["coder"]["execution"]["written"].as_array().unwrap();
    let marked = |path: &str| attempts.iter().any(|w| w["path"] == path && w["attempt"].is_string());
    assert!(marked(".snodo") || marked(".snodo/a"), "{attempts:#?}");
}

#[test]
fn what_it_was_not_shown() {
    for (touch, path) in [
        ("echo 'TOKEN=mine' > .env", ".env"),
        ("mkdir -p sub && echo x > sub/.env", "sub/.env"),
        ("echo x > server.key", "server.key"),
    ] {
        let sandbox = Sandbox::git()
            .with(".gitignore", ".env\n*.key\n")
            .with(".env", "TOKEN=1\n")
            .with("sub/.env", "TOKEN=2\n")
            .with("server.key", "key\n");
        refused(&sandbox, touch, path, "", &[]);
    }
}

#[test]
fn too_large_a_file_is_named() {
    let sandbox = Sandbox::git();
    let touch = "head -c 20000000 /dev/zero > large.bin";
    refused(&sandbox, touch, "large.bin", "", &[]);
}

#[test]
fn nothing_outside_is_reached() {
    let sandbox = Sandbox::git().with(".env", "TOKEN=in-the-workspace-7c1d\n");
    let out = sandbox.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("secret"), "outside-b0c4\n").unwrap();
    std::fs::create_dir(sandbox.path().join("home/.ssh")).unwrap();
    std::fs::write(sandbox.path().join("home/.ssh/id_x"), "of-the-home-51aa\n").unwrap();
    let attack = format!(
        "cat {out}/secret; cat {home}/.ssh/id_x; cat .env; echo planted > {out}/planted; git log --format=%s",
        out = out.display(),
        home = sandbox.path().join("home").display(),
    );
    let plain = Command::new("sh")
        .args(["-c", &attack])
        .current_dir(sandbox.workspace())
        .output()
        .unwrap();
    let plain = String::from_utf8_lossy(&plain.stdout).into_owned();
    for words in ["outside-b0c4", "of-the-home-51aa", "in-the-workspace-7c1d", "start"] {
        assert!(plain.contains(words), "the control: {plain}");
    }
    std::fs::remove_file(out.join("planted")).unwrap();

    let report = run(&sandbox, &format!("{attack}; echo x > a.txt"), &[]).completed();
    let seen = report["coder"]["execution"]["output_tail"].as_str().unwrap();
    for words in ["outside-b0c4", "of-the-home-51aa", "in-the-workspace-7c1d", "start"] {
        assert!(!seen.contains(words), "it saw {words}: {seen}");
    }
    assert!(seen.contains("base"), "its own repository: {seen}");
    assert!(!out.join("planted").exists());
}

#[test]
fn the_network_is_closed_unless_the_user_opens_it_for_this_coder() {
    if !machine::has_program("bash") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let sandbox = Sandbox::git();
    let script = sandbox.path().join("caller.sh");
    std::fs::write(
        &script,
        format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached > a.txt\n"),
    )
    .unwrap();
    let plain = Command::new("bash").arg(&script).current_dir(sandbox.path()).status();
    assert!(plain.unwrap().success() && listener.accept().is_ok(), "the control");

    let program = format!("mine=bash {}", script.display());
    let report = sandbox.run(&["do it", "--external", &program]);
    report.ended(4, "environment_error", Some("execution_error"));
    assert!(listener.accept().is_err(), "it called");

    let config = format!(
        "[external.mine]\nnetwork = true\ncommand = {}\n",
        json!(["bash", script])
    );
    let sandbox = sandbox.host_toml(&config);
    let report = sandbox.run(&["do it", "--coder", "mine"]).completed();
    assert!(listener.accept().is_ok());
    let execution = &report["coder"]["execution"];
    assert!(
        execution["opened"].as_array().unwrap().contains(&json!("network")),
        "{execution:#}"
    );
    assert!(!execution["sandbox"].to_string().contains("network"), "{execution:#}");
}
