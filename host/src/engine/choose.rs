//! Who does the task: a plugin, a program that the user declared, or a coder that the embedder registered.

use snodo_config::host_config::ExternalConfig;
use snodo_config::model::{ModelRole, ModelSource, RoleContext, role_model};
use snodo_config::model_config::ModelConfig;
use snodo_config::resolve::ResolvedRun;
use snodo_plugins_build::BUILT_IN;

use super::host::Native;
use super::{Host, RunRequest, SetupError};

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

/// The command line's coder before the protocol's, that before the one that the model's name begins with, and that before the default: snodo's
/// order. A repository may name one of the user's programs; it cannot declare one.
pub(super) fn choose<'a>(
    host: &'a Host,
    request: &'a RunRequest,
    resolved: Option<&'a ResolvedRun>,
) -> Result<Chosen<'a>, SetupError> {
    let externals = externals(host, request)?;
    let flagged = match request.external.as_slice() {
        [only] => Some(only.name.as_str()),
        _ => None,
    };
    let name = request
        .coder
        .as_deref()
        .or(flagged)
        .or(resolved.and_then(|r| r.coder.as_deref()));
    let name = match name {
        Some(SNODOS_LOOP) => WITH_MODEL,
        Some(name) => name,
        None => by_model(host, request, &externals)?,
    };
    if let Some(native) = host.native.iter().find(|native| native.coder.name() == name) {
        return Ok(Chosen::Native(native));
    }
    let external = externals.into_iter().find(|external| external.name.as_str() == name);
    Ok(external.map_or(Chosen::Plugin(name), Chosen::External))
}

/// `aider/…` is a model of the coder `aider`. Any other model that somebody chose is asked by `agent`.
fn by_model<'a>(
    host: &'a Host,
    request: &'a RunRequest,
    externals: &[&'a ExternalConfig],
) -> Result<&'a str, SetupError> {
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
    (model.source != ModelSource::Default).then_some(model.model)
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
