//! `snodo-host audit`: snodo's exit codes, and the heads that are known from runs.

use std::fs;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::records_world::{CHANGE, OTHER, run, world};
use crate::support::Sandbox;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = crate::support::repository().join("docs/schema/snodo.audit.v1.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

fn audit(sandbox: &Sandbox, command: &str) -> (i32, Value) {
    let finished = sandbox.call(&["audit", command, "--json"]);
    let value = finished.json();
    let errors: Vec<String> = SCHEMA
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "not what the schema says: {errors:#?}\n{value:#}");
    assert_eq!(value["ok"] == true, finished.code == 0, "{finished:#?}");
    (finished.code, value)
}

fn logged() -> Sandbox {
    let sandbox = world();
    fs::create_dir(sandbox.workspace().join(".snodo")).unwrap();
    run(&sandbox, OTHER, &["--dry-run"]);
    run(&sandbox, CHANGE, &["--dry-run"]);
    sandbox
}

const LOG: &str = ".snodo/audit.log";

#[test]
fn a_log_that_is_whole_or_not_there_is_valid() {
    let (code, value) = audit(&Sandbox::new(), "verify");
    assert_eq!((code, &value["events"]), (0, &json!(0)));
    let sandbox = logged();
    let before = sandbox.tree();
    let (code, value) = audit(&sandbox, "verify");
    assert_eq!(
        before.differences(&sandbox.tree()),
        [] as [&str; 0],
        "looking changed something"
    );
    let events = sandbox.read(LOG).lines().count();
    assert_eq!((code, &value["events"]), (0, &json!(events)));
    assert_eq!(value["head"]["sequence"], json!(events - 1));
    assert_eq!(value["known_heads"], 2);
    let shown = sandbox.call(&["audit", "verify"]);
    assert!(shown.code == 0 && shown.stdout.starts_with("valid"), "{shown:#?}");
    let (code, value) = audit(&sandbox, "repair");
    assert_eq!((code, &value["repaired"]), (0, &json!(false)));
}

#[test]
fn damage_is_named_with_its_line_and_repaired() {
    let sandbox = logged();
    let log = sandbox.read(LOG);
    sandbox.put(
        LOG,
        log.replacen("constraints_checked\": true", "constraints_checked\": false", 1),
    );
    let (code, value) = audit(&sandbox, "verify");
    assert_eq!(code, 1);
    assert_eq!(
        (
            &value["damage"]["reason"],
            &value["damage"]["line"],
            &value["damage"]["good_events"]
        ),
        (&json!("event_hash_mismatch"), &json!(1), &json!(0)),
        "{value:#}"
    );
    let shown = sandbox.call(&["audit", "verify"]);
    assert!(
        shown.code == 1 && shown.stdout.contains("line 1") && shown.stdout.contains("audit repair"),
        "{shown:#?}"
    );
    let (code, value) = audit(&sandbox, "repair");
    assert_eq!((code, &value["repaired"]), (0, &json!(true)), "{value:#}");
    assert_eq!(value["lost"].as_array().unwrap().len(), 2);
    let kept = value["kept"][0]["now"].as_str().unwrap();
    assert!(
        sandbox
            .read(&format!(".snodo/{kept}"))
            .contains("constraints_checked\": false")
    );
    let (code, value) = audit(&sandbox, "verify");
    assert_eq!(code, 0, "{value:#}");
    assert!(
        !value["notes"].as_array().unwrap().is_empty(),
        "the repair is not to be seen: {value:#}"
    );
    run(&sandbox, CHANGE, &["--dry-run"]);
    assert_eq!(audit(&sandbox, "verify").0, 0);
}

#[test]
fn a_tail_that_was_taken_away_is_found_by_what_runs_know() {
    let sandbox = logged();
    let log = sandbox.read(LOG);
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let shorter = lines[..lines.len() - 2].concat();
    sandbox.put(LOG, &shorter);
    let (code, value) = audit(&sandbox, "verify");
    assert_eq!(
        (code, &value["damage"]["reason"]),
        (1, &json!("file_length_mismatch")),
        "{value:#}"
    );
    // All of it, and the folder.
    fs::remove_file(sandbox.workspace().join(LOG)).unwrap();
    assert_eq!(audit(&sandbox, "verify").0, 1);
    fs::remove_dir_all(sandbox.workspace().join(".snodo")).unwrap();
    let (code, value) = audit(&sandbox, "verify");
    assert_eq!(
        (code, &value["damage"]["reason"]),
        (1, &json!("file_missing")),
        "{value:#}"
    );
    // The control: without what runs know, a shorter log is as good as any.
    let other = world().with(LOG, &shorter);
    assert_eq!(audit(&other, "verify").0, 0);
}

#[test]
fn what_cannot_be_looked_at_is_no_verdict() {
    let sandbox = Sandbox::new();
    let finished = sandbox.call(&["audit", "verify", "--workspace", "nowhere", "--json"]);
    assert_eq!(finished.code, 4, "{finished:#?}");
    sandbox.put(".snodo", "a file");
    assert_eq!(audit(&sandbox, "verify").0, 4);
    let sandbox = Sandbox::new();
    let (code, value) = audit(&sandbox, "repair");
    assert_eq!(code, 4, "{value}");
    assert!(value["error"].as_str().unwrap().contains("nothing to repair"));
}
