//! What the tests do not see: secrets of the workspace, of the user, of the environment; and the network.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{execution, plainly, printed, test};
use crate::support::machine::{Without, has_program};
use crate::support::{Finished, Sandbox};

/// A workspace with secrets in it and beside it.
fn with_secrets() -> Sandbox {
    let sandbox = Sandbox::git()
        .with(".env", "TOKEN=secret-of-env-1\n")
        .with("sub/.env", "TOKEN=secret-of-env-2\n")
        .with("certs/server.key", "secret-of-key-3\n")
        .with(".snodo/notes", "secret-of-host-4\n")
        .with("vendor/x/.git/config", "secret-of-git-5\n")
        .with("seen.txt", "not a secret\n");
    std::fs::create_dir(sandbox.path().join("home/.ssh")).unwrap();
    std::fs::write(sandbox.path().join("home/.ssh/id_rsa"), "secret-of-home-6\n").unwrap();
    std::fs::create_dir(sandbox.path().join("project")).unwrap();
    std::fs::write(sandbox.path().join("project/main.py"), "secret-of-project-7\n").unwrap();
    sandbox
}

/// A command that prints all of them that it can, and one file that it may.
fn looks_for_secrets(sandbox: &Sandbox) -> String {
    let outside = sandbox.path().display();
    format!(
        "cat seen.txt .env sub/.env certs/server.key .snodo/notes vendor/x/.git/config {outside}/home/.ssh/id_rsa \
         {outside}/project/main.py 2>/dev/null; find . -name .git -o -name .snodo -o -name .env; \
         git log --format='secret-of-log-8 %s'; true"
    )
}

