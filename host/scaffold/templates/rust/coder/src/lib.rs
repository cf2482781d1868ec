//! A coder: adds the task's first line to the changelog.

mod changelog;
#[cfg(test)]
mod tests;

use snodo_plugin::prelude::*;

struct Plugin;

impl Coder for Plugin {
    fn describe() -> Description {
        Description::new(
            "{{name}}",
            env!("CARGO_PKG_VERSION"),
            "Adds the task's first line to the changelog.",
        )
        .setting(Setting::text("file", "The changelog's path.").default("CHANGELOG.md"))
        .setting(Setting::text("heading", "The line below which entries are added.").default("## Unreleased"))
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let path = context.text("file")?;
        let entry = changelog::entry(&task.spec)
            .ok_or_else(|| unusable("the task is empty: its first line becomes the changelog's entry"))?;
        let old = read::optional_text(path)?.unwrap_or_default();
        let new = changelog::add_entry(&old, context.text("heading")?, &entry)
            .ok_or_else(|| unusable("the changelog has this entry already"))?;
        submit::files(vec![submit::write(path, new)])?;
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Plugin);

fn unusable(why: &str) -> CoderError {
    CoderError::UnusableTask(why.to_owned())
}
