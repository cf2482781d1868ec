//! What a person can get wrong: one clear message, exit code 64, and a workspace that is byte for byte as before.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::protocol::simple;
use crate::support::{Sandbox, guest};

/// Both ways to be told: `--json` and for people. Answers the message.
#[track_caller]
fn refused(sandbox: &Sandbox, arguments: &[&str], words: &[&str]) -> String {
    let before = sandbox.tree();
    let message = sandbox.run(arguments).refused();
    for words in words {
        assert!(message.contains(words), "no `{words}` in: {message}");
    }
    let shown = sandbox.run_for_people(arguments);
    assert_eq!(shown.code, 64, "{shown:#?}");
    assert_eq!(shown.stdout, "", "a message on standard output");
    if message.contains(": error[") {
        // Faults of a file: people are shown the place in it.
        for words in words.iter().chain(&["cannot be used: ", "help: "]) {
            assert!(shown.stderr.contains(words), "no `{words}` in: {}", shown.stderr);
        }
    } else {
        assert!(shown.stderr.starts_with("error: "), "{}", shown.stderr);
        assert_eq!(shown.stderr.matches("error:").count(), 1, "{}", shown.stderr);
        let first = message.lines().next().unwrap();
        assert!(
            shown.stderr.contains(first),
            "people are told something else: {}\nnot: {first}",
            shown.stderr
        );
    }
    assert_eq!(before, sandbox.tree(), "the workspace");
    assert!(!sandbox.exists(".snodo/runs"), "a report of a run that never began");
    assert!(
        !sandbox.state().join("runs").exists(),
        "a report of a run that never began"
    );
    message
}

#[test]
fn an_unknown_plugin() {
    let sandbox = Sandbox::git();
    refused(
        &sandbox,
        &["anything", "--coder", "patsh"],
        &["there is no plugin `patsh`", "did you mean `patch`?"],
    );
    refused(
        &sandbox,
        &["anything", "--coder", "./nothing.wasm"],
        &["`./nothing.wasm`", "is not there"],
    );
    refused(
        &sandbox,
        &["anything", "--mock", "--validator", "secret"],
        &["there is no plugin `secret`", "did you mean `secrets`?"],
    );
}

#[test]
fn a_plugin_in_the_wrong_role() {
    let sandbox = Sandbox::new();
    let why = refused(&sandbox, &["anything", "--coder", "secrets"], &["`secrets`"]);
    assert!(why.contains("coder") && why.contains("validator"), "{why}");
    refused(&sandbox, &["anything", "--mock", "--validator", "patch"], &["`patch`"]);
}

#[test]
fn a_missing_workspace_and_one_that_is_a_file() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["anything", "--mock", "--workspace", "missing"],
        &["`missing` is not there"],
    );
    refused(
        &sandbox,
        &["anything", "--mock", "--workspace", "README.md"],
        &["`README.md` is a file, not a folder"],
    );
}

#[test]
fn a_protocol_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["anything", "--mock", "--protocol", "none.yml"],
        &["`none.yml` is not there"],
    );
    for (text, words) in [
        (&b"modes: ["[..], "SYNTAX"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"just words\n", "ROOT"),
        (b"protocol_id: x\n", "the field `name` is missing"),
    ] {
        let sandbox = Sandbox::new().with(".snodo/protocol.yml", text);
        refused(&sandbox, &["anything", "--mock"], &[".snodo/protocol.yml", words]);
    }
}

