//! Turns that are used up, and a model that does not answer.

use snodo_plugin::StopReason;
use snodo_plugin::completion::{Budget, CompletionError, ProviderFailure};
use snodo_plugin::prelude::*;
use snodo_plugin::types::Limit;

use super::run;
use super::stand_in::{Desktop, call, calls, prose, writes};

#[test]
fn turns_used_up_with_work_deliver_it() {
    let desk = Desktop::new(&[("x", "x\n")]).script([
        writes("a.py", "1\n"),
        calls(&[call("read_file", r#"{"path": "x"}"#)]),
        writes("b.py", "1\n"),
    ]);
    let report = run(&desk, 3).unwrap().report.unwrap();
    assert_eq!(report.stop_reason, StopReason::TurnBudget);
    assert_eq!((report.turns_used, report.turns_available), (Some(3), Some(3)));
    assert_eq!(report.files.len(), 2);
}

#[test]
fn turns_used_up_without_work_are_an_error() {
    let read = || calls(&[call("read_file", r#"{"path": "x"}"#)]);
    let desk = Desktop::new(&[("x", "x\n")]).script([read(), read()]);
    assert_eq!(run(&desk, 2).unwrap_err(), CoderError::TurnBudget(2));
    // Words in the last turn leave no turn for another answer.
    let desk = Desktop::new(&[]).script([prose("I would change a.py.")]);
    assert_eq!(run(&desk, 1).unwrap_err(), CoderError::TurnBudget(1));
}

#[test]
fn the_last_turn_is_announced() {
    let read = || calls(&[call("list_files", "{}")]);
    let desk = Desktop::new(&[("x", "x\n")]).script([read(), read(), writes("a.py", "1\n")]);
    run(&desk, 3).unwrap();
    let announced: Vec<usize> = desk
        .requests()
        .iter()
        .map(|request| {
            request
                .messages
                .iter()
                .filter(|message| format!("{message:?}").contains("This is your last turn"))
                .count()
        })
        .collect();
    assert_eq!(announced, [0, 0, 1]);
    desk.conversation_is_well_formed();
}

fn failure(message: &str) -> ProviderFailure {
    ProviderFailure {
        status: Some(503),
        message: message.to_owned(),
    }
}

#[test]
fn a_model_that_fails_ends_the_work_and_what_was_submitted_stays() {
    for (error, words) in [
        (
            CompletionError::Truncated(16_000),
            "the answer ran into the ceiling of 16000 tokens",
        ),
        (
            CompletionError::Unavailable(failure("overloaded")),
            "HTTP 503: overloaded",
        ),
        (
            CompletionError::Filtered("safety".to_owned()),
            "the answer was filtered: safety",
        ),
        (CompletionError::Malformed(failure("choices: []")), "cannot be read"),
        (CompletionError::Timeout(900), "no answer within 900 ms"),
        (
            CompletionError::BudgetSpent(Budget {
                name: "tokens".to_owned(),
                allowed: 9,
            }),
            "no budget for this call: tokens",
        ),
        (
            CompletionError::NoClient("no key".to_owned()),
            "no model is configured: no key",
        ),
    ] {
        let desk = Desktop::new(&[]).script([writes("a.py", "1\n"), Err(error)]);
        let Err(CoderError::Model(reason)) = run(&desk, 6) else {
            panic!("not a model's error: {words}")
        };
        assert!(
            reason.starts_with("in turn 2 of 6, with 1 operations submitted before: "),
            "{reason}"
        );
        assert!(reason.contains(words), "{reason}");
        assert_eq!(desk.text("a.py").as_deref(), Some("1\n"));
    }
}

#[test]
fn a_limit_of_the_host_stays_one() {
    let limit = Limit {
        name: "calls".to_owned(),
        allowed: 5,
    };
    let desk = Desktop::new(&[]).script([Err(CompletionError::Limit(limit.clone()))]);
    assert_eq!(run(&desk, 6).unwrap_err(), CoderError::Limit(limit));
}
