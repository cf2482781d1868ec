//! Which command is the declared one: fixed on the base, before the coder; and found to be runnable before it.

use serde_json::{Value, json};

use super::{execution, test};
use crate::support::finished::said;
use crate::support::machine::has_program;
use crate::support::protocol::simple;
use crate::support::script::{answers, steps, write};
use crate::support::{Sandbox, guest};

/// A protocol with a `quality` validator that declares no command.
fn open_quality() -> String {
    simple("").replace(
        "validators: [look]\nvalidators:\n",
        "validators: [look, tests]\nvalidators:\n  - validator_id: tests\n    validator_type: quality\n    evaluation_phase: post_execute\n",
    )
}

/// Runs a coder that writes these files.
#[track_caller]
fn run(sandbox: &Sandbox, files: &[(&str, &str)]) -> Value {
    let writes: Vec<Value> = files.iter().map(|(path, text)| write(path, text)).collect();
    let task = steps(Value::from(writes));
    let (probe, judge) = (guest("guest_probe"), guest("guest_judge"));
    let finished = sandbox.run(&[&task, "--coder", &probe, "--validator", &judge]);
    sandbox.assert_nothing_is_left();
    finished.completed()
}

#[test]
fn a_marker_of_the_base_says_what_is_run_and_one_of_the_coders_changes_nothing() {
    if !has_program("make") {
        return;
    }
    let sandbox = Sandbox::git()
        .with(".snodo/protocol.yml", open_quality())
        .with("Makefile", "test:\n\t@echo made by make\n");
    // `package.json` would go before it, were it looked at after the coder.
    let report = run(
        &sandbox,
        &[
            ("package.json", "{\"scripts\":{\"test\":\"exit 0\"}}"),
            ("setup.py", ""),
        ],
    );
    let protocol = &report["protocol"];
    assert_eq!(protocol["test_command"], "make test");
    assert_eq!(
        protocol["test_command_source"],
        json!({ "by": "detected", "marker": "Makefile" })
    );
    assert_eq!(execution(&report)["argv"], json!(["make", "test"]));
    assert_eq!(execution(&report)["output_tail"], "made by make\n");

    // The same command has the same name, whoever declared it.
    let flagged = Sandbox::git().with("Makefile", "test:\n\t@true\n");
    let flagged = test(&flagged, "make  test", &[]).completed();
    assert_eq!(
        flagged["protocol"]["test_command_digest"],
        protocol["test_command_digest"]
    );
    assert_eq!(flagged["protocol"]["test_command_source"], json!({ "by": "flag" }));
}

#[test]
fn a_base_without_a_marker_stays_untested_whatever_the_coder_adds() {
    let sandbox = Sandbox::git().with(".snodo/protocol.yml", open_quality());
    let report = run(
        &sandbox,
        &[
            ("package.json", "{\"scripts\":{\"test\":\"exit 0\"}}"),
            ("Makefile", "test:\n\ttrue\n"),
        ],
    );
    assert_eq!(report["protocol"]["test_command"], Value::Null);
    assert_eq!(report["runner"], json!([]));
    assert_eq!(said(&report, "post_execute", "tests")["skipped"], true);
    assert!(report["reason"].as_str().unwrap().contains("untested"), "{report:#}");
}

#[test]
fn without_a_validator_that_runs_it_nothing_is_detected() {
    let sandbox = Sandbox::git().with("Makefile", "test:\n\t@true\n");
    let report = sandbox.run(&["anything", "--mock"]).completed();
    assert_eq!(report["protocol"]["test_command"], Value::Null);
    assert_eq!(report["runner"], json!([]));
}

#[test]
fn a_placeholder_is_never_a_green_run() {
    let sandbox = Sandbox::git();
    for placeholder in [
        "REPLACE_ME",
        "echo 'snodo: no test_command configured; no tests executed'",
        "echo \"snodo: no test_command configured;  no tests executed\"",
    ] {
        let why = sandbox
            .run(&["anything", "--mock", "--test-command", placeholder])
            .refused();
        assert!(why.contains("is a placeholder that runs no test"), "{why}");
        let protocol = open_quality().replace(
            "    validator_type: quality\n",
            &format!(
                "    validator_type: quality\n    tooling: {{ test_command: {} }}\n",
                json!(placeholder)
            ),
        );
        let under = Sandbox::git().with(".snodo/protocol.yml", protocol);
        let report = run(&under, &[("a.txt", "a\n")]);
        assert_eq!(said(&report, "post_execute", "tests")["skipped"], true, "{placeholder}");
    }
}

#[test]
fn a_missing_program_ends_the_run_by_name_before_anybody_works() {
    if has_program("go") {
        return;
    }
    // Detected, declared by the protocol, given by a flag: the same.
    let judge = guest("guest_judge");
    let detected = Sandbox::git()
        .with(".snodo/protocol.yml", open_quality())
        .with("go.mod", "module x\n");
    let declared = open_quality().replace(
        "    validator_type: quality\n",
        "    validator_type: quality\n    tooling: { test_command: go test ./... }\n",
    );
    let declared = Sandbox::git().with(".snodo/protocol.yml", declared);
    let flagged = Sandbox::git();
    for (sandbox, flags) in [
        (detected, &[][..]),
        (declared, &[]),
        (flagged, &["--validator", "quality", "--test-command", "go test ./..."]),
    ] {
        let arguments = [&["anything", "--mock", "--validator", &judge], flags].concat();
        let report = sandbox
            .run(&arguments)
            .ended(3, "validator_error", Some("validator_error"));
        assert_eq!((&report["coder"], &report["gates"]), (&Value::Null, &json!([])));
        let reason = report["reason"].as_str().unwrap();
        assert!(
            reason.contains("the declared test command `go test ./...` cannot be run: `go`"),
            "{reason}"
        );
    }
}

#[test]
fn a_coder_is_told_of_twelve_runs_of_two_minutes() {
    let sandbox = Sandbox::git();
    let task = steps(json!([
        { "do": "echo", "take": ["/ok/context/runner"] },
        { "do": "run-tests", "path": null, "take": ["/ok/calls-left"] },
    ]));
    let probe = guest("guest_probe");
    let report = sandbox
        .run(&[
            &task,
            "--coder",
            &probe,
            "--expect",
            "findings",
            "--test-command",
            "true --fast",
        ])
        .completed();
    let answers = answers(&report);
    assert_eq!(
        answers[0]["/ok/context/runner"],
        json!({ "argv": ["true", "--fast"], "takes-path": true, "calls": 12, "timeout-ms": 120_000 })
    );
    assert_eq!(answers[1]["/ok/calls-left"], 11);
}
