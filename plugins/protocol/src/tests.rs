//! What the judge of the protocol is told of the mode.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_judging::testing::{Edits, Script, context, evaluation, submits};
use snodo_plugin::tools::Memory;

use super::*;

fn first_message(evaluation: &Evaluation, context: &Context) -> String {
    let script = Script::new([submits("warn", "it does not belong")]);
    let world = World {
        model: &script,
        changes: Edits::new().added("a.rs", "fn a() {}\n"),
        sight: Memory::new(),
    };
    let verdict = snodo_judging::judge(&brief(evaluation, context), evaluation, context, world).unwrap();
    assert_eq!(verdict.severity, Severity::Warn);
    script.last_messages().swap_remove(1)
}

#[test]
fn it_sees_the_profile_of_the_mode_and_what_the_protocol_says() {
    let mut context = context(&Protocol::describe());
    context.protocol_guidance = "Documents only.".to_owned();
    context.protected_paths = vec!["LICENSE".to_owned(), "docs/decisions".to_owned()];
    let message = first_message(
        &evaluation(Phase::PreExecute, "Write code.", &["It is a document."]),
        &context,
    );
    for expected in [
        "\nid: producer\nname: Producer\ndescription: Writes code.\ntools: edit, dispatch\n",
        "\nDocuments only.\n",
        "\nLICENSE\ndocs/decisions\n",
        "\nWrite code.\n",
        "\n1. It is a document.\n",
    ] {
        assert!(message.contains(expected), "{expected} in {message}");
    }
    assert!(!message.contains("# The change"), "{message}");
}

#[test]
fn it_needs_no_criteria_and_judges_in_both_phases() {
    let context = context(&Protocol::describe());
    for phase in Protocol::describe().phases {
        let mut evaluation = evaluation(phase, "Write code.", &[]);
        evaluation.mode.description.clear();
        evaluation.mode.tools.clear();
        let message = first_message(&evaluation, &context);
        assert!(
            message.contains("\nid: producer\nname: Producer\ntools: none declared\n"),
            "{message}"
        );
        assert!(
            !message.contains("Guidance of the protocol") && !message.contains("Protected paths"),
            "{message}"
        );
        assert_eq!(message.contains("+fn a() {}"), phase == Phase::PostExecute);
    }
}
