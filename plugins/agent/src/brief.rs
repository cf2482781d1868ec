//! The first messages: who the model is, and what it is given.

use std::fmt::Write as _;

use snodo_plugin::prelude::*;
use snodo_plugin::tools::{FENCE_RULE, fence, one_line};
use snodo_plugin::types::PriorFailure;

use crate::prompts;

/// Characters of a path, or of another name, in a sentence of ours.
const NAME: usize = 300;

/// Instructions: the agent's own, and what the project's protocol adds.
pub(crate) fn system(task: &Task, context: &Context, turns: u32) -> String {
    let mut text = prompts::SYSTEM.to_owned();
    text.push('\n');
    text.push_str(match task.expects {
        Expectation::Change => prompts::CHANGE,
        Expectation::Findings => prompts::FINDINGS,
    });
    if context.runner.is_some() {
        text.push('\n');
        text.push_str(prompts::TESTS);
    }
    let _ = write!(text, "\nYou have {turns} turns.\n\n{FENCE_RULE}\n");
    if !context.protocol_guidance.trim().is_empty() {
        let _ = write!(
            text,
            "\n# What the project's protocol asks of you\n\n{}\n",
            context.protocol_guidance.trim_end()
        );
    }
    text
}

/// The task, and what surrounds it. What comes from the workspace or from earlier runs is fenced.
pub(crate) fn task(task: &Task, context: &Context) -> String {
    let mut text = format!("# Task\n\n{}\n", task.spec.trim_end());
    list(
        &mut text,
        "Constraints",
        "The change is checked against each of these; one that breaks any is refused.",
        &task.constraints,
    );
    let protected: Vec<String> = context
        .protected_paths
        .iter()
        .map(|path| format!("`{}`", one_line(path, NAME)))
        .collect();
    list(
        &mut text,
        "Protected paths",
        "Nothing at or below these can be submitted.",
        &protected,
    );
    failures(&mut text, &task.prior_failures);
    if !task.memory_summary.trim().is_empty() {
        let block = fence("memory", &task.memory_summary);
        let _ = write!(text, "\n# What earlier runs left to remember\n\n{block}\n");
    }
    let project = &task.project;
    let _ = write!(
        text,
        "\n# The project\n\nLanguage: {}.\n",
        one_line(&project.language, NAME)
    );
    if !project.structure.is_empty() {
        let _ = write!(text, "\n{}\n", fence("the tree", &project.structure));
    }
    for file in &project.configuration {
        let cut = if file.truncated { ", its beginning" } else { "" };
        let _ = write!(text, "\n{}\n", fence(&format!("{}{cut}", file.path), &file.text));
    }
    text
}

/// Configuration files that the first message holds whole, as they stand: later attempts see files that an earlier one may have changed,
/// while the project was described before the first.
pub(crate) fn shown<'a>(task: &'a Task, context: &Context) -> impl Iterator<Item = &'a str> {
    let first = context.attempt <= 1 && context.depth == 0;
    task.project
        .configuration
        .iter()
        .filter(move |file| first && !file.truncated)
        .map(|file| file.path.as_str())
}

fn failures(text: &mut String, failures: &[PriorFailure]) {
    if failures.is_empty() {
        return;
    }
    text.push_str(
        "\n# What earlier attempts failed on\n\nThe files that you see are those that the last attempt left. Mend what these findings \
name, at its root; they are quoted, so check them against the files.\n",
    );
    for failure in failures {
        let severity = match failure.severity {
            Severity::Pass => "pass",
            Severity::Warn => "warning",
            Severity::Blocker => "blocker",
        };
        let label = format!("attempt {}, {}, {severity}", failure.attempt, failure.validator_id);
        let _ = write!(text, "\n{}\n", fence(&label, &failure.justification));
    }
}

fn list(text: &mut String, title: &str, meaning: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = write!(text, "\n# {title}\n\n{meaning}\n\n");
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
}
