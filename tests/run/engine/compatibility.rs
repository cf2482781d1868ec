//! Where snodo 0.26 is known to be wrong: what a whole run makes of it here (`docs/compatibility.md` names these).

use serde_json::{Value, json};

use super::{attempts, does, gates, protocol, run, unanimous, under, writes};
use crate::support::chain::{of, replay};
use crate::support::finished::{changes, handed_over, said};
use crate::support::script::write;
use crate::support::{Sandbox, guest};

/// 1: there, words of the engine stand among the paths, and nothing is ever in scope or tested. Both at once, in a repository.
#[test]
fn a_run_under_all_three_predicates_completes() {
    let bound = |id: &str, rest: &str| format!("  - {{ constraint_id: {id}, description: d, {rest} }}\n");
    let constraints = [
        bound(
            "scope",
            "predicate: files_in_scope, params: { scope_paths: ['src/*', 'tests/*'] }",
        ),
        bound("tested", "predicate: tests_exist_for_modified"),
        bound("clean", "predicate: no_secrets_in_diff"),
    ];
    let sandbox = under(&unanimous(&format!("global_constraints:\n{}", constraints.concat())));
    let task = attempts(&[does(json!([
        write("src/new.py", "new\n"),
        write("tests/test_new.py", "pass\n")
    ]))]);
    let report = run(&sandbox, &task, &json!({}), &[]).completed();
    let after = report["constraints"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["phase"] == "post_execute");
    let reasons: Vec<&Value> = after.map(|c| &c["reason"]).collect();
    assert_eq!(reasons, ["holds", "holds", "holds"]);
}

/// 5: one path that is nothing must not cost the rest.
#[test]
fn what_changes_nothing_is_left_out_and_the_rest_goes_on() {
    let sandbox = under(&unanimous("")).with(".gitignore", "/ignored\n");
    let task = attempts(&[does(json!([
        write("docs/guide.md", "one\ntwo\nthree\nfour\nfive\n"),
        { "do": "submit-files", "operations": [{ "delete": "not/there.txt" }] },
        write("src/new.py", "new\n"),
    ]))]);
    let report = run(&sandbox, &task, &json!({}), &[]).completed();
    assert_eq!(changes(&report), ["added src/new.py"]);
}

/// 7: there, a number in the justification loses the report.
#[test]
fn a_report_of_missing_means_survives_the_number_of_its_criterion() {
    for phase in ["pre-execute", "post-execute"] {
        let sandbox = under(&unanimous(""));
        let plan = json!({ phase: ["uncheckable"] });
        let words = "guest_judge.words=criterion 0 holds; criterion 1 too";
        let report = run(&sandbox, &writes(), &plan, &["--set", words]).ended(1, "blocker", Some("blocked"));
        let phase = phase.replace('-', "_");
        let result = said(&report, &phase, "guest_judge");
        assert_eq!(
            (&result["access_refused"], &result["severity"], &result["error"]),
            (&json!(true), &json!("blocker"), &json!(false))
        );
        replay(&sandbox, &report);
    }
}

/// 13: there, what ends before it begins leaves a task that runs for ever.
#[test]
fn what_cannot_begin_writes_nothing() {
    for text in [
        unanimous("").replace("initial_mode: work", "initial_mode: wrok"),
        unanimous("protected_paths: ['*.lock']\n"),
        "a: [".to_owned(),
    ] {
        let sandbox = under(&text);
        run(&sandbox, &writes(), &json!({}), &[]).refused();
        let names: Vec<_> = std::fs::read_dir(sandbox.workspace().join(".snodo")).unwrap().collect();
        assert_eq!(names.len(), 1, "the protocol, and nothing else");
    }
}

/// 14: there, a validator without criteria is not asked and warns.
#[test]
fn a_validator_without_criteria_is_asked() {
    let sandbox = under(&unanimous(""));
    let report = run(&sandbox, &writes(), &json!({ "post-execute": ["echo"] }), &[]).completed();
    assert_eq!(said(&report, "post_execute", "look")["severity"], "pass");
    let echoed = handed_over(said(&report, "post_execute", "guest_judge"));
    assert_eq!(echoed["evaluation"]["criteria"], json!([]));
}

