//! How the end of a test run becomes a verdict, or none.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_plugin::types::Limit;

use super::*;

fn argv() -> Vec<String> {
    ["sh", "-c", "exit 0"].map(str::to_owned).to_vec()
}

fn stream(head: &str, tail: &str) -> Captured {
    Captured {
        head: head.to_owned(),
        tail: tail.to_owned(),
        dropped: 0,
        escaped: 0,
    }
}

fn seen(exit: Exit, out: &str, err: &str) -> Observation {
    Observation {
        exit,
        stdout: stream(out, ""),
        stderr: stream(err, ""),
        duration_ms: 1234,
        calls_left: 0,
    }
}

#[test]
fn zero_passes_whatever_is_printed() {
    let verdict = judge(&argv(), Ok(seen(Exit::Code(0), "5 passed, 0 warnings", "FAILED? no"))).unwrap();
    assert_eq!(verdict.severity, Severity::Pass);
    assert_eq!(verdict.justification, "`sh -c 'exit 0'` exited with 0 after 1.2 s.");
    assert_eq!(verdict.examined, ["sh -c 'exit 0'"]);
    assert_eq!(verdict.skipped, None);
}

#[test]
fn another_exit_blocks_whatever_is_printed() {
    let verdict = judge(&argv(), Ok(seen(Exit::Code(1), "all tests pass", ""))).unwrap();
    assert_eq!(verdict.severity, Severity::Blocker);
    assert_eq!(
        verdict.justification,
        "`sh -c 'exit 0'` exited with 1 after 1.2 s.\n\nEnd of standard output:\nall tests pass"
    );
    let verdict = judge(&argv(), Ok(seen(Exit::Signal(11), "", ""))).unwrap();
    assert_eq!(verdict.severity, Severity::Blocker);
    assert_eq!(
        verdict.justification,
        "`sh -c 'exit 0'` was ended by signal 11 after 1.2 s. It printed nothing."
    );
}

#[test]
fn a_run_that_did_not_come_to_its_end_is_a_fault() {
    for (bound, expected) in [
        (Bound::WallClock, "did not come to an end"),
        (Bound::Interrupted, "was interrupted"),
    ] {
        let fault = judge(&argv(), Ok(seen(Exit::Bound(bound), "ok", ""))).unwrap_err();
        assert!(matches!(fault, Fault::Runner(words) if words.contains(expected)));
    }
    let fault = judge(&argv(), Err(RunnerError::ProgramNotFound("cargo".to_owned()))).unwrap_err();
    assert_eq!(
        fault,
        Fault::Runner("`sh -c 'exit 0'` could not be run: the program `cargo` is not there".to_owned())
    );
    let limit = Limit {
        name: "calls".to_owned(),
        allowed: 3,
    };
    assert_eq!(
        judge(&argv(), Err(RunnerError::Limit(limit.clone()))).unwrap_err(),
        Fault::Limit(limit)
    );
}

#[test]
fn without_a_declared_command_nothing_is_judged() {
    let verdict = judge(&[], Err(RunnerError::NotDeclared)).unwrap();
    assert_eq!(verdict.severity, Severity::Pass);
    assert_eq!(verdict.skipped.as_deref(), Some("no test command is declared"));
}

#[test]
fn the_end_of_both_streams_is_shown_within_the_bound() {
    let (out, err) = ("o".repeat(5000) + "END-OUT", "e".repeat(5000) + "END-ERR");
    let words = judge(&argv(), Ok(seen(Exit::Code(1), &out, &err)))
        .unwrap()
        .justification;
    assert!(words.contains("oEND-OUT\n") && words.ends_with("eEND-ERR"));
    let shown = |words: &str, letter: char| words.split(|c| c != letter).map(str::len).max().unwrap();
    assert_eq!(
        shown(&words, 'o') + "END-OUT".len() + shown(&words, 'e') + "END-ERR".len(),
        TAIL
    );

    // What one stream leaves, the other gets.
    let words = judge(&argv(), Ok(seen(Exit::Code(1), &out, "short")))
        .unwrap()
        .justification;
    assert_eq!(shown(&words, 'o') + "END-OUT".len() + "short".len(), TAIL);
}

#[test]
fn what_was_dropped_from_the_middle_does_not_come_before_the_end() {
    let mut observation = seen(Exit::Code(1), "", "");
    observation.stdout = Captured {
        head: "start".to_owned(),
        tail: "the end".to_owned(),
        dropped: 10,
        escaped: 0,
    };
    let words = judge(&argv(), Ok(observation)).unwrap().justification;
    assert!(words.ends_with("End of standard output:\nthe end"));
}

#[test]
fn characters_are_not_cut_in_two() {
    assert_eq!(last_characters("äöü", 2), "öü");
    assert_eq!(last_characters("äöü", 3), "äöü");
    assert_eq!(last_characters("äöü", 0), "");
}

#[test]
fn the_command_can_be_typed_as_it_is_shown() {
    let words = |argv: &[&str]| command_line(&argv.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
    assert_eq!(words(&["cargo", "test", "--", "a=b"]), "cargo test -- a=b");
    assert_eq!(words(&["echo", "", "it's"]), "echo '' 'it'\\''s'");
}