#[test]
fn secrets_in_and_beside_the_workspace_are_not_there() {
    let sandbox = with_secrets();
    let attack = looks_for_secrets(&sandbox);
    let (_, plain) = plainly(&sandbox, &attack);
    for n in 1..=8 {
        assert!(
            plain
                .lines()
                .any(|line| line.contains("secret-of-") && line.contains(&format!("-{n}"))),
            "{n}: {plain}"
        );
    }
    assert!(plain.contains("./.git\n"), "{plain}");
    let seen = printed(&sandbox, &attack);
    assert!(seen.starts_with("not a secret\n"), "{seen}");
    assert!(!seen.contains("secret-of-") && !seen.contains("./"), "{seen}");
    if sandbox.contains_in("plain", Some(Without::Namespaces)) {
        let arguments = ["anything", "--mock", "--dry-run", "--test-command", &attack];
        let report = sandbox.run_without(Without::Namespaces, &arguments).completed();
        let seen = execution(&report)["output_tail"].as_str().unwrap();
        assert!(seen.starts_with("not a secret"), "{seen}");
        assert!(!seen.contains("secret-of-") && !seen.contains("./"), "{seen}");
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn what_is_kept_from_them_is_said() {
    let sandbox = with_secrets();
    let report = test(&sandbox, "true", &[]).completed();
    let notes = execution(&report)["notes"].to_string();
    assert!(
        notes.contains("not shown to programs: `.env`, `certs/server.key`, `sub/.env`"),
        "{notes}"
    );
}

/// Names that no list of secrets' names would have to know, with what the sandbox is not to pass on.
const SENTINELS: [(&str, &str); 6] = [
    ("SENTINEL_A", "sentinel-1"),
    ("ACME_TOKEN", "sentinel-2"),
    ("OPENAI_API_KEY", "sentinel-3"),
    ("SSH_AUTH_SOCK", "/tmp/sentinel-4"),
    ("GIT_ASKPASS", "/tmp/sentinel-5"),
    ("LD_PRELOAD_OF_MINE", "sentinel-6"),
];

#[test]
fn d07_the_environment_is_an_allow_list() {
    let sandbox = Sandbox::git();
    std::fs::write(sandbox.path().join("home/.profile"), "export FROM_PROFILE=sentinel-7\n").unwrap();
    // What it was given; what a login shell finds; what stands in the host's own entries of /proc.
    let looks = "env; sh -lc env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; ls -A \"$HOME\"; exit 1";
    let plain = Command::new("sh")
        .args([
            "-c",
            "env -i sh -c 'cat /proc/$PPID/environ' | tr '\\0' '\\n'; sh -lc env",
        ])
        .envs(SENTINELS)
        .env("HOME", sandbox.path().join("home"))
        .output()
        .unwrap();
    let plain = String::from_utf8_lossy(&plain.stdout).into_owned();
    for n in 1..=7 {
        assert!(plain.contains(&format!("sentinel-{n}")), "the control: {n} in {plain}");
    }

    for without in [None, Some(Without::Namespaces)] {
        let mut command = sandbox.command(&["run", "--json", "anything", "--mock", "--test-command", looks]);
        command.envs(SENTINELS);
        if let Some(without) = without {
            if !sandbox.contains_in("plain", Some(without)) {
                continue;
            }
            without.apply(&mut command);
        }
        let finished = Finished::of(&command.output().unwrap());
        assert!(
            !finished.stdout.contains("sentinel-"),
            "{without:?}: {}",
            finished.stdout
        );
        let report = finished.ended(1, "blocker", Some("blocked"));
        assert!(
            execution(&report)["output_tail"].to_string().contains("PATH="),
            "{report:#}"
        );
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn d07_what_the_user_passes_on_is_there_and_told_by_name() {
    let sandbox = Sandbox::git().host_toml("[runner]\nenv = [\"ACME_TOKEN\"]\n");
    let command = "test \"$ACME_TOKEN\" = sentinel-2 && test -z \"$SENTINEL_A\"";
    let mut command = sandbox.command(&["run", "--json", "anything", "--mock", "--test-command", command]);
    command.envs(SENTINELS);
    let finished = Finished::of(&command.output().unwrap());
    assert!(!finished.stdout.contains("sentinel-1"), "a value in the report");
    let report = finished.completed();
    let execution = execution(&report);
    assert_eq!(execution["opened"], json!(["variable ACME_TOKEN"]));
    assert!(
        execution["environment"]
            .as_array()
            .unwrap()
            .contains(&json!("ACME_TOKEN"))
    );
}

/// The same command, started by a shell that leaves it a file open as its descriptor 7.
fn with_an_open_file(command: &Command, file: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec 7<\"$0\"; exec \"$@\""])
        .arg(file)
        .arg(command.get_program());
    shell
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

#[test]
fn d07_no_descriptor_of_the_hosts_is_inherited() {
    let sandbox = Sandbox::git();
    let secret = sandbox.path().join("open");
    std::fs::write(&secret, "still-open-51c2\n").unwrap();
    let attack = "(cat <&7) 2>/dev/null; cat /proc/self/fd/7 2>/dev/null; true";
    let mut plain = Command::new("sh");
    plain.args(["-c", attack]).current_dir(sandbox.workspace());
    let plain = with_an_open_file(&plain, &secret)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&plain.stdout).contains("still-open-51c2"),
        "the control"
    );

    for without in [None, Some(Without::Namespaces)] {
        if without.is_some() && !sandbox.contains_in("plain", without) {
            continue;
        }
        let command = sandbox.command(&[
            "run",
            "--json",
            "anything",
            "--mock",
            "--dry-run",
            "--test-command",
            attack,
        ]);
        let mut command = with_an_open_file(&command, &secret);
        if let Some(without) = without {
            without.apply(&mut command);
        }
        let finished = Finished::of(&command.stdin(Stdio::null()).output().unwrap());
        assert!(
            !finished.stdout.contains("still-open-51c2"),
            "{without:?}: {}",
            finished.stdout
        );
        execution(&finished.completed());
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn d13_the_network_is_not_there_unless_the_user_opens_it() {
    if !has_program("bash") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let attack = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'");
    let sandbox = Sandbox::git();
    assert!(plainly(&sandbox, &attack).0 && listener.accept().is_ok(), "the control");

    test(&sandbox, &attack, &[]).ended(1, "blocker", Some("blocked"));
    assert!(listener.accept().is_err(), "it called");
    if sandbox.contains_in("plain", Some(Without::Namespaces)) {
        let arguments = ["anything", "--mock", "--dry-run", "--test-command", &attack];
        sandbox
            .run_without(Without::Namespaces, &arguments)
            .ended(1, "blocker", Some("blocked"));
        assert!(listener.accept().is_err(), "it called");
    }

    let sandbox = sandbox.host_toml("[sandbox]\nnetwork = true\n");
    let report = test(&sandbox, &attack, &[]).completed();
    assert!(listener.accept().is_ok(), "opened, and not reached");
    assert_eq!(execution(&report)["opened"], json!(["network"]));
    assert!(
        !execution(&report)["sandbox"].to_string().contains("network"),
        "{report:#}"
    );
}
