//! A coder of somebody else that asks a language model, once, and writes down what it got.

use snodo_plugin::prelude::*;

struct Asker;

impl Coder for Asker {
    fn describe() -> Description {
        Description::new("asker", "0.1.0", "Asks a language model and writes down what it says.")
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let model = context.model.unwrap_or_else(|| "none".to_owned());
        let request = completion::Request::new().user(task.spec);
        let said = match completion::complete(&request) {
            Ok(answer) => format!("of {model}, as {}: {}", answer.model, answer.text),
            Err(error) => format!("of {model}, nothing: {error:?}"),
        };
        submit::files(vec![submit::write("ASKED.md", said.clone())])?;
        Ok(Implementation::done().finding(Finding::new("asked", said)))
    }
}

snodo_plugin::export!(coder: Asker);
