//! `.snodo/protocol.yml`: picked up when it is there, and what of it is in force.

use serde_json::{Value, json};

use crate::support::finished::{changes, gate, handed_over, results, said};
use crate::support::protocol::simple;
use crate::support::script::{answers, steps, write};
use crate::support::{Finished, Sandbox, guest};

/// A workspace under a protocol.
fn under(protocol: &str) -> Sandbox {
    Sandbox::git().with(".snodo/protocol.yml", protocol)
}

/// No built-in judges before execution, and a protocol's mode asks for somebody who does: the guest judge, by flag.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let judge = guest("guest_judge");
    let mut all = vec!["anything", "--mock", "--validator", judge.as_str()];
    all.extend(arguments);
    sandbox.run(&all)
}

const TWO_MODES: &str = "\
protocol_id: team
name: Team
initial_mode: work
disagreement_policy: majority
protected_paths: [docs, LICENSE]
modes:
  - mode_id: work
    name: Work
    description: Keep it small.
    validators: [no-keys, in-src, tests]
  - mode_id: free
    name: Free
    validators: [no-keys]
validators:
  - validator_id: no-keys
    validator_type: secrets
    evaluation_phase: post_execute
  - validator_id: in-src
    validator_type: scope
    evaluation_phase: post_execute
    tooling: { paths: [src, tests] }
  - validator_id: tests
    validator_type: quality
    evaluation_phase: post_execute
    tooling: { test_command: 'grep -q world src/hello.py' }
";

#[test]
fn it_is_picked_up_with_mode_validators_policy_command_and_protected_paths() {
    let sandbox = under(TWO_MODES);
    let report = run(&sandbox, &[]).completed();
    assert_eq!(
        report["protocol"],
        json!({
            "file": ".snodo/protocol.yml", "id": "team", "mode": "work", "policy": "majority",
            "test_command": "grep -q world src/hello.py", "test_command_source": { "by": "protocol", "validator": "tests" },
            "test_command_digest": report["protocol"]["test_command_digest"], "protected_paths": ["docs", "LICENSE"],
        })
    );
    assert!(report["protocol"]["test_command_digest"].is_string());
    let ids: Vec<String> = results(&report, "post_execute").into_iter().map(|r| r.0).collect();
    assert_eq!(
        ids,
        ["no-keys", "in-src", "tests", "guest_judge"],
        "the protocol's, then the flag's"
    );
    assert_eq!(said(&report, "post_execute", "tests")["plugin"], "quality");
    assert_eq!(
        report["runner"][0]["argv"],
        json!(["grep", "-q", "world", "src/hello.py"])
    );
}

#[test]
fn another_mode_has_other_validators() {
    let sandbox = under(TWO_MODES);
    let report = run(&sandbox, &["--mode", "free"]).completed();
    assert_eq!(report["protocol"]["mode"], "free");
    let ids: Vec<String> = results(&report, "post_execute").into_iter().map(|r| r.0).collect();
    assert_eq!(ids, ["no-keys", "guest_judge"]);
}

#[test]
fn an_unknown_mode_is_refused_by_name() {
    let sandbox = under(TWO_MODES);
    let why = run(&sandbox, &["--mode", "wrok"]).refused();
    assert!(
        why.contains("no mode `wrok`") && why.contains("did you mean `work`?"),
        "{why}"
    );
}

#[test]
fn another_file_can_be_named_and_is_used_in_place_of_the_workspaces_own() {
    let sandbox = under(TWO_MODES);
    let other = sandbox.path().join("other.yml");
    std::fs::write(&other, simple("")).unwrap();
    let report = run(&sandbox, &["--protocol", other.to_str().unwrap()]).completed();
    assert_eq!(
        (&report["protocol"]["id"], &report["protocol"]["file"]),
        (&json!("simple"), &json!(other.to_str().unwrap()))
    );
}

#[test]
fn a_mode_in_which_nobody_judges_before_execution_halts() {
    let sandbox = under(&simple(""));
    let before = sandbox.tree();
    let report = sandbox.run(&["anything", "--mock"]).ended(1, "blocker", Some("wf3"));
    assert_eq!(before, sandbox.tree());
    assert_eq!(report["coder"], Value::Null);
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("no validator judges in pre_execute"),
        "{report:#}"
    );
    assert!(report["reason"].as_str().unwrap().contains("`work`"), "{report:#}");
}

#[test]
fn its_policy_decides() {
    let policy = |policy: &str| {
        let sandbox = under(&simple(&format!("disagreement_policy: {policy}\n")));
        run(
            &sandbox,
            &[
                "--set",
                "guest_judge.behaviour=warn",
                "--set",
                "guest_judge.in=post-execute",
            ],
        )
    };
    // One pass, one warning.
    let report = policy("any").completed();
    assert_eq!(gate(&report, "post_execute")["decision"], "log");
    // Back to the coder, which does the same again; a person is asked before the coder only.
    policy("unanimous").ended(1, "blocker", Some("recovery_stalled"));
}

