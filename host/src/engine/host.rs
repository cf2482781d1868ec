//! What outlives a run: the user's folders and settings, the engine, and what programs are given of the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use cap_std::fs::Dir;
use snodo_commit::identity::UserConfig;
use snodo_config::host_config::{HOST_CONFIG_BYTES, HostConfig, SandboxPolicy, load_host_config};
use snodo_config::model_config::{MODEL_CONFIG_BYTES, ModelConfig, load_model_config};
use snodo_config::resolve::JUDGE_TYPES;
use snodo_config::{FileError, Warning, plain_warnings};
use snodo_install::{Folder, Installed, Reserved};
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::ambient::{self, OpenError};

use super::SetupError;
use super::choose::SNODOS_LOOP;
use super::coder::Coder;
use super::models::ModelSource;
use crate::plugin::{CompileCache, Compiler, LoadError, Loader, PluginLimits};
use crate::record::StateFolder;
use crate::sandbox::{Helper, ProgramEnvironment, Sandbox, ScratchPlace};
use crate::settings::Surroundings;

/// The user's folders, after the XDG base directory specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// `host.toml` and install records.
    pub config: PathBuf,
    /// Run records, journals, locks, scratches.
    pub state: PathBuf,
    /// Compiled plugins.
    pub cache: PathBuf,
    /// snodo's own: `config.yml`, which says what models there are.
    pub snodo: PathBuf,
}

/// What `main` takes from the process, once; library code never reaches for it.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The user's folders.
    pub directories: Directories,
    /// What every program is given.
    pub programs: ProgramEnvironment,
    /// The program that becomes the sandbox's helper.
    pub helper: Helper,
    /// The value of a variable that the user's settings name (`host.toml`, `env`).
    pub variable: fn(&str) -> Option<OsString>,
    /// Where the user's configuration of git is: who commits.
    pub git: UserConfig,
    /// How plugins are compiled.
    pub compiler: Compiler,
    /// The clock.
    pub now: fn() -> SystemTime,
    /// Chance that nobody can foresee, from the system.
    pub random: fn() -> [u8; 32],
}

/// Why the host cannot work at all.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// One of its folders.
    #[error("the {what} folder cannot be used: {source}")]
    Folder {
        /// "state", "cache".
        what: &'static str,
        /// Why.
        source: OpenError,
    },
    /// The workspace's folder in the state folder.
    #[error("the state folder cannot be used: {0}")]
    Records(String),
    /// The user's settings cannot be read.
    #[error("the settings cannot be read: {0}")]
    ConfigUnreadable(OpenError),
    /// The user's settings have faults.
    #[error("{}", .0.plain())]
    Config(Box<FileError>),
    /// The user's models cannot be read.
    #[error("the model configuration cannot be read: {0}")]
    ModelConfigUnreadable(OpenError),
    /// The user's models have faults.
    #[error("{}", .0.plain())]
    ModelConfig(Box<FileError>),
    /// The engine.
    #[error("the component engine could not be started: {0}")]
    Engine(#[from] LoadError),
}

/// The host.
pub struct Host {
    pub(super) environment: Environment,
    pub(super) config: HostConfig,
    pub(super) loader: Arc<Loader>,
    pub(super) state: StateFolder,
    /// Coders that whoever embeds the library brought along.
    pub(super) native: Vec<Native>,
    /// Read when it is first asked for: most commands ask no model.
    pub(super) model_config: OnceLock<(ModelConfig, Vec<Warning>)>,
    /// Who answers every role in place of whom the user configured, under the conformance suite.
    pub(super) scripted: Option<Arc<dyn ModelSource>>,
}

/// A coder of whoever embeds the library.
#[derive(Clone)]
pub(super) struct Native {
    pub(super) coder: Arc<dyn Coder>,
    /// What the gates of its runs ask, in place of what the user configured.
    pub(super) models: Option<Arc<dyn ModelSource>>,
}

