//! A validator that judges as its settings say, in either phase.

use guest_steps::{chunks, json, number, text, texts};
use serde_json::{Value, json};
use snodo_plugin::prelude::*;
use snodo_plugin::types::Limit;

struct Judge;

impl Validator for Judge {
    fn describe() -> Description {
        Description::new("judge", "0.1.0", "Judges as its settings say.")
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute)
            .setting(
                Setting::text(
                    "behaviour",
                    "pass, warn, blocker, skip, uncheckable, echo, script, panic, exit, loop, allocate, or fault-KIND.",
                )
                .default("pass"),
            )
            .setting(
                Setting::text(
                    "in",
                    "The phase to behave so in; it passes in the other one. Empty: both.",
                )
                .default(""),
            )
            .setting(Setting::text("words", "The justification.").default("as told"))
            .setting(
                Setting::text(
                    "plan",
                    "JSON: for each phase the behaviours of the first attempt, the second and so on, the last one for all that follow. In place of `behaviour`.",
                )
                .default("{}"),
            )
            .setting(Setting::text("script", "For `script`: calls, as JSON.").default("[]"))
            .setting(Setting::integer("number", "A number, to be echoed.").default(0))
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        let wanted = context.text("in")?;
        if !wanted.is_empty() && wanted != json::phase(evaluation.phase) {
            return Ok(Verdict::pass("it is to behave in the other phase"));
        }
        let behaviour = planned(&evaluation, &context)?;
        behave(&behaviour, evaluation, &context)
    }
}

snodo_plugin::export!(validator: Judge);

/// What the plan says of this phase and attempt; else the one behaviour.
fn planned(evaluation: &Evaluation, context: &Context) -> Result<String, Fault> {
    let plan: Value = serde_json::from_str(context.text("plan")?)
        .map_err(|error| Fault::Setting(format!("`plan` is not JSON: {error}")))?;
    let attempt = usize::try_from(context.attempt).unwrap_or(usize::MAX);
    let behaviours = plan[json::phase(evaluation.phase)].as_array();
    let behaviour = behaviours.and_then(|all| all.get(attempt.saturating_sub(1)).or(all.last()));
    Ok(match behaviour.and_then(Value::as_str) {
        Some(behaviour) => behaviour.to_owned(),
        None => context.text("behaviour")?.to_owned(),
    })
}

fn behave(behaviour: &str, evaluation: Evaluation, context: &Context) -> Result<Verdict, Fault> {
    let words = context
        .text("words")?
        .replace("{attempt}", &context.attempt.to_string());
    Ok(match behaviour {
        "pass" => Verdict::pass(words),
        "warn" => Verdict::warn(words),
        "blocker" => Verdict::blocker(words),
        "skip" => Verdict::skipped(words),
        "uncheckable" => Verdict::pass(words).uncheckable(0, "a crystal ball"),
        "skipped-blocker" => Verdict {
            skipped: Some(words.clone()),
            ..Verdict::blocker(words)
        },
        "echo" => {
            let all = json!({ "evaluation": json::evaluation(evaluation), "context": json::context(context.clone()) });
            Verdict::pass(words).examined(chunks(&all.to_string()))
        }
        "script" => {
            let steps: Value = serde_json::from_str(context.text("script")?)
                .map_err(|error| Fault::Setting(format!("`script` is not JSON: {error}")))?;
            let answers: Value = steps.as_array().into_iter().flatten().map(answer).collect();
            Verdict::pass(words).examined(chunks(&answers.to_string()))
        }
        "panic" => panic!("{words}"),
        "exit" => std::process::exit(0),
        "loop" => loop {
            std::hint::black_box(());
        },
        "allocate" => {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                held.push(std::hint::black_box(vec![1; 16 * 1024 * 1024]));
            }
        }
        "fault-model" => return Err(Fault::Model(words)),
        "fault-runner" => return Err(Fault::Runner(words)),
        "fault-incomplete-view" => return Err(Fault::IncompleteView(words)),
        "fault-setting" => return Err(Fault::Setting(words)),
        "fault-limit" => {
            return Err(Fault::Limit(Limit {
                name: words,
                allowed: 7,
            }));
        }
        "fault-internal" => return Err(Fault::Internal(words)),
        other => return Err(Fault::Setting(format!("`behaviour` cannot be `{other}`"))),
    })
}

fn answer(step: &Value) -> Value {
    if let Some(answer) = guest_steps::look(step) {
        return answer;
    }
    match step["do"].as_str() {
        Some("summary") => json::outcome(change::summary().map(json::summary), json::change_error),
        Some("diff") => {
            let query = change::DiffQuery::all()
                .paths(texts(step, "paths"))
                .context_lines(u32::try_from(number(step, "context", 3)).unwrap_or(3))
                .max_bytes(number(step, "max-bytes", u64::MAX));
            json::outcome(change::diff(&query).map(json::diff), json::change_error)
        }
        Some("before") => json::outcome(change::before(&text(step, "path")).map(json::file), json::before_error),
        _ => json!({ "error": { "kind": "no-such-step" } }),
    }
}
