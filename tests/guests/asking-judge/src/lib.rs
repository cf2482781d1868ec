//! A validator of somebody else that asks a language model as often as it is told to, says what it got, and passes.

use snodo_plugin::prelude::*;

struct AskingJudge;

impl Validator for AskingJudge {
    fn describe() -> Description {
        Description::new("asking-judge", "0.1.0", "Asks a language model and says what it got.")
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute)
            .setting(Setting::integer("times", "How often it asks.").default(1))
            .setting(Setting::integer("max-tokens", "The ceiling that it asks for; 0 for none.").default(0))
            .setting(Setting::text("words", "What it asks.").default("anything"))
    }

    fn evaluate(_: Evaluation, context: Context) -> Result<Verdict, Fault> {
        let mut request = completion::Request::new().user(context.text("words")?);
        if let Ok(ceiling @ 1..) = u32::try_from(context.integer("max-tokens")?) {
            request = request.max_tokens(ceiling);
        }
        let mut said = vec![format!("model {:?}", context.model)];
        for _ in 0..context.integer("times")? {
            said.push(match completion::complete(&request) {
                Ok(answer) => format!("{}: {}", answer.model, answer.text),
                Err(error) => format!("{error:?}"),
            });
        }
        Ok(Verdict::pass(said.join("\n")))
    }
}

snodo_plugin::export!(validator: AskingJudge);
