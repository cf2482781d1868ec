//! The protocol's constraints: before the coder, and over what it changed.

use serde_json::{Value, json};

use super::{attempts, does, gates, protocol, run, says, unanimous, under, writes};
use crate::support::chain::{kinds, of, replay};
use crate::support::script::write;
use crate::support::{Finished, Sandbox};

/// As spread in examples of the format; made for looking like one.
const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

fn constraint(rest: &str) -> String {
    format!("  - {{ constraint_id: bound, description: d, expression: e, {rest} }}\n")
}

fn global(rest: &str) -> Sandbox {
    under(&unanimous(&format!("global_constraints:\n{}", constraint(rest))))
}

fn passes(sandbox: &Sandbox, task: &str, more: &[&str]) -> Finished {
    run(sandbox, task, &json!({}), more)
}

#[track_caller]
fn broken(sandbox: &Sandbox, task: &str, more: &[&str]) -> Value {
    let before = sandbox.tree();
    let report = passes(sandbox, task, more).ended(1, "blocker", Some("constraint"));
    assert_eq!(before, sandbox.tree());
    report
}

#[test]
fn a_change_out_of_scope_stops_before_anybody_judges_it() {
    let sandbox = global("predicate: files_in_scope, params: { scope_paths: ['docs/*'] }");
    let report = broken(&sandbox, &writes(), &[]);
    says(
        &report,
        &["the change breaks the protocol's constraints", "bound: ", "src/new.py"],
    );
    assert_eq!(gates(&report), ["1 pre_execute proceed"]);
    let found: Vec<(&Value, &Value, &Value)> = report["constraints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (&c["phase"], &c["violated"], &c["reason"]))
        .collect();
    let (no, yes) = (json!(false), json!(true));
    assert_eq!(
        found,
        [
            (&json!("pre_execute"), &no, &json!("nothing_to_check")),
            (&json!("post_execute"), &yes, &json!("broken"))
        ]
    );
    assert_eq!(
        report["constraints"][1]["evidence"],
        json!({ "out_of_scope_files": ["src/new.py"] })
    );
    let log = replay(&sandbox, &report);
    assert_eq!(
        kinds(&log),
        [
            "governance_check",
            "plugin_called",
            "validate",
            "token_consumed",
            "plugin_called",
            "dispatch",
            "constraint_violation",
            "halt"
        ]
    );
    assert_eq!(of(&log, "governance_check")[0]["constraints_checked"], true);
    let violation = of(&log, "constraint_violation")[0];
    for (key, value) in [
        ("constraint_id", "bound"),
        ("predicate", "files_in_scope"),
        ("severity", "blocker"),
        ("phase", "post_execute"),
    ] {
        assert_eq!(violation[key], value, "{violation:#}");
    }
    assert_eq!(violation["evidence"]["out_of_scope_files"], json!(["src/new.py"]));
    assert_eq!(
        (&of(&log, "halt")[0]["halt_type"], &of(&log, "halt")[0]["raw_halt_type"]),
        (&json!("blocker"), &json!("constraint"))
    );
    // The control: in scope.
    let report = passes(&sandbox, &attempts(&[does(json!([write("docs/x.md", "x\n")]))]), &[]).completed();
    assert_eq!(report["constraints"][1]["violated"], false);
}

#[test]
fn a_change_needs_its_test() {
    let sandbox = global("predicate: tests_exist_for_modified");
    let report = broken(&sandbox, &writes(), &[]);
    says(&report, &["tests/test_new.py"]);
    let with_test = attempts(&[does(json!([
        write("src/new.py", "new\n"),
        write("tests/test_new.py", "pass\n")
    ]))]);
    passes(&sandbox, &with_test, &[]).completed();
    // It stands in the workspace now, and counts.
    passes(
        &sandbox,
        &attempts(&[does(json!([write("src/new.py", "newer\n")]))]),
        &[],
    )
    .completed();
}

#[test]
fn a_credential_in_what_is_added_stops_and_is_told_nowhere() {
    let sandbox = global("predicate: no_secrets_in_diff");
    let task = attempts(&[does(json!([{
        "do": "submit-files",
        // Put together in the coder, since a task is told everywhere.
        "operations": [{ "write": "src/keys.py", "bytes": format!("key = '{KEY}'\n").as_bytes() }],
    }]))]);
    let finished = passes(&sandbox, &task, &[]);
    assert!(!format!("{finished:?}").contains(KEY));
    let report = finished.ended(1, "blocker", Some("constraint"));
    says(&report, &["src/keys.py"]);
    assert!(!sandbox.read(".snodo/audit.log").contains(KEY));
    replay(&sandbox, &report);
}

#[test]
fn another_severity_than_blocker_only_records() {
    for severity in ["warn", "pass"] {
        let sandbox = global(&format!(
            "predicate: files_in_scope, params: {{ scope_paths: ['docs/*'] }}, severity: {severity}"
        ));
        let report = passes(&sandbox, &writes(), &[]).completed();
        assert_eq!(report["constraints"][1]["violated"], true);
        assert!(sandbox.exists("src/new.py"));
        let log = replay(&sandbox, &report);
        assert_eq!(of(&log, "constraint_violation")[0]["severity"], severity);
    }
}

#[test]
fn those_of_the_mode_are_evaluated_after_the_global_ones_and_no_other_modes() {
    let text = unanimous(&format!(
        "global_constraints:\n{}",
        constraint("predicate: files_in_scope, params: { scope_paths: ['src/*'] }")
    ))
    .replace(
        "    name: Work\n",
        "    name: Work\n    constraints:\n      - { constraint_id: own, description: d, predicate: files_in_scope, params: { scope_paths: ['docs/*'] }, severity: warn }\n",
    )
    .replace(
        "validators:\n  - {",
        "  - mode_id: other\n    name: Other\n    constraints:\n      - { constraint_id: never, description: d, predicate: files_in_scope, params: { scope_paths: [] } }\nvalidators:\n  - {",
    );
    let report = passes(&under(&text), &writes(), &[]).completed();
    let found: Vec<String> = report["constraints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{} {}", c["id"].as_str().unwrap(), c["violated"]))
        .collect();
    assert_eq!(found, ["bound false", "own false", "bound false", "own true"]);
}

