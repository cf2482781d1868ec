//! Which program is the coder, and who says so.

use std::fmt::Write as _;

use serde_json::json;

use super::program;
use crate::support::finished::changes;
use crate::support::protocol::simple;
use crate::support::{Sandbox, guest};

/// A coder of `host.toml` that writes this name into a file.
fn declared(sandbox: Sandbox, names: &[&str]) -> Sandbox {
    let mut config = String::new();
    for name in names {
        let script = sandbox.path().join(format!("{name}.sh"));
        std::fs::write(&script, format!("echo {name} > by.txt\n")).unwrap();
        let command = json!(["sh", script]);
        let _ = writeln!(config, "[external.{name}]\ncommand = {command}");
    }
    sandbox.host_toml(&config)
}

#[test]
fn one_of_host_toml_is_chosen_by_its_name() {
    let sandbox = declared(Sandbox::git(), &["first", "second"]);
    let report = sandbox.run(&["do it", "--coder", "second"]).completed();
    assert_eq!(
        (&report["coder"]["name"], &*sandbox.read("by.txt")),
        (&json!("second"), "second\n")
    );
    assert_eq!(
        report["plugins"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|p| p["role"] == "coder")
            .count(),
        0
    );
    // Being declared alone does not make it work.
    let sandbox = declared(Sandbox::git(), &["only"]);
    let report = sandbox.run(&["do it", "--mock"]).completed();
    assert_eq!(report["coder"]["name"], "mock");
}

#[test]
fn a_protocol_names_one_that_the_user_has_declared() {
    let protocol = simple("").replace("    name: Work\n", "    name: Work\n    coder: mine\n");
    let judge = guest("guest_judge");
    let sandbox = declared(Sandbox::git().with(".snodo/protocol.yml", &protocol), &["mine"]);
    let report = sandbox.run(&["do it", "--validator", &judge]).completed();
    assert_eq!(
        (&report["coder"]["name"], &changes(&report)),
        (&json!("mine"), &vec!["added by.txt".to_owned()])
    );
    // A flag goes before it.
    let report = sandbox.run(&["do it", "--mock", "--validator", &judge]).completed();
    assert_eq!(report["coder"]["name"], "mock");

    // It cannot declare one.
    let sandbox = Sandbox::git().with(".snodo/protocol.yml", protocol);
    let why = sandbox.run(&["do it", "--validator", &judge]).refused();
    assert!(why.contains("there is no plugin `mine`"), "{why}");
}

#[test]
fn one_of_a_flag_goes_before_one_of_host_toml_of_the_same_name() {
    let sandbox = declared(Sandbox::git(), &["mine"]);
    let program = program(&sandbox, "echo flag > by.txt");
    sandbox.run(&["do it", "--external", &program]).completed();
    assert_eq!(sandbox.read("by.txt"), "flag\n");
}

#[test]
fn of_several_the_flag_coder_chooses() {
    let sandbox = Sandbox::git();
    let mine = program(&sandbox, "echo mine > by.txt");
    let sandbox_script = sandbox.path().join("other.sh");
    std::fs::write(&sandbox_script, "echo other > by.txt\n").unwrap();
    let other = format!("other=sh {}", sandbox_script.display());
    sandbox
        .run(&["do it", "--external", &mine, "--external", &other, "--coder", "other"])
        .completed();
    assert_eq!(sandbox.read("by.txt"), "other\n");
}

#[test]
fn names_that_cannot_be() {
    let sandbox = Sandbox::git();
    for (arguments, words) in [
        (
            &["--external", "patch=sh x"][..],
            "an external coder cannot be called `patch`: that is a built-in's name",
        ),
        (&["--external", "Patch=sh x"], "that is a built-in's name"),
        (&["--external", "secrets=sh x"], "that is a built-in's name"),
        (
            &["--external", "a=sh x", "--external", "a=sh y"],
            "`--external a=…` is given twice",
        ),
        (&["--external", "a=sh x", "--external", "A=sh y"], "is given twice"),
        (&["--external", "=sh x"], "a name is of letters"),
        (&["--external", "a b=sh x"], "a name is of letters"),
        (&["--external", "../a=sh x"], "a name is of letters"),
        (&["--external", "con=sh x"], "the name of a device"),
        (&["--external", "just-a-name"], "NAME=COMMAND"),
        (&["--external", "a="], "a command needs a program"),
        (&["--external", "a=sh 'x"], "a quote in the command is not closed"),
        (&["--external", "a=./x.sh"], "looked up on PATH"),
        (&["--external", "a=bin/x.sh"], "looked up on PATH"),
        (
            &["--external", "a=sh x", "--set", "a.speed=3"],
            "`a` has no setting `speed`",
        ),
        (&["--external", "a=sh x", "--coder", "b"], "there is no plugin `b`"),
    ] {
        let before = sandbox.tree();
        let mut command = sandbox.command(&[&["run", "--json", "do it"], arguments].concat());
        let finished = crate::support::Finished::of(&command.output().unwrap());
        let why = finished.refused();
        assert!(why.contains(words), "no `{words}` in: {why}");
        assert_eq!(before, sandbox.tree());
    }
    let sandbox = declared(Sandbox::git(), &["mock"]);
    let why = sandbox.run(&["do it", "--coder", "mock"]).refused();
    assert!(why.contains("that is a built-in's name"), "{why}");
}

#[test]
fn a_program_of_the_workspace_is_never_run() {
    let sandbox = Sandbox::git().with("bin/agent", "#!/bin/sh\necho x > by.txt\n");
    let path = sandbox.workspace().join("bin/agent");
    std::os::unix::fs::symlink(&path, sandbox.path().join("link")).unwrap();
    for program in [path, sandbox.path().join("link")] {
        let external = format!("mine={}", program.display());
        let why = sandbox.run(&["do it", "--external", &external]).refused();
        assert!(why.contains("lies in the workspace"), "{why}");
    }
}
