//! A coder that does what its task says, step by step, and tells what came of each step in a finding.
//!
//! The task is JSON: `{"steps": [{"do": "read-file", "path": "a.txt"}, …], "end": {…}}`. Each step is a call of the contract, under its
//! name there, or an act (see `acts`). Each answer is a finding: title `<number> <step>`, detail JSON: `{"ok": …}` or `{"error": …}`.
//! `end` says how the coder returns: `{"error": "internal"}` with an error, `{"report": …}` with a report; `{"quiet": true}` without
//! findings. `{"attempts": [{"steps": …, "end": …}, …]}` is a script for each attempt, the last one for all that follow. A step with `"take": ["/ok/total", …]` answers only these places of its answer (JSON pointers), since a finding is bounded.

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
        let attempt = usize::try_from(context.attempt).unwrap_or(usize::MAX);
        let of_attempt = script["attempts"]
            .as_array()
            .and_then(|all| all.get(attempt.saturating_sub(1)).or(all.last()));
        let script = of_attempt.unwrap_or(&script);
        let mut done = Implementation::done();
        for (number, step) in script["steps"].as_array().into_iter().flatten().enumerate() {
            let name = step["do"].as_str().unwrap_or("?");
            let answer = answer(step, &task, &context);
            done = done.finding(Finding::new(
                format!("{number} {name}"),
                ascii(&taken(step, answer).to_string()),
            ));
        }
        end::end(&script["end"], done)
    }
}

snodo_plugin::export!(coder: Probe);

/// The places of an answer that the step asks for; all of it when it names none.
fn taken(step: &Value, answer: Value) -> Value {
    let Some(places) = step["take"].as_array() else {
        return answer;
    };
    let places = places.iter().filter_map(Value::as_str);
    places
        .map(|place| (place.to_owned(), answer.pointer(place).cloned().unwrap_or_default()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// JSON in ASCII: what the host escapes in a finding would not be JSON any more.
fn ascii(json: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

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