impl Host {
    /// Reads the user's settings and opens the host's folders.
    pub fn open(environment: Environment) -> Result<Self, HostError> {
        let config = Self::config(&environment.directories.config)?;
        let directories = &environment.directories;
        let state = ambient::open_private_dir(&directories.state)
            .map_err(|source| HostError::Folder { what: "state", source })?;
        let cache = ambient::open_private_dir(&directories.cache.join("compiled"))
            .inspect_err(|e| tracing::warn!("compiled plugins are not kept: {e}"))
            .ok()
            .and_then(|dir| {
                CompileCache::open(dir, &state)
                    .inspect_err(|e| tracing::warn!("compiled plugins are not kept: {e}"))
                    .ok()
            });
        let loader = Arc::new(Loader::new(
            PluginLimits::of(&config.limits),
            cache,
            environment.compiler.clone(),
        )?);
        let state = StateFolder::new(state, &environment.directories.state);
        Ok(Self {
            environment,
            config,
            loader,
            state,
            native: Vec::new(),
            model_config: OnceLock::new(),
            scripted: None,
        })
    }

    /// Registers a coder that is no plugin and no program: code of whoever embeds the library, trusted like it. It gets the whole
    /// interface like every other, and its work goes through the same gates.
    ///
    /// # Errors
    /// [`SetupError::Setting`]: its name is a built-in's, or taken.
    pub fn register(&mut self, coder: Arc<dyn Coder>) -> Result<(), SetupError> {
        self.add(coder, None)
    }

    /// The same, together with the model client that is the base of the gates and of the classifier in runs of this coder. The coder never
    /// gets it from the host, and no component and no program can bring one.
    ///
    /// # Errors
    /// [`SetupError::Setting`]: its name is a built-in's, or taken.
    pub fn register_with_models(
        &mut self,
        coder: Arc<dyn Coder>,
        models: Arc<dyn ModelSource>,
    ) -> Result<(), SetupError> {
        self.add(coder, Some(models))
    }

    fn add(&mut self, coder: Arc<dyn Coder>, models: Option<Arc<dyn ModelSource>>) -> Result<(), SetupError> {
        let name = coder.name();
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        let taken = BUILT_IN.iter().any(|b| same(b.name))
            || self.native.iter().any(|native| same(native.coder.name()))
            || self.config.external.iter().any(|external| same(external.name.as_str()));
        if taken {
            return Err(SetupError::Setting(format!("there is a coder called `{name}` already")));
        }
        self.native.push(Native { coder, models });
        Ok(())
    }

    fn config(folder: &Path) -> Result<HostConfig, HostError> {
        let file = folder.join("host.toml");
        match ambient::read_user_file(&file, HOST_CONFIG_BYTES as u64 + 1) {
            Ok(bytes) => load_host_config(&file.display().to_string(), &bytes)
                .map_err(|error| HostError::Config(Box::new(error))),
            Err(OpenError::Missing { .. }) => Ok(HostConfig::standard()),
            Err(error) => Err(HostError::ConfigUnreadable(error)),
        }
    }

    /// The user's models and providers, from snodo's `config.yml`; what holds without one where there is none.
    ///
    /// # Errors
    /// [`HostError::ModelConfigUnreadable`], [`HostError::ModelConfig`].
    pub fn model_config(&self) -> Result<&ModelConfig, HostError> {
        self.models_and_warnings().map(|(config, _)| config)
    }

    /// What is probably not meant in the user's `config.yml`, a line each.
    pub(crate) fn model_warnings(&self) -> Vec<String> {
        let Ok((config, warnings)) = self.models_and_warnings() else {
            return Vec::new();
        };
        let lines = plain_warnings(&config.file, warnings);
        lines.lines().map(ToOwned::to_owned).collect()
    }

    fn models_and_warnings(&self) -> Result<&(ModelConfig, Vec<Warning>), HostError> {
        if let Some(read) = self.model_config.get() {
            return Ok(read);
        }
        let file = self.environment.directories.snodo.join("config.yml");
        let read = match ambient::read_user_file(&file, MODEL_CONFIG_BYTES as u64 + 1) {
            Ok(bytes) => load_model_config(&file.display().to_string(), &bytes)
                .map_err(|error| HostError::ModelConfig(Box::new(error)))?,
            Err(OpenError::Missing { .. }) => (ModelConfig::standard(), Vec::new()),
            Err(error) => return Err(HostError::ModelConfigUnreadable(error)),
        };
        Ok(self.model_config.get_or_init(|| read))
    }

