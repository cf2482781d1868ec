//! What a component says of itself.

use std::collections::BTreeSet;
use std::time::Duration;

use snodo_admission::Role;
use snodo_workspace::role::Description;

use super::bench::REPLAY;
use super::check::{Outcome, Sheet};
use crate::plugin::{Plugin, PluginFailure, Replay, checked};

/// Puts down every check of the group; answers the description, checked, if a run could begin with it.
pub(super) async fn look(plugin: &Plugin, role: Role, sheet: &mut Sheet) -> Option<Description> {
    let first = plugin.describe(REPLAY).await.outcome;
    let raw = match first {
        Ok(description) => {
            sheet.put("describe.answers", Outcome::pass("it answers"));
            sheet.put("describe.imports-closed", Outcome::pass("it called none"));
            description
        }
        Err(failure @ PluginFailure::ClosedImport { .. }) => {
            sheet.put("describe.imports-closed", Outcome::fail(failure.to_string()));
            sheet.put("describe.answers", Outcome::fail("it called an import, which ended it"));
            return None;
        }
        Err(failure) => {
            sheet.put("describe.answers", Outcome::fail(format!("it {failure}")));
            sheet.put("describe.imports-closed", Outcome::pass("it called none"));
            return None;
        }
    };
    sheet.put("describe.complete", Outcome::of(complete(&raw)));
    sheet.put("describe.settings", Outcome::of(settings(&raw, role)));
    sheet.put("describe.phases", Outcome::of(phases(&raw, role)));
    let again = [
        ("asked again", REPLAY),
        (
            "under another clock",
            Replay {
                started_at: Duration::from_secs(4_000_000_001),
                ..REPLAY
            },
        ),
        (
            "under other random numbers",
            Replay {
                seed: [0xa1; 32],
                ..REPLAY
            },
        ),
    ];
    let mut differs = Vec::new();
    for (how, replay) in again {
        match plugin.describe(replay).await.outcome {
            Ok(description) if description == raw => {}
            Ok(_) => differs.push(format!("{how} it says something else")),
            Err(failure) => differs.push(format!("{how} it {failure}")),
        }
    }
    sheet.put(
        "describe.stable",
        if differs.is_empty() {
            Outcome::pass("four times the same")
        } else {
            Outcome::fail(differs.join("; "))
        },
    );
    checked(raw, role).ok()
}

fn complete(description: &Description) -> Result<String, String> {
    let lines = [
        ("name", &description.name, 64),
        ("version", &description.version, 64),
        ("summary", &description.summary, 300),
    ];
    for (what, text, most) in lines {
        if text.trim().is_empty() {
            return Err(format!("its {what} is empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(format!(
                "its {what} holds control characters, or more than one line: {text}"
            ));
        }
        if text.chars().count() > most {
            return Err(format!(
                "its {what} has {} characters; {most} are shown",
                text.chars().count()
            ));
        }
    }
    let Description {
        name, version, summary, ..
    } = description;
    Ok(format!("{name} {version}: {summary}"))
}

fn settings(description: &Description, role: Role) -> Result<String, String> {
    let mut names = BTreeSet::new();
    for setting in &description.settings {
        let name = &setting.name;
        if setting.meaning.trim().is_empty() {
            return Err(format!("the setting `{name}` has no meaning"));
        }
        if !names.insert(name) {
            return Err(format!("the setting `{name}` is there twice"));
        }
    }
    // Names, types of defaults, and how much of it there is, are looked at as for a run. What else a run would refuse has a check of its own.
    let alone = Description {
        name: "settings".to_owned(),
        phases: match role {
            Role::Coder => Vec::new(),
            Role::Validator => vec![snodo_workspace::role::Phase::PostExecute],
        },
        ..description.clone()
    };
    checked(alone, role).map_err(|failure| failure.to_string())?;
    Ok(match names.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", names.into_iter().cloned().collect::<Vec<_>>().join(", ")),
    })
}

fn phases(description: &Description, role: Role) -> Result<String, String> {
    let named: Vec<&str> = description.phases.iter().map(|phase| phase.as_str()).collect();
    match (role, named.as_slice()) {
        (Role::Coder, []) => Ok("none".to_owned()),
        (Role::Coder, _) => Err(format!("a coder judges in no phase, and it says {}", named.join(", "))),
        (Role::Validator, []) => Err("a validator judges in a phase at least, and it says none".to_owned()),
        (Role::Validator, _) => Ok(named.join(", ")),
    }
}
