//! From a request to everything that a run needs: rules, coder, validators, settings, test command. Whatever cannot be used is said
//! here, before anything begins.

use std::sync::Arc;

use cap_std::fs::Dir;
use snodo_admission::Role;
use snodo_commit::check::Committable;
use snodo_config::model::ModelRole;
use snodo_config::policy::Policy;
use snodo_config::resolve::{ResolvedRun, test_command};
use snodo_config::settings::GivenSetting;
use snodo_workspace::ambient;
use snodo_workspace::base::Base;
use snodo_workspace::constraint::{Constraint, ModuleBound};
use snodo_workspace::role::{ModeProfile, Setting};
use snodo_workspace::root::Root;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::state::WorkspaceState;

use super::choose::{Chosen, ChosenBy, choose};
use super::coder::{Coder, ComponentCoder};
use super::external::ExternalCoder;
use super::gate::Judge;
use super::given::{check_names, given_settings, settings_of};
use super::judges::{check_ids, judge, unused_test_command, wanted};
use super::loading::Loading;
use super::models::{Answers, Asks, Models};
use super::run::RecoveryBounds;
use super::{Host, RunRequest, SetupError, opened, turns};
use crate::events::Observer;
use crate::plugin::Replay;
use crate::record::PluginReport;
use crate::sandbox::{DeclaredCommand, Permissions, RunnerLimits, Sandbox};

/// Everything that a run needs.
pub(super) struct Assembled {
    pub(super) base: Arc<Base>,
    /// The workspace's folder in the user's state: the lock.
    pub(super) records: WorkspaceState,
    /// The journal of applies, in it.
    pub(super) journal: Arc<Dir>,
    pub(super) coder: Arc<dyn Coder>,
    pub(super) coder_settings: Vec<Setting>,
    /// What the coder asks, where it asks a model through this host.
    pub(super) coder_asks: Asks,
    /// The name of the coder's model; none where nobody chose one.
    pub(super) coder_model: Option<String>,
    /// Of every role.
    pub(super) models: Models,
    pub(super) sandbox: Arc<Sandbox>,
    /// The repository, where the change is to be committed.
    pub(super) committable: Option<Arc<Committable>>,
    /// What is open to the declared tests.
    pub(super) of_tests: Permissions,
    /// What is open to each program that will be run beside them.
    pub(super) needs: Vec<Permissions>,
    pub(super) judges: Vec<Judge>,
    pub(super) mode: ModeProfile,
    pub(super) policy: Policy,
    pub(super) protocol_file: Option<String>,
    pub(super) protocol_id: String,
    pub(super) protected_paths: Vec<String>,
    pub(super) guidance: String,
    pub(super) constraints: Vec<Constraint>,
    pub(super) module: Option<ModuleBound>,
    pub(super) recovery: RecoveryBounds,
    pub(super) command: Option<DeclaredCommand>,
    pub(super) runner_limits: RunnerLimits,
    pub(super) plugins: Vec<PluginReport>,
    pub(super) notices: Vec<String>,
}

