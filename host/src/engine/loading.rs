//! The plugins of one run: found, admitted, compiled and asked what they are, each once.

use snodo_admission::{Admitted, Bodies, Context as AdmissionContext, Limits, PluginName, Role};
use snodo_config::pins::Pins;
use snodo_install::{Candidate, Installed, check_pin};
use snodo_workspace::role::Description;
use snodo_workspace::root::Root;

use super::request::{Grant, GrantKind};
use super::{Host, SetupError, pins};
use crate::events::Observer;
use crate::plugin::{FindError, LoadError, Origin, Plugin, PluginSource, Replay, SERVED, find};
use crate::record::PluginReport;

/// Loads each plugin once, however often it is named.
pub(super) struct Loading<'a> {
    host: &'a Host,
    installed: Option<Installed>,
    pins: Pins,
    given: &'a [Grant],
    replay: Replay,
    observer: &'a dyn Observer,
    loaded: Vec<(String, Plugin, Description, PluginReport)>,
    known: Vec<(PluginName, String)>,
}

impl<'a> Loading<'a> {
    /// `root` is the workspace whose pins hold; none where no run is about to begin.
    pub(super) fn new(
        host: &'a Host,
        root: Option<&Root>,
        given: &'a [Grant],
        replay: Replay,
        observer: &'a dyn Observer,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            host,
            installed: host.installed()?,
            pins: root.map_or(Ok(Pins::none()), pins::read)?,
            given,
            replay,
            observer,
            loaded: Vec::new(),
            known: Vec::new(),
        })
    }

    pub(super) async fn load(&mut self, given: &str, role: Role) -> Result<(Plugin, Description), SetupError> {
        if let Some((_, plugin, description, _)) = self
            .loaded
            .iter()
            .find(|(name, plugin, ..)| name == given && plugin.is_coder() == (role == Role::Coder))
        {
            return Ok((plugin.clone(), description.clone()));
        }
        let limits = admission_limits(self.host);
        let source = find(given, self.installed.as_ref(), limits.max_file_bytes).map_err(|error| match error {
            FindError::Unknown { given, .. } if self.is_pinned(&given) => SetupError::PinnedAndMissing { name: given },
            error => unreadable(given, error),
        })?;
        self.check_unique(&source)?;
        let mut grants = source.grants;
        for grant in self.given.iter().filter(|grant| grant.plugin == source.name.as_str()) {
            match grant.kind {
                GrantKind::Model => grants.model = true,
                GrantKind::Runner => grants.runner = true,
            }
        }
        let context = AdmissionContext {
            name: &source.name,
            role_expected: Some(role),
            grants,
            served: SERVED,
            bodies: Bodies::Validate,
        };
        let plugin = self
            .host
            .loader
            .load(
                &source,
                &context,
                &limits,
                &|admitted| self.approve(&source, admitted),
                self.observer,
            )
            .await
            .map_err(|error| match error {
                LoadError::Pinned(refusal) => SetupError::Pinned(refusal),
                LoadError::NotAdmitted(refusal) => SetupError::NotAdmitted {
                    given: given.to_owned(),
                    refusal,
                },
                error => SetupError::Load {
                    name: source.name.to_string(),
                    why: error.to_string(),
                },
            })?;
        let described = plugin.describe(self.replay).await;
        let description = described
            .outcome
            .and_then(|description| crate::plugin::checked(description, role))
            .map_err(|failure| SetupError::Describe {
                name: source.name.to_string(),
                why: failure.to_string(),
            })?;
        let granted = [(grants.model, "model"), (grants.runner, "runner")];
        let report = PluginReport {
            name: source.name.to_string(),
            role: role.name(),
            origin: source.origin.to_string(),
            digest: plugin.digest().to_owned(),
            size: plugin.size(),
            compiled: plugin.compiled().is_some(),
            imports: plugin.imports().to_vec(),
            grants: granted
                .iter()
                .filter(|(has, _)| *has)
                .map(|(_, name)| (*name).to_owned())
                .collect(),
            limits: *plugin.limits(),
            usage: described.usage,
            log: described.log,
        };
        self.loaded
            .push((given.to_owned(), plugin.clone(), description.clone(), report));
        Ok((plugin, description))
    }

    /// Before anything of it is compiled: it is what the repository pins under its name, and what the user agreed to if it is installed.
    fn approve(&self, source: &PluginSource, admitted: &Admitted<'_>) -> Result<(), LoadError> {
        let origin = match &source.origin {
            Origin::BuiltIn => snodo_install::Origin::BuiltIn,
            Origin::File(_) => snodo_install::Origin::File,
            Origin::Installed(_) => snodo_install::Origin::Installed,
        };
        check_pin(&self.pins, &Candidate::of(admitted, origin))?;
        let Some(record) = &source.record else { return Ok(()) };
        let difference = snodo_install::differs(record, admitted);
        if difference.is_empty() {
            return Ok(());
        }
        Err(LoadError::NotAsRecorded(difference.lines()))
    }

    fn is_pinned(&self, given: &str) -> bool {
        PluginName::parse(given).is_ok_and(|name| self.pins.get(&name).is_some())
    }

    /// Names that differ only in letter case are one name.
    fn check_unique(&mut self, source: &PluginSource) -> Result<(), SetupError> {
        let origin = source.origin.to_string();
        let twin = self
            .known
            .iter()
            .find(|(name, _)| name.folds_like() == source.name.folds_like());
        if let Some((_, first)) = twin
            && *first != origin
        {
            return Err(SetupError::SameName {
                name: source.name.to_string(),
                first: first.clone(),
                second: origin,
            });
        }
        self.known.push((source.name.clone(), origin));
        Ok(())
    }

    pub(super) fn into_reports(self) -> Vec<PluginReport> {
        self.loaded.into_iter().map(|(.., report)| report).collect()
    }
}

/// What is no file, or too large to be read, is refused by admission's own words.
fn unreadable(given: &str, error: FindError) -> SetupError {
    match crate::plugin::refusal_of(&error) {
        Some(refusal) => SetupError::NotAdmitted {
            given: given.to_owned(),
            refusal,
        },
        None => error.into(),
    }
}

/// Admission's bounds, with those that the user set.
pub(super) fn admission_limits(host: &Host) -> Limits {
    let limits = host.loader.limits();
    Limits {
        max_file_bytes: limits.component_bytes,
        max_memory_bytes: limits.memory_bytes,
        max_table_elements: limits.table_elements,
        max_instances: limits.instances,
        ..Limits::standard()
    }
}
