//! The coder `agent`: a language model works on the task through tools, in a bounded number of turns.
//!
//! The model reads and searches the workspace, may run the declared tests, and submits files; the host keeps what is submitted, judges
//! it, and applies it. The first answer without a tool call ends the work. Everything that a model may get wrong is answered in
//! words and costs a turn: nothing that it writes in prose is ever taken for a file.

mod account;
mod brief;
mod desk;
mod findings;
mod prompts;
mod submission;
mod testing;
#[cfg(test)]
mod tests;
mod work;

use snodo_plugin::prelude::*;

use desk::Host;

/// Turns where neither the user nor the protocol says how many.
const TURNS: i64 = 20;

const MAX_TOOL_TURNS: &str = "max-tool-turns";

struct Agent;

impl Coder for Agent {
    fn describe() -> Description {
        Description::new(
            "agent",
            env!("CARGO_PKG_VERSION"),
            "Lets a language model read the project, run its tests and submit files, in a bounded number of turns.",
        )
        .setting(
            Setting::integer(
                MAX_TOOL_TURNS,
                "How many times the model is asked at most; what it submitted until then is delivered.",
            )
            .default(TURNS),
        )
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let turns = turns(&context)?;
        if context.model.is_none() {
            return Err(CoderError::Model(NO_MODEL.to_owned()));
        }
        work::work(&Host, &task, &context, turns)
    }
}

snodo_plugin::export!(coder: Agent);

const NO_MODEL: &str = "the coder `agent` works by a language model, and none is configured for the role `coder`: name one in \
config.yml (`llm.coder.model`, or `model` for every role), or choose a coder that needs none";

fn turns(context: &Context) -> Result<u32, CoderError> {
    let turns = context.integer(MAX_TOOL_TURNS)?;
    u32::try_from(turns).ok().filter(|turns| *turns > 0).ok_or_else(|| {
        CoderError::UnusableTask(format!(
            "The setting `{MAX_TOOL_TURNS}` is {turns}: it is a number of turns, 1 or more."
        ))
    })
}