/// Assembles a run.
pub(super) async fn assemble(
    host: &Host,
    request: &RunRequest,
    run_id: &str,
    replay: Replay,
    observer: &dyn Observer,
) -> Result<Assembled, SetupError> {
    if request.task.trim().is_empty() {
        return Err(SetupError::EmptyTask);
    }
    let root = ambient::open_root(&request.workspace)?;
    host.environment.directories.check_outside(root.resolved())?;
    // Asked before a run: what cannot be committed afterwards is known now.
    let committable = if request.commit {
        Some(Arc::new(snodo_commit::check::check(&root, &host.environment.git)?))
    } else {
        None
    };
    let protocol = super::protocol::load(host, request, &root)?;
    let mut notices = protocol.as_ref().map(|p| p.notices.clone()).unwrap_or_default();
    let resolved = protocol.as_ref().map(|p| &p.resolved);
    let command = command(request, resolved, &root)?;
    let given = given_settings(request)?;

    let mut loading = Loading::new(host, Some(&root), &request.grants, replay, observer)?;
    let sandbox = host.sandbox(request.sandbox, run_id);
    let of_tests = crate::settings::runner_permissions(&host.config, host.surroundings());
    opened::check(&of_tests, &host.environment.directories, root.resolved())?;
    let mut needs = Vec::new();
    let (chosen, by) = choose(host, request, resolved)?;
    let answers = Answers::under(&chosen, by);
    let models = Models::new(host, request.model.as_deref(), answers, super::task_id(&request.task))?;
    let mut coder_asks = Asks::No;
    let (coder, coder_settings): (Arc<dyn Coder>, _) = match chosen {
        Chosen::Plugin(name) => {
            let (plugin, mut description) = loading.load(name, Role::Coder).await?;
            let name = plugin.name().as_str();
            if plugin.uses_model() {
                coder_asks = models.seat(ModelRole::Coder, None, name, None).await;
                turns::by_default(&mut description.settings, models.turns(ModelRole::Coder));
                if by == ChosenBy::Protocol && models.chosen_for_the_coder().is_none() && models.are_configured() {
                    coder_asks = Asks::Nobody(
                        "the protocol names it, and the user names no model for it: name one in `config.yml`, or with `--model`"
                            .to_owned(),
                    );
                }
                if let Asks::Nobody(why) = &coder_asks {
                    return Err(SetupError::CoderWithoutModel {
                        coder: name.to_owned(),
                        why: why.clone(),
                    });
                }
            }
            let of_protocol = coder_config(request, resolved, name, &mut notices);
            let settings = settings_of(name, name, &description.settings, of_protocol, &given)?;
            (
                Arc::new(ComponentCoder::new(plugin, description.settings, replay)),
                settings,
            )
        }
        Chosen::Native(native) => {
            let coder = &native.coder;
            let name = coder.name();
            let of_protocol = coder_config(request, resolved, name, &mut notices);
            let settings = settings_of(name, name, coder.honoured_settings(), of_protocol, &given)?;
            (Arc::clone(coder), settings)
        }
        Chosen::External(config) => {
            let name = config.name.as_str();
            let of_protocol = coder_config(request, resolved, name, &mut notices);
            let settings = settings_of(name, name, &[], of_protocol, &given)?;
            let external =
                crate::settings::external(config, &host.config.sandbox, host.surroundings()).with_named_files();
            opened::check(&external.permissions, &host.environment.directories, root.resolved())?;
            opened::check_program(external.program(), root.resolved())?;
            needs.push(external.permissions.clone());
            let limits = crate::settings::submit_limits(&host.config);
            (
                Arc::new(ExternalCoder::new(external, Arc::clone(&sandbox), limits)),
                settings,
            )
        }
    };

    let mut judges = Vec::new();
    for wanted in wanted(request, resolved, command.is_some()) {
        let (plugin, description) = loading.load(wanted.plugin, Role::Validator).await?;
        judges.extend(judge(&wanted, &plugin, &description, &given, &host.config, &models).await?);
    }
    check_ids(&judges)?;
    let known: Vec<String> = std::iter::once(coder.name().to_owned())
        .chain(
            judges
                .iter()
                .flat_map(|j: &Judge| [j.id.clone(), j.plugin.name().to_string()]),
        )
        .collect();
    check_names(request, &given, &known)?;
    notices.extend(unused_test_command(command.as_ref(), &judges));
    if std::iter::once(&coder_asks)
        .chain(judges.iter().map(|judge| &judge.asks))
        .any(Asks::asks)
        && models.are_configured()
    {
        notices.extend(host.model_warnings());
    }
    let plugins = loading.into_reports();

    let state = |error: std::io::Error| super::HostError::Records(error.to_string());
    let records = WorkspaceState::open(&host.state.dir, &root).map_err(state)?;
    let journal = records.journal().map_err(state)?;
    let protected_paths = resolved.map(|r| r.protected_paths.clone()).unwrap_or_default();
    let base = Base::new(
        Arc::new(root),
        access_rules(host, request, &protected_paths)?,
        host.config.read.file_limits(),
        host.config.search.search_limits(),
    );
    Ok(Assembled {
        base: Arc::new(base),
        records,
        journal: Arc::new(journal),
        coder,
        sandbox,
        committable,
        of_tests,
        needs,
        coder_settings,
        coder_model: coder_asks
            .model()
            .map(ToOwned::to_owned)
            .or_else(|| models.chosen_for_the_coder()),
        coder_asks,
        models,
        judges,
        mode: resolved.map_or_else(ad_hoc_mode, |r| r.mode.clone()),
        policy: resolved.map_or(Policy::Unanimous, |r| r.policy),
        protocol_file: protocol.as_ref().map(|p| p.file.clone()),
        protocol_id: protocol.as_ref().map_or_else(|| "ad hoc".to_owned(), |p| p.id.clone()),
        protected_paths,
        constraints: protocol.as_ref().map(|p| p.constraints.clone()).unwrap_or_default(),
        module: protocol.as_ref().and_then(|p| p.module.clone()),
        // Without a protocol nobody says that the coder may try again.
        recovery: protocol
            .as_ref()
            .map_or(RecoveryBounds { depth: 0, total: 0 }, |p| p.recovery),
        guidance: protocol.map(|p| p.guidance).unwrap_or_default(),
        command,
        runner_limits: crate::settings::coder_runner(&host.config.runner),
        plugins,
        notices,
    })
}