#[test]
fn a_protocol_that_is_a_link_a_folder_or_not_for_us() {
    let sandbox = Sandbox::new().with("elsewhere.yml", simple("")).with(".snodo/x", "");
    symlink("../elsewhere.yml", sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
    refused(&sandbox, &["anything", "--mock"], &[".snodo/protocol.yml"]);

    let sandbox = Sandbox::new().with(".snodo/protocol.yml/x", "");
    refused(&sandbox, &["anything", "--mock"], &[".snodo/protocol.yml"]);

    let sandbox = Sandbox::new().with(".snodo/protocol.yml", simple(""));
    let file = sandbox.workspace().join(".snodo/protocol.yml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    if std::fs::read(&file).is_err() {
        let message = sandbox.run(&["anything", "--mock"]).refused();
        assert!(message.contains(".snodo/protocol.yml"), "{message}");
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn an_empty_task() {
    let sandbox = Sandbox::new();
    for task in ["", "  \n\t"] {
        refused(&sandbox, &[task, "--mock"], &["the task is empty"]);
    }
    let file = sandbox.path().join("empty.txt");
    std::fs::write(&file, "\n").unwrap();
    refused(
        &sandbox,
        &["--mock", "--task-file", file.to_str().unwrap()],
        &["the task is empty"],
    );
}

#[test]
fn a_task_file_that_cannot_be_used() {
    let sandbox = Sandbox::new().with("latin.txt", b"caf\xe9\n");
    refused(
        &sandbox,
        &["--mock", "--task-file", "missing.txt"],
        &["the task file cannot be used", "`missing.txt` is not there"],
    );
    refused(
        &sandbox,
        &["--mock", "--task-file", "src"],
        &["the task file cannot be used", "`src` is a folder, not a file"],
    );
    refused(
        &sandbox,
        &["--mock", "--task-file", "latin.txt"],
        &["`latin.txt` is not UTF-8 text (byte 3 is not)"],
    );
}

#[test]
fn both_a_task_and_a_task_file_or_neither() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["anything", "--task-file", "README.md"],
        &["cannot be used with", "--task-file"],
    );
    refused(&sandbox, &["--mock"], &["required"]);
}

#[test]
fn a_diff_on_the_command_line_that_reads_like_a_flag() {
    let sandbox = Sandbox::new();
    let diff = "--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1 +1 @@\n-one\n+1\n";
    refused(
        &sandbox,
        &[diff],
        &["a task that starts with `---` reads like a flag", "--task-file"],
    );
    // What the message says works.
    sandbox.run(&["--", diff]).completed();
    assert!(sandbox.read("docs/guide.md").starts_with("1\n"));
}

#[test]
fn a_setting_that_nobody_has() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["x", "--set", "patch.max-ofset=3"],
        &["`patch` has no setting `max-ofset`", "did you mean `max-offset`?"],
    );
    refused(
        &sandbox,
        &["x", "--mock", "--set", "mock.speed=3"],
        &["`mock` has no setting `speed`", "it has none"],
    );
    refused(
        &sandbox,
        &["x", "--mock", "--set", "scope.paths=src"],
        &["names `scope`, which is not part of this run"],
    );
    refused(
        &sandbox,
        &["x", "--set", "patch.max-offset=far"],
        &["`patch.max-offset`", "a whole number", "far"],
    );
    refused(&sandbox, &["x", "--set", "patch"], &["NAME.KEY=VALUE"]);
    refused(
        &sandbox,
        &["x", "--mock", "--validator", "scope"],
        &["`scope` needs the setting `paths`", "--set scope.paths=…"],
    );
}

#[test]
fn a_grant_for_nobody_or_for_nothing() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["x", "--mock", "--grant", "nobody:runner"],
        &["`--grant nobody:runner` names a plugin that is not part of this run"],
    );
    refused(
        &sandbox,
        &["x", "--mock", "--grant", "mock:everything"],
        &["mock:everything"],
    );
    refused(&sandbox, &["x", "--mock", "--grant", "mock"], &["mock"]);
}

#[test]
fn flags_that_mean_nothing_here() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["x", "--mock", "--mode", "work"],
        &["`--mode work` needs a protocol"],
    );
    refused(
        &sandbox,
        &["x", "--mock", "--test-command", "  "],
        &["`--test-command` is blank"],
    );
    refused(&sandbox, &["x", "--mock", "--expect", "miracles"], &["miracles"]);
    refused(&sandbox, &["x", "--mock", "--no-such-flag"], &["--no-such-flag"]);
}

