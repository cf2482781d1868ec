//! A coder's first duty: something has to come out, whatever it says.

use serde_json::{Value, json};

use crate::support::finished::changes;
use crate::support::script::{answers, script, steps, write};
use crate::support::{Sandbox, guest};

fn produced_nothing(task: &str, more: &[&str]) -> Value {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let probe = guest("guest_probe");
    let mut arguments = vec![task, "--coder", probe.as_str()];
    arguments.extend(more);
    let report = sandbox
        .run(&arguments)
        .ended(4, "internal_error", Some("no_file_operations"));
    assert_eq!(before, sandbox.tree());
    assert_eq!(
        (&report["applied"], &report["changes"], &report["change_digest"]),
        (&json!(false), &json!([]), &Value::Null)
    );
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("`guest_probe` produced nothing"),
        "{report:#}"
    );
    report
}

#[test]
fn no_submission_is_nothing() {
    produced_nothing(&script(json!([]), json!({ "quiet": true })), &[]);
}

#[test]
fn findings_are_nothing_when_a_change_was_asked_for() {
    let report = produced_nothing(&steps(json!([{ "do": "read-file", "path": "README.md" }])), &[]);
    assert_eq!(report["coder"]["findings"][0]["title"], "0 read-file");
}

#[test]
fn the_bytes_that_are_there_already_are_nothing() {
    let same = "one\ntwo\nthree\nfour\nfive\n";
    let report = produced_nothing(&steps(json!([write("docs/guide.md", same)])), &[]);
    assert_eq!(answers(&report)[0]["ok"]["unchanged"], json!(["docs/guide.md"]));
}

#[test]
fn a_claim_of_success_is_nothing() {
    let claims = json!({ "quiet": true, "report": { "files": [{ "path": "src/main.py", "kind": "modified" }], "notes": "done" } });
    let report = produced_nothing(&script(json!([]), claims), &[]);
    assert_eq!(report["coder"]["claimed_but_missing"], json!(["src/main.py"]));
}

#[test]
fn what_was_taken_back_is_nothing() {
    produced_nothing(
        &steps(json!([write("a.txt", "a"), { "do": "withdraw", "paths": ["a.txt"] }])),
        &[],
    );
}

#[test]
fn findings_that_were_asked_for_and_not_given_are_nothing() {
    produced_nothing(&script(json!([]), json!({ "quiet": true })), &["--expect", "findings"]);
}

#[test]
fn findings_that_were_asked_for_and_given_complete_a_run_without_a_change() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let end = json!({ "quiet": true, "finding": { "title": "a bug", "detail": "in \u{1b}[1mit", "path": "src/main.py", "line": 2 } });
    let task = script(json!([]), end);
    let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"]);
    let report = finished.completed();
    assert_eq!(before, sandbox.tree());
    assert_eq!(report["task"]["expects"], "findings");
    assert_eq!(
        report["coder"]["findings"],
        json!([{ "title": "a bug", "detail": "in \\u{1b}[1mit", "path": "src/main.py", "line": 2 }])
    );
    assert_eq!(report["applied"], false);
    let shown = sandbox.run_for_people(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"]);
    assert!(shown.stdout.contains("• a bug src/main.py:2"), "{}", shown.stdout);
}

#[test]
fn a_change_that_comes_with_findings_is_judged_and_applied_too() {
    let sandbox = Sandbox::new();
    let task = steps(json!([write("a.txt", "a\n")]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe"), "--expect", "findings"])
        .completed();
    assert_eq!(
        (changes(&report), &report["applied"]),
        (vec!["added a.txt".to_owned()], &json!(true))
    );
}
