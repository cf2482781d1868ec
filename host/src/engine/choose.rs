//! Who does the task: a plugin, a program that the user declared, or a coder that the embedder registered.

use std::borrow::Cow;

use snodo_config::host_config::ExternalConfig;
use snodo_config::model::{ModelRole, RoleContext, role_model};
use snodo_config::model_config::ModelConfig;
use snodo_config::resolve::ResolvedRun;
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::title::title;

use super::host::Native;
use super::{Host, RunRequest, SetupError};
use crate::plugin::is_path;

/// The coder of a run that names neither a coder nor a model: real work, without a model and without a key.
const WITHOUT_MODEL: &str = "patch";
/// The coder of a run that names no coder, and for which a model is configured.
const WITH_MODEL: &str = "agent";
/// snodo's name for its own loop with a model, which is what `agent` is here.
pub(super) const SNODOS_LOOP: &str = "litellm";

/// The coder that is asked for.
pub(super) enum Chosen<'a> {
    /// A built-in's name, or a file.
    Plugin(&'a str),
    /// One of the user's programs.
    External(&'a ExternalConfig),
    /// One that the embedder registered.
    Native(&'a Native),
}

/// Who named the coder. Leaving it out is the user's choice, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChosenBy {
    /// The command line, or the user's files.
    User,
    /// The repository.
    Protocol,
}

/// The command line's coder before the protocol's, that before the one that the model's name begins with, and that before the default: snodo's
/// order. A repository may name a built-in, an installed plugin or one of the user's programs; it can neither declare one nor bring one along.
pub(super) fn choose<'a>(
    host: &'a Host,
    request: &'a RunRequest,
    resolved: Option<&'a ResolvedRun>,
) -> Result<(Chosen<'a>, ChosenBy), SetupError> {
    let externals = externals(host, request)?;
    let flagged = match request.external.as_slice() {
        [only] => Some(only.name.as_str()),
        _ => None,
    };
    let named_by_user = request.coder.as_deref().or(flagged);
    let named_by_protocol = resolved.and_then(|r| r.coder.as_deref());
    let (name, by) = match (named_by_user, named_by_protocol) {
        (Some(name), _) => (name, ChosenBy::User),
        (None, Some(name)) if is_path(name) => {
            return Err(SetupError::CoderOfTheRepository {
                given: crate::text::one_line(name, 300),
            });
        }
        (None, Some(name)) => (name, ChosenBy::Protocol),
        (None, None) => (by_model(host, request, &externals)?, ChosenBy::User),
    };
    let name = if name == SNODOS_LOOP { WITH_MODEL } else { name };
    if let Some(native) = host.native.iter().find(|native| native.coder.name() == name) {
        return Ok((Chosen::Native(native), by));
    }
    let external = externals.into_iter().find(|external| external.name.as_str() == name);
    Ok((external.map_or(Chosen::Plugin(name), Chosen::External), by))
}

/// `aider/…` is a model of the coder `aider`. Any other model that somebody chose is asked by `agent`.
fn by_model<'a>(
    host: &'a Host,
    request: &'a RunRequest,
    externals: &[&'a ExternalConfig],
) -> Result<&'a str, SetupError> {
    // What is a patch and nothing else needs nobody who thinks about it.
    if request.model.is_none() && matches!(title(&request.task), Cow::Owned(_)) {
        return Ok(WITHOUT_MODEL);
    }
    let model = match &request.model {
        Some(model) => Some(model.clone()),
        None => configured_model(host.model_config()?),
    };
    let Some(model) = model else { return Ok(WITHOUT_MODEL) };
    let of_model = |name: &&str| model.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    let mut names = host
        .native
        .iter()
        .map(|native| native.coder.name())
        .chain(externals.iter().map(|external| external.name.as_str()));
    Ok(names.find(of_model).unwrap_or(WITH_MODEL))
}

/// The coder's model, where the user's file names one.
fn configured_model(config: &ModelConfig) -> Option<String> {
    let model = role_model(config, ModelRole::Coder, RoleContext::default());
    model.is_chosen().then_some(model.model)
}

/// Those of the command line, which come before those of `host.toml` that have the same name.
fn externals<'a>(host: &'a Host, request: &'a RunRequest) -> Result<Vec<&'a ExternalConfig>, SetupError> {
    let mut all: Vec<&ExternalConfig> = Vec::new();
    for external in &request.external {
        if all
            .iter()
            .any(|other| other.name.folds_like() == external.name.folds_like())
        {
            return Err(SetupError::Setting(format!(
                "`--external {}=…` is given twice",
                external.name
            )));
        }
        all.push(external);
    }
    let configured = host.config.external.iter().filter(|external| {
        !request
            .external
            .iter()
            .any(|given| given.name.folds_like() == external.name.folds_like())
    });
    all.extend(configured);
    for external in &all {
        if BUILT_IN
            .iter()
            .any(|b| b.name.eq_ignore_ascii_case(external.name.as_str()))
        {
            return Err(SetupError::Setting(format!(
                "an external coder cannot be called `{}`: that is a built-in's name",
                external.name
            )));
        }
    }
    Ok(all)
}
