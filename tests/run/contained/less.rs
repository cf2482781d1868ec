//! Layers: those of the report are those of the machine; what a machine without some of them does, and what the user can say about it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{execution, plainly, test};
use crate::support::Sandbox;
use crate::support::machine::Without;

fn layers(execution: &Value) -> BTreeSet<String> {
    let layers = execution["sandbox"].as_array().unwrap();
    layers.iter().map(|layer| layer.as_str().unwrap().to_owned()).collect()
}

/// Layers that are of no use in a mode.
fn of_no_use(mode: &str) -> &'static [&'static str] {
    match mode {
        // The first process of its own namespace takes all others with it.
        "view" => &["identity", "cgroup"],
        _ => &[
            "user-namespace",
            "mount-namespace",
            "overlay",
            "pid-namespace",
            "private-proc",
            "ipc-namespace",
            "network-namespace",
        ],
    }
}

#[track_caller]
fn in_force_are_those_that_doctor_offers(sandbox: &Sandbox, without: Option<Without>, report: &Value) {
    let (code, doctor) = sandbox.doctor(without);
    assert_eq!((code, &doctor["ok"]), (0, &json!(true)), "{doctor:#}");
    let mode = doctor["mode"].as_str().unwrap();
    let offered: BTreeSet<String> = doctor["machine"]["layers"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, layer)| layer["offered"] == true && !of_no_use(mode).contains(&name.as_str()))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(layers(execution(report)), offered, "{mode}");
}

#[test]
fn the_layers_in_force_are_those_that_doctor_offers() {
    let sandbox = Sandbox::git();
    let report = test(&sandbox, "true", &[]).completed();
    in_force_are_those_that_doctor_offers(&sandbox, None, &report);
    assert_eq!(report["warnings"], json!([]));
}

#[test]
fn without_namespaces_the_boundary_is_held_all_the_same() {
    let sandbox = Sandbox::git();
    if !sandbox.contains_in("plain", Some(Without::Namespaces)) {
        return;
    }
    let out = sandbox.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("secret"), "outside-b0c4\n").unwrap();
    let attack = format!(
        "cat {0}/secret; echo x > {0}/planted; echo x > {1}/planted",
        out.display(),
        sandbox.workspace().display()
    );
    let (_, plain) = plainly(&sandbox, &attack);
    assert!(
        plain.contains("outside-b0c4") && out.join("planted").exists() && sandbox.exists("planted"),
        "the control"
    );
    std::fs::remove_file(out.join("planted")).unwrap();
    std::fs::remove_file(sandbox.workspace().join("planted")).unwrap();

    let command = format!("{attack}; pwd; test -e src/hello.py");
    for policy in [&[][..], &["--sandbox", "required"]] {
        let arguments = [&["anything", "--mock", "--dry-run", "--test-command", &command], policy].concat();
        let report = sandbox.run_without(Without::Namespaces, &arguments).completed();
        in_force_are_those_that_doctor_offers(&sandbox, Some(Without::Namespaces), &report);
        let seen = execution(&report)["output_tail"].as_str().unwrap();
        assert!(!seen.contains("outside-b0c4"), "{seen}");
        assert!(!out.join("planted").exists() && !sandbox.exists("planted"));
        assert!(
            !seen.contains(&format!("{}\n", sandbox.workspace().display())),
            "a copy stands elsewhere: {seen}"
        );
        let notes = execution(&report)["notes"].to_string();
        assert!(notes.contains("it ran on a copy in another folder"), "{notes}");
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn a_boundary_that_cannot_be_held_ends_the_run_before_the_coder() {
    for (without, boundary, layer) in [
        (
            Without::NamespacesAndLandlock,
            "keep a program from the files of this machine",
            "`landlock`",
        ),
        (
            Without::NamespacesAndFilters,
            "keep a program from the network",
            "`seccomp`",
        ),
    ] {
        let sandbox = Sandbox::git();
        let arguments = ["anything", "--mock", "--dry-run", "--test-command", "true"];
        let report = sandbox
            .run_without(without, &arguments)
            .ended(4, "environment_error", Some("environment_error"));
        assert_eq!(
            (&report["coder"], &report["gates"]),
            (&Value::Null, &json!([])),
            "{without:?}"
        );
        let reason = report["reason"].as_str().unwrap();
        for words in [
            boundary,
            layer,
            "`user-namespace`",
            "--sandbox best-effort",
            "snodo-host doctor",
        ] {
            assert!(reason.contains(words), "{without:?}: no `{words}` in {reason}");
        }
        sandbox.assert_nothing_is_left();

        // A run that executes nothing needs no boundary.
        sandbox
            .run_without(without, &["anything", "--mock", "--dry-run"])
            .completed();

        let arguments = [&arguments[..], &["--sandbox", "best-effort"]].concat();
        let report = sandbox.run_without(without, &arguments).completed();
        let warnings = report["warnings"].to_string();
        assert!(
            warnings.contains("in reach: this machine offers no boundary for"),
            "{without:?}: {warnings}"
        );
        assert!(!layers(execution(&report)).is_empty(), "{report:#}");
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn the_user_can_switch_it_off_and_that_is_said() {
    let attack = |sandbox: &Sandbox| format!("cat {}", sandbox.path().join("secret").display());
    for (config, flags) in [("", &["--sandbox", "off"][..]), ("[sandbox]\npolicy = \"off\"\n", &[])] {
        let sandbox = Sandbox::git().host_toml(config);
        std::fs::write(sandbox.path().join("secret"), "outside-b0c4\n").unwrap();
        let report = test(&sandbox, &attack(&sandbox), flags).completed();
        assert_eq!(execution(&report)["sandbox"], json!([]));
        assert_eq!(
            execution(&report)["output_tail"],
            "outside-b0c4\n",
            "it runs uncontained"
        );
        let warnings = report["warnings"].as_array().unwrap();
        let said = warnings.iter().filter(|w| {
            w.as_str()
                .unwrap()
                .contains("the sandbox is off: programs run uncontained")
        });
        assert_eq!(said.count(), 1, "{warnings:?}");
    }
    // A flag goes before the file, in both directions.
    let sandbox = Sandbox::git().host_toml("[sandbox]\npolicy = \"off\"\n");
    std::fs::write(sandbox.path().join("secret"), "outside-b0c4\n").unwrap();
    let report = test(&sandbox, &attack(&sandbox), &["--sandbox", "required"]);
    report.ended(1, "blocker", Some("blocked"));
}

#[test]
fn uncontained_they_run_in_a_scratch_all_the_same() {
    let sandbox = Sandbox::git();
    let report = test(&sandbox, "echo x > trace.txt && rm README.md", &["--sandbox", "off"]).completed();
    assert!(sandbox.exists("README.md") && !sandbox.exists("trace.txt"));
    assert!(
        execution(&report)["written"].to_string().contains("trace.txt"),
        "{report:#}"
    );
}

#[test]
fn nothing_that_a_repository_holds_loosens_it() {
    let host_toml = "[sandbox]\npolicy = \"off\"\nnetwork = true\n";
    let sandbox = Sandbox::git()
        .with("host.toml", host_toml)
        .with(".snodo/host.toml", host_toml)
        .with(".config/snodo-host/host.toml", host_toml);
    let report = test(&sandbox, "true", &[]).completed();
    assert_eq!(execution(&report)["opened"], json!([]));
    in_force_are_those_that_doctor_offers(&sandbox, None, &report);
    let why = sandbox.run(&["anything", "--mock", "--sandbox", "perhaps"]).refused();
    assert!(why.contains("a policy is one of required, best-effort, off"), "{why}");
}