#[test]
fn a_cap_lowers_a_finding_and_says_so_and_never_touches_an_error() {
    let protocol = TWO_MODES.replace(
        "    tooling: { paths: [src, tests] }\n",
        "    tooling: { paths: [src] }\n    severity_cap: warn\n",
    );
    let report = run(&under(&protocol), &[]).completed();
    let capped = said(&report, "post_execute", "in-src");
    assert_eq!(
        (&capped["severity"], &capped["severity_original"]),
        (&json!("warn"), &json!("blocker"))
    );
    assert_eq!(gate(&report, "post_execute")["decision"], "log");

    let protocol = TWO_MODES.replace("grep -q world src/hello.py", "sleep 600").replace(
        "    tooling: { test_command",
        "    severity_cap: pass\n    tooling: { timeout: 1, test_command",
    );
    let report = run(&under(&protocol), &[]).ended(3, "validator_error", Some("validator_error"));
    assert_eq!(said(&report, "post_execute", "tests")["severity"], "blocker");
}

#[test]
fn its_protected_paths_are_refused_to_the_coder_and_to_a_patch() {
    let sandbox = under(TWO_MODES);
    let task = steps(json!([
        write("docs/guide.md", "x\n"),
        write("LICENSE", "mine\n"),
        write("docs/new.md", "x\n"),
        write("src/hello.py", "world\n"),
    ]));
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--validator", &judge])
        .completed();
    for n in 0..3 {
        let error = &answers(&report)[n]["error"];
        assert_eq!(error["kind"], "refused", "{error:#}");
    }
    assert_eq!(changes(&report), ["added src/hello.py"]);

    let patch = "Apply this.\n\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1 +1 @@\n-one\n+1\n";
    let report = sandbox.run(&[patch, "--coder", "patch", "--validator", &judge]).ended(
        4,
        "environment_error",
        Some("execution_error"),
    );
    assert!(
        report["reason"].as_str().unwrap().contains("docs/guide.md"),
        "{report:#}"
    );
}

#[test]
fn a_flag_never_replaces_its_test_command_and_fills_in_an_open_one() {
    let sandbox = under(TWO_MODES);
    let before = sandbox.tree();
    let why = run(&sandbox, &["--test-command", "true"]).refused();
    assert!(
        why.contains("the protocol declares the test command `grep -q world src/hello.py`"),
        "{why}"
    );
    assert_eq!(before, sandbox.tree());

    for open in [
        "",
        "REPLACE_ME",
        "echo ''snodo: no test_command configured; no tests executed''",
    ] {
        let protocol = TWO_MODES.replace("grep -q world src/hello.py", open);
        let report = run(&under(&protocol), &["--test-command", "grep -q hello src/hello.py"]).completed();
        assert_eq!(
            report["protocol"]["test_command"], "grep -q hello src/hello.py",
            "{open}"
        );
        let report = run(&under(&protocol), &[]).completed();
        assert_eq!(said(&report, "post_execute", "tests")["skipped"], true, "{open}");
    }
}

#[test]
fn its_coder_and_the_coders_settings_are_in_force_and_a_flag_goes_before_them() {
    let protocol = simple("").replace(
        "    name: Work\n",
        "    name: Work\n    coder: patch\n    coder_config: { max_offset: 0 }\n",
    );
    let sandbox = under(&protocol);
    let judge = guest("guest_judge");
    // Line 3 of the file, said to be line 1.
    let patch = "Apply this.\n\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,2 +1,2 @@\n three\n-four\n+4\n";
    let report = sandbox
        .run(&[patch, "--validator", &judge])
        .ended(4, "environment_error", Some("execution_error"));
    assert_eq!(report["coder"]["name"], "patch");
    assert!(
        report["reason"].as_str().unwrap().contains("0 are allowed"),
        "{report:#}"
    );
    sandbox
        .run(&[patch, "--validator", &judge, "--set", "patch.max-offset=5"])
        .completed();
}

#[test]
fn settings_for_the_coder_that_it_names_do_not_keep_another_one_from_working() {
    let named = "    name: Work\n    coder: patch\n    coder_config: { max_offset: 0 }\n";
    let report = run(&under(&simple("").replace("    name: Work\n", named)), &[]).completed();
    assert_eq!(report["coder"]["name"], "mock");
    let words = "`coder_config` is for the coder `patch`; `mock` works in its place, without it";
    assert!(report["warnings"].to_string().contains(words), "{report:#}");

    let open = named.replace("    coder: patch\n", "");
    let why = run(&under(&simple("").replace("    name: Work\n", &open)), &[]).refused();
    assert!(why.contains("`mock` has no setting `max_offset`"), "{why}");
}

