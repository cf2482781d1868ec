//! The validator `acceptance`: has a language model judge whether a change does what the task demands.
//!
//! It judges after execution. Where the task has a section of its own that says when it is done (see [`section`]), that section is what
//! it judges by; else the whole task is. It needs no criteria, unlike snodo's: the task is the criterion, and those that the protocol
//! declares beside it say how strictly to judge. How it looks and decides is said in [`snodo_judging`].

mod section;

use snodo_judging::{Brief, World, with_settings};
use snodo_plugin::prelude::*;

const AFTER: &str = include_str!("../prompts/after.txt");

struct Acceptance;

impl Validator for Acceptance {
    fn describe() -> Description {
        with_settings(
            Description::new(
                "acceptance",
                env!("CARGO_PKG_VERSION"),
                "Has a language model judge whether a change does what the task demands.",
            )
            .phase(Phase::PostExecute),
        )
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        if evaluation.phase != Phase::PostExecute {
            return Err(Fault::Internal("it judges after execution only".to_owned()));
        }
        snodo_judging::judge(&brief(&evaluation), &evaluation, &context, World::imports())
    }
}

snodo_plugin::export!(validator: Acceptance);

fn brief(evaluation: &Evaluation) -> Brief {
    let spec = &evaluation.task.spec;
    match section::acceptance(spec) {
        Some(demands) => Brief::new(AFTER).section("What the task demands, from its section of acceptance", demands),
        None => Brief::new(AFTER).section("The task, which says what is demanded", &**spec),
    }
}

#[cfg(test)]
mod tests;
