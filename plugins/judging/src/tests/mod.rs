//! A judge from outside: what its model is asked, and what comes of what it says.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod binary;
mod data;
mod property;
mod turns;
mod verdicts;
mod views;

use snodo_plugin::completion::{Message, Request, ToolChoice};
use snodo_plugin::prelude::*;
use snodo_plugin::tools::Memory;

use crate::testing::{Edits, Script, context, evaluation};
use crate::{Brief, Model, World, with_settings};

/// What one judgement is made in.
struct Case {
    evaluation: Evaluation,
    context: Context,
    edits: Edits,
    memory: Memory,
}

impl Case {
    fn before(spec: &str) -> Self {
        Self::new(Phase::PreExecute, spec)
    }

    /// A small change of one file, after execution.
    fn after() -> Self {
        let mut case = Self::new(Phase::PostExecute, "Add a greeting.");
        case.edits = Edits::new().added("src/hello.rs", "fn hello() {}\n");
        case.memory.put("src/hello.rs", "fn hello() {}\n");
        case
    }

    fn new(phase: Phase, spec: &str) -> Self {
        let description = with_settings(Description::new("test", "1.0.0", "Judges."));
        Self {
            evaluation: evaluation(phase, spec, &["It is short.", "It is safe."]),
            context: context(&description),
            edits: Edits::new(),
            memory: memory(&[("README.md", "# Read me\n")]),
        }
    }

    fn set(mut self, name: &str, value: impl Into<snodo_plugin::SettingValue>) -> Self {
        crate::testing::set(&mut self.context, name, value);
        self
    }

    fn edits(mut self, edits: Edits) -> Self {
        self.edits = edits;
        self
    }

    fn by<M: Model>(&self, model: M) -> Result<Verdict, Fault> {
        let brief = Brief::new("You are a judge.\n").section("The task", &*self.evaluation.task.spec);
        let world = World {
            model,
            changes: &self.edits,
            sight: &self.memory,
        };
        crate::judge(&brief, &self.evaluation, &self.context, world)
    }
}

/// A workspace with these files.
fn memory(files: &[(&str, &str)]) -> Memory {
    let mut memory = Memory::new();
    for &(path, text) in files {
        memory.put(path, text);
    }
    memory
}

/// Names of the tools that each request offered, and whether one was named as the only choice.
fn offers(script: &Script) -> Vec<(Vec<String>, Option<String>)> {
    let asked = script.asked();
    let offer = |request: &Request| {
        let names = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let named = match &request.tool_choice {
            ToolChoice::Named(name) => Some(name.clone()),
            _ => None,
        };
        (names, named)
    };
    asked.iter().map(offer).collect()
}

/// Whether each request was for the verdict only.
fn verdict_only(script: &Script) -> Vec<bool> {
    let only = (vec!["submit_verdict".to_owned()], Some("submit_verdict".to_owned()));
    offers(script).into_iter().map(|offer| offer == only).collect()
}

/// What the tools answered, up to the last request, in order.
fn results(script: &Script) -> Vec<String> {
    let asked = script.asked();
    let messages = &asked.last().unwrap().messages;
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.text.clone()),
            _ => None,
        })
        .collect()
}

/// What does not stand between marks.
fn outside_data(message: &str) -> String {
    let mut outside = String::new();
    let mut end: Option<String> = None;
    for line in message.lines() {
        if let Some(mark) = &end {
            if line == mark {
                end = None;
            }
        } else if let Some(rest) = line.strip_prefix("<<<data ") {
            let mark = rest.split(' ').next().unwrap();
            end = Some(format!("data {mark}>>>"));
        } else {
            outside.push_str(line);
            outside.push('\n');
        }
    }
    assert_eq!(end, None, "a block is not closed: {message}");
    outside
}

fn words(fault: &Fault) -> &str {
    match fault {
        Fault::Model(words) | Fault::IncompleteView(words) | Fault::Setting(words) | Fault::Internal(words) => words,
        other => panic!("{other:?}"),
    }
}
