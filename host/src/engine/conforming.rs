//! What the conformance suite needs of the engine: a host like the user's with folders and models of the suite's own, so that a run under it
//! is a run like any other, and a plugin by itself, before anything of it was asked.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use snodo_admission::{Bodies, Context, Grants, Role};
use snodo_config::host_config::HostConfig;
use snodo_config::model_config::load_model_config;
use snodo_workspace::ambient;

use super::coder::Coder;
use super::host::HostError;
use super::loading::admission_limits;
use super::models::ModelSource;
use super::{Directories, Environment, Host};
use crate::events::Observer;
use crate::plugin::{LoadError, Plugin, PluginSource, SERVED};
use crate::record::StateFolder;

/// The model that every role has in a run of the suite's.
pub(crate) const SCRIPTED_MODEL: &str = "conform/scripted";

/// The second at which every run of the suite's begins: with it, two runs of one task see the same clock.
pub(crate) const STARTED_AT: Duration = Duration::from_secs(1_700_000_000);

fn fixed_clock() -> SystemTime {
    UNIX_EPOCH + STARTED_AT
}

impl Host {
    /// This host with a state folder, a clock and models of somebody else's: the user's records, and whom the user configured, are left alone.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn for_conformance(&self, state: PathBuf, models: Arc<dyn ModelSource>) -> Result<Self, HostError> {
        let folder = ambient::open_private_dir(&state).map_err(|source| HostError::Folder { what: "state", source })?;
        let text = format!("model: {SCRIPTED_MODEL}\n");
        let config = load_model_config("the conformance suite", text.as_bytes())
            .map_err(|error| HostError::ModelConfig(Box::new(error)))?;
        Ok(Self {
            config: self.config.clone(),
            loader: Arc::clone(&self.loader),
            state: StateFolder::new(folder, &state),
            native: self.native.clone(),
            model_config: OnceLock::from(config),
            scripted: Some(models),
            environment: Environment {
                directories: Directories {
                    state,
                    ..self.environment.directories.clone()
                },
                now: fixed_clock,
                ..self.environment.clone()
            },
        })
    }

    /// The user's settings.
    pub(crate) fn user_config(&self) -> &HostConfig {
        &self.config
    }

    /// Where the user keeps things that are to go soon.
    pub(crate) fn temporary(&self) -> PathBuf {
        let given = self.environment.programs.get("TMPDIR");
        given.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
    }

    /// The coders that whoever embeds the library registered.
    pub(crate) fn native_coders(&self) -> impl Iterator<Item = &Arc<dyn Coder>> {
        self.native.iter().map(|native| &native.coder)
    }

    /// A plugin, admitted, compiled and linked as for a run, and asked nothing.
    ///
    /// # Errors
    /// Whatever keeps it from being called.
    pub(crate) async fn load_for_conformance(
        &self,
        source: &PluginSource,
        role: Role,
        grants: Grants,
        observer: &dyn Observer,
    ) -> Result<Plugin, LoadError> {
        let context = Context {
            name: &source.name,
            role_expected: Some(role),
            grants,
            served: SERVED,
            bodies: Bodies::Validate,
        };
        self.loader
            .load(source, &context, &admission_limits(self), &|_| Ok(()), observer)
            .await
    }

    /// Admission's bounds, with those that the user set.
    pub(crate) fn admission_limits(&self) -> snodo_admission::Limits {
        admission_limits(self)
    }
}
