//! Who is held to the interface.

use std::sync::Arc;

use snodo_admission::{Bodies, Context, Grants, Inspection, Role, inspect};

use super::check::{SubjectKind, SubjectRole};
use super::fixture;
use super::place::Place;
use crate::engine::{Coder, Grant, GrantKind, Host, SetupError};
use crate::plugin::{FindError, Origin, PluginSource, SERVED, find, inspect_unreadable};

/// A coder or a validator, as it is registered or given.
pub(super) struct Subject {
    /// What it is called by.
    pub(super) name: String,
    /// By which the engine finds it, the same bytes each time.
    pub(super) given: String,
    pub(super) kind: SubjectKind,
    pub(super) origin: String,
    pub(super) component: Option<Component>,
    /// A coder that whoever embeds the library registered.
    pub(super) native: Option<Arc<dyn Coder>>,
    /// A task that it can do.
    pub(super) task: Option<String>,
    /// Settings that were given for it, as flags.
    pub(super) settings: Vec<String>,
}

/// The part of a subject that only a component has.
pub(super) struct Component {
    pub(super) inspection: Inspection,
    /// None of what could not be read.
    pub(super) source: Option<PluginSource>,
    pub(super) grants: Grants,
}

/// What was said about a subject on the command line.
pub(super) struct Told<'a> {
    pub(super) task: Option<&'a str>,
    pub(super) grants: &'a [GrantKind],
    pub(super) settings: &'a [String],
}

impl Subject {
    /// Finds it, whatever its kind is.
    ///
    /// # Errors
    /// There is no such thing, or it cannot be put down for the suite.
    pub(super) fn find(host: &Host, place: &Place, given: &str, told: &Told<'_>) -> Result<Self, SetupError> {
        let bare = |kind, origin: &str, native| Self {
            name: given.to_owned(),
            given: given.to_owned(),
            kind,
            origin: origin.to_owned(),
            component: None,
            native,
            task: told.task.map(ToOwned::to_owned),
            settings: told.settings.to_vec(),
        };
        if let Some(native) = host.native_coders().find(|native| native.name() == given) {
            return Ok(bare(
                SubjectKind::Native,
                "registered by the embedder",
                Some(Arc::clone(native)),
            ));
        }
        if host.user_config().external(given).is_some() {
            return Ok(bare(SubjectKind::External, "host.toml", None));
        }
        let limits = host.admission_limits();
        let installed = host.installed()?;
        let source = match find(given, installed.as_ref(), limits.max_file_bytes) {
            Ok(source) => source,
            Err(error) => return unreadable(given, error, &limits),
        };
        let mut grants = source.grants;
        grants.model |= told.grants.contains(&GrantKind::Model);
        grants.runner |= told.grants.contains(&GrantKind::Runner);
        let context = Context {
            name: &source.name,
            role_expected: None,
            grants,
            served: SERVED,
            bodies: Bodies::Validate,
        };
        let inspection = inspect(source.bytes.bytes(), &context, &limits);
        let name = source.name.to_string();
        let (given, known) = match source.origin {
            Origin::BuiltIn => (name.clone(), fixture::known(&name)),
            // A file may change while the suite is at work, and what is installed stands in folders that a run of the suite's does not have.
            Origin::File(_) | Origin::Installed(_) => (
                place.keep_plugin(&name, source.bytes.bytes()).map_err(no_folder)?,
                fixture::known(""),
            ),
        };
        let mut settings: Vec<String> = told.settings.to_vec();
        if !settings.iter().any(|flag| flag.starts_with(&format!("{name}."))) {
            settings.extend(known.settings.iter().map(|&flag| flag.to_owned()));
        }
        Ok(Self {
            origin: source.origin.to_string(),
            name,
            given,
            kind: SubjectKind::Component,
            component: Some(Component {
                inspection,
                source: Some(source),
                grants,
            }),
            native: None,
            task: told.task.or(known.task).map(ToOwned::to_owned),
            settings,
        })
    }

    /// Its role; none of a component that has none.
    pub(super) fn role(&self) -> Option<SubjectRole> {
        match &self.component {
            // Programs and natives are coders: nothing else is registered so.
            None => Some(SubjectRole::Coder),
            Some(component) => component.inspection.role.map(|role| match role {
                Role::Coder => SubjectRole::Coder,
                Role::Validator => SubjectRole::Validator,
            }),
        }
    }

    /// What a run is told of its grants: a file has only those.
    pub(super) fn grants(&self) -> Vec<Grant> {
        let Some(component) = &self.component else {
            return Vec::new();
        };
        let all = [
            (component.grants.model, GrantKind::Model),
            (component.grants.runner, GrantKind::Runner),
        ];
        let granted = all.into_iter().filter(|(has, _)| *has);
        granted
            .map(|(_, kind)| Grant {
                plugin: self.name.clone(),
                kind,
            })
            .collect()
    }
}

/// What is no file, or too large to be read, is a plugin that is not admitted; a name that means nothing is a mistake of whoever typed it.
fn unreadable(given: &str, error: FindError, limits: &snodo_admission::Limits) -> Result<Subject, SetupError> {
    let Some(inspection) = inspect_unreadable(&error, limits) else {
        return Err(error.into());
    };
    Ok(Subject {
        name: inspection.name.to_string(),
        given: given.to_owned(),
        kind: SubjectKind::Component,
        origin: Origin::File(given.to_owned()).to_string(),
        component: Some(Component {
            inspection,
            source: None,
            grants: Grants::NONE,
        }),
        native: None,
        task: None,
        settings: Vec::new(),
    })
}

/// The suite has nowhere to work.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
pub(super) fn no_folder(error: std::io::Error) -> SetupError {
    SetupError::Setting(format!("the conformance suite has no folder to work in: {error}"))
}
