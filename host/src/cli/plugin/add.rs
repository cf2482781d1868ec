//! Installing: what it asks for is shown, what is different is shown, and the user says yes.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use serde_json::json;
use snodo_admission::{Bodies, Context, Grants, HashedBytes, Limits, PluginName, admit_hashed, inspect_hashed};
use snodo_install::{Change, Moment, Request, Source};
use snodo_workspace::ambient;

use super::super::args::{Consent, OwnGrant, PluginAddArgs, PluginUpdateArgs};
use super::super::inspect::table;
use super::super::render::adapted;
use super::{Answer, EXIT_NO, name, not_installed, shown};
use crate::engine::{Environment, GrantKind, Host, SetupError};
use crate::plugin::{FindError, Origin, SERVED};

/// `plugin add`.
pub(super) fn add(args: &PluginAddArgs, environment: Environment) -> Result<Answer, SetupError> {
    let name = match &args.name {
        Some(given) => name(given)?,
        None => of_file(&args.file)?,
    };
    install(&Host::open(environment)?, &args.file, &name, &args.consent)
}

/// `plugin update`: the same over a name that is installed.
pub(super) fn update(args: &PluginUpdateArgs, environment: Environment) -> Result<Answer, SetupError> {
    let name = name(&args.name)?;
    let host = Host::open(environment)?;
    let installed = host.installed()?.ok_or_else(|| not_installed(&name))?;
    installed.show(&name)?;
    install(&host, &args.file, &name, &args.consent)
}

fn of_file(file: &Path) -> Result<PluginName, SetupError> {
    let file_name = file.file_name().map(|n| n.to_string_lossy().into_owned());
    PluginName::of_file(&file_name.unwrap_or_default()).map_err(|source| {
        SetupError::Find(FindError::BadName {
            path: crate::text::one_line(&file.display().to_string(), 300),
            source,
        })
    })
}

fn install(host: &Host, file: &Path, name: &PluginName, consent: &Consent) -> Result<Answer, SetupError> {
    let limits = Limits::standard();
    let given = file.display().to_string();
    let bytes = ambient::read_user_file(file, limits.max_file_bytes).map_err(|source| {
        SetupError::Find(FindError::Unreadable {
            path: crate::text::one_line(&given, 300),
            source,
        })
    })?;
    let bytes = HashedBytes::new(bytes);
    let installed = host.make_installed()?;
    let mut asked = Grants::NONE;
    let granted = OwnGrant::to(&consent.grants, name.as_str()).map_err(SetupError::Setting)?;
    asked.model = granted.contains(&GrantKind::Model);
    asked.runner = granted.contains(&GrantKind::Runner);
    let context = Context {
        name,
        role_expected: None,
        grants: installed.grants_for(name, asked)?,
        served: SERVED,
        bodies: Bodies::Validate,
    };
    let admitted = admit_hashed(&bytes.hashed(), &context, &limits).map_err(|refusal| SetupError::NotInstalled {
        given: given.clone(),
        refusal,
    })?;
    let request = Request {
        grants: asked,
        source: Source::file(&given),
        now: Moment::of((host.now())()),
    };
    let plan = installed.plan_add(&admitted, &request)?;
    let inspection = inspect_hashed(&bytes.hashed(), &context, &limits);
    let mut text = table(&inspection, &Origin::File(given).to_string());
    text.push_str(&shown::change(&plan));
    if plan.needs_consent() && !consent.yes {
        if consent.json || !std::io::stdin().is_terminal() {
            return Err(SetupError::Setting(format!(
                "nothing is installed without a yes: look at what `{}` asks for with `snodo-host inspect {}`, and give --yes",
                name,
                crate::text::one_line(&file.display().to_string(), 300)
            )));
        }
        let _ = write!(anstream::stderr(), "{}", adapted(&text));
        text.clear();
        if !agreed(!plan.record().grants.list().is_empty()) {
            return Ok(Answer {
                text: "nothing was installed\n".to_owned(),
                value: json!({ "installed": null }),
                code: EXIT_NO,
            });
        }
    }
    let added = installed.add(&plan)?;
    text.push_str(&shown::added(&plan, &added));
    let replaced = matches!(plan.change(), Change::Replaces { .. } | Change::ReplacesDamaged { .. });
    let value = json!({
        "installed": plan.record(),
        "recorded": added.recorded,
        "stored": added.stored,
        "replaced": replaced,
        "unused_grants": plan.unused_grants().iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    Ok(Answer::good(text, value))
}

/// Asks the person at the terminal.
fn agreed(grants: bool) -> bool {
    let with = if grants { ", with these grants" } else { "" };
    let _ = write!(anstream::stderr(), "\nInstall it{with}? [y/N] ");
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.is_ok() && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
