//! `snodo-host doctor`: what this machine offers, and whether that is enough for what the user demands.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::machine::Without;

const LAYERS: [&str; 16] = [
    "user-namespace",
    "mount-namespace",
    "overlay",
    "pid-namespace",
    "private-proc",
    "ipc-namespace",
    "network-namespace",
    "landlock",
    "landlock-network",
    "landlock-scope",
    "seccomp",
    "no-new-privileges",
    "capabilities",
    "identity",
    "resource-limits",
    "cgroup",
];

/// Every layer is there; one that is not offered says why.
#[track_caller]
fn check(report: &Value) {
    assert_eq!(report["schema"], "snodo.doctor.v1");
    let layers = report["machine"]["layers"].as_object().unwrap();
    let mut names: Vec<&str> = layers.keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut all = LAYERS;
    all.sort_unstable();
    assert_eq!(names, all);
    for (name, layer) in layers {
        if layer["offered"].as_bool().unwrap() {
            assert_eq!(layer.as_object().unwrap().len(), 1, "{name}: {layer}");
        } else {
            assert!(!layer["reason"].as_str().unwrap().is_empty(), "{name}");
        }
    }
    assert!(!report["machine"]["kernel"].as_str().unwrap().is_empty());
}

#[test]
fn it_tells_each_layer_to_machines_and_to_people() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let (code, report) = sandbox.doctor(None);
    check(&report);
    assert_eq!(report["policy"], "required");
    assert_eq!(code, if report["ok"] == true { 0 } else { 4 });

    let shown = sandbox.call(&["doctor"]);
    assert_eq!((shown.code, &*shown.stderr), (code, ""));
    for name in LAYERS {
        let offered = report["machine"]["layers"][name]["offered"] == true;
        let mark = if offered { '✓' } else { '✗' };
        let line = shown
            .stdout
            .lines()
            .find(|line| line.split_whitespace().nth(1) == Some(name));
        let line = line.unwrap_or_else(|| panic!("no {name}: {}", shown.stdout));
        assert!(line.trim_start().starts_with(mark), "{line}");
        if let Some(reason) = report["machine"]["layers"][name]["reason"].as_str() {
            assert!(line.contains(reason), "no `{reason}` in {line}");
        }
    }
    assert!(shown.stdout.contains("[sandbox] policy = required"), "{}", shown.stdout);
    assert_eq!(before, sandbox.tree());
    sandbox.assert_nothing_is_left();
}

#[test]
fn without_namespaces_it_says_so_and_that_the_policy_is_kept() {
    let sandbox = Sandbox::new();
    let (code, report) = sandbox.doctor(Some(Without::Namespaces));
    check(&report);
    for layer in &LAYERS[..7] {
        assert_eq!(report["machine"]["layers"][layer]["offered"], false, "{layer}");
    }
    if !sandbox.contains_in("plain", Some(Without::Namespaces)) {
        return;
    }
    assert_eq!((code, &report["ok"], &report["error"]), (0, &json!(true), &Value::Null));
    let mut command = sandbox.command(&["doctor"]);
    Without::Namespaces.apply(&mut command);
    let shown = crate::support::Finished::of(&command.output().unwrap());
    assert!(
        shown
            .stdout
            .contains("programs run on a copy of the workspace, and are held by Landlock and seccomp"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_policy_that_cannot_be_kept_is_exit_code_4_and_what_can_be_done() {
    for (without, boundary, missing) in [
        (
            Without::NamespacesAndLandlock,
            "this machine cannot keep a program from the files of this machine",
            "landlock",
        ),
        (
            Without::NamespacesAndFilters,
            "this machine cannot keep a program from the network",
            "seccomp",
        ),
    ] {
        let sandbox = Sandbox::new();
        let (code, report) = sandbox.doctor(Some(without));
        check(&report);
        assert_eq!((code, &report["ok"], &report["mode"]), (4, &json!(false), &Value::Null));
        assert_eq!(report["machine"]["layers"][missing]["offered"], false);
        let error = report["error"].as_str().unwrap();
        assert!(
            error.contains(boundary) && error.contains(&format!("`{missing}`: ")),
            "{error}"
        );

        let mut command = sandbox.command(&["doctor"]);
        without.apply(&mut command);
        let shown = crate::support::Finished::of(&command.output().unwrap());
        assert_eq!(shown.code, 4, "{shown:#?}");
        for words in ["programs are not run", boundary, "best-effort", "user namespaces"] {
            assert!(shown.stdout.contains(words), "no `{words}` in {}", shown.stdout);
        }

        for policy in ["best-effort", "off"] {
            let sandbox = Sandbox::new().host_toml(&format!("[sandbox]\npolicy = \"{policy}\"\n"));
            let (code, report) = sandbox.doctor(Some(without));
            assert_eq!((code, &report["policy"]), (0, &json!(policy)), "{report:#}");
        }
        sandbox.assert_nothing_is_left();
    }
}

#[test]
fn settings_that_cannot_be_read_are_exit_code_64() {
    let sandbox = Sandbox::new().host_toml("[sandbox]\npolicy = \"strict\"\n");
    let shown = sandbox.call(&["doctor"]);
    assert_eq!((shown.code, &*shown.stdout), (64, ""));
    assert!(shown.stderr.contains("policy"), "{}", shown.stderr);
    let finished = sandbox.call(&["doctor", "--json"]);
    assert_eq!(finished.code, 64);
    let object = finished.json();
    assert_eq!(
        (&object["schema"], &object["ok"]),
        (&json!("snodo.doctor.v1"), &json!(false))
    );
}
