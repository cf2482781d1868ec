//! A validator of the world `runner-validator` that is nobody's built-in: it needs the user's grant. It runs the declared tests,
//! and hands over what it saw, whole.

use guest_steps::{chunks, json};
use snodo_plugin::prelude::*;

struct Runs;

impl Validator for Runs {
    fn describe() -> Description {
        Description::new("runs", "0.1.0", "Runs the declared tests and shows what it saw.")
            .phase(Phase::PostExecute)
            .setting(Setting::text("path", "What to run; empty: everything.").default(""))
            .setting(Setting::integer("times", "How often.").default(1))
            .setting(Setting::text("says", "`pass` or `skip`, whatever it saw; empty: what it saw.").default(""))
    }

    fn evaluate(_: Evaluation, context: Context) -> Result<Verdict, Fault> {
        let path = Some(context.text("path")?).filter(|path| !path.is_empty());
        let times = context.integer("times")?;
        let mut seen = Vec::new();
        let mut green = true;
        for _ in 0..times {
            let outcome = runner::run_tests(path);
            green &= outcome.as_ref().is_ok_and(|seen| seen.exit.success());
            seen.push(json::outcome(outcome.map(json::observation), json::runner_error));
        }
        let all = serde_json::Value::from(seen).to_string();
        let verdict = match (context.text("says")?, green) {
            ("skip", _) => Verdict::skipped("there are no tests"),
            ("pass", _) | (_, true) => Verdict::pass("green"),
            _ => Verdict::blocker("not green"),
        };
        Ok(verdict.examined(chunks(&all)))
    }
}

snodo_plugin::export!(validator: Runs);
