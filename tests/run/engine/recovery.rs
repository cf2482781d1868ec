//! Trying again: what the coder is told, what it keeps, and what ends it.

use serde_json::{Value, json};

use super::{LOOK, attempts, does, gates, protocol, run, says, unanimous, under, writes};
use crate::support::chain::{kinds, of, replay};
use crate::support::finished::changes;
use crate::support::script::{answers, write};
use crate::support::{Sandbox, guest};

/// The guest judge's words, other ones for each attempt.
const WORDS: [&str; 2] = ["--set", "guest_judge.words=attempt {attempt}"];

/// Of the gate of an attempt, what a validator said.
#[track_caller]
fn said<'a>(report: &'a Value, attempt: u32, phase: &str, id: &str) -> &'a Value {
    let gates = report["gates"].as_array().unwrap();
    let gate = gates
        .iter()
        .find(|gate| gate["attempt"] == attempt && gate["phase"] == phase)
        .unwrap_or_else(|| panic!("no gate {attempt} {phase}: {report:#}"));
    let results = gate["results"].as_array().unwrap();
    results.iter().find(|r| r["validator_id"] == id).unwrap()
}

#[track_caller]
fn stops(sandbox: &Sandbox, task: &str, plan: Value, more: &[&str], end: (i32, &str, &str)) -> Value {
    let before = sandbox.tree();
    let report = run(sandbox, task, &plan, more).ended(end.0, end.1, Some(end.2));
    assert_eq!(before, sandbox.tree());
    replay(sandbox, &report);
    report
}