#[test]
fn what_a_gate_is_given_by_the_protocol_no_flag_replaces() {
    let sandbox = under(TWO_MODES);
    for name in ["in-src", "scope"] {
        let set = format!("{name}.paths=**");
        let why = run(&sandbox, &["--set", &set]).refused();
        assert!(why.contains("a flag cannot replace what a gate is given"), "{why}");
    }
}

#[test]
fn what_would_decide_and_is_not_served_is_refused_by_name() {
    let cases = [
        (
            simple("  - { validator_id: wave, validator_type: secrets, scope: wave }\n")
                .replace("[look]", "[look, wave]"),
            "`validators.wave.scope`",
        ),
        (
            simple("").replace("validator_type: secrets", "validator_type: secretz"),
            "`secretz`",
        ),
        (simple("protected_paths: ['src/*.py']\n"), "`src/*.py`"),
    ];
    for (protocol, field) in cases {
        let sandbox = under(&protocol);
        let before = sandbox.tree();
        let why = run(&sandbox, &[]).refused();
        assert!(
            why.contains(field) && why.contains(".snodo/protocol.yml"),
            "no {field} in {why}"
        );
        assert_eq!(before, sandbox.tree());
    }
}

#[test]
fn every_reason_against_a_protocol_is_told_at_once() {
    let sandbox = under(&simple("protected_paths: ['*.lock']\n").replace("type: secrets", "type: secretz"));
    let why = run(&sandbox, &[]).refused();
    assert!(why.contains("secretz") && why.contains("*.lock"), "{why}");
}

#[test]
fn a_validator_counts_once_whoever_names_it() {
    let sandbox = under(&simple("").replace("look", "guest_judge"));
    let why = run(&sandbox, &[]);
    // One in each gate: the protocol's judges after the coder, the flag's before it too.
    let why = why.refused();
    assert!(
        why.contains("two validators of this run are called `guest_judge`"),
        "{why}"
    );
    let twice = Sandbox::new().run(&["anything", "--mock", "--validator", "secrets", "--validator", "secrets"]);
    assert!(
        twice
            .refused()
            .contains("two validators of this run are called `secrets`")
    );
}

#[test]
fn what_has_no_effect_here_is_said_and_the_run_goes_on() {
    let sandbox = under(&simple("execution: { branch_prefix: mine }\nunknown_field: 1\n"));
    let report = run(&sandbox, &[]).completed();
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("execution.branch_prefix"), "{warnings}");
    assert!(warnings.contains("unknown_field"), "{warnings}");
}

#[test]
fn a_validator_in_a_phase_in_which_it_does_not_judge_is_refused() {
    let sandbox = under(&simple("").replace("post_execute", "pre_execute"));
    let why = run(&sandbox, &[]).refused();
    assert!(
        why.contains("validator `look` (secrets) does not judge in the phase pre_execute; it judges in post_execute"),
        "{why}"
    );
}

#[test]
fn a_judge_is_told_of_criteria_mode_and_tests_that_the_change_governs() {
    let sandbox = under(TWO_MODES);
    let report = run(&sandbox, &["--set", "guest_judge.behaviour=echo"]).completed();
    let echoed = handed_over(said(&report, "post_execute", "guest_judge"));
    let evaluation = &echoed["evaluation"];
    assert_eq!(
        evaluation["mode"],
        json!({ "id": "work", "name": "Work", "description": "Keep it small.", "tools": [] })
    );
    assert_eq!(evaluation["phase"], "post-execute");
    assert_eq!(evaluation["validator-id"], "guest_judge");
    assert_eq!(evaluation["test-governing"][0]["path"], "tests/test_hello.py");
    assert_eq!(evaluation["test-governing"][0]["change"], "added");
    assert_eq!(evaluation["evidence"][0]["validator-id"], "tests");
    assert_eq!(echoed["context"]["protected-paths"], json!(["docs", "LICENSE"]));
    assert_eq!(
        echoed["context"]["runner"],
        Value::Null,
        "a judge without the grant is told of no runner"
    );
    let tools: Vec<&str> = echoed["context"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_str().unwrap())
        .collect();
    assert!(
        tools.contains(&"diff") && !tools.contains(&"run-tests") && !tools.contains(&"submit-files"),
        "{tools:?}"
    );
    let before = handed_over(said(&report, "pre_execute", "guest_judge"));
    assert_eq!(
        (&before["evaluation"]["phase"], &before["evaluation"]["test-governing"]),
        (&json!("pre-execute"), &json!([]))
    );
}
