//! Who judges in a run: from what a protocol and the command line name to plugins with their settings, tools, bounds and models.

use std::collections::BTreeSet;

use snodo_config::host_config::HostConfig;
use snodo_config::model::ModelRole;
use snodo_config::resolve::{QUALITY, ResolvedRun, ResolvedValidator};
use snodo_config::settings::GivenSetting;
use snodo_workspace::role::Description;

use super::gate::Judge;
use super::given::settings_of;
use super::models::{Asks, Models, Own};
use super::{RunRequest, SetupError, turns};
use crate::plugin::{Plugin, ToolList};
use crate::sandbox::DeclaredCommand;

/// A validator as it is asked for, before its plugin is loaded.
pub(super) struct Wanted<'a> {
    pub(super) plugin: &'a str,
    /// What the protocol says of it; none for one of the command line, which judges wherever it says that it does.
    declared: Option<&'a ResolvedValidator>,
}

/// The protocol's validators, then those of the command line. Without either: `secrets`, and `quality` when there is something to run.
pub(super) fn wanted<'a>(
    request: &'a RunRequest,
    resolved: Option<&'a ResolvedRun>,
    has_command: bool,
) -> Vec<Wanted<'a>> {
    let mut wanted: Vec<Wanted<'_>> = resolved
        .iter()
        .flat_map(|r| &r.validators)
        .map(|declared| Wanted {
            plugin: declared.plugin.as_str(),
            declared: Some(declared),
        })
        .collect();
    let flagged = |plugin: &'a str| Wanted { plugin, declared: None };
    wanted.extend(request.validators.iter().map(|name| flagged(name)));
    if resolved.is_none() && request.validators.is_empty() {
        wanted.push(flagged("secrets"));
        if has_command {
            wanted.push(flagged(QUALITY));
        }
    }
    wanted
}

pub(super) async fn judge(
    wanted: &Wanted<'_>,
    plugin: &Plugin,
    description: &Description,
    given: &[GivenSetting],
    config: &HostConfig,
    models: &Models,
) -> Result<Vec<Judge>, SetupError> {
    let name = plugin.name().to_string();
    let declared = wanted.declared;
    let id = declared.map_or_else(|| name.clone(), |d| d.id.clone());
    if let Some(declared) = declared
        && !description.phases.contains(&declared.phase)
    {
        let phase = declared.phase.as_str();
        let judges_in: Vec<&str> = description.phases.iter().map(|p| p.as_str()).collect();
        return Err(SetupError::WrongPhase {
            id,
            plugin: name,
            phase,
            judges_in: judges_in.join(", "),
        });
    }
    let phases = declared.map_or_else(|| description.phases.clone(), |d| vec![d.phase]);
    let mut of_protocol = declared.map(|d| d.tooling.settings.clone()).unwrap_or_default();
    let mut honoured = description.settings.clone();
    let asks = if plugin.uses_model() {
        let own = declared.and_then(|d| {
            let model = d.model.as_deref()?;
            Some(Own { model, line: d.line })
        });
        turns::by_default(&mut honoured, models.turns(ModelRole::Validator));
        of_protocol
            .extend(declared.and_then(|d| turns::of_protocol(d, &name, &honoured, models.turns(ModelRole::Validator))));
        models.seat(ModelRole::Validator, own, &name, Some(&id)).await
    } else {
        Asks::No
    };
    let settings = settings_of(&name, &id, &honoured, of_protocol, given)?;
    let tools = ToolList::whole(plugin.uses_runner());
    let runner_limits = crate::settings::judge_runner(&config.runner, declared.and_then(|d| d.tooling.timeout_seconds));
    Ok(phases
        .into_iter()
        .map(|phase| Judge {
            id: id.clone(),
            plugin: plugin.clone(),
            phase,
            settings: settings.clone(),
            criteria: declared.map(|d| d.criteria.clone()).unwrap_or_default(),
            severity_cap: declared.and_then(|d| d.severity_cap),
            tools: declared.map_or_else(|| tools.clone(), |d| tools.clone().narrowed(&d.tools)),
            runner_limits,
            asks: asks.clone(),
        })
        .collect())
}

/// A validator counts once in a gate, and what is recorded under its id is its own.
pub(super) fn check_ids(judges: &[Judge]) -> Result<(), SetupError> {
    let mut seen = BTreeSet::new();
    match judges
        .iter()
        .find(|judge| !seen.insert((judge.phase.as_str(), judge.id.as_str())))
    {
        None => Ok(()),
        Some(twin) => Err(SetupError::Setting(format!(
            "two validators of this run are called `{}`, and each counts once: leave one out, or give the plugin's file another name",
            twin.id
        ))),
    }
}

pub(super) fn unused_test_command(command: Option<&DeclaredCommand>, judges: &[Judge]) -> Option<String> {
    let command = command?;
    let used = judges.iter().any(|judge| judge.plugin.uses_runner());
    (!used).then(|| {
        format!(
            "no validator of this run runs `{}`: the change is judged without it",
            command.text
        )
    })
}