#[test]
fn two_plugins_of_one_name_or_one_with_a_built_ins() {
    let sandbox = Sandbox::new();
    for folder in ["one", "two"] {
        std::fs::create_dir(sandbox.path().join(folder)).unwrap();
        std::fs::copy(guest("guest_judge"), sandbox.path().join(folder).join("Twin.wasm")).unwrap();
    }
    std::fs::rename(
        sandbox.path().join("two/Twin.wasm"),
        sandbox.path().join("two/twin.wasm"),
    )
    .unwrap();
    refused(
        &sandbox,
        &[
            "x",
            "--mock",
            "--validator",
            "../one/Twin.wasm",
            "--validator",
            "../two/twin.wasm",
        ],
        &["two plugins would be called", "../one/Twin.wasm", "../two/twin.wasm"],
    );
    std::fs::copy(guest("guest_probe"), sandbox.path().join("one/patch.wasm")).unwrap();
    refused(
        &sandbox,
        &["x", "--coder", "../one/patch.wasm"],
        &["would be called `patch`, which is the name of a built-in"],
    );
    std::fs::copy(guest("guest_probe"), sandbox.path().join("one/no name.wasm")).unwrap();
    refused(
        &sandbox,
        &["x", "--coder", "../one/no name.wasm"],
        &["has a name that no plugin can have"],
    );
}

#[test]
fn a_plugin_that_cannot_say_what_it_is() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["x", "--coder", &guest("guest_early")],
        &[
            "`guest_early` cannot describe itself",
            "`read` was called",
            "imports open with the task",
        ],
    );
    refused(
        &sandbox,
        &["x", "--coder", &guest("guest_mute")],
        &["`guest_mute` cannot describe itself", "trapped"],
    );
    refused(
        &sandbox,
        &["x", "--mock", "--validator", &guest("guest_liar")],
        &["`guest_liar` cannot describe itself", "`describe` answers no phase"],
    );
}

#[test]
fn a_plugin_that_asks_for_the_network() {
    let sandbox = Sandbox::new();
    let why = refused(
        &sandbox,
        &["x", "--coder", &guest("guest_net")],
        &[
            "plugin `guest_net` is refused",
            "wasi:sockets/tcp@",
            "no plugin is given the network",
        ],
    );
    assert!(why.contains("`snodo-host inspect "), "{why}");
}

#[test]
fn a_host_toml_that_is_wrong_and_folders_of_the_hosts_in_the_workspace() {
    let sandbox = Sandbox::new().host_toml("[limits]\nmemory = 3\n");
    refused(&sandbox, &["x", "--mock"], &["host.toml", "has no field `memory`"]);

    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    for (variable, what) in [
        ("XDG_STATE_HOME", "state"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_CONFIG_HOME", "configuration"),
    ] {
        let mut command = sandbox.command(&["run", "--json", "x", "--mock"]);
        command.env(variable, sandbox.workspace());
        let message = crate::support::Finished::of(&command.output().unwrap()).refused();
        assert!(
            message.contains(&format!("the {what} folder")) && message.contains("inside the workspace"),
            "{message}"
        );
        assert!(message.contains(variable), "{message}");
    }
    let after = sandbox.tree();
    assert_eq!(
        before.differences(&after),
        [] as [&str; 0],
        "the refusal itself left something in the workspace"
    );
}

#[test]
fn a_workspace_that_the_host_must_not_keep_anything_in() {
    let sandbox = Sandbox::new();
    symlink(sandbox.path().join("home"), sandbox.workspace().join(".snodo")).unwrap();
    let message = sandbox.run(&["x", "--mock"]).refused();
    assert!(message.contains(".snodo") && message.contains("link"), "{message}");
    assert_eq!(std::fs::read_dir(sandbox.path().join("home")).unwrap().count(), 0);
}
