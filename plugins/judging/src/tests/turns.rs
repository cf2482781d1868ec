//! How long a model may look, and how it is answered.

use super::*;
use crate::testing::{calls, says, submits};

const READ: (&str, &str) = ("read_file", r#"{"path":"README.md"}"#);

#[test]
fn what_is_offered_is_what_was_given_and_the_difference_only_after_execution() {
    let script = Script::new([submits("pass", "x")]);
    let mut case = Case::before("Do it.");
    case.context.tools = ["list-files", "read-lines"].map(str::to_owned).to_vec();
    case.by(&script).unwrap();
    assert_eq!(
        offers(&script)[0].0,
        ["read_file_lines", "list_files", "submit_verdict"]
    );

    let script = Script::new([submits("pass", "x")]);
    Case::after().by(&script).unwrap();
    assert_eq!(
        offers(&script)[0].0,
        [
            "read_files",
            "read_file",
            "read_file_lines",
            "list_files",
            "search_text",
            "search_symbol",
            "read_diff",
            "submit_verdict"
        ]
    );
    let asked = script.asked();
    for tool in &asked[0].tools {
        serde_json::from_str::<serde_json::Value>(&tool.parameters).unwrap();
    }
}

#[test]
fn with_nothing_to_look_with_there_is_one_turn() {
    let script = Script::always(says("hm"));
    let mut case = Case::before("Do it.");
    case.context.tools.clear();
    let fault = case.by(&script).unwrap_err();
    assert!(words(&fault).contains("when nothing else was offered"), "{fault:?}");
    assert_eq!(verdict_only(&script), [true]);
    // One message of the user, not two in a row.
    assert_eq!(script.asked()[0].messages.len(), 2);
}

#[test]
fn the_last_turn_of_the_budget_is_for_the_verdict() {
    for turns in [1, 2, 4] {
        let files: Vec<String> = (0..turns).map(|n| format!(r#"{{"path":"{n}.md"}}"#)).collect();
        let script = Script::new(files.iter().map(|path| calls(&[("read_file", path)])));
        let fault = Case::after().set("max-tool-turns", turns).by(&script).unwrap_err();
        let mut expected = vec![false; usize::try_from(turns).unwrap() - 1];
        expected.push(true);
        assert_eq!(verdict_only(&script), expected);
        assert!(
            words(&fault)
                .contains("in the last turn of its budget (`max-tool-turns`) the model called `read_file` instead")
        );
        let last = script.last_messages().pop().unwrap();
        assert!(last.ends_with("says what is open.\n"), "{last}");
    }
}

#[test]
fn the_turn_after_prose_is_for_the_verdict() {
    let script = Script::new([says("Let me think."), submits("warn", "thought")]);
    assert_eq!(Case::after().by(&script).unwrap().justification, "thought");
    assert_eq!(verdict_only(&script), [false, true]);
    let asked = script.asked();
    let messages = &asked[1].messages;
    assert!(matches!(&messages[2], Message::Assistant(turn) if turn.text == "Let me think."));
    assert!(matches!(&messages[3], Message::User(text) if text.starts_with("Decide now.")));
}

#[test]
fn repeated_reads_are_free_and_three_turns_of_nothing_else_end_the_looking() {
    // With a budget of two, each of these would be the last turn if it cost one.
    let script = Script::new([
        calls(&[READ]),
        calls(&[READ]),
        calls(&[READ]),
        calls(&[READ, READ]),
        calls(&[READ]),
    ]);
    let fault = Case::after().set("max-tool-turns", 3).by(&script).unwrap_err();
    assert_eq!(verdict_only(&script), [false, false, false, false, true]);
    assert!(
        words(&fault).contains("after three turns that asked only for what it had been shown"),
        "{fault:?}"
    );
    assert!(results(&script)[1].contains("was shown whole in turn 1"));

    // Something new in between begins the count anew.
    let list = ("list_files", "{}");
    let script = Script::new([
        calls(&[READ]),
        calls(&[READ]),
        calls(&[READ]),
        calls(&[list]),
        calls(&[READ]),
        calls(&[READ]),
        submits("pass", "x"),
    ]);
    Case::after().by(&script).unwrap();
    assert!(!verdict_only(&script).contains(&true));
}

#[test]
fn what_is_not_offered_is_answered_in_words_and_costs_a_turn() {
    let shell = ("run_shell", r#"{"command":"cat /etc/passwd"}"#);
    let script = Script::always(calls(&[shell]));
    let fault = Case::after().set("max-tool-turns", 3).by(&script).unwrap_err();
    assert!(words(&fault).contains("called `run_shell` instead"));
    assert_eq!(verdict_only(&script), [false, false, true]);
    assert!(results(&script)[0].starts_with("There is no tool `run_shell`. The tools are `read_files`"));

    let script = Script::new([calls(&[("read_diff", "{}")]), submits("pass", "x")]);
    Case::before("Do it.").by(&script).unwrap();
    assert!(results(&script)[0].starts_with("There is no tool `read_diff`."));
}

#[test]
fn every_call_of_a_turn_is_answered_in_order() {
    let mut answer = calls(&[
        READ,
        ("nothing", "{}"),
        ("read_diff", r#"{"path":"src/hello.rs"}"#),
        ("submit_verdict", "{}"),
        ("read_file", "{"),
        ("list_files", "null"),
    ]);
    answer.text = "All at once.".to_owned();
    let script = Script::new([answer.clone(), submits("pass", "x")]);
    Case::after().by(&script).unwrap();
    let asked = script.asked();
    let messages = &asked[1].messages;
    assert!(
        matches!(&messages[2], Message::Assistant(turn) if turn.text == "All at once." && turn.tool_calls == answer.tool_calls)
    );
    let ids: Vec<&str> = messages[3..]
        .iter()
        .map(|message| match message {
            Message::Tool(result) => result.id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, ["call_0", "call_1", "call_2", "call_3", "call_4", "call_5"]);
    let answered = results(&script);
    for (answer, expected) in
        answered
            .iter()
            .zip(["Read me", "no tool", "above already", "no verdict", "not JSON", "src"])
    {
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn of_very_many_calls_the_rest_is_answered_and_not_carried_out() {
    let many: Vec<(&str, &str)> = vec![READ; 1000];
    let script = Script::new([calls(&many), submits("pass", "x")]);
    Case::after().by(&script).unwrap();
    let answered = results(&script);
    assert_eq!(answered.len(), 1000);
    assert!(answered[31].contains("was shown whole"));
    assert!(answered[32].starts_with("Not carried out: at most 32 calls"));
}

#[test]
fn what_was_looked_at_is_told() {
    let script = Script::new([
        calls(&[
            READ,
            ("search_text", r#"{"query":"hello"}"#),
            ("read_file", r#"{"path":"absent"}"#),
        ]),
        submits("pass", "x"),
    ]);
    let verdict = Case::after().by(&script).unwrap();
    assert_eq!(verdict.examined[..2], ["src/hello.rs: its change", "README.md"]);
    assert!(verdict.examined[2].starts_with("search `hello`"));
    assert_eq!(verdict.examined.len(), 3);
}
