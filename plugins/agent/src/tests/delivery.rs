//! What is delivered, and what is not.

use snodo_plugin::StopReason;
use snodo_plugin::prelude::*;

use super::stand_in::{Desktop, call, calls, prose, writes};
use super::{context, run, task};
use crate::work::work;

#[test]
fn submissions_add_up_over_turns_and_the_last_one_counts() {
    let desk = Desktop::new(&[]).script([
        writes("a.py", "1\n"),
        writes("b.py", "1\n"),
        writes("./a.py", "2\n"),
        prose("done"),
    ]);
    let done = run(&desk, 6).unwrap();
    assert_eq!(desk.text("a.py").as_deref(), Some("2\n"));
    assert_eq!(desk.text("b.py").as_deref(), Some("1\n"));
    assert!(
        desk.results()[2].ends_with("2 paths differ from the project as it was."),
        "{}",
        desk.results()[2]
    );
    let report = done.report.unwrap();
    assert_eq!(report.turns_used, Some(4));
    let files: Vec<_> = report.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["a.py", "b.py"]);
}

#[test]
fn what_is_refused_is_told_with_the_rule_and_the_rest_stands() {
    let desk = Desktop::new(&[("old.py", "x\n")]).protecting("policy.md").script([
        calls(&[call(
            "submit_files",
            r#"{"files": [
                {"path": "a.py", "content": "1\n"},
                {"path": "policy.md", "content": "free for all"},
                {"path": "gone.py", "action": "delete"},
                {"path": "b.py"},
                {"path": "old.py", "action": "rename", "to": "new.py"}
            ]}"#,
        )]),
        prose("done"),
    ]);
    run(&desk, 6).unwrap();
    assert_eq!(
        desk.results()[0].lines().collect::<Vec<_>>(),
        [
            "files[0] taken: write `a.py` (2 bytes)",
            "files[1] REFUSED: write `policy.md` (12 bytes): `policy.md` is refused by protocol.yml:4 `policy.md`",
            "files[2] REFUSED: delete `gone.py`: `gone.py` is not there",
            "files[3] REFUSED: a write needs `content`, the whole of the file; an empty file has the content \"\"",
            "files[4] taken: rename `old.py` to `new.py`",
            "What was refused is not submitted; the rest stands. Submit again what can be mended. 3 paths differ from the project as it was.",
        ]
    );
    assert_eq!(desk.text("policy.md"), None);
    assert_eq!(desk.text("new.py").as_deref(), Some("x\n"));
}

#[test]
fn words_alone_are_answered_once_and_then_are_an_error() {
    let files = r#"[{"path": "a.py", "content": "x"}]"#;
    let desk = Desktop::new(&[]).script([prose(files), prose(&format!("```json\n{files}\n```"))]);
    let Err(CoderError::Model(reason)) = run(&desk, 6) else {
        panic!("words were taken for work")
    };
    assert!(
        reason.contains("submitted nothing") && reason.contains(r"```json\n[{"),
        "{reason}"
    );
    // What stands in prose is never a file.
    assert_eq!(desk.text("a.py"), None);
    let told = desk.user();
    assert_eq!(told.len(), 2);
    assert!(told[1].contains("Call submit_files"), "{}", told[1]);
    desk.conversation_is_well_formed();
}

#[test]
fn a_nudge_can_work() {
    let desk = Desktop::new(&[]).script([prose(""), writes("a.py", "1\n"), prose("done")]);
    let done = run(&desk, 6).unwrap();
    assert_eq!(done.report.unwrap().stop_reason, StopReason::Completed);
    assert_eq!(desk.text("a.py").as_deref(), Some("1\n"));
}