#[test]
fn what_was_found_is_mended_in_the_second_attempt() {
    let sandbox = under(&unanimous(""));
    let task = attempts(&[
        does(json!([write("src/one.py", "1\n"), { "do": "echo" }])),
        does(json!([
            { "do": "echo" },
            { "do": "read-file", "path": "src/one.py" },
            write("src/two.py", "2\n"),
        ])),
    ]);
    let plan = json!({ "post-execute": ["warn", "pass"] });
    let report = run(&sandbox, &task, &plan, &["--set", "guest_judge.words=not quite"]).completed();
    assert_eq!(
        gates(&report),
        [
            "1 pre_execute proceed",
            "1 post_execute escalate",
            "2 pre_execute proceed",
            "2 post_execute proceed"
        ]
    );
    let answers = answers(&report);
    let told = &answers[0]["ok"];
    assert_eq!(
        told["task"]["prior-failures"],
        json!([{ "attempt": 1, "validator-id": "guest_judge", "severity": "warn", "justification": "not quite" }])
    );
    assert_eq!(
        (&told["context"]["depth"], &told["context"]["attempt"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(answers[1]["ok"]["content"]["text"], "1\n", "what was submitted stays");
    assert_eq!(changes(&report), ["added src/one.py", "added src/two.py"]);
    assert_eq!(
        (sandbox.read("src/one.py"), sandbox.read("src/two.py")),
        ("1\n".into(), "2\n".into())
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
            "plugin_called",
            "plugin_called",
            "disagreement_escalated",
            "validate",
            "post_validation_route",
            "subtask_spawned",
            "governance_check",
            "plugin_called",
            "validate",
            "token_consumed",
            "plugin_called",
            "dispatch",
            "plugin_called",
            "plugin_called",
            "validate",
            "post_validation_route",
            "change_applied",
            "transition",
            "task_complete",
            "recovery_resolved"
        ]
    );
    let root = report["task"]["id"].as_str().unwrap();
    let fix = format!("{root}_fix_1");
    let spawned = of(&log, "subtask_spawned")[0];
    assert_eq!(
        (
            &spawned["parent_ref"],
            &spawned["task_ref"],
            &spawned["depth"],
            &spawned["triggering_validator_ids"]
        ),
        (&json!(root), &json!(fix), &json!(1), &json!(["guest_judge"]))
    );
    let refs: Vec<&str> = of(&log, "token_consumed")
        .iter()
        .map(|e| e["task_ref"].as_str().unwrap())
        .collect();
    assert_eq!(refs, [root, fix.as_str()], "one permission for each call");
    let outcomes: Vec<&Value> = of(&log, "validate").iter().map(|e| &e["outcome"]).collect();
    assert_eq!(outcomes, ["passed", "recovery", "passed", "passed"]);
    let routes: Vec<&Value> = of(&log, "post_validation_route")
        .iter()
        .map(|e| &e["decision"])
        .collect();
    assert_eq!(routes, ["recovery", "move_next"]);
    let resolved = of(&log, "recovery_resolved")[0];
    assert_eq!((&resolved["depth"], &resolved["attempts_used"]), (&json!(1), &json!(1)));
    // What is applied is the grown change, under the root's name.
    let applied = of(&log, "change_applied")[0];
    assert_eq!(
        (&applied["task_ref"], &applied["change_set"], &applied["paths"]),
        (
            &json!(root),
            &report["change_digest"],
            &json!(["src/one.py", "src/two.py"])
        )
    );
}

/// `bound` keeps the change in `src`, with this cap.
fn scoped(cap: &str, listed: &str, more: &str) -> String {
    let bound = format!(
        "  - {{ validator_id: bound, validator_type: scope, evaluation_phase: post_execute, tooling: {{ paths: [src] }}{cap} }}\n"
    );
    protocol("unanimous", listed, &format!("{bound}{LOOK}"), more)
}

/// Writes out of bounds at first, and then within them.
fn strays() -> String {
    attempts(&[
        does(json!([write("docs/x.md", "x\n")])),
        does(json!([{ "do": "withdraw", "paths": ["docs/x.md"] }, write("src/x.py", "x\n")])),
    ])
}

#[test]
fn blockers_of_capped_validators_can_be_mended_whatever_the_cap() {
    for cap in [", severity_cap: blocker", ", severity_cap: warn"] {
        let sandbox = under(&scoped(cap, "bound", ""));
        let report = run(&sandbox, &strays(), &json!({}), &[]).completed();
        assert_eq!(report["gates"].as_array().unwrap().len(), 4, "{cap}");
        assert_eq!(changes(&report), ["added src/x.py"]);
        assert!(!sandbox.exists("docs/x.md"));
        replay(&sandbox, &report);
    }
}

#[test]
fn one_blocker_without_a_cap_ends_the_run() {
    let blocked = (1, "blocker", "blocked");
    stops(&under(&scoped("", "bound", "")), &strays(), json!({}), &[], blocked);
    // Beside one that could be mended, and whatever the policy.
    let sandbox = under(&scoped(", severity_cap: blocker", "bound", "").replace("unanimous", "any"));
    let report = stops(
        &sandbox,
        &strays(),
        json!({ "post-execute": ["blocker"] }),
        &[],
        blocked,
    );
    assert_eq!(gates(&report), ["1 pre_execute proceed", "1 post_execute halt"]);
}

#[test]
fn a_validator_that_could_not_judge_ends_the_run() {
    for behaviour in ["fault-internal", "panic"] {
        let sandbox = under(&scoped(", severity_cap: blocker", "bound", ""));
        let end = (3, "validator_error", "validator_error");
        let report = stops(&sandbox, &strays(), json!({ "post-execute": [behaviour] }), &[], end);
        assert_eq!(gates(&report).len(), 2);
    }
}

#[test]
fn attempts_end_at_the_depth_that_the_protocol_gives() {
    let warns = json!({ "post-execute": ["warn"] });
    let exhausted = (1, "blocker", "recovery_exhausted");
    for (more, depth) in [
        ("execution: { max_recovery_depth: 0 }\n", 0),
        ("execution: { max_recovery_depth: 2 }\n", 2),
        // snodo's own bound.
        ("", 3),
    ] {
        let sandbox = under(&unanimous(more));
        let report = stops(&sandbox, &writes(), warns.clone(), &WORDS, exhausted);
        assert_eq!(gates(&report).len(), 2 * (depth + 1), "{more}");
        says(&report, &[&format!("guest_judge: attempt {}", depth + 1)]);
        let log = replay(&sandbox, &report);
        let end = of(&log, "recovery_exhausted")[0];
        assert_eq!(
            (&end["depth"], &end["max_depth"], &end["reason"]),
            (&json!(depth), &json!(depth), &json!("max_recovery_depth"))
        );
        assert_eq!(of(&log, "token_consumed").len(), depth + 1);
        assert_eq!(of(&log, "halt")[0]["raw_halt_type"], "recovery_exhausted");
    }
    // The mode's own goes before.
    let text = unanimous("execution: { max_recovery_depth: 5 }\n")
        .replace("    name: Work\n", "    name: Work\n    max_recovery_depth: 1\n");
    let report = stops(&under(&text), &writes(), warns, &WORDS, exhausted);
    assert_eq!(gates(&report).len(), 4);
}

#[test]
fn attempts_end_at_their_number_in_all() {
    let sandbox = under(&unanimous(
        "execution: { max_recovery_depth: 20, max_total_fix_attempts: 2 }\n",
    ));
    let plan = json!({ "post-execute": ["warn"] });
    let report = stops(&sandbox, &writes(), plan, &WORDS, (1, "blocker", "recovery_exhausted"));
    assert_eq!(gates(&report).len(), 6);
    says(&report, &["2 attempts in all"]);
    let log = replay(&sandbox, &report);
    assert_eq!(of(&log, "recovery_exhausted")[0]["reason"], "max_total_fix_attempts");
}

#[test]
fn the_same_findings_twice_are_a_stall() {
    let sandbox = under(&unanimous(""));
    let plan = json!({ "post-execute": ["warn"] });
    let report = stops(&sandbox, &writes(), plan, &[], (1, "blocker", "recovery_stalled"));
    assert_eq!(gates(&report).len(), 4);
    let log = replay(&sandbox, &report);
    let stalled = of(&log, "recovery_stalled")[0];
    assert_eq!(
        (&stalled["depth"], &stalled["validator_ids"]),
        (&json!(1), &json!(["guest_judge"]))
    );
}

#[test]
fn without_a_protocol_nobody_says_that_the_coder_may_try_again() {
    let sandbox = Sandbox::new();
    let plan = json!({ "post-execute": ["warn", "pass"] });
    let report = run(&sandbox, &writes(), &plan, &[]).ended(2, "escalate", Some("escalated"));
    assert_eq!(gates(&report), ["1 pre_execute proceed", "1 post_execute escalate"]);
    assert_eq!(report["audit"], Value::Null);
}

#[test]
fn what_judges_before_the_coder_find_under_repair_is_recorded_and_handed_on() {
    for behaviour in ["warn", "blocker"] {
        let sandbox = under(&unanimous(""));
        let plan = json!({ "pre-execute": ["pass", behaviour], "post-execute": ["warn", "pass"] });
        let report = run(&sandbox, &writes(), &plan, &[]).completed();
        let eased = said(&report, 2, "pre_execute", "guest_judge");
        assert_eq!(
            (&eased["severity"], &eased["severity_original"]),
            (&json!("pass"), &json!(behaviour))
        );
        let log = replay(&sandbox, &report);
        let cap = of(&log, "severity_cap_applied")[0];
        assert_eq!(
            (&cap["original"], &cap["capped"], &cap["reason"]),
            (
                &json!(behaviour),
                &json!("pass"),
                &json!("pre_execute_recovery_tree_state")
            )
        );
    }
}

#[test]
fn a_judge_that_cannot_judge_before_the_coder_stops_under_repair_too() {
    for (behaviour, end) in [
        ("uncheckable", (1, "blocker", "blocked")),
        ("fault-internal", (3, "validator_error", "validator_error")),
    ] {
        let sandbox = under(&unanimous(""));
        let plan = json!({ "pre-execute": ["pass", behaviour], "post-execute": ["warn", "pass"] });
        let report = stops(&sandbox, &writes(), plan, &[], end);
        assert_eq!(gates(&report)[2..], ["2 pre_execute halt"]);
        assert_eq!(
            of(&replay(&sandbox, &report), "token_consumed").len(),
            1,
            "the coder was not called again"
        );
    }
}

#[test]
fn a_coder_that_takes_everything_back_has_produced_nothing() {
    let task = attempts(&[
        does(json!([write("src/new.py", "new\n")])),
        does(json!([{ "do": "withdraw", "paths": ["src/new.py"] }])),
    ]);
    let plan = json!({ "post-execute": ["warn"] });
    let end = (4, "internal_error", "no_file_operations");
    let report = stops(&under(&unanimous("")), &task, plan, &[], end);
    assert_eq!(report["changes"], json!([]));
}

#[test]
fn a_coder_that_fails_under_repair_leaves_what_it_had_submitted_to_the_judges() {
    let task = attempts(&[
        does(json!([write("src/new.py", "new\n")])),
        json!({ "steps": [], "end": { "error": "internal", "why": "no idea" } }),
    ]);
    let plan = json!({ "post-execute": ["warn"] });
    let report = stops(
        &under(&unanimous("")),
        &task,
        plan,
        &[],
        (1, "blocker", "recovery_stalled"),
    );
    assert_eq!(report["coder"]["cut_short"], true);
}

#[test]
fn failures_of_all_attempts_are_told_each_with_its_own() {
    let sandbox = under(&scoped(", severity_cap: blocker", "bound, look", ""));
    let task = attempts(&[
        does(json!([write("docs/x.md", "x\n")])),
        does(json!([write("docs/y.md", "y\n")])),
        does(
            json!([{ "do": "echo" }, { "do": "withdraw", "paths": ["docs/x.md", "docs/y.md"] }, write("src/x.py", "x\n")]),
        ),
    ]);
    let plan = json!({ "post-execute": ["warn", "pass"] });
    let report = run(&sandbox, &task, &plan, &[]).completed();
    let told = &answers(&report)[0]["ok"]["task"]["prior-failures"];
    let told: Vec<String> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let text = |key: &str| f[key].as_str().unwrap();
            format!("{} {} {}", f["attempt"], text("validator-id"), text("severity"))
        })
        .collect();
    // Whoever passed is not among them, nor what judges before the coder said.
    assert_eq!(told, ["1 bound blocker", "1 guest_judge warn", "2 bound blocker"]);
}

