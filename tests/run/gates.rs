//! Validators: what they say, what they could not say, and what becomes of a run by it.

use serde_json::{Value, json};

use crate::support::finished::{gate, handed_over, plugin, results, said};
use crate::support::script::{steps, write};
use crate::support::{Finished, Sandbox, guest};

/// A run of the mock with the guest judge under these settings; the mock's change is never applied unless the run completes.
fn judged(sandbox: &Sandbox, settings: &[&str]) -> Finished {
    let judge = guest("guest_judge");
    let settings: Vec<String> = settings.iter().map(|s| format!("guest_judge.{s}")).collect();
    let mut arguments = vec!["anything", "--mock", "--validator", judge.as_str()];
    for setting in &settings {
        arguments.extend(["--set", setting]);
    }
    sandbox.run(&arguments)
}

#[track_caller]
fn stops(settings: &[&str], code: i32, outcome: &str, halt_type: &str) -> Value {
    let sandbox = Sandbox::new().host_toml("[limits]\ncompute_seconds = 1\nmemory_mib = 64\n");
    let before = sandbox.tree();
    let report = judged(&sandbox, settings).ended(code, outcome, Some(halt_type));
    assert_eq!(before, sandbox.tree());
    assert_eq!(report["applied"], false);
    report
}

#[test]
fn a_validator_judges_in_the_phases_that_it_describes() {
    let sandbox = Sandbox::new();
    let report = judged(&sandbox, &["words=looks good"]).completed();
    for phase in ["pre_execute", "post_execute"] {
        assert_eq!(gate(&report, phase)["decision"], "proceed");
        assert_eq!(said(&report, phase, "guest_judge")["justification"], "looks good");
        assert_eq!(
            results(&report, phase),
            [("guest_judge".to_owned(), "pass".to_owned(), false, false)]
        );
    }
    assert!(sandbox.exists("src/hello.py"));
}

#[test]
fn a_blocker_before_the_coder_keeps_the_coder_from_starting() {
    let report = stops(
        &["behaviour=blocker", "in=pre-execute", "words=not today"],
        1,
        "blocker",
        "blocked",
    );
    assert_eq!(report["coder"], Value::Null);
    assert_eq!(gate(&report, "pre_execute")["decision"], "halt");
    assert_eq!(report["gates"].as_array().unwrap().len(), 1);
    assert_eq!(said(&report, "pre_execute", "guest_judge")["severity"], "blocker");
    assert!(
        report["reason"].as_str().unwrap().contains("guest_judge: not today"),
        "{report:#}"
    );
}

#[test]
fn a_blocker_after_the_coder_keeps_the_change_from_being_applied() {
    let report = stops(
        &["behaviour=blocker", "in=post-execute", "words=not this"],
        1,
        "blocker",
        "blocked",
    );
    assert_eq!(gate(&report, "pre_execute")["decision"], "proceed");
    assert_eq!(gate(&report, "post_execute")["decision"], "halt");
    assert_eq!(
        report["changes"].as_array().unwrap().len(),
        2,
        "what was proposed is shown"
    );
}

#[test]
fn a_warning_under_unanimity_asks_a_person() {
    let report = stops(
        &["behaviour=warn", "in=post-execute", "words=hm"],
        2,
        "escalate",
        "escalated",
    );
    let gate = gate(&report, "post_execute");
    assert_eq!(gate["decision"], "escalate");
    assert_eq!(said(&report, "post_execute", "guest_judge")["severity"], "warn");
}

#[test]
fn a_validator_that_faults_is_shown_as_one_that_could_not_judge() {
    for (kind, words) in [
        ("model", "model: because"),
        ("runner", "test command: because"),
        ("incomplete-view", "incomplete view: because"),
        ("setting", "setting: because"),
        ("limit", "the limit `because` of 7 is reached"),
        ("internal", "the plugin failed: because"),
    ] {
        let behaviour = format!("behaviour=fault-{kind}");
        let report = stops(
            &[&behaviour, "words=because", "in=post-execute"],
            3,
            "validator_error",
            "validator_error",
        );
        let result = said(&report, "post_execute", "guest_judge");
        assert_eq!(
            (&result["error"], &result["severity"]),
            (&json!(true), &json!("blocker"))
        );
        assert_eq!(result["justification"], words);
        assert!(
            gate(&report, "post_execute")["justification"]
                .as_str()
                .unwrap()
                .contains("1 of 1 could not judge")
        );
    }
}

