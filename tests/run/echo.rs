//! Every field of `task` and `context` reaches a plugin, each with a value of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::finished::{handed_over, said};
use crate::support::script::{answers, steps};
use crate::support::{Sandbox, guest};

const PROTOCOL: &str = "\
protocol_id: echo
name: Echo
initial_mode: other
protected_paths: [locked/file.txt, vault/]
modes:
  - mode_id: other
    name: Other
    validators: [tests]
  - mode_id: echoing
    name: Echoing
    description: Say everything back.
    tools: [read]
    validators: [tests]
    coder_config: { text: from the protocol, integer: 41, list: [red, green] }
validators:
  - validator_id: tests
    validator_type: quality
    evaluation_phase: post_execute
    tooling: { timeout: 77, test_command: 'sh check.sh --fast' }
";

const LIMITS: &str = "\
[limits]
memory_mib = 101
compute_seconds = 11
total_seconds = 103
host_calls = 1009
call_mib = 2
read_mib = 107
submit_mib = 5
[runner]
calls = 13
timeout_seconds = 200
";

/// Every leaf of a value, with the way to it.
fn leaves(at: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields
                .iter()
                .for_each(|(key, value)| leaves(&format!("{at}.{key}"), value, found));
        }
        Value::Array(items) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(n, value)| leaves(&format!("{at}[{n}]"), value, found));
        }
        leaf => found.push((at.to_owned(), leaf.clone())),
    }
}

#[test]
fn a_coder_gets_every_field_of_task_and_context() {
    let sandbox = Sandbox::new()
        .with(".snodo/protocol.yml", PROTOCOL)
        .with("pyproject.toml", "[project]\nname = \"echo\"\n")
        .with("setup.cfg", "x".repeat(2_500))
        .with("check.sh", "exit 0\n")
        .host_toml(LIMITS);
    let task = steps(json!([{ "do": "echo" }]));
    let judge = guest("guest_judge");
    let probe = guest("guest_probe");
    let report = sandbox
        .run(&[
            &task,
            "--coder",
            &probe,
            "--validator",
            &judge,
            "--mode",
            "echoing",
            "--model",
            "some/model",
            "--expect",
            "findings",
            "--set",
            "guest_probe.boolean=true",
            "--set",
            "guest_probe.integer=42",
        ])
        .completed();
    let echoed = answers(&report)[0]["ok"].clone();
    let structure = ".snodo/\n";
    let wanted = json!({
        "task": {
            "id": report["task"]["id"],
            "spec": task,
            "expects": "findings",
            "constraints": [],
            "memory-summary": "",
            "project": {
                "language": "python",
                "structure": "README.md\ncheck.sh\ndocs/\ndocs/guide.md\npyproject.toml\nsetup.cfg\nsrc/\nsrc/main.py\n",
                "configuration": [
                    { "path": "pyproject.toml", "text": "[project]\nname = \"echo\"\n", "truncated": false },
                    { "path": "setup.cfg", "text": "x".repeat(2_000), "truncated": true },
                ],
            },
            "prior-failures": [],
        },
        "context": {
            "job-id": report["run_id"],
            "task-id": report["task"]["id"],
            "mode": "echoing",
            "depth": 0,
            "attempt": 1,
            "model": "some/model",
            "runner": { "argv": ["sh", "check.sh", "--fast"], "takes-path": true, "calls": 13, "timeout-ms": 200_000 },
            "protected-paths": ["locked/file.txt", "vault"],
            "protocol-guidance": "Say everything back.",
            "tools": [
                "read-file", "read-lines", "read-files", "list-files", "search-text", "search-symbol", "submit-files", "withdraw",
                "progress", "run-tests",
            ],
            "settings": [
                { "name": "text", "value": { "text": "from the protocol" } },
                { "name": "boolean", "value": { "boolean": true } },
                { "name": "integer", "value": { "integer": 42 } },
                { "name": "list", "value": { "text-list": ["red", "green"] } },
            ],
            "limits": {
                "memory-bytes": 101_u64 << 20, "compute-ms": 11_000, "total-ms": 103_000, "host-calls": 1009,
                "call-bytes": 2 << 20, "read-bytes": 107_u64 << 20, "submit-bytes": 5 << 20,
            },
        },
    });
    assert!(
        !wanted["task"]["project"]["structure"]
            .as_str()
            .unwrap()
            .contains(structure),
        "hidden files are not listed"
    );
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    leaves("", &echoed, &mut found);
    leaves("", &wanted, &mut expected);
    for (place, value) in &expected {
        assert!(
            found.contains(&(place.clone(), value.clone())),
            "{place} should be {value} in {echoed:#}"
        );
    }
    assert_eq!(
        found.len(),
        expected.len(),
        "fields that this test does not know: {echoed:#}"
    );

    // Fields that are mixed up would not be noticed if they held the same value. These are one value by their nature.
    let same_by_nature = [".context.task-id", ".task.id"];
    let once: Vec<&(String, Value)> = found
        .iter()
        .filter(|(place, value)| {
            !same_by_nature.contains(&place.as_str()) && *value != json!([]) && *value != json!("")
        })
        .collect();
    let distinct: BTreeSet<String> = once.iter().map(|(_, value)| value.to_string()).collect();
    let doubled: Vec<&&(String, Value)> = once
        .iter()
        .filter(|(_, value)| once.iter().filter(|(_, other)| other == value).count() > 1)
        .collect();
    assert!(
        distinct.len() + 2 >= once.len(),
        "two booleans may repeat, nothing else: {doubled:#?}"
    );
}

