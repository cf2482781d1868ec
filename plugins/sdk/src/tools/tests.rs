//! What a model is answered, natively.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arguments;
mod fence;
mod reading;
mod searching;

use super::{Memory, Outcome, Toolbox};

/// Everything that a coder's world grants.
fn granted() -> Vec<String> {
    [
        "read-file",
        "read-lines",
        "read-files",
        "list-files",
        "search-text",
        "search-symbol",
        "submit-files",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// A toolbox over a workspace, with everything on offer.
struct Box<'a>(Toolbox<&'a Memory>);

impl<'a> Box<'a> {
    fn over(memory: &'a Memory) -> Self {
        Self(Toolbox::new(memory, &granted()))
    }

    fn call(&mut self, turn: u32, name: &str, arguments: &str) -> Outcome {
        self.0.begin_turn(turn);
        self.0.call(name, arguments).unwrap()
    }
}

#[test]
fn what_is_offered_is_what_was_granted() {
    let memory = Memory::new();
    let names = |granted: &[&str]| -> Vec<String> {
        let granted: Vec<String> = granted.iter().map(|&name| name.to_owned()).collect();
        let toolbox = Toolbox::new(&memory, &granted);
        toolbox.definitions().into_iter().map(|tool| tool.name).collect()
    };
    assert_eq!(
        names(&[
            "search-symbol",
            "read-lines",
            "read-file",
            "summary",
            "list-files",
            "search-text"
        ]),
        [
            "read_files",
            "read_file",
            "read_file_lines",
            "list_files",
            "search_text",
            "search_symbol"
        ]
    );
    assert_eq!(names(&["read-lines"]), ["read_file_lines"]);
    assert!(names(&["diff", "submit-files"]).is_empty());
    let mut toolbox = Toolbox::new(&memory, &["read-lines".to_owned()]);
    assert!(toolbox.offers("read_file_lines") && !toolbox.offers("read_file"));
    // Neither a tool that was not granted, nor the contract's own name, nor another plugin's tool.
    for name in ["read_file", "read-lines", "submit_verdict", ""] {
        assert_eq!(toolbox.call(name, "{}"), None, "{name}");
    }
}

#[test]
fn every_definition_is_an_object_schema_that_names_its_arguments() {
    let memory = Memory::new();
    for tool in Toolbox::new(&memory, &granted()).definitions() {
        let schema: serde_json::Value = serde_json::from_str(&tool.parameters).unwrap();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(
                schema["properties"].get(required.as_str().unwrap()).is_some(),
                "{}",
                tool.name
            );
        }
        assert!(!tool.description.is_empty());
    }
}

#[test]
fn arguments_that_cannot_be_used_are_told_to_the_model_and_charged() {
    let memory = Memory::new().with("a", "x");
    let mut tools = Box::over(&memory);
    for (name, arguments, answer) in [
        (
            "read_file",
            "null",
            "read_file was not carried out: the argument `path` is missing.",
        ),
        (
            "read_file",
            r#"{"path": 3}"#,
            "read_file was not carried out: the argument `path` has to be a text, and is a number.",
        ),
        (
            "read_file",
            r#"{"path": "a", "lines": 3}"#,
            "read_file was not carried out: there is no argument `lines`; the tool takes `path`.",
        ),
        (
            "read_files",
            r#"{"paths": ["a", 7]}"#,
            "read_files was not carried out: the argument `paths[1]` has to be a text, and is a number.",
        ),
        (
            "read_files",
            r#"{"paths": "a"}"#,
            "read_files was not carried out: the argument `paths` has to be a list of texts, and is a text.",
        ),
        ("read_files", r#"{"paths": []}"#, "Nothing read: `paths` is empty."),
        (
            "read_file_lines",
            r#"{"path": "a", "start": 0, "end": 4}"#,
            "Not read: lines are counted from 1, and `end` is not before `start`.",
        ),
        (
            "read_file_lines",
            r#"{"path": "a", "start": 5, "end": 4}"#,
            "Not read: lines are counted from 1, and `end` is not before `start`.",
        ),
        (
            "search_text",
            r#"{"query": ""}"#,
            "Not searched: the parameter `pattern` cannot be used: it is empty.",
        ),
    ] {
        let outcome = tools.call(1, name, arguments);
        assert_eq!(outcome.text, answer);
        assert!(
            outcome.progress && !outcome.complete && outcome.examined.is_empty(),
            "{name} {arguments}"
        );
    }
    // Cut off in the middle: never guessed at.
    let outcome = tools.call(1, "read_file", r#"{"path": "a"#);
    assert!(
        outcome
            .text
            .starts_with("read_file was not carried out: the arguments are not JSON"),
        "{}",
        outcome.text
    );
}