#[test]
fn a_validator_that_traps_loops_or_takes_too_much_could_not_judge() {
    for (behaviour, words) in [
        ("panic", "trapped: reached an `unreachable` instruction"),
        ("loop", "computing time limit 1 s reached"),
        ("allocate", "memory limit 64 MiB reached"),
    ] {
        let behaviour = format!("behaviour={behaviour}");
        let report = stops(&[&behaviour], 3, "validator_error", "validator_error");
        let result = said(&report, "pre_execute", "guest_judge");
        assert_eq!(result["error"], true);
        assert!(result["justification"].as_str().unwrap().contains(words), "{result:#}");
        assert_eq!(report["coder"], Value::Null, "the coder did not start");
    }
}

#[test]
fn a_criterion_that_nobody_could_check_blocks() {
    let report = stops(&["behaviour=uncheckable", "in=post-execute"], 1, "blocker", "blocked");
    let result = said(&report, "post_execute", "guest_judge");
    assert_eq!(
        (&result["access_refused"], &result["severity"], &result["error"]),
        (&json!(true), &json!("blocker"), &json!(false))
    );
    assert!(
        result["justification"].as_str().unwrap().contains("a crystal ball"),
        "{result:#}"
    );
}

#[test]
fn a_skip_is_a_pass_that_is_shown_as_no_evidence() {
    let sandbox = Sandbox::new();
    let report = judged(&sandbox, &["behaviour=skip", "words=nothing here", "in=post-execute"]).completed();
    let result = said(&report, "post_execute", "guest_judge");
    assert_eq!(
        (&result["skipped"], &result["severity"]),
        (&json!(true), &json!("pass"))
    );
    assert_eq!(result["justification"], "nothing to judge: nothing here");
}

#[test]
fn a_validators_words_are_bounded_and_made_harmless() {
    let sandbox = Sandbox::new();
    let words = format!("words=\u{1b}[2J{}", "x".repeat(10_000));
    let report = judged(&sandbox, &[&words]).completed();
    let said = said(&report, "post_execute", "guest_judge")["justification"]
        .as_str()
        .unwrap();
    assert!(said.starts_with("\\u{1b}[2Jxx"), "{}", &said[..40]);
    assert!(said.chars().count() < 4_100, "{}", said.chars().count());
}

#[test]
fn before_execution_a_judge_sees_the_base_and_no_change() {
    let sandbox = Sandbox::new();
    let script = json!([
        { "do": "read-file", "path": "README.md" },
        { "do": "read-file", "path": "src/hello.py" },
        { "do": "summary" },
        { "do": "diff" },
        { "do": "before", "path": "README.md" },
    ]);
    let report = judged(&sandbox, &["behaviour=script", &format!("script={script}")]).completed();
    let seen = handed_over(said(&report, "pre_execute", "guest_judge"));
    assert_eq!(seen[0]["ok"]["content"]["text"], sandbox.read("README.md"));
    assert_eq!(seen[1]["error"], json!({ "kind": "not-found", "path": "src/hello.py" }));
    for n in 2..5 {
        assert_eq!(seen[n]["error"]["kind"], "no-change-yet", "{seen:#}");
    }
}

