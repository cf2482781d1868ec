//! A validator: wants an entry in the changelog with every change.

mod judge;
#[cfg(test)]
mod tests;

use snodo_plugin::prelude::*;

struct Plugin;

impl Validator for Plugin {
    fn describe() -> Description {
        Description::new(
            "{{name}}",
            env!("CARGO_PKG_VERSION"),
            "Wants an entry in the changelog with every change.",
        )
        .phase(Phase::PostExecute)
        .setting(Setting::text("file", "The changelog's path.").default("CHANGELOG.md"))
        .setting(Setting::text_list("exempt", "Folders whose changes need no entry.").default(&["docs", "tests"][..]))
        .setting(Setting::boolean("strict", "Stop the change; otherwise only warn.").default(true))
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        if evaluation.phase != Phase::PostExecute {
            return Err(Fault::Internal("it judges after execution only".to_owned()));
        }
        // Not seeing the change is a fault, never a pass: `?` makes it one.
        let change = change::summary()?;
        Ok(judge::judge(
            &change.files,
            context.text("file")?,
            context.text_list("exempt")?,
            context.boolean("strict")?,
        ))
    }
}

snodo_plugin::export!(validator: Plugin);