#[test]
fn a_submission_that_changes_nothing_is_no_work() {
    let desk =
        Desktop::new(&[("a.py", "1\n")]).script([writes("a.py", "1\n"), prose("done"), prose("it is as it should be")]);
    let done = run(&desk, 6).unwrap();
    assert!(
        desk.results()[0].contains("which is no change"),
        "{}",
        desk.results()[0]
    );
    assert!(desk.user()[1].contains("Nothing has been submitted that changes the project"));
    let report = done.report.unwrap();
    assert_eq!(report.stop_reason, StopReason::Abandoned);
    assert!(report.files.is_empty());
    assert_eq!(report.notes, "it is as it should be");
}

#[test]
fn the_account_tells_what_became_of_each_path() {
    let desk = Desktop::new(&[("m.py", "m\n"), ("d.py", "d\n"), ("r.py", "r\n"), ("same.py", "s\n")]).script([
        writes("m.py", "M\n"),
        writes("new.py", "n\n"),
        writes("brief.py", "b\n"),
        writes("same.py", "S\n"),
        calls(&[
            call("submit_files", r#"{"files": [{"path": "d.py", "action": "delete"}, {"path": "brief.py", "action": "delete"}]}"#),
            call("submit_files", r#"{"files": [{"path": "r.py", "action": "rename", "to": "moved.py"}, {"path": "moved.py", "content": "R\n"}]}"#),
            call("submit_files", r#"{"files": [{"path": "same.py", "content": "s\n"}, {"path": "m.py", "executable": true}]}"#),
        ]),
        prose("done"),
    ]);
    let report = run(&desk, 9).unwrap().report.unwrap();
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.kind))
        .collect();
    assert_eq!(
        files,
        [
            ("d.py", ChangeKind::Deleted),
            ("m.py", ChangeKind::Modified),
            ("moved.py", ChangeKind::Renamed),
            ("new.py", ChangeKind::Added),
        ]
    );
}

#[test]
fn findings_are_reported_by_a_tool_and_nothing_can_be_submitted() {
    let desk = Desktop::new(&[("a.py", "1\n")]).script([
        calls(&[
            call("submit_files", r#"{"files": [{"path": "a.py", "content": "2"}]}"#),
            call("report_findings", r#"{"findings": [{"title": "No tests", "detail": "There are none."}, {"title": "One", "detail": "It is 1.", "path": "a.py", "line": 1}]}"#),
            call("report_findings", r#"{"findings": [{"title": "No detail"}]}"#),
        ]),
        prose("That is all."),
    ]);
    let mut review = task("What is wrong?");
    review.expects = Expectation::Findings;
    let done = work(&desk, &review, &context(), 6).unwrap();
    let found: Vec<_> = done
        .findings
        .iter()
        .map(|finding| (finding.title.as_str(), finding.path.as_deref(), finding.line))
        .collect();
    assert_eq!(found, [("No tests", None, None), ("One", Some("a.py"), Some(1))]);
    let results = desk.results();
    assert!(
        results[0].starts_with("There is no tool `submit_files`."),
        "{}",
        results[0]
    );
    assert_eq!(results[1], "2 taken; 2 are reported in all.");
    assert_eq!(
        results[2],
        "report_findings was not carried out: the argument `detail` is missing."
    );
    assert_eq!(desk.text("a.py").as_deref(), Some("1\n"));
    let offered: Vec<_> = desk.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert!(!offered.contains(&"submit_files".to_owned()) && offered.contains(&"report_findings".to_owned()));
}

#[test]
fn findings_in_words_are_taken_after_one_nudge() {
    let desk = Desktop::new(&[]).script([prose("It is fine."), prose("It is fine.\nReally.")]);
    let mut review = task("Is it fine?");
    review.expects = Expectation::Findings;
    let done = work(&desk, &review, &context(), 6).unwrap();
    assert_eq!(done.findings.len(), 1);
    assert_eq!(
        (done.findings[0].title.as_str(), done.findings[0].detail.as_str()),
        ("It is fine.", "It is fine.\nReally.")
    );
    let desk = Desktop::new(&[]).script([prose(" "), prose("")]);
    assert!(matches!(work(&desk, &review, &context(), 6), Err(CoderError::Model(_))));
}
