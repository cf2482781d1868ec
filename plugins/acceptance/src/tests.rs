//! By what acceptance is judged.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_judging::testing::{Edits, Script, context, evaluation, submits};
use snodo_plugin::ExecutionEvidence;
use snodo_plugin::tools::Memory;

use super::*;

fn first_message(evaluation: &Evaluation) -> String {
    let script = Script::new([submits("pass", "fine")]);
    let world = World {
        model: &script,
        changes: Edits::new().added("a.rs", "fn a() {}\n"),
        sight: Memory::new(),
    };
    let verdict =
        snodo_judging::judge(&brief(evaluation), evaluation, &context(&Acceptance::describe()), world).unwrap();
    assert_eq!(verdict.severity, Severity::Pass);
    script.last_messages().swap_remove(1)
}

#[test]
fn a_section_of_acceptance_is_judged_by_and_nothing_else_of_the_task() {
    let spec =
        "# Add a\n\nBackground that is long.\n\n## Acceptance criteria\n\n- `a` is there\n\n## Notes\n\nLater: b.\n";
    let message = first_message(&evaluation(Phase::PostExecute, spec, &["Strictly."]));
    assert!(message.contains("\n- `a` is there\n"), "{message}");
    assert!(
        !message.contains("Background") && !message.contains("Later: b"),
        "{message}"
    );
    assert!(message.contains("1. Strictly."));
}

#[test]
fn without_such_a_section_and_without_criteria_the_task_is_judged_by() {
    let message = first_message(&evaluation(Phase::PostExecute, "Add `a`, and test it.", &[]));
    assert!(message.contains("\nAdd `a`, and test it.\n"), "{message}");
    assert!(!message.contains("# Criteria"), "{message}");
    assert!(message.contains("+fn a() {}"), "{message}");
}

#[test]
fn it_sees_what_an_execution_came_to() {
    let mut evaluation = evaluation(Phase::PostExecute, "Add `a`.", &[]);
    evaluation.evidence = vec![ExecutionEvidence {
        validator_id: "quality".to_owned(),
        severity: Severity::Blocker,
        justification: "`cargo test` exited with 101".to_owned(),
    }];
    let message = first_message(&evaluation);
    assert!(
        message.contains("the validator quality reports: blocker\n`cargo test` exited with 101\n"),
        "{message}"
    );
}

#[test]
fn it_judges_after_execution_only() {
    assert_eq!(Acceptance::describe().phases, [Phase::PostExecute]);
    let before = evaluation(Phase::PreExecute, "Add `a`.", &[]);
    assert!(matches!(
        Acceptance::evaluate(before, context(&Acceptance::describe())),
        Err(Fault::Internal(_))
    ));
}
