//! Who does the task: a plugin, a program that the user declared, or a coder that the embedder registered.

use std::sync::Arc;

use snodo_config::host_config::ExternalConfig;
use snodo_config::resolve::ResolvedRun;
use snodo_plugins_build::BUILT_IN;

use super::coder::Coder;
use super::{Host, RunRequest, SetupError};

/// The coder of a run that names none: real work, without a model and without a key.
const DEFAULT_CODER: &str = "patch";

/// The coder that is asked for.
pub(super) enum Chosen<'a> {
    /// A built-in's name, or a file.
    Plugin(&'a str),
    /// One of the user's programs.
    External(&'a ExternalConfig),
    /// One that the embedder registered.
    Native(&'a Arc<dyn Coder>),
}

/// The command line's coder before the protocol's, and that before the default. A repository may name one of the user's programs; it
/// cannot declare one.
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
        .or(resolved.and_then(|r| r.coder.as_deref()))
        .unwrap_or(DEFAULT_CODER);
    if let Some(native) = host.native.iter().find(|native| native.name() == name) {
        return Ok(Chosen::Native(native));
    }
    let external = externals.into_iter().find(|external| external.name.as_str() == name);
    Ok(external.map_or(Chosen::Plugin(name), Chosen::External))
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
