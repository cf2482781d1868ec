//! The loop in which a model looks and hands something in, against models that do what they like.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use snodo_plugin::completion::{Answer, Message, ToolCall};
use snodo_plugin::prelude::*;
use snodo_plugin::testing::{CoderRun, Model, Script, Workspace, calls, says};
use snodo_plugin::tools::{End, Imports, Outcome, Reply, Talk, Toolbox, tool};

/// Waits for `hand_in`, and says how it ended.
struct Waits;

impl Coder for Waits {
    fn describe() -> Description {
        Description::new("waits", "1.0.0", "Waits for what a model hands in.")
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let mut talk = Talk::new("Hand it in.", Toolbox::new(Imports, &context.tools), 3)
            .with_tool(tool("hand_in", "Hand it in.", "{}"))
            .with_user(task.spec);
        let end = talk.run(|call, _| {
            (call.name == "hand_in").then(|| match call.arguments.as_str() {
                "{}" => Reply::Told(Outcome::refused("It is empty.")),
                given => Reply::Done(given.to_owned()),
            })
        })?;
        let end = match end {
            End::Done(given) => format!("done {given}"),
            End::Words(words) => format!("words {words}"),
            End::OutOfTurns => "out of turns".to_owned(),
        };
        let end = format!("{end}; {} turns; {}", talk.turns_used(), talk.examined().join(", "));
        Ok(Implementation::done().finding(Finding::new(end, "")))
    }
}

fn run(model: impl Model + 'static) -> (String, CoderRun) {
    let workspace = Workspace::new()
        .file("a.txt", "one\n")
        .file("b.txt", "x\n".repeat(60_000));
    let run = workspace.coder::<Waits>().for_findings().model(model).run();
    (run.implementation().findings[0].title.clone(), run)
}

/// What the tools answered in the last request.
fn answers(run: &CoderRun) -> Vec<String> {
    let messages = run.asked.last().unwrap().messages.iter();
    messages
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.text.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn it_looks_and_hands_in() {
    let both = calls(&[
        ("read_file", r#"{"path": "a.txt"}"#),
        ("hand_in", r#"{"x": 1}"#),
        ("read_file", "{}"),
    ]);
    let (end, run) = run(Script::new().calls("list_files", "{}").answers(both));
    assert_eq!(end, "done {\"x\": 1}; 2 turns; ./, a.txt");
    let offered: Vec<&str> = run.asked[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered.last(), Some(&"hand_in"));
    assert!(offered.contains(&"read_file"));
}

#[test]
fn what_is_refused_is_told_and_turns_end() {
    let (end, run) = run(Script::new()
        .calls("hand_in", "{}")
        .calls("shell", "{}")
        .calls("hand_in", "{}"));
    assert_eq!(end, "out of turns; 3 turns; ");
    let answers = answers(&run);
    assert_eq!(answers[0], "It is empty.");
    assert!(answers[1].starts_with("There is no tool `shell`."), "{}", answers[1]);
}

#[test]
fn words_are_an_end_that_can_be_gone_on_from() {
    assert_eq!(
        run(Script::new().says("I would rather not.")).0,
        "words I would rather not.; 1 turns; "
    );
    assert_eq!(run(Script::new().says("  ")).0, "words   ; 1 turns; ");
}

#[test]
fn a_turn_is_bounded_and_what_is_handed_in_is_taken_all_the_same() {
    let many = |name: &str, arguments: &str, count: usize| -> Vec<ToolCall> {
        let call = calls(&[(name, arguments)]).tool_calls.remove(0);
        vec![call; count]
    };
    let mut asked = many("read_file_lines", r#"{"path": "a.txt", "start": 1}"#, 100);
    asked.extend(many("hand_in", "{}", 1));
    let turn = move |count: usize| -> Answer {
        Answer {
            tool_calls: if count == 0 { asked.clone() } else { Vec::new() },
            ..says("enough")
        }
    };
    let mut count = 0;
    let (_, run) = run(move |_: &completion::Request| {
        count += 1;
        Ok(turn(count - 1))
    });
    let answers = answers(&run);
    assert_eq!(answers.len(), 101);
    assert!(answers[63].contains("turn 1"), "{}", answers[63]);
    assert_eq!(answers[64], "Not carried out: a turn has 64 calls at most. Ask again.");
    assert_eq!(answers[100], "It is empty.");
}
