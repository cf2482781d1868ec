//! The validator `judge`: has a language model judge by the criteria that the protocol declares for it.
//!
//! It stands behind snodo's type `llm` and its other names (`architecture`, `security`, `conventions`, `performance`, `testing`,
//! `planning`): what it judges by is said by the criteria, not by the name. Before execution it judges the task; after it, the change.
//! Without criteria there is nothing to judge by, so it warns, and asks no model. How it looks and decides is said in
//! [`snodo_judging`].

use snodo_judging::{Brief, World, with_settings};
use snodo_plugin::prelude::*;

const BEFORE: &str = include_str!("../prompts/before.txt");
const AFTER: &str = include_str!("../prompts/after.txt");

struct Judge;

impl Validator for Judge {
    fn describe() -> Description {
        with_settings(
            Description::new(
                "judge",
                env!("CARGO_PKG_VERSION"),
                "Has a language model judge a task, or a change, by the criteria that the protocol declares.",
            )
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute),
        )
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        if evaluation.criteria.is_empty() {
            return Ok(without_criteria());
        }
        snodo_judging::judge(&brief(&evaluation), &evaluation, &context, World::imports())
    }
}

snodo_plugin::export!(validator: Judge);

fn without_criteria() -> Verdict {
    Verdict::warn("no criteria are declared: nothing was judged")
}

fn brief(evaluation: &Evaluation) -> Brief {
    let instructions = match evaluation.phase {
        Phase::PreExecute => BEFORE,
        Phase::PostExecute => AFTER,
    };
    Brief::new(instructions).section("The task", &*evaluation.task.spec)
}

#[cfg(test)]
mod tests;