#[test]
fn after_execution_a_judge_sees_the_change_and_the_files_as_they_would_be() {
    let sandbox = Sandbox::new();
    let coder = guest("guest_probe");
    let task = steps(json!([
        write("docs/guide.md", "one\ntwo\n3\nfour\nfive\n"),
        { "do": "submit-files", "operations": [
            { "delete": "README.md" },
            { "rename": "src/main.py", "to": "src/app.py" },
            { "write": "run.sh", "text": "#!/bin/sh\n", "executable": true },
        ] },
    ]));
    let script = json!([
        { "do": "summary" },
        { "do": "diff", "paths": ["docs/guide.md"], "context": 1 },
        { "do": "read-file", "path": "docs/guide.md" },
        { "do": "before", "path": "docs/guide.md" },
        { "do": "read-file", "path": "README.md" },
        { "do": "before", "path": "README.md" },
        { "do": "before", "path": "run.sh" },
        { "do": "search-text", "pattern": "four", "after": 1 },
        { "do": "list-files", "under": "src" },
    ]);
    let script = format!("guest_judge.script={script}");
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[
            &task,
            "--coder",
            &coder,
            "--validator",
            &judge,
            "--set",
            "guest_judge.behaviour=script",
            "--set",
            &script,
            "--set",
            "guest_judge.in=post-execute",
        ])
        .completed();
    let seen = handed_over(said(&report, "post_execute", "guest_judge"));
    let files: Vec<String> = seen[0]["ok"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{} {}", f["kind"].as_str().unwrap(), f["path"].as_str().unwrap()))
        .collect();
    assert_eq!(
        files,
        [
            "deleted README.md",
            "modified docs/guide.md",
            "added run.sh",
            "renamed src/app.py"
        ]
    );
    assert_eq!(
        files,
        crate::support::finished::changes(&report),
        "the judge's account and the report's are one"
    );
    assert_eq!(seen[0]["ok"]["files"][3]["old-path"], "src/main.py");
    assert_eq!(seen[0]["ok"]["files"][2]["executable-after"], true);
    let hunk = &seen[1]["ok"]["files"][0]["hunks"][0];
    let lines: Vec<String> = hunk["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| format!("{}{}", l["origin"].as_str().unwrap(), l["text"].as_str().unwrap()))
        .collect();
    assert_eq!(lines, [" two", "-three", "+3", " four"]);
    assert_eq!((&hunk["old-start"], &hunk["new-start"]), (&json!(2), &json!(2)));
    assert_eq!(seen[2]["ok"]["content"]["text"], "one\ntwo\n3\nfour\nfive\n");
    assert_eq!(seen[3]["ok"]["content"]["text"], "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(seen[4]["error"]["kind"], "not-found");
    assert!(
        seen[5]["ok"]["content"]["text"]
            .as_str()
            .unwrap()
            .starts_with("# A project")
    );
    assert_eq!(seen[6]["error"], json!({ "kind": "not-in-change", "path": "run.sh" }));
    assert_eq!(seen[7]["ok"]["matches"][0]["after"], json!(["five"]));
    assert_eq!(seen[8]["ok"]["entries"][0]["path"], "src/app.py");
}

#[test]
fn a_validator_runs_tests_only_with_the_users_grant() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let runner = guest("guest_runner");
    let arguments = ["anything", "--mock", "--validator", &runner, "--test-command", "true"];
    let why = sandbox.run(&arguments).refused();
    assert!(why.contains("plugin `guest_runner` is refused"), "{why}");
    assert!(why.contains("`--grant guest_runner:runner` gives it"), "{why}");
    assert_eq!(before, sandbox.tree());

    let mut granted = arguments.to_vec();
    granted.extend(["--grant", "guest_runner:runner"]);
    let report = sandbox.run(&granted).completed();
    let seen = handed_over(said(&report, "post_execute", "guest_runner"));
    assert_eq!(seen[0]["ok"]["exit"], json!({ "code": 0 }));
    assert_eq!(plugin(&report, "guest_runner")["grants"], json!(["runner"]));
    assert_eq!(
        (&report["runner"][0]["by"], &report["runner"][0]["argv"]),
        (&json!("guest_runner"), &json!(["true"]))
    );
}

#[test]
fn a_grant_of_another_kind_is_not_the_grant() {
    let sandbox = Sandbox::new();
    let why = sandbox
        .run(&[
            "anything",
            "--mock",
            "--validator",
            &guest("guest_runner"),
            "--grant",
            "guest_runner:model",
        ])
        .refused();
    assert!(why.contains("takes the grant `runner`"), "{why}");
}

#[test]
fn several_validators_answer_in_the_order_in_which_they_were_named() {
    let sandbox = Sandbox::new();
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--validator",
            "secrets",
            "--validator",
            &judge,
            "--validator",
            "scope",
            "--set",
            "scope.paths=**",
        ])
        .completed();
    let ids: Vec<String> = results(&report, "post_execute").into_iter().map(|r| r.0).collect();
    assert_eq!(ids, ["secrets", "guest_judge", "scope"]);
}

#[test]
fn what_an_executing_validator_saw_is_evidence_for_the_others() {
    let sandbox = Sandbox::new();
    let judge = guest("guest_judge");
    let report = sandbox
        .run(&[
            "anything",
            "--mock",
            "--test-command",
            "true",
            "--validator",
            &judge,
            "--validator",
            "quality",
            "--set",
            "guest_judge.behaviour=echo",
        ])
        .completed();
    let echoed = handed_over(said(&report, "post_execute", "guest_judge"));
    let evidence = &echoed["evaluation"]["evidence"];
    assert_eq!(evidence[0]["validator-id"], "quality");
    assert_eq!(evidence[0]["severity"], "pass");
    assert_eq!(
        evidence[0]["justification"],
        said(&report, "post_execute", "quality")["justification"]
    );
    assert_eq!(
        handed_over(said(&report, "pre_execute", "guest_judge"))["evaluation"]["evidence"],
        json!([])
    );
}

#[test]
fn scope_keeps_a_change_within_its_patterns() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let scope = |paths: &str| {
        let set = format!("scope.paths={paths}");
        sandbox.run(&["anything", "--mock", "--dry-run", "--validator", "scope", "--set", &set])
    };
    let report = scope("src/**").ended(1, "blocker", Some("blocked"));
    let why = said(&report, "post_execute", "scope")["justification"]
        .as_str()
        .unwrap();
    assert!(
        why.contains("1 of 2 changed paths outside of `src/**`: `tests/test_hello.py`"),
        "{why}"
    );
    assert_eq!(before, sandbox.tree());
    scope("src/**,tests").completed();
}