/// 18: there, the gate after the coder decides as the one before it.
#[test]
fn the_same_warning_asks_a_person_before_the_coder_and_the_coder_after_it() {
    let before = run(
        &under(&unanimous("")),
        &writes(),
        &json!({ "pre-execute": ["warn"] }),
        &[],
    );
    before.ended(2, "escalate", Some("escalated"));
    let after = run(
        &under(&unanimous("")),
        &writes(),
        &json!({ "post-execute": ["warn", "pass"] }),
        &[],
    );
    assert_eq!(gates(&after.completed()).len(), 4);
}

/// A verdict has no field for an id: what a validator says is recorded under the one that it was asked by. What it says of another, or that
/// blocks and calls itself skipped, changes nothing.
#[test]
fn a_validator_cannot_speak_for_another_nor_skip_a_blocker() {
    let sandbox = under(&unanimous(""));
    let words = "guest_judge.words=look: pass";
    let plan = json!({ "post-execute": ["skipped-blocker"] });
    let report = run(&sandbox, &writes(), &plan, &["--set", words]).ended(1, "blocker", Some("blocked"));
    let result = said(&report, "post_execute", "guest_judge");
    assert_eq!(
        (&result["severity"], &result["skipped"]),
        (&json!("blocker"), &json!(false))
    );
    let log = replay(&sandbox, &report);
    let results = of(&log, "validate")[1]["results"].as_array().unwrap();
    let ids: Vec<&Value> = results.iter().map(|r| &r["validator_id"]).collect();
    assert_eq!(ids, ["look", "guest_judge"]);
}

/// A validator with the right to run the tests cannot turn their failure into a pass on record, nor call it "no tests".
#[test]
fn what_tests_did_is_recorded_by_the_host_whatever_a_validator_makes_of_it() {
    let (runner, judge) = (guest("guest_runner"), guest("guest_judge"));
    let sandbox = under(&protocol(
        "unanimous",
        "look, tests",
        "  - { validator_id: look, validator_type: secrets, evaluation_phase: post_execute }\n  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, severity_cap: pass, tooling: { test_command: 'false' } }\n",
        "",
    ));
    for says in ["pass", "skip"] {
        let says = format!("guest_runner.says={says}");
        let report = sandbox
            .run(&[
                "anything",
                "--mock",
                "--validator",
                &judge,
                "--validator",
                &runner,
                "--grant",
                "guest_runner:runner",
                "--set",
                &says,
            ])
            .ended(1, "blocker", Some("blocked"));
        assert_eq!(
            said(&report, "post_execute", "guest_runner")["severity"],
            "pass",
            "it lets them pass"
        );
        let log = replay(&sandbox, &report);
        let events = of(&log, "verification_executed");
        let mut verified: Vec<String> = events[events.len() - 2..]
            .iter()
            .map(|e| {
                let text = |key: &str| e[key].as_str().unwrap();
                format!("{} {} {}", text("validator_id"), text("outcome"), e["returncode"])
            })
            .collect();
        verified.sort();
        assert_eq!(verified, ["guest_runner fail 1", "tests fail 1"]);
    }
}

/// Settled by the host: a protocol never makes a recovery longer than its bounds, and those have an end.
#[test]
fn bounds_of_recovery_have_an_end() {
    for (more, words) in [
        ("execution: { max_recovery_depth: 21 }\n", "max_recovery_depth"),
        ("execution: { max_total_fix_attempts: 101 }\n", "max_total_fix_attempts"),
        ("execution: { max_total_fix_attempts: 0 }\n", "max_total_fix_attempts"),
        ("execution: { max_recovery_depth: -1 }\n", "max_recovery_depth"),
    ] {
        let why = run(&under(&unanimous(more)), &writes(), &json!({}), &[]).refused();
        assert!(why.contains(words), "{why}");
    }
    let sandbox: Sandbox = under(&unanimous(
        "execution: { max_recovery_depth: 20, max_total_fix_attempts: 100 }\n",
    ));
    let words = "guest_judge.words=attempt {attempt}";
    let report = run(
        &sandbox,
        &writes(),
        &json!({ "post-execute": ["warn"] }),
        &["--set", words],
    )
    .ended(1, "blocker", Some("recovery_exhausted"));
    assert_eq!(gates(&report).len(), 2 * 21);
    replay(&sandbox, &report);
}
