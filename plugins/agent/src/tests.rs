//! The agent over a workspace in memory, with a model that says what a script says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "a test fails by panicking; a script holds answers and errors"
)]

mod brief;
mod delivery;
mod items;
mod limits;
mod stand_in;
mod tools;

use snodo_plugin::prelude::*;
use snodo_plugin::types::{Limits, ProjectContext};

use stand_in::{Desktop, call, calls, prose};

use crate::work::work;

fn task(spec: &str) -> Task {
    Task {
        id: "task_1".to_owned(),
        spec: spec.to_owned(),
        expects: Expectation::Change,
        constraints: Vec::new(),
        memory_summary: String::new(),
        project: ProjectContext {
            language: "python".to_owned(),
            structure: String::new(),
            configuration: Vec::new(),
        },
        prior_failures: Vec::new(),
    }
}

fn context() -> Context {
    let tools = [
        "read-file",
        "read-lines",
        "list-files",
        "search-text",
        "search-symbol",
        "submit-files",
        "run-tests",
    ];
    Context {
        job_id: String::new(),
        task_id: "task_1".to_owned(),
        mode: String::new(),
        depth: 0,
        attempt: 1,
        model: Some("m".to_owned()),
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: tools.map(str::to_owned).to_vec(),
        settings: vec![snodo_plugin::types::Setting {
            name: "max-tool-turns".to_owned(),
            value: 20.into(),
        }],
        limits: Limits {
            memory_bytes: 0,
            compute_ms: 0,
            total_ms: 0,
            host_calls: 0,
            call_bytes: 0,
            read_bytes: 0,
            submit_bytes: 0,
        },
    }
}

/// A run of `turns` turns over a desk.
fn run(desk: &Desktop, turns: u32) -> Result<Implementation, CoderError> {
    work(desk, &task("Say hello."), &context(), turns)
}

#[test]
fn without_a_model_it_says_what_to_configure() {
    let context = Context {
        model: None,
        ..context()
    };
    let Err(CoderError::Model(reason)) = crate::Agent::implement(task("x"), context) else {
        panic!("an answer without a model")
    };
    assert!(reason.contains("`llm.coder.model`"), "{reason}");
}

#[test]
fn turns_are_counted_from_one() {
    for value in [0_i64, -3, i64::MAX] {
        let mut context = context();
        context.settings[0].value = value.into();
        assert!(
            matches!(crate::Agent::implement(task("x"), context), Err(CoderError::UnusableTask(reason)) if reason.contains("`max-tool-turns`")),
        );
    }
    let default = crate::Agent::describe().settings[0].default.clone();
    assert_eq!(default, Some(20.into()));
}

#[test]
fn it_reads_submits_and_ends_with_the_first_answer_in_words() {
    let desk = Desktop::new(&[("src/a.py", "def hello():\n    pass\n")]).script([
        calls(&[call("read_file", r#"{"path": "src/a.py"}"#)]),
        calls(&[call(
            "submit_files",
            r#"{"files": [{"path": "src/a.py", "content": "def hello():\n    return 1\n"}, {"path": "new.py", "content": "x\n"}]}"#,
        )]),
        prose("hello returns 1 now."),
        prose("never asked for"),
    ]);
    let done = run(&desk, 6).unwrap();
    assert_eq!(desk.text("src/a.py"), Some("def hello():\n    return 1\n".to_owned()));
    let report = done.report.unwrap();
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.kind))
        .collect();
    assert_eq!(
        files,
        [("new.py", ChangeKind::Added), ("src/a.py", ChangeKind::Modified)]
    );
    assert_eq!((report.turns_used, report.turns_available), (Some(3), Some(6)));
    assert_eq!(report.tokens_used, Some(3 * 15));
    assert_eq!(report.notes, "hello returns 1 now.");
    assert_eq!(report.stop_reason, snodo_plugin::StopReason::Completed);
    assert_eq!(
        desk.told(),
        [
            "turn 1 of 6: read_file src/a.py",
            "turn 2 of 6: submit_files",
            "turn 3 of 6: answered"
        ]
    );
    desk.conversation_is_well_formed();
}
