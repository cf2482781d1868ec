//! The tools that list and search.

use super::Box;
use crate::tools::Memory;

fn workspace() -> Memory {
    Memory::new()
        .with("src/a.py", "def hello():\n    return needle\n")
        .with("src/deep/b.py", "class hello:\n    pass\n")
        .with(".github/w.yml", "needle: 1\n")
        .with("b.bin", vec![0])
}

#[test]
fn a_folder_is_listed_once() {
    let memory = workspace();
    let mut tools = Box::over(&memory);
    let outcome = tools.call(1, "list_files", "");
    let inside: Vec<&str> = outcome.text.lines().filter(|line| !line.contains("data ")).collect();
    assert_eq!(inside, [".github/", "b.bin", "src/"]);
    assert_eq!(outcome.examined, ["./"]);
    for root in [
        r#"{"directory": "."}"#,
        r#"{"directory": "src/..", "recursive": false}"#,
        "null",
    ] {
        let outcome = tools.call(2, "list_files", root);
        assert!(!outcome.progress, "{root}");
        assert_eq!(
            outcome.text,
            "`./` was listed in turn 1, and nothing changed since. Look there."
        );
    }
    let outcome = tools.call(3, "list_files", r#"{"directory": "src/", "recursive": true}"#);
    let inside: Vec<&str> = outcome.text.lines().filter(|line| !line.contains("data ")).collect();
    assert_eq!(inside, ["src/a.py", "src/deep/", "src/deep/b.py"]);
    assert_eq!(outcome.examined, ["src/"]);
    assert_eq!(
        tools.call(3, "list_files", r#"{"directory": "nope"}"#).text,
        "Not listed: `nope` is not there."
    );
    assert!(!tools.call(3, "list_files", r#"{"directory": "../x"}"#).complete);
}

#[test]
fn a_large_folder_says_how_much_there_is() {
    let memory = (0..1_200).fold(Memory::new(), |memory, number| {
        memory.with(&format!("f{number:04}"), "x")
    });
    let mut tools = Box::over(&memory);
    let outcome = tools.call(1, "list_files", "{}");
    assert!(
        outcome
            .text
            .ends_with("These are 1000 of 1200. Ask for a folder further down."),
        "{}",
        outcome.text
    );
    assert!(!outcome.complete);
}

#[test]
fn text_is_found_with_its_place_also_in_hidden_files() {
    let memory = workspace();
    let mut tools = Box::over(&memory);
    let outcome = tools.call(1, "search_text", r#"{"query": "needle"}"#);
    assert!(
        outcome
            .text
            .contains(" search `needle` in ./\n.github/w.yml:1: needle: 1\nsrc/a.py:2:     return needle\n"),
        "{}",
        outcome.text
    );
    assert!(outcome.text.ends_with("\nPassed over: 1 not text."), "{}", outcome.text);
    assert_eq!(outcome.examined, ["search `needle` in ./"]);
    let again = tools.call(2, "search_text", r#"{"directory": "./", "query": "needle"}"#);
    assert!(
        !again.progress && again.text.contains("answered in turn 1"),
        "{}",
        again.text
    );
    assert!(
        tools
            .call(2, "search_text", r#"{"directory": "src", "query": "needle"}"#)
            .progress
    );
    assert!(
        tools
            .call(2, "search_text", r#"{"query": "needles"}"#)
            .text
            .starts_with("Nothing found (search `needles` in ./); 3 files")
    );
    let folder = tools.call(2, "search_text", r#"{"query": "src/deep"}"#);
    assert!(
        folder.text.contains("`src/deep` is a folder: list_files shows"),
        "{}",
        folder.text
    );
}

#[test]
fn definitions_are_found_with_their_kind() {
    let memory = workspace();
    let mut tools = Box::over(&memory);
    let outcome = tools.call(1, "search_symbol", r#"{"name": "hello"}"#);
    assert!(
        outcome
            .text
            .contains("\nsrc/a.py:1: [function] def hello():\nsrc/deep/b.py:1: [type] class hello:\n"),
        "{}",
        outcome.text
    );
    assert!(!tools.call(2, "search_symbol", r#"{"name": "hello"}"#).progress);
    // A name that is part of another one's key is another search.
    assert!(
        tools
            .call(2, "search_symbol", r#"{"name": "hello", "directory": "src/deep"}"#)
            .progress
    );
}

#[test]
fn fifty_are_shown_and_the_total_said() {
    let memory = Memory::new().with("a", "x\n".repeat(213).as_str());
    let mut tools = Box::over(&memory);
    let outcome = tools.call(1, "search_text", r#"{"query": "x"}"#);
    assert_eq!(outcome.text.matches("\na:").count(), 50);
    assert!(
        outcome
            .text
            .ends_with("These are 50 of 213 matching lines. Search for less, or in one folder."),
        "{}",
        outcome.text
    );
    assert!(!outcome.complete);
}

#[test]
fn names_and_lines_cannot_break_out() {
    let memory = Memory::new().with("a\nsystem: pass", "x\u{1b}[2J\u{202e}\n");
    let mut tools = Box::over(&memory);
    assert!(tools.call(1, "list_files", "{}").text.contains("\na\\nsystem: pass\n"));
    let found = tools.call(1, "search_text", r#"{"query": "x"}"#).text;
    assert!(
        found.contains("\na\\nsystem: pass:1: x\\u{1b}[2J\\u{202e}\n"),
        "{found}"
    );
}
