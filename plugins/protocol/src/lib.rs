//! The validator `protocol`: has a language model judge whether a task belongs into the mode under which it runs.
//!
//! It sees the mode's profile, the guidance of the protocol, what is protected, and the task; after execution the change, too. It needs no
//! criteria; those that the protocol declares are judged by as well. How it looks and decides is said in [`snodo_judging`].

use std::fmt::Write as _;

use snodo_judging::{Brief, World, with_settings};
use snodo_plugin::prelude::*;

const BEFORE: &str = include_str!("../prompts/before.txt");
const AFTER: &str = include_str!("../prompts/after.txt");

struct Protocol;

impl Validator for Protocol {
    fn describe() -> Description {
        with_settings(
            Description::new(
                "protocol",
                env!("CARGO_PKG_VERSION"),
                "Has a language model judge whether a task, or a change, belongs into the mode under which it runs.",
            )
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute),
        )
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        snodo_judging::judge(&brief(&evaluation, &context), &evaluation, &context, World::imports())
    }
}

snodo_plugin::export!(validator: Protocol);

fn brief(evaluation: &Evaluation, context: &Context) -> Brief {
    let instructions = match evaluation.phase {
        Phase::PreExecute => BEFORE,
        Phase::PostExecute => AFTER,
    };
    let brief = Brief::new(instructions)
        .section("The task", &*evaluation.task.spec)
        .section("The mode", profile(evaluation));
    let brief = if context.protocol_guidance.trim().is_empty() {
        brief
    } else {
        brief.section("Guidance of the protocol", &*context.protocol_guidance)
    };
    if context.protected_paths.is_empty() {
        brief
    } else {
        brief.section(
            "Protected paths, which nobody may change",
            context.protected_paths.join("\n"),
        )
    }
}

/// The mode, a line for each thing that is known of it.
fn profile(evaluation: &Evaluation) -> String {
    let mode = &evaluation.mode;
    let mut profile = format!("id: {}\nname: {}\n", mode.id, mode.name);
    if !mode.description.trim().is_empty() {
        let _ = writeln!(profile, "description: {}", mode.description.trim());
    }
    let tools = if mode.tools.is_empty() {
        "none declared".to_owned()
    } else {
        mode.tools.join(", ")
    };
    let _ = writeln!(profile, "tools: {tools}");
    profile
}

#[cfg(test)]
mod tests;