    /// The user's installed plugins; none where there is no configuration folder, and so no record.
    ///
    /// # Errors
    /// A folder that cannot be opened.
    pub fn installed(&self) -> Result<Option<Installed>, SetupError> {
        let path = &self.environment.directories.config;
        let Some(config) = ambient::open_dir_if_there(path)? else {
            return Ok(None);
        };
        self.installed_in(&config).map(Some)
    }

    /// The same for a command that changes what is installed: the folder is made where it is missing.
    ///
    /// # Errors
    /// A folder that cannot be opened or made.
    pub fn make_installed(&self) -> Result<Installed, SetupError> {
        let config = ambient::open_private_dir(&self.environment.directories.config)?;
        self.installed_in(&config)
    }

    fn installed_in(&self, config: &Dir) -> Result<Installed, SetupError> {
        let Directories { config: at, state, .. } = &self.environment.directories;
        let reserved = Reserved::new(
            reserved_names(),
            self.config.external.iter().map(|external| external.name.as_str()),
        );
        let folders = (
            Folder { dir: config, path: at },
            Folder {
                dir: &self.state.dir,
                path: state,
            },
        );
        Ok(Installed::open(folders.0, folders.1, reserved)?)
    }

    /// Where the user's settings look for homes and variables.
    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            home: self.environment.programs.get("HOME").map(Path::new),
            variable: self.environment.variable,
        }
    }

    /// The clock.
    pub(crate) fn now(&self) -> fn() -> SystemTime {
        self.environment.now
    }

    /// How programs are contained, as the user's settings say.
    pub fn sandbox_policy(&self) -> SandboxPolicy {
        self.config.sandbox.policy
    }

    /// How the programs of a run are contained.
    pub(super) fn sandbox(&self, policy: Option<SandboxPolicy>, run: &str) -> Arc<Sandbox> {
        let place = ScratchPlace {
            folder: self.environment.directories.state.join("scratch"),
            run: run.to_owned(),
            limits: self.config.scratch.scratch_limits(),
            private: {
                let Directories {
                    config,
                    state,
                    cache,
                    snodo,
                } = &self.environment.directories;
                vec![config.clone(), state.clone(), cache.clone(), snodo.clone()]
            },
        };
        Arc::new(Sandbox::new(
            self.environment.helper.clone(),
            policy.unwrap_or(self.config.sandbox.policy),
            crate::settings::process_limits(&self.config.sandbox),
            self.environment.programs.clone(),
            place,
        ))
    }
}

/// Every name that means something here already: the built-ins', and snodo's for what built-ins do here.
pub(crate) fn reserved_names() -> impl Iterator<Item = &'static str> {
    let built_in = BUILT_IN.iter().map(|built_in| built_in.name);
    built_in.chain(JUDGE_TYPES).chain([SNODOS_LOOP])
}

impl Directories {
    /// The host's own folders must not lie where a repository could bring them along. To be asked before [`Host::open`] makes what
    /// is missing of them.
    ///
    /// # Errors
    /// [`SetupError::OwnFolderInWorkspace`].
    pub fn check_outside(&self, workspace: &Path) -> Result<(), SetupError> {
        let workspace = ambient::resolve(workspace);
        for (what, folder, variable) in [
            ("state", &self.state, "XDG_STATE_HOME"),
            ("cache", &self.cache, "XDG_CACHE_HOME"),
            ("configuration", &self.config, "XDG_CONFIG_HOME"),
            ("model configuration", &self.snodo, "SNODO_HOME"),
        ] {
            if ambient::resolve(folder).starts_with(&workspace) {
                return Err(SetupError::OwnFolderInWorkspace {
                    what,
                    path: folder.display().to_string(),
                    workspace: workspace.display().to_string(),
                    variable,
                });
            }
        }
        Ok(())
    }
}
