//! A trap tells its first cause and is the plugin's alone (case F09).

use serde_json::json;

use crate::support::finished::{gate, plugin, results, said};
use crate::support::script::{answers, steps, write};
use crate::support::{Sandbox, guest};

#[test]
fn f09_the_first_cause_is_told_with_functions_and_a_hint() {
    for (act, cause, hint) in [
        ("unreachable", "reached an `unreachable` instruction", "usually a panic"),
        ("panic", "reached an `unreachable` instruction", "usually a panic"),
        ("divide-by-zero", "divided by zero", ""),
        ("recurse", "stack", ""),
    ] {
        let sandbox = Sandbox::new();
        let task =
            steps(json!([{ "do": "read-file", "path": "README.md" }, { "do": act, "message": "my last words" }]));
        let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe")]);
        assert_eq!(finished.code, 4, "{finished:#?}");
        let report = finished.json();
        let reason = report["reason"].as_str().unwrap();
        assert!(reason.contains(cause) && reason.contains(hint), "{act}: {reason}");
        assert!(!reason.contains('\n') && reason.len() < 3000, "{reason}");
        if act != "recurse" {
            assert!(
                reason.contains(" in guest_probe::acts") || reason.contains(" in _R") && reason.contains("guest_probe"),
                "no function is named: {reason}"
            );
        }
        if act == "panic" {
            let log = plugin(&report, "guest_probe")["log"]["stderr"].as_str().unwrap();
            assert!(log.contains("my last words"), "{log}");
        }
        // A fresh start for the next, in the same workspace.
        sandbox
            .run(&[&steps(json!([write("a.txt", "a\n")])), "--coder", &guest("guest_probe")])
            .completed();
    }
}

#[test]
fn f09_a_trap_of_one_plugin_is_not_another_ones() {
    let sandbox = Sandbox::new();
    // The coder traps with work delivered; the judge traps in one phase and is called again in the next.
    let task = steps(json!([write("half.txt", "half\n"), { "do": "panic", "message": "coder" }]));
    let judge = guest("guest_judge");
    let arguments = [
        task.as_str(),
        "--coder",
        &guest("guest_probe"),
        "--validator",
        &judge,
        "--validator",
        "secrets",
        "--set",
        "guest_judge.behaviour=panic",
        "--set",
        "guest_judge.in=post-execute",
        "--set",
        "guest_judge.words=judge",
    ];
    let finished = sandbox.run(&arguments);
    assert!(finished.code > 0 && finished.code < 128, "{finished:#?}");
    let report = finished.json();
    assert_eq!(results(&report, "pre_execute")[0].1, "pass", "called before it trapped");
    let judged = said(&report, "post_execute", "guest_judge");
    assert_eq!(judged["error"], true, "{judged:#}");
    assert_eq!(said(&report, "post_execute", "secrets")["error"], false);
    assert_ne!(gate(&report, "post_execute")["decision"], "proceed");
    assert!(!sandbox.exists("half.txt"));
}

#[test]
fn f09_an_answer_of_the_host_that_is_an_error_traps_nobody() {
    let sandbox = Sandbox::new();
    let task = steps(json!([
        { "do": "read-file", "path": "\u{0}" },
        { "do": "run-tests" },
        { "do": "submit-files", "operations": [] },
        { "do": "withdraw", "paths": ["../x"] },
        { "do": "read-file", "path": "README.md" },
    ]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    let answers = answers(&report);
    assert!(
        answers[0]["error"].is_object() && answers[1]["error"].is_object(),
        "{answers:?}"
    );
    assert!(answers[4]["ok"].is_object(), "{answers:?}");
}

#[test]
fn f09_imports_are_closed_while_a_plugin_starts_or_describes_itself() {
    let sandbox = Sandbox::new();
    for (name, words) in [("guest_early", "imports open with the task"), ("guest_mute", "trapped")] {
        let why = sandbox.run(&["x", "--coder", &guest(name)]).refused();
        assert!(why.contains("cannot describe itself") && why.contains(words), "{why}");
        assert!(!why.contains("bytes"), "it has read something: {why}");
        // Inspecting starts nothing.
        let inspected = sandbox.call(&["inspect", &guest(name)]);
        assert_eq!(inspected.code, 0, "{inspected:#?}");
        sandbox.run(&["anything", "--mock", "--dry-run"]).completed();
    }
    // The control: with the task they are open.
    let task = steps(json!([{ "do": "read-file", "path": "README.md" }]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    assert!(answers(&report)[0]["ok"].is_object());
}