/// The protocol's `coder_config`, as settings of the coder at work. What is meant for the coder that the protocol names is none for one
/// that the user put in its place.
fn coder_config(
    request: &RunRequest,
    resolved: Option<&ResolvedRun>,
    coder: &str,
    notices: &mut Vec<String>,
) -> Vec<GivenSetting> {
    let Some(resolved) = resolved else { return Vec::new() };
    match (&resolved.coder, &request.coder) {
        (Some(named), Some(chosen)) if named != chosen && !resolved.coder_config.is_empty() => {
            notices.push(format!(
                "`coder_config` is for the coder `{named}`; `{coder}` works in its place, without it"
            ));
            Vec::new()
        }
        _ => resolved.coder_settings(coder),
    }
}

/// The mode of a run without a protocol.
pub(super) fn ad_hoc_mode() -> ModeProfile {
    ModeProfile {
        id: "ad-hoc".to_owned(),
        name: "ad hoc".to_owned(),
        description: "a run without a protocol".to_owned(),
        tools: Vec::new(),
    }
}

pub(super) fn access_rules(host: &Host, request: &RunRequest, protected: &[String]) -> Result<AccessRules, SetupError> {
    let bad = |error: snodo_workspace::rules::BadRule| SetupError::Setting(error.to_string());
    let mut deny = DenyList::standard();
    deny.add(&host.config.read.deny, "host.toml, [read] deny")
        .map_err(bad)?;
    // Each source alone first, so that a bad pattern is put down to whoever wrote it.
    IgnoredReads::allowing(&request.read_ignored, "--read-ignored").map_err(bad)?;
    let allowed: Vec<String> = host
        .config
        .read
        .allow_ignored
        .iter()
        .chain(&request.read_ignored)
        .cloned()
        .collect();
    let ignored = IgnoredReads::allowing(&allowed, "host.toml, [read] allow_ignored").map_err(bad)?;
    AccessRules::new(protected, deny, ignored).map_err(bad)
}

/// The test command, fixed here: a file that the coder makes later changes nothing.
pub(super) fn command(
    request: &RunRequest,
    resolved: Option<&ResolvedRun>,
    root: &Root,
) -> Result<Option<DeclaredCommand>, SetupError> {
    let names = root_files(root);
    let command = test_command(
        resolved,
        request.test_command.as_deref(),
        names.iter().map(String::as_str),
    )?;
    Ok(command.and_then(|command| DeclaredCommand::parse(&command.text, command.source)))
}

/// The names of the regular files in the root; none where it cannot be listed, which whoever reads next is told.
fn root_files(root: &Root) -> Vec<String> {
    let Ok(entries) = root.dir().entries() else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}
