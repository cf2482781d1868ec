//! What is applied under a `quality` validator is what its tests passed on, and nothing else.

use serde_json::{Value, json};

use super::{LOOK, attempts, does, gates, protocol, run, says, under, writes};
use crate::support::Sandbox;
use crate::support::chain::{of, replay};
use crate::support::finished::{gate, said};
use crate::support::script::write;

fn tested(policy: &str, tooling: &str, rest: &str) -> Sandbox {
    let tests = format!(
        "  - {{ validator_id: tests, validator_type: quality, evaluation_phase: post_execute, tooling: {tooling}{rest} }}\n"
    );
    under(&protocol(policy, "tests, look", &format!("{tests}{LOOK}"), ""))
}

/// What the log says of the tests: task, outcome, exit code.
fn verified(sandbox: &Sandbox, report: &Value) -> Vec<(String, String, i64)> {
    let log = replay(sandbox, report);
    of(&log, "verification_executed")
        .iter()
        .map(|e| {
            let text = |key: &str| e[key].as_str().unwrap().to_owned();
            assert_eq!(text("validator_id"), "tests");
            (text("task_ref"), text("outcome"), e["returncode"].as_i64().unwrap())
        })
        .collect()
}

fn task(report: &Value) -> String {
    report["task"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn tests_that_passed_are_on_record_before_the_change_is_applied() {
    let sandbox = tested("unanimous", "{ test_command: 'test -e src/new.py' }", "");
    let report = run(&sandbox, &writes(), &json!({}), &[]).completed();
    assert_eq!(verified(&sandbox, &report), [(task(&report), "pass".to_owned(), 0)]);
    let log = replay(&sandbox, &report);
    let verification = of(&log, "verification_executed")[0];
    assert_eq!(verification["command"], "test -e src/new.py");
    assert_eq!(verification["commit"], "", "no commit was tested");
}

#[test]
fn a_cap_on_failing_tests_lets_nothing_be_applied() {
    for (policy, cap) in [
        ("any", "warn"),
        ("any", "pass"),
        ("unanimous", "pass"),
        ("majority", "warn"),
    ] {
        let sandbox = tested(
            policy,
            "{ test_command: \"sh -c 'exit 7'\" }",
            &format!(", severity_cap: {cap}"),
        );
        let before = sandbox.tree();
        for flags in [&[][..], &["--dry-run"]] {
            let report = run(&sandbox, &writes(), &json!({}), flags).ended(1, "blocker", Some("blocked"));
            assert_eq!(before, sandbox.tree());
            // The policy is content, and that is not enough.
            let decision = gate(&report, "post_execute")["decision"].as_str().unwrap();
            assert!(["proceed", "log"].contains(&decision), "{decision}");
            says(&report, &["not verified", "tests", "exited with 7"]);
            assert_eq!(
                verified(&sandbox, &report).last().unwrap(),
                &(task(&report), "fail".to_owned(), 7)
            );
            let log = replay(&sandbox, &report);
            let last = log.last().unwrap();
            assert_eq!(
                (last.kind.as_str(), &last.data["blocker_validators"]),
                ("halt", &json!(["tests"]))
            );
        }
    }
}

#[test]
fn no_tests_are_on_record_and_said() {
    let sandbox = tested("unanimous", "{}", "");
    let report = run(&sandbox, &writes(), &json!({}), &[]).completed();
    says(&report, &["untested: no test command is declared"]);
    assert_eq!(said(&report, "post_execute", "tests")["skipped"], true);
    assert_eq!(verified(&sandbox, &report), [(task(&report), "no_tests".to_owned(), 0)]);
}

#[test]
fn tests_that_cannot_run_stop_the_run_before_the_coder() {
    let sandbox = tested("any", "{ test_command: no-such-program-here }", ", severity_cap: pass");
    let report = run(&sandbox, &writes(), &json!({}), &[]).ended(3, "validator_error", Some("validator_error"));
    assert_eq!((&report["coder"], gates(&report).len()), (&Value::Null, 0));
    replay(&sandbox, &report);
}

#[test]
fn tests_that_failed_are_mended_and_what_passed_is_what_is_applied() {
    let sandbox = tested(
        "unanimous",
        "{ test_command: 'test -e src/fixed.py' }",
        ", severity_cap: blocker",
    );
    let task_text = attempts(&[
        does(json!([write("src/broken.py", "1\n")])),
        does(json!([write("src/fixed.py", "2\n")])),
    ]);
    let report = run(&sandbox, &task_text, &json!({}), &[]).completed();
    let root = task(&report);
    assert_eq!(
        verified(&sandbox, &report),
        [
            (root.clone(), "fail".to_owned(), 1),
            (format!("{root}_fix_1"), "pass".to_owned(), 0)
        ]
    );
    let log = replay(&sandbox, &report);
    assert_eq!(of(&log, "change_applied")[0]["change_set"], report["change_digest"]);
    assert!(sandbox.exists("src/broken.py") && sandbox.exists("src/fixed.py"));
}

#[test]
fn a_quality_validator_of_another_mode_is_not_asked_for() {
    let tests = "  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, tooling: { test_command: 'false' } }\n";
    let sandbox = under(&protocol("unanimous", "look", &format!("{tests}{LOOK}"), ""));
    let report = run(&sandbox, &writes(), &json!({}), &[]).completed();
    assert_eq!(verified(&sandbox, &report), []);
}