#[test]
fn what_cannot_be_kept_whatever_is_changed_stops_before_the_coder() {
    let sandbox = global("predicate: files_in_scope, params: { scope_paths: { a: b } }");
    let report = broken(&sandbox, &writes(), &[]);
    says(&report, &["cannot be kept, whatever is changed", "bound: "]);
    assert_eq!((&report["coder"], &report["gates"]), (&Value::Null, &json!([])));
    let log = replay(&sandbox, &report);
    assert_eq!(kinds(&log), ["governance_check", "constraint_violation", "halt"]);
    assert_eq!(of(&log, "governance_check")[0]["constraints_checked"], false);
    assert_eq!(of(&log, "constraint_violation")[0]["phase"], "pre_execute");
}

#[test]
fn an_unknown_predicate_is_no_protocol() {
    let why = passes(&global("predicate: files_in_scop"), &writes(), &[]).refused();
    assert!(why.contains("files_in_scop") && why.contains("files_in_scope"), "{why}");
}

#[test]
fn one_for_readers_is_never_evaluated() {
    let report = passes(&global("severity: blocker"), &writes(), &[]).completed();
    assert_eq!(report["constraints"], json!([]));
}

#[test]
fn a_violation_is_not_handed_back_to_the_coder() {
    let sandbox = global("predicate: files_in_scope, params: { scope_paths: ['docs/*'] }");
    let task = attempts(&[
        does(json!([write("src/new.py", "new\n")])),
        does(json!([{ "do": "withdraw", "paths": ["src/new.py"] }, write("docs/x.md", "x\n")])),
    ]);
    let report = broken(&sandbox, &task, &[]);
    assert_eq!(gates(&report), ["1 pre_execute proceed"]);
}

const MODULES: &str = "modules:\n  - { module_id: api, paths: [src/api], tooling: { test_command: 'test -e src/api/new.py' } }\n  - { module_id: web, paths: [src/web, 'docs/*'] }\n";

fn modules() -> Sandbox {
    let bound = constraint("predicate: files_in_scope");
    let tests = "  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, tooling: { test_command: 'true' } }\n";
    under(&protocol(
        "unanimous",
        "tests",
        tests,
        &format!("global_constraints:\n{bound}{MODULES}"),
    ))
}

#[test]
fn a_module_bounds_the_change_and_brings_its_tests() {
    let sandbox = modules();
    let task = attempts(&[does(json!([write("src/api/new.py", "new\n")]))]);
    let report = broken(&sandbox, &task, &["--module", "web"]);
    says(&report, &["src/api/new.py"]);
    let report = passes(&sandbox, &task, &["--module", "api"]).completed();
    assert_eq!(
        (
            &report["protocol"]["test_command"],
            &report["protocol"]["test_command_source"]
        ),
        (
            &json!("test -e src/api/new.py"),
            &json!({ "by": "module", "module": "api" })
        )
    );
    // Without the flag the modules mean nothing: everything is in scope, and the validator's command runs.
    let report = passes(&sandbox, &writes(), &[]).completed();
    assert_eq!(report["protocol"]["test_command"], "true");
}

#[test]
fn a_module_that_is_none_is_refused() {
    let why = passes(&modules(), &writes(), &["--module", "apy"]).refused();
    assert!(
        why.contains("no module `apy`") && why.contains("did you mean `api`?"),
        "{why}"
    );
    let why = Sandbox::new().run(&["x", "--mock", "--module", "api"]).refused();
    assert!(why.contains("`--module api` needs a protocol"), "{why}");
}
