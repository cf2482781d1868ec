//! From a request to everything that a gate needs, with the parts that a run is assembled from. No coder is looked for.

use std::sync::Arc;

use snodo_admission::Role;
use snodo_config::policy::Policy;
use snodo_workspace::ambient;
use snodo_workspace::base::Base;
use snodo_workspace::constraint::{Constraint, ModuleBound};
use snodo_workspace::role::ModeProfile;

use super::super::assemble::{access_rules, ad_hoc_mode, command};
use super::super::gate::Judge;
use super::super::given::{check_names, given_settings};
use super::super::judges::{check_ids, judge, unused_test_command, wanted};
use super::super::loading::Loading;
use super::super::models::{Answers, Models};
use super::super::{Host, RunRequest, SetupError, opened, protocol};
use super::ValidateRequest;
use crate::events::Observer;
use crate::plugin::Replay;
use crate::sandbox::{DeclaredCommand, Permissions, RunnerLimits, Sandbox};

/// Everything that a gate needs.
pub(super) struct Assembly {
    pub(super) base: Arc<Base>,
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) of_tests: Permissions,
    /// Those of the phase.
    pub(super) judges: Vec<Judge>,
    pub(super) mode: ModeProfile,
    pub(super) policy: Policy,
    pub(super) protocol_file: Option<String>,
    pub(super) protected_paths: Vec<String>,
    pub(super) guidance: String,
    pub(super) constraints: Vec<Constraint>,
    pub(super) module: Option<ModuleBound>,
    pub(super) command: Option<DeclaredCommand>,
    pub(super) models: Models,
    pub(super) runner_limits: RunnerLimits,
    pub(super) notices: Vec<String>,
}

pub(super) async fn assemble(
    host: &Host,
    asked: &ValidateRequest,
    request: &RunRequest,
    id: &str,
    replay: Replay,
    observer: &dyn Observer,
) -> Result<Assembly, SetupError> {
    if request.task.trim().is_empty() {
        return Err(SetupError::EmptyTask);
    }
    let root = ambient::open_root(&request.workspace)?;
    host.environment.directories.check_outside(root.resolved())?;
    let in_force = protocol::load(host, request, &root)?;
    let mut notices = in_force.as_ref().map(|p| p.notices.clone()).unwrap_or_default();
    let resolved = in_force.as_ref().map(|p| &p.resolved);
    let command = command(request, resolved, &root)?;
    let given = given_settings(request)?;
    let of_tests = crate::settings::runner_permissions(&host.config, host.surroundings());
    opened::check(&of_tests, &host.environment.directories, root.resolved())?;
    let sandbox = host.sandbox(request.sandbox, id);

    // All of them, as in a run: a setting for one of the other phase is no mistake.
    let models = Models::new(host, None, Answers::Configured, super::super::task_id(&request.task))?;
    let mut loading = Loading::new(host, Some(&root), &request.grants, replay, observer)?;
    let mut judges = Vec::new();
    for wanted in wanted(request, resolved, command.is_some()) {
        let (plugin, description) = loading.load(wanted.plugin, Role::Validator).await?;
        judges.extend(judge(&wanted, &plugin, &description, &given, &host.config, &models).await?);
    }
    check_ids(&judges)?;
    let known: Vec<String> = judges
        .iter()
        .flat_map(|judge: &Judge| [judge.id.clone(), judge.plugin.name().to_string()])
        .collect();
    check_names(request, &given, &known)?;
    notices.extend(unused_test_command(command.as_ref(), &judges));
    if judges.iter().any(|judge| judge.asks.asks()) {
        notices.extend(host.model_warnings());
    }
    judges.retain(|judge| judge.phase == asked.phase);

    let protected_paths = resolved.map(|r| r.protected_paths.clone()).unwrap_or_default();
    let base = Base::new(
        Arc::new(root),
        access_rules(host, request, &protected_paths)?,
        host.config.read.file_limits(),
        host.config.search.search_limits(),
    );
    Ok(Assembly {
        base: Arc::new(base),
        sandbox,
        of_tests,
        judges,
        mode: resolved.map_or_else(ad_hoc_mode, |r| r.mode.clone()),
        policy: resolved.map_or(Policy::Unanimous, |r| r.policy),
        protocol_file: in_force.as_ref().map(|p| p.file.clone()),
        protected_paths,
        constraints: in_force.as_ref().map(|p| p.constraints.clone()).unwrap_or_default(),
        module: in_force.as_ref().and_then(|p| p.module.clone()),
        guidance: in_force.map(|p| p.guidance).unwrap_or_default(),
        command,
        models,
        runner_limits: crate::settings::coder_runner(&host.config.runner),
        notices,
    })
}
