//! Files that are not text: nobody was shown what the change wrote there, so nobody passes it.

use snodo_plugin::prelude::*;

use super::*;
use crate::testing::{calls, submits};

/// What comes of a model that passes, and passes again when its pass is sent back.
fn insisting(case: &Case) -> Result<Verdict, Fault> {
    case.by(Script::new([submits("pass", "x"), submits("pass", "x")]))
}

#[test]
fn a_byte_that_is_not_text_hides_no_file_from_a_judge() {
    for kind in [ChangeKind::Added, ChangeKind::Modified] {
        let case = Case::after().edits(
            Edits::new()
                .added("a.rs", "fn a() {}\n")
                .binary_of(kind, "run.sh", 10, 20),
        );
        let script = Script::new([submits("pass", "x"), submits("pass", "x")]);
        let fault = case.by(&script).unwrap_err();
        let said = words(&fault);
        assert!(matches!(fault, Fault::IncompleteView(_)), "{fault:?}");
        for expected in [
            "everything: run.sh: its content (bytes that are not text: a NUL, or not UTF-8, so that nothing of it can be shown)",
            "the setting `allow-binary` takes patterns of them",
        ] {
            assert!(said.contains(expected), "{said}");
        }
        assert!(!said.contains("a.rs: its content"), "{said}");
        // It was said at the start, and the pass was sent back once.
        let first = &script.last_messages()[1];
        assert!(first.contains("Of 1 file the content cannot be shown"), "{first}");
        assert!(results(&script)[0].starts_with("This pass is not taken"));
        assert!(results(&script)[0].contains("\nrun.sh: its content ("));
    }
    // The same file as text was shown, and passes.
    let case = Case::after().edits(Edits::new().added("a.rs", "fn a() {}\n").added("run.sh", "echo\n"));
    let script = Script::new([submits("pass", "x")]);
    let verdict = case.by(&script).unwrap();
    assert_eq!(verdict.examined, ["a.rs: its change", "run.sh: its change"]);
    assert!(!script.last_messages()[1].contains("cannot be shown"));
}

#[test]
fn other_verdicts_say_that_it_was_not_seen() {
    let case = Case::after().edits(Edits::new().binary("run.sh", 10, 20));
    let verdict = case.by(Script::new([submits("warn", "It is binary.")])).unwrap();
    assert!(
        verdict.justification.contains("not looked at: run.sh: its content ("),
        "{}",
        verdict.justification
    );
    assert!(
        verdict.examined[1].starts_with("not looked at: run.sh"),
        "{:?}",
        verdict.examined
    );
}

#[test]
fn asking_for_it_shows_nothing_and_so_changes_nothing() {
    let mut case = Case::after().edits(Edits::new().binary_of(ChangeKind::Added, "run.sh", 0, 9));
    case.memory.put("run.sh", b"one\ntwo\n\0".to_vec());
    let script = Script::new([
        calls(&[
            ("read_diff", r#"{"path":"run.sh"}"#),
            ("read_file", r#"{"path":"run.sh"}"#),
            ("read_file_lines", r#"{"path":"run.sh","start":1,"end":2}"#),
            ("read_file_lines", r#"{"path":"run.sh","start":1}"#),
            ("search_text", r#"{"query":"one"}"#),
        ]),
        submits("pass", "x"),
        submits("pass", "x"),
    ]);
    let fault = case.by(&script).unwrap_err();
    assert!(matches!(fault, Fault::IncompleteView(_)), "{fault:?}");
    assert!(
        results(&script)[0].starts_with("This file has no lines to show. It holds bytes that are not text"),
        "{}",
        results(&script)[0]
    );
}

#[test]
fn what_is_text_now_can_be_read_and_passed() {
    let mut case = Case::after().edits(Edits::new().binary("notes.txt", 10, 20));
    case.memory.put("notes.txt", "one\ntwo\n");
    let read = calls(&[("read_file", r#"{"path":"notes.txt"}"#)]);
    let verdict = case.by(Script::new([read, submits("pass", "x")])).unwrap();
    assert_eq!(
        verdict.examined[0],
        "notes.txt: binary before, and read as the text that it is now"
    );
    // A part of it is not all of it.
    let part = calls(&[("read_file_lines", r#"{"path":"notes.txt","start":1,"end":1}"#)]);
    let script = Script::new([part, submits("pass", "x"), submits("pass", "x")]);
    assert!(matches!(case.by(script), Err(Fault::IncompleteView(_))));
}

#[test]
fn what_wrote_no_bytes_has_nothing_to_show() {
    for kind in [ChangeKind::Deleted, ChangeKind::ModeChanged] {
        let case = Case::after().edits(Edits::new().binary_of(kind, "logo.png", 10, 10));
        let verdict = case.by(Script::new([submits("pass", "x")])).unwrap();
        assert_eq!(verdict.examined, ["logo.png: binary, only its name and size"]);
    }
}

#[test]
fn a_moved_file_passes_where_it_is_what_it_was() {
    let moved = |after: Option<&[u8]>| {
        let size = after.map_or(4, <[u8]>::len) as u64;
        let mut case = Case::after().edits(Edits::new().moved("a.png", "img/a.png", b"\0old", size));
        if let Some(after) = after {
            case.memory.put("img/a.png", after.to_vec());
        }
        insisting(&case)
    };
    assert_eq!(moved(Some(b"\0old")).unwrap().severity, Severity::Pass);
    // Another content of the same size, one of another size, and one that cannot be compared.
    for after in [Some(&b"\0new"[..]), Some(b"\0older"), None] {
        assert!(matches!(moved(after), Err(Fault::IncompleteView(_))), "{after:?}");
    }
}

#[test]
fn a_setting_allows_files_that_are_not_text() {
    let edits = || {
        Edits::new()
            .binary_of(ChangeKind::Added, "assets/a/logo.png", 0, 20)
            .binary("fonts/b.woff2", 10, 20)
    };
    let case = Case::after()
        .edits(edits())
        .set("allow-binary", ["assets/**/*.png", "fonts"]);
    let verdict = case.by(Script::new([submits("pass", "x")])).unwrap();
    assert_eq!(
        verdict.examined,
        ["assets/a/logo.png (binary, allowed)", "fonts/b.woff2 (binary, allowed)"]
    );
    // What no pattern names is as before, and only that is named.
    let case = Case::after().edits(edits()).set("allow-binary", ["**/*.png"]);
    let fault = insisting(&case).unwrap_err();
    let said = words(&fault);
    assert!(
        said.contains("everything: fonts/b.woff2: its content") && !said.contains("logo.png: its content"),
        "{said}"
    );
    // Text is not excused by it.
    let case = Case::after()
        .edits(Edits::new().added("src/large.rs", &"a line of some length\n".repeat(400)))
        .set("allow-binary", ["**"])
        .set("change-budget", 2000);
    assert!(matches!(insisting(&case), Err(Fault::IncompleteView(_))));
    // A pattern that is none is a fault that names it.
    let case = Case::after().set("allow-binary", ["a/../b"]);
    assert_eq!(
        insisting(&case).unwrap_err(),
        Fault::Setting("`allow-binary`, pattern `a/../b`: it holds `..`".to_owned())
    );
}
