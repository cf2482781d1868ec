//! A coder that does what its task says, step by step, and tells what came of each step in a finding.
//!
//! The task is JSON: `{"steps": [{"do": "read-file", "path": "a.txt"}, …], "end": {…}}`. Each step is a call of the contract, under its
//! name there, or an act (see `acts`). Each answer is a finding: title `<number> <step>`, detail JSON: `{"ok": …}` or `{"error": …}`.
//! `end` says how the coder returns: `{"error": "internal"}` with an error, `{"report": …}` with a report; `{"quiet": true}` without
//! findings.

mod acts;
mod end;
mod submitting;

use guest_steps::json;
use serde_json::{Value, json};
use snodo_plugin::prelude::*;

struct Probe;

impl Coder for Probe {
    fn describe() -> Description {
        Description::new("probe", "3.2.1", "Does what its task says, step by step.")
            .setting(Setting::text("text", "A text.").default("standard"))
            .setting(Setting::boolean("boolean", "A yes or no.").default(false))
            .setting(Setting::integer("integer", "A number.").default(1))
            .setting(Setting::text_list("list", "Several texts.").default(&["one"][..]))
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let script: Value = serde_json::from_str(&task.spec)
            .map_err(|error| CoderError::UnusableTask(format!("the script is not JSON: {error}")))?;
        let mut done = Implementation::done();
        for (number, step) in script["steps"].as_array().into_iter().flatten().enumerate() {
            let name = step["do"].as_str().unwrap_or("?");
            let answer = answer(step, &task, &context);
            done = done.finding(Finding::new(format!("{number} {name}"), answer.to_string()));
        }
        end::end(&script["end"], done)
    }
}

snodo_plugin::export!(coder: Probe);

fn answer(step: &Value, task: &Task, context: &Context) -> Value {
    if let Some(answer) = guest_steps::look(step).or_else(|| submitting::submit(step)) {
        return answer;
    }
    match step["do"].as_str() {
        Some("run-tests") => json::outcome(
            runner::run_tests(step["path"].as_str()).map(json::observation),
            json::runner_error,
        ),
        Some("echo") => {
            json!({ "ok": { "task": json::task(task.clone()), "context": json::context(context.clone()) } })
        }
        Some(act) => acts::act(act, step),
        None => json!({ "error": { "kind": "no-such-step" } }),
    }
}