#[test]
fn a_judge_of_the_command_line_takes_no_cap_from_the_protocol() {
    // It bears the plugin's name, and so does a validator of the protocol that has a cap.
    let text = scoped(", severity_cap: blocker", "guest_judge", "")
        .replace("validator_id: bound", "validator_id: guest_judge");
    let (coder, judge) = (guest("guest_probe"), guest("guest_judge"));
    let why = under(&text)
        .run(&[&writes(), "--coder", &coder, "--validator", &judge])
        .refused();
    assert!(
        why.contains("two validators of this run are called `guest_judge`"),
        "{why}"
    );
}

#[test]
fn an_external_coder_is_told_the_same_and_finds_its_work() {
    let sandbox = under(&unanimous(""));
    let judge = guest("guest_judge");
    let script = "test -e src/first.py && grep -q '\"justification\":\"not quite\"' \"$SNODO_CONTEXT_FILE\" && echo 2 > src/second.py || echo 1 > src/first.py";
    let external = format!("program=/bin/sh -c {}", shell_words::quote(script));
    let report = sandbox
        .run(&[
            "anything",
            "--external",
            &external,
            "--validator",
            &judge,
            "--set",
            "guest_judge.plan={\"post-execute\": [\"warn\", \"pass\"]}",
            "--set",
            "guest_judge.words=not quite",
        ])
        .completed();
    assert_eq!(changes(&report), ["added src/first.py", "added src/second.py"]);
}
