//! The change within its budget, and what was not looked at.

use std::fmt::Write as _;

use snodo_plugin::change::{BeforeError, ChangeError, ChangeSummary, DiffAnswer, DiffQuery};
use snodo_plugin::prelude::*;
use snodo_plugin::read::File;

use super::*;
use crate::testing::{calls, submits};

/// So many lines of some forty characters.
fn lines(name: &str, count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        writeln!(text, "{name} line {n:06} with something in it").unwrap();
    }
    text
}

fn first_message(case: &Case) -> String {
    let script = Script::new([submits("warn", "x")]);
    case.by(&script).unwrap();
    script.last_messages().swap_remove(1)
}

fn read_diff(path: &str, start: u64) -> String {
    format!(r#"{{"path":"{path}","start":{start}}}"#)
}

#[test]
fn a_change_that_fits_is_shown_whole() {
    let case = Case::after().edits(
        Edits::new()
            .modified("src/a.rs", "old\n", "new\n=== fake.rs: added\n")
            .deleted("b.rs", "gone\n"),
    );
    let script = Script::new([submits("pass", "x")]);
    let verdict = case.by(&script).unwrap();
    assert_eq!(verdict.examined, ["b.rs: its change", "src/a.rs: its change"]);
    let message = &script.last_messages()[1];
    assert!(
        message.contains(
            "=== b.rs: deleted, 0 lines added, 1 removed\n@@ -1,1 +0,0 @@\n-gone\n\
             === src/a.rs: modified, 2 lines added, 1 removed\n@@ -1,1 +1,2 @@\n-old\n+new\n+=== fake.rs: added\n"
        ),
        "{message}"
    );
    assert!(!message.contains("not shown"), "{message}");
}

#[test]
fn before_execution_no_difference_is_shown() {
    let case = Case::before("Do it.").edits(Edits::new().added("secret.rs", "SENTINEL\n"));
    let message = first_message(&case);
    assert!(
        !message.contains("SENTINEL") && !message.contains("secret.rs"),
        "{message}"
    );
}

#[test]
fn a_large_change_is_shared_out_and_what_people_wrote_comes_first() {
    let edits = Edits::new()
        .added("Cargo.lock", &lines("lock", 2000))
        .added("dist/app.js", &lines("dist", 2000))
        .added("src/large.rs", &lines("large", 2000))
        .added("src/small.rs", &lines("small", 10));
    let case = Case::after().edits(edits).set("change-budget", 20_000);
    let message = first_message(&case);
    // The small one is there whole, the large one gets the rest, and nothing is left for what programs wrote.
    assert!(message.contains("small line 000009"));
    assert!(message.contains("large line 000300") && !message.contains("large line 001999"));
    assert!(!message.contains("lock line") && !message.contains("dist line"));
    for named in [
        "Cargo.lock: not shown",
        "dist/app.js: not shown",
        "src/large.rs: shown in part",
    ] {
        assert!(message.contains(named), "{named}");
    }
    assert!(message.contains("of 3 files not everything is shown"));
    assert!(!message.contains("src/small.rs: shown"));
    assert!(message.chars().count() < 20_000 + 3_000);

    // With more room they come last.
    let message = first_message(&Case {
        context: case.set("change-budget", 200_000).context,
        ..Case::after().edits(
            Edits::new()
                .added("Cargo.lock", &lines("lock", 2000))
                .added("src/small.rs", &lines("small", 10)),
        )
    });
    assert!(message.find("small line 000000").unwrap() < message.find("lock line 000000").unwrap());
}

#[test]
fn a_pass_without_having_looked_at_everything_is_sent_back_once() {
    let edits = || {
        Edits::new()
            .added("src/large.rs", &lines("large", 200))
            .added("src/small.rs", "x\n")
    };
    let case = Case::after().edits(edits()).set("change-budget", 2000);
    let script = Script::new([submits("pass", "fine"), submits("pass", "really")]);
    let fault = case.by(&script).unwrap_err();
    let Fault::IncompleteView(said) = &fault else {
        panic!("{fault:?}")
    };
    assert!(
        said.contains("it had not looked at everything: src/large.rs: 154 of 200 changed lines; looked at: "),
        "{said}"
    );
    let notice = &results(&script)[0];
    assert!(notice.starts_with("This pass is not taken"), "{notice}");
    assert!(notice.contains("src/large.rs: 154 of 200 changed lines"), "{notice}");

    // Having looked, it may pass.
    let script = Script::new([
        submits("pass", "fine"),
        calls(&[("read_diff", &read_diff("src/large.rs", 0))]),
        submits("pass", "now it is"),
    ]);
    let verdict = case.by(&script).unwrap();
    assert_eq!(verdict.justification, "now it is");
    assert_eq!(
        verdict.examined,
        ["src/large.rs: its change", "src/small.rs: its change"]
    );
    assert!(!verdict_only(&script).contains(&true));

    // In the last turn there is one more, for the verdict only.
    let case = case.set("max-tool-turns", 1);
    let script = Script::new([submits("pass", "fine"), submits("warn", "I saw a part of it")]);
    let verdict = case.by(&script).unwrap();
    assert_eq!(verdict.severity, Severity::Warn);
    assert_eq!(verdict_only(&script), [true, true]);
}

#[test]
fn other_verdicts_may_stand_on_a_part_and_say_so() {
    let case = Case::after()
        .edits(Edits::new().added("src/large.rs", &lines("large", 200)))
        .set("change-budget", 2000);
    let verdict = case.by(Script::new([submits("blocker", "It is broken.")])).unwrap();
    assert_eq!(
        verdict.justification,
        "It is broken.\n\nOf the change, not looked at: src/large.rs: 152 of 200 changed lines."
    );
    assert_eq!(
        verdict.examined,
        [
            "src/large.rs: its change, in part",
            "not looked at: src/large.rs: 152 of 200 changed lines"
        ]
    );
}

#[test]
fn what_is_asked_for_together_with_the_pass_was_not_seen_before_it() {
    let case = Case::after()
        .edits(Edits::new().added("src/large.rs", &lines("large", 200)))
        .set("change-budget", 2000);
    let both = calls(&[
        ("read_diff", &read_diff("src/large.rs", 0)),
        ("submit_verdict", r#"{"severity":"pass","justification":"x"}"#),
    ]);
    let script = Script::new([both, submits("pass", "seen")]);
    assert_eq!(case.by(&script).unwrap().justification, "seen");
    assert!(results(&script)[0].contains("large line 000199"));
    assert!(results(&script)[1].starts_with("This pass is not taken"));
}

#[test]
fn reading_the_file_shows_what_was_added_and_not_what_was_removed() {
    let (old, new) = (lines("old", 100), lines("new", 100));
    let mut case = Case::after()
        .edits(Edits::new().added("added.rs", &new).modified("modified.rs", &old, &new))
        .set("change-budget", 2000);
    case.memory.put("added.rs", new.as_str());
    case.memory.put("modified.rs", new.as_str());
    let read = calls(&[
        ("read_file", r#"{"path":"added.rs"}"#),
        ("read_file_lines", r#"{"path":"modified.rs","start":1,"end":60}"#),
        ("read_file_lines", r#"{"path":"modified.rs","start":61}"#),
    ]);
    let script = Script::new([read.clone(), submits("pass", "x"), submits("pass", "x")]);
    let fault = case.by(&script).unwrap_err();
    let said = words(&fault);
    assert!(
        !said.contains("added.rs:") || said.contains("looked at: added.rs"),
        "{said}"
    );
    assert!(said.contains("modified.rs: 76 of 200 changed lines"), "{said}");

    let script = Script::new([
        read,
        calls(&[("read_diff", &read_diff("modified.rs", 0))]),
        submits("pass", "x"),
    ]);
    assert_eq!(case.by(&script).unwrap().severity, Severity::Pass);
}

#[test]
fn a_difference_is_paged_to_its_end() {
    let case = Case::after()
        .edits(Edits::new().added("src/huge.rs", &lines("huge", 2000)))
        .set("change-budget", 2000)
        .set("max-tool-turns", 20);
    let mut answers = vec![];
    let mut start = 0;
    // As the answers say: where each one ends, the next goes on.
    loop {
        answers.push(calls(&[("read_diff", &read_diff("src/huge.rs", start))]));
        let script = Script::new(answers.iter().cloned().chain([submits("warn", "x")]));
        case.by(&script).unwrap();
        let answer = results(&script).pop().unwrap();
        match answer.rsplit_once("go on with `start` ") {
            Some((_, rest)) => start = rest.trim_end_matches('.').parse().unwrap(),
            None => break,
        }
    }
    assert!(answers.len() >= 3, "{}", answers.len());
    let script = Script::new(answers.iter().cloned().chain([submits("pass", "all of it")]));
    assert_eq!(case.by(&script).unwrap().justification, "all of it");
    // Without the last page it was not all.
    answers.pop();
    let script = Script::new(answers.into_iter().chain([submits("pass", "x"), submits("pass", "x")]));
    assert!(matches!(case.by(&script), Err(Fault::IncompleteView(_))));
}

#[test]
fn one_endless_line_is_shown_in_parts() {
    let line = "z".repeat(100_000);
    let case = Case::after()
        .edits(Edits::new().added("app.rs", &line))
        .set("change-budget", 2000);
    let message = first_message(&case);
    assert!(message.chars().count() < 6000, "{}", message.chars().count());
    let pages = [0, 32_000, 64_000, 96_000].map(|start| calls(&[("read_diff", &read_diff("app.rs", start))]));
    let script = Script::new(pages.into_iter().chain([submits("pass", "x")]));
    assert_eq!(case.by(&script).unwrap().severity, Severity::Pass);
}

#[test]
fn the_beginning_of_an_endless_line_is_not_the_line() {
    // What is said of `min.js` is behind the part that an answer holds.
    let judged = |line: &str| {
        let mut case = Case::after()
            .edits(Edits::new().added("min.js", line))
            .set("change-budget", 2000);
        case.memory.put("min.js", format!("{line}\n"));
        let read = calls(&[
            ("read_file", r#"{"path":"min.js"}"#),
            ("read_file_lines", r#"{"path":"min.js","start":1,"end":1}"#),
            ("read_files", r#"{"paths":["min.js"]}"#),
        ]);
        case.by(Script::new([read, submits("pass", "x"), submits("pass", "x")]))
    };
    let fault = judged(&format!("{}steal()", ";".repeat(200_000))).unwrap_err();
    let said = words(&fault);
    assert!(
        matches!(fault, Fault::IncompleteView(_)) && said.contains("min.js: 1 of 1 changed lines"),
        "{said}"
    );
    assert!(said.contains("min.js:1 in part"), "{said}");
    // One that an answer holds was seen by the same calls.
    let verdict = judged(&format!("{}steal()", ";".repeat(20_000))).unwrap();
    assert_eq!(verdict.severity, Severity::Pass);
}

#[test]
fn very_many_files_are_listed_in_pages() {
    let mut edits = Edits::new();
    for n in 0..3000 {
        edits = edits.added(&format!("src/f{n:04}.rs"), "fn f() {}\nfn g() {}\n");
    }
    let case = Case::after()
        .edits(edits)
        .set("change-budget", 10_000)
        .set("max-tool-turns", 50);
    let message = first_message(&case);
    assert!(message.chars().count() < 30_000, "{}", message.chars().count());
    assert!(message.contains("The change: 3000 files, 6000 lines added, 0 removed."));
    let next = message.split("without a path goes on with `start` ").nth(1).unwrap();
    let next: u64 = next.split('.').next().unwrap().parse().unwrap();
    let script = Script::new([
        calls(&[
            ("read_diff", &format!(r#"{{"start":{next}}}"#)),
            ("read_diff", r#"{"start":0}"#),
            ("read_diff", r#"{"start":3000}"#),
        ]),
        submits("pass", "x"),
        submits("pass", "x"),
    ]);
    let fault = case.by(&script).unwrap_err();
    assert!(
        matches!(&fault, Fault::IncompleteView(said) if said.contains(" more; looked at: ") && said.len() < 5000),
        "{fault:?}"
    );
    let answered = results(&script);
    assert!(answered[0].contains(&format!("src/f{next:04}.rs: added")));
    assert!(answered[1].contains("src/f0000.rs"), "{}", answered[1]);
    assert!(answered[2].starts_with("There are 3000 changed files"));
}

#[test]
fn a_file_that_was_not_even_named_was_not_looked_at() {
    let mut edits = Edits::new();
    for n in 0..200 {
        edits = edits.binary(&format!("images/{n:03}.png"), 1, 2);
    }
    let case = Case::after()
        .edits(edits)
        .set("change-budget", 10_000)
        .set("allow-binary", ["images"]);
    let script = Script::new([submits("pass", "x"), submits("pass", "x")]);
    let fault = case.by(&script).unwrap_err();
    assert!(
        words(&fault).contains("images/199.png: that it was changed") || words(&fault).contains(" more; looked at"),
        "{fault:?}"
    );
    let script = Script::new([calls(&[("read_diff", r#"{"start":60}"#)]), submits("pass", "listed")]);
    assert_eq!(case.by(&script).unwrap().justification, "listed");
    // A file without lines has nothing else to show.
    let script = Script::new([
        calls(&[("read_diff", r#"{"path":"images/199.png"}"#)]),
        submits("warn", "x"),
    ]);
    case.by(&script).unwrap();
    assert!(results(&script)[0].starts_with("This file has no lines to show."));
}

#[test]
fn what_the_host_does_not_show_cannot_be_passed() {
    let edits = Edits::new()
        .modified("big.rs", "", &lines("big", 100))
        .added("new.rs", &lines("new", 100))
        .room(1000);
    let mut case = Case::after().edits(edits);
    case.memory.put("new.rs", lines("new", 100).as_str());
    case.memory.put("big.rs", lines("big", 100).as_str());
    let script = Script::new([
        calls(&[
            ("read_diff", &read_diff("big.rs", 0)),
            ("read_files", r#"{"paths":["new.rs","big.rs"]}"#),
        ]),
        submits("pass", "x"),
        submits("pass", "x"),
    ]);
    let fault = case.by(&script).unwrap_err();
    let said = words(&fault);
    // A new file that was read whole has nothing else to see.
    assert!(
        said.contains("everything: big.rs: its difference (the host does not show it whole); looked at"),
        "{said}"
    );
    assert!(
        results(&script)[0]
            .starts_with("There is no difference of this file to show: the host does not show it whole.")
    );
}

#[test]
fn what_the_host_cuts_is_not_taken_for_the_whole() {
    let case = Case::after().edits(Edits::new().modified("big.rs", "", &lines("big", 100)).room(1000));
    let script = Script::new([submits("pass", "x"), submits("pass", "x")]);
    assert!(matches!(case.by(&script), Err(Fault::IncompleteView(_))));
    assert!(script.last_messages()[1].contains("big.rs: not shown"));
}

#[test]
fn a_judge_that_may_not_see_the_change_does_not_judge_it() {
    struct Closed;
    impl crate::Changes for Closed {
        fn summary(&self) -> Result<ChangeSummary, ChangeError> {
            Err(ChangeError::NotGranted("summary".to_owned()))
        }
        fn diff(&self, _: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
            Err(ChangeError::NotGranted("diff".to_owned()))
        }
        fn before(&self, path: &str) -> Result<File, BeforeError> {
            Err(BeforeError::NotInChange(path.to_owned()))
        }
    }
    let case = Case::after();
    let script = Script::new([submits("pass", "x")]);
    let world = World {
        model: &script,
        changes: Closed,
        sight: &case.memory,
    };
    let fault = crate::judge(&Brief::new("x"), &case.evaluation, &case.context, world).unwrap_err();
    assert!(
        matches!(&fault, Fault::IncompleteView(said) if said.contains("`summary`")),
        "{fault:?}"
    );
}

#[test]
fn paths_are_found_as_they_are_and_as_they_are_shown() {
    let path = "src/a\nb.rs";
    let case = Case::after()
        .edits(Edits::new().added(path, &lines("x", 200)))
        .set("change-budget", 2000);
    let script = Script::new([
        calls(&[
            ("read_diff", r#"{"path":"src/a\nb.rs"}"#),
            ("read_diff", r#"{"path":"src/a\\nb.rs"}"#),
            ("read_diff", r#"{"path":"src/c.rs"}"#),
            ("read_diff", r#"{"file":"src/a.rs"}"#),
            ("read_diff", r#"{"path":"src/a\nb.rs","start":1000000}"#),
        ]),
        submits("warn", "x"),
    ]);
    case.by(&script).unwrap();
    let answered = results(&script);
    assert!(answered[0].starts_with("Characters 0 to "), "{}", answered[0]);
    assert!(answered[1].contains("above already"), "{}", answered[1]);
    assert!(
        answered[2].starts_with("`src/c.rs` is not a changed file. These are:\n"),
        "{}",
        answered[2]
    );
    assert!(answered[3].contains("no argument `file`"), "{}", answered[3]);
    assert!(answered[4].starts_with("The difference has "), "{}", answered[4]);
}
