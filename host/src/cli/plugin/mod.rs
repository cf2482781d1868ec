//! `snodo-host plugin`: what the user installs, what was agreed to, and what a repository pins.

mod add;
mod pin;
mod shown;

use std::io::Write as _;

use serde_json::{Value, json};
use snodo_admission::{Bodies, Context, Limits, PluginName, admit_hashed};
use snodo_install::{Installed, Verified};

use super::args::{PluginCommand, PluginNameArgs};
use super::render::adapted;
use super::run::explain;
use super::set_up_error;
use crate::engine::{Environment, Host, SetupError};
use crate::plugin::SERVED;

/// The schema of `--json`.
pub(super) const SCHEMA: &str = "snodo.plugin.v1";

/// Exit code where the user did not agree, or something installed cannot be used.
const EXIT_NO: u8 = 1;

/// What a command answers: for people, for programs, and whether all is well.
struct Answer {
    text: String,
    value: Value,
    code: u8,
}

impl Answer {
    fn good(text: String, value: Value) -> Self {
        Self { text, value, code: 0 }
    }
}

/// Answers 0 when it was done; 1 when the user did not agree or what is installed cannot be used; 64 for everything that cannot be done.
pub(super) fn plugin(command: PluginCommand, environment: Environment) -> u8 {
    let (json, answer) = match command {
        PluginCommand::Add(args) => (args.consent.json, add::add(&args, environment)),
        PluginCommand::Update(args) => (args.consent.json, add::update(&args, environment)),
        PluginCommand::List { json } => (json, list(environment)),
        PluginCommand::Show(args) => (args.json, show(&args, environment)),
        PluginCommand::Remove(args) => (args.json, remove(&args, environment)),
        PluginCommand::Verify { name, json } => (json, verify(name.as_deref(), environment)),
        PluginCommand::Pin(args) => (false, pin::pin(&args, environment)),
        PluginCommand::Unpin(args) => (false, pin::unpin(&args, environment)),
    };
    match answer {
        Ok(answer) => {
            let text = if json {
                let mut value = answer.value;
                value["schema"] = SCHEMA.into();
                value["ok"] = (answer.code == 0).into();
                format!("{value}\n")
            } else {
                adapted(&answer.text)
            };
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
            answer.code
        }
        Err(error) => set_up_error(json.then_some(SCHEMA), &explain(&error)),
    }
}

fn name(text: &str) -> Result<PluginName, SetupError> {
    PluginName::parse(text).map_err(|why| SetupError::Setting(format!("`{}`: {why}", crate::text::one_line(text, 100))))
}

fn not_installed(name: &PluginName) -> SetupError {
    SetupError::Setting(format!(
        "no plugin `{name}` is installed; `snodo-host plugin list` shows what is"
    ))
}

/// What is installed; a user without a configuration folder has nothing installed.
fn installed(environment: Environment) -> Result<Option<Installed>, SetupError> {
    Host::open(environment)?.installed()
}

fn list(environment: Environment) -> Result<Answer, SetupError> {
    let listing = match installed(environment)? {
        Some(installed) => installed.list()?,
        None => snodo_install::Listing::default(),
    };
    let value = json!({ "plugins": listing.plugins, "strays": listing.strays });
    Ok(Answer::good(shown::list(&listing), value))
}

fn show(args: &PluginNameArgs, environment: Environment) -> Result<Answer, SetupError> {
    let name = name(&args.name)?;
    let installed = installed(environment)?.ok_or_else(|| not_installed(&name))?;
    let record = installed.show(&name)?;
    Ok(Answer::good(shown::record(&record), json!({ "plugin": record })))
}

fn remove(args: &PluginNameArgs, environment: Environment) -> Result<Answer, SetupError> {
    let name = name(&args.name)?;
    let installed = installed(environment)?.ok_or_else(|| not_installed(&name))?;
    let removed = installed.remove(&name)?;
    let text = format!(
        "`{name}` is removed, and what was agreed to with it ({} bytes freed)\n",
        removed.freed
    );
    Ok(Answer::good(text, json!({ "removed": name, "freed": removed.freed })))
}

fn verify(only: Option<&str>, environment: Environment) -> Result<Answer, SetupError> {
    let installed = installed(environment)?;
    let names: Vec<PluginName> = match (only, &installed) {
        (Some(only), _) => vec![name(only)?],
        (None, Some(installed)) => installed
            .list()?
            .plugins
            .into_iter()
            .map(|listed| listed.name)
            .collect(),
        (None, None) => Vec::new(),
    };
    let mut verified: Vec<Verified> = Vec::new();
    for name in names {
        let installed = installed.as_ref().ok_or_else(|| not_installed(&name))?;
        verified.push(installed.verify(&name, |record, hashed| {
            let context = Context {
                name: &record.name,
                role_expected: Some(record.role),
                grants: record.grants,
                served: SERVED,
                bodies: Bodies::Validate,
            };
            admit_hashed(hashed, &context, &Limits::standard())
        })?);
    }
    let rows: Vec<Value> = verified
        .iter()
        .map(|one| {
            let problems: Vec<String> = one.problems.iter().map(ToString::to_string).collect();
            json!({ "name": one.name, "ok": one.is_ok(), "problems": problems, "way_out": one.way_out() })
        })
        .collect();
    let code = if verified.iter().all(Verified::is_ok) {
        0
    } else {
        EXIT_NO
    };
    Ok(Answer {
        text: shown::verified(&verified),
        value: json!({ "verified": rows }),
        code,
    })
}
