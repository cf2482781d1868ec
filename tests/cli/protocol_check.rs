//! `snodo-host protocol check`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::protocol::simple;

fn check(sandbox: &Sandbox, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["protocol", "check", "--json"];
    all.extend(arguments);
    let before = sandbox.tree();
    let finished = sandbox.call(&all);
    assert_eq!(before.differences(&sandbox.tree()), [] as [&str; 0]);
    let value = finished.json();
    assert_eq!(value["schema"], "snodo.protocol-check.v1");
    assert_eq!(value["ok"] == true, finished.code == 0, "{finished:#?}");
    if finished.code != 64 {
        let path = crate::support::repository().join("docs/schema/snodo.protocol-check.v1.json");
        let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let errors: Vec<String> = jsonschema::validator_for(&schema)
            .unwrap()
            .iter_errors(&value)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
    }
    (finished.code, value)
}

/// With a validator before the coder, as WF3 wants one.
fn whole(added: &str) -> String {
    simple(added).replace("validators: [look]", "validators: [early, look]").replace(
        "validators:\n  - validator_id: look",
        "validators:\n  - validator_id: early\n    validator_type: scope\n    evaluation_phase: pre_execute\n  - validator_id: look",
    )
}

#[test]
fn the_workspaces_own_protocol_is_what_is_meant() {
    let sandbox = Sandbox::new().with(".snodo/protocol.yml", whole(""));
    let (code, value) = check(&sandbox, &[]);
    assert_eq!((code, &value["protocol_id"]), (0, &json!("simple")), "{value:#}");
    let shown = sandbox.call(&["protocol", "check"]);
    assert!(
        shown.code == 0 && shown.stdout.contains("can be used  .snodo/protocol.yml"),
        "{shown:#?}"
    );
}

#[test]
fn faults_are_named_with_their_place_and_the_way_out() {
    let sandbox = Sandbox::new();
    let file = sandbox.path().join("bad.yml");
    fs::write(&file, simple("").replace("initial_mode: work", "initial_mode: play")).unwrap();
    let file = file.to_str().unwrap();
    let (code, value) = check(&sandbox, &[file]);
    assert_eq!(code, 1);
    let fault = &value["faults"][0];
    assert!(
        fault["line"].as_u64() > Some(0) && !fault["help"].as_str().unwrap().is_empty(),
        "{value:#}"
    );
    let shown = sandbox.call(&["protocol", "check", file]);
    assert_eq!(shown.code, 1);
    assert!(
        shown.stderr.contains("play") && shown.stdout.contains("cannot be used"),
        "{shown:#?}"
    );
}

#[test]
fn an_unknown_type_is_a_warning() {
    let sandbox = Sandbox::new().with(
        ".snodo/protocol.yml",
        whole("").replace("validator_type: secrets", "validator_type: sekrets"),
    );
    let (code, value) = check(&sandbox, &[]);
    assert_eq!(code, 0, "{value:#}");
    let warnings = value["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|w| w["message"].as_str().unwrap().contains("sekrets")),
        "{value:#}"
    );
    let shown = sandbox.call(&["protocol", "check"]).stdout;
    assert!(
        shown.contains("probably not meant") && shown.contains("sekrets"),
        "{shown}"
    );
}

#[test]
fn what_is_no_file_cannot_be_checked() {
    let sandbox = Sandbox::new();
    let (code, value) = check(&sandbox, &[]);
    assert_eq!(code, 64);
    assert!(
        value["error"]
            .as_str()
            .unwrap()
            .contains("there is no `.snodo/protocol.yml`"),
        "{value}"
    );
    let (code, _) = check(&sandbox, &["nowhere.yml"]);
    assert_eq!(code, 64);
    // A link is refused, as by a run: the control is that the same by name is taken.
    let elsewhere = sandbox.path().join("elsewhere.yml");
    fs::write(&elsewhere, whole("")).unwrap();
    fs::create_dir(sandbox.workspace().join(".snodo")).unwrap();
    symlink(&elsewhere, sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
    let (code, value) = check(&sandbox, &[]);
    assert_eq!(code, 64, "{value}");
    let (code, _) = check(&sandbox, &[elsewhere.to_str().unwrap()]);
    assert_eq!(code, 0);
}