#[test]
fn a_judge_gets_every_field_of_evaluation_and_context() {
    let protocol = PROTOCOL.replace(
        "    coder_config: { text: from the protocol, integer: 41, list: [red, green] }\n",
        "",
    );
    let sandbox = Sandbox::new()
        .with(".snodo/protocol.yml", protocol)
        .with("check.sh", "exit 0\n")
        .host_toml(LIMITS);
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--validator",
            &judge,
            "--mode",
            "echoing",
            "--model",
            "some/model",
            "--set",
            "guest_judge.behaviour=echo",
            "--set",
            "guest_judge.number=-7",
            "--set",
            "guest_judge.words=my words",
        ])
        .completed();
    let echoed = handed_over(said(&report, "post_execute", "guest_judge"));
    let evidence = said(&report, "post_execute", "tests");
    assert_eq!(
        echoed["evaluation"],
        json!({
            "phase": "post-execute",
            "task": {
                "id": report["task"]["id"], "spec": "anything", "expects": "change", "constraints": [], "memory-summary": "",
                "project": {
                    "language": "unknown", "structure": "README.md\ncheck.sh\ndocs/\ndocs/guide.md\nsrc/\nsrc/main.py\n",
                    "configuration": [],
                },
                "prior-failures": [],
            },
            "validator-id": "guest_judge",
            "criteria": [],
            "mode": { "id": "echoing", "name": "Echoing", "description": "Say everything back.", "tools": ["read"] },
            "evidence": [{ "validator-id": "tests", "severity": "pass", "justification": evidence["justification"] }],
            "test-governing": [{
                "path": "tests/test_hello.py", "change": "added", "reason": report["changes"][1]["test_governing"],
            }],
        })
    );
    let context = &echoed["context"];
    assert_eq!(context["model"], Value::Null, "the coder's model is not a judge's");
    assert_eq!(context["job-id"], report["run_id"]);
    assert_eq!(context["task-id"], report["task"]["id"]);
    assert_eq!(
        (&context["mode"], &context["depth"], &context["attempt"]),
        (&json!("echoing"), &json!(0), &json!(1))
    );
    assert_eq!(context["protected-paths"], json!(["locked/file.txt", "vault"]));
    assert_eq!(context["protocol-guidance"], "Say everything back.");
    assert_eq!(
        context["settings"],
        json!([
            { "name": "behaviour", "value": { "text": "echo" } },
            { "name": "in", "value": { "text": "" } },
            { "name": "words", "value": { "text": "my words" } },
            { "name": "plan", "value": { "text": "{}" } },
            { "name": "script", "value": { "text": "[]" } },
            { "name": "number", "value": { "integer": -7 } },
        ])
    );
    assert_eq!(context["limits"]["host-calls"], 1009);
}

#[test]
fn without_a_protocol_every_field_is_filled_all_the_same() {
    let sandbox = Sandbox::new();
    let task = steps(json!([{ "do": "echo" }]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    let echoed = &answers(&report)[0]["ok"];
    let context = &echoed["context"];
    assert_eq!((&context["model"], &context["runner"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&context["mode"], &context["protocol-guidance"]),
        (&json!("ad-hoc"), &json!(""))
    );
    assert_eq!(context["protected-paths"], json!([]));
    assert_eq!(
        context["settings"][3],
        json!({ "name": "list", "value": { "text-list": ["one"] } })
    );
    assert_eq!(echoed["task"]["id"], report["task"]["id"]);
}
