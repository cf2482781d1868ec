//! `snodo-host inspect`: what a plugin is and what it asks for. Nothing of it is compiled or run.

use std::fmt::Write as _;
use std::io::Write as _;

use snodo_admission::{Bodies, Context, Grants, ImportClass, Inspection, Limits, PluginName, Verdict, inspect as look};

use super::args::{InspectArgs, OwnGrant};
use super::render::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, adapted};
use super::run::explain;
use super::set_up_error;
use crate::engine::{Environment, GrantKind, Host, SetupError};
use crate::plugin::{Origin, SERVED, find, inspect_unreadable, is_path};
use snodo_install::Installed;

/// The schema of `--json`.
const SCHEMA: &str = "snodo.inspect.v1";

/// Exit code for a plugin that is not admitted.
const EXIT_REFUSED: u8 = 1;

/// Looks; answers the exit code: 0 admitted, 1 refused, 64 for a plugin that is not there.
pub(super) fn inspect(args: &InspectArgs, environment: Environment) -> u8 {
    let schema = args.json.then_some(SCHEMA);
    let limits = Limits::standard();
    let installed = match installed(&args.plugin, environment) {
        Ok(installed) => installed,
        Err(error) => return set_up_error(schema, &explain(&error)),
    };
    let (inspection, origin) = match find(&args.plugin, installed.as_ref(), limits.max_file_bytes) {
        Ok(source) => {
            let given = match OwnGrant::to(&args.grants, source.name.as_str()) {
                Ok(given) => given,
                Err(why) => return set_up_error(schema, &why),
            };
            let mut grants = source.grants;
            grants.model |= given.contains(&GrantKind::Model);
            grants.runner |= given.contains(&GrantKind::Runner);
            let context = context(&source.name, grants);
            (look(source.bytes.bytes(), &context, &limits), source.origin.to_string())
        }
        Err(error) => match inspect_unreadable(&error, &limits) {
            Some(inspection) => (inspection, Origin::File(args.plugin.clone()).to_string()),
            None => return set_up_error(schema, &explain(&error)),
        },
    };
    let admitted = inspection.verdict == Verdict::Admitted;
    let text = if args.json {
        json(&inspection, &origin)
    } else {
        adapted(&table(&inspection, &origin))
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    if admitted { 0 } else { EXIT_REFUSED }
}

/// What is installed, where the name can be that of an installed one. A file is looked at whatever the state of the user's folders is.
pub(super) fn installed(given: &str, environment: Environment) -> Result<Option<Installed>, SetupError> {
    if is_path(given) || snodo_plugins_build::find(given).is_some() {
        return Ok(None);
    }
    Host::open(environment)?.installed()
}

fn context(name: &PluginName, grants: Grants) -> Context<'_> {
    Context {
        name,
        role_expected: None,
        grants,
        served: SERVED,
        bodies: Bodies::Validate,
    }
}

fn json(inspection: &Inspection, origin: &str) -> String {
    let mut value =
        serde_json::json!({ "schema": SCHEMA, "ok": inspection.verdict == Verdict::Admitted, "origin": origin });
    if let (Some(object), Ok(serde_json::Value::Object(found))) =
        (value.as_object_mut(), serde_json::to_value(inspection))
    {
        object.extend(found);
    }
    format!("{value}\n")
}

/// What a plugin is and what it asks for, as a person reads it.
pub(super) fn table(inspection: &Inspection, origin: &str) -> String {
    let mut out = String::new();
    let role = inspection.role.map_or("no role", snodo_admission::Role::name);
    let _ = writeln!(
        out,
        "{BOLD}{}{PLAIN}  {} ({origin})",
        inspection.name,
        inspection.kind.describe()
    );
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "  {DIM}{name:7}{PLAIN} {value}");
    };
    if let Some(digest) = inspection.digest {
        row("digest", &digest.to_string());
    }
    if let Some(size) = inspection.size {
        row("size", &format!("{size} bytes"));
    }
    row("role", role);
    if let Some(world) = inspection.world {
        row("world", world);
    }
    if let Some(version) = &inspection.built_against {
        row("built", &format!("against snodo:plugin {version}"));
    }
    if !inspection.imports.is_empty() {
        let _ = writeln!(out, "\n{BOLD}imports{PLAIN}");
        let width = inspection
            .imports
            .iter()
            .map(|i| i.name.chars().count())
            .max()
            .unwrap_or(0);
        let label = inspection
            .imports
            .iter()
            .map(|i| i.class.label().chars().count())
            .max()
            .unwrap_or(0);
        for import in &inspection.imports {
            let style = match import.class {
                ImportClass::GivenToRole | ImportClass::Granted { .. } => GREEN,
                ImportClass::InertWasi => DIM,
                ImportClass::NeedsGrant { .. } | ImportClass::Undecided => YELLOW,
                ImportClass::NotServed | ImportClass::Refused { .. } => RED,
            };
            let _ = writeln!(
                out,
                "  {:width$}  {style}{:label$}{PLAIN}  {}",
                import.name,
                import.class.label(),
                import.sentence
            );
        }
    }
    if !inspection.exports.is_empty() {
        let _ = writeln!(out, "\n{BOLD}exports{PLAIN}");
        for export in &inspection.exports {
            let what = export.role.map_or("tolerated, never called".to_owned(), |role| {
                format!("makes it a {role}")
            });
            let _ = writeln!(out, "  {}  {DIM}{}: {what}{PLAIN}", export.name, export.kind);
        }
    }
    out.push('\n');
    match &inspection.verdict {
        Verdict::Admitted => {
            let _ = writeln!(out, "{GREEN}admitted{PLAIN}");
        }
        Verdict::Refused(findings) => {
            let _ = writeln!(out, "{RED}refused{PLAIN}");
            for finding in findings {
                let _ = writeln!(out, "  {finding}");
            }
            for line in &inspection.advice {
                let _ = writeln!(out, "  {DIM}hint:{PLAIN} {line}");
            }
        }
    }
    out
}
