//! Every coder that can be chosen, of every kind, and what each declares of the interface that all of them get whole.

use serde::Serialize;
use snodo_admission::{Bodies, Context, Grants, Limits, PluginName, Role, inspect};
use snodo_plugins_build::BUILT_IN;
use snodo_workspace::role::SettingDeclaration;

use super::coder::{Coder, ComponentCoder};
use super::external::ExternalCoder;
use super::loading::Loading;
use super::{Host, SetupError};
use crate::delivery::Delivery;
use crate::events::{Event, Observer};
use crate::plugin::{Replay, SERVED};

/// What kind of thing a coder is. The engine never asks; people do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoderKind {
    /// A WebAssembly component.
    Component,
    /// A program of the user's.
    External,
    /// Registered by whoever embeds the library.
    Native,
}

/// A field of the declared interface: said by the coder, or what holds for one that says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Declared<T> {
    /// What is in force.
    pub value: T,
    /// Whether the coder declares it; else it is the default.
    pub declared: bool,
}

impl<T: PartialEq> Declared<T> {
    fn or_default(value: T, default: &T) -> Self {
        Self {
            declared: value != *default,
            value,
        }
    }
}

/// How a coder gets to its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Toolset {
    /// The functions of its world.
    Bounded,
    /// A loop of its own, with whatever its program brings.
    OwnLoop,
}

/// One coder, and all of the interface. `read`, `search`, `submit`, `progress` and the circumstances of a call are always given, to every
/// coder, and are no columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoderRow {
    /// What it is chosen by.
    pub name: String,
    /// What it is.
    pub kind: CoderKind,
    /// How its work reaches the host.
    pub delivery: Declared<Delivery>,
    /// It may run the declared tests.
    pub observes_tests: Declared<bool>,
    /// Programs that must be there.
    pub requires: Declared<Vec<String>>,
    /// Settings that it honours.
    pub settings: Declared<Vec<SettingDeclaration>>,
    /// How it works.
    pub toolset: Toolset,
}

impl CoderRow {
    /// Every field of the trait that a coder declares by, once: one that is added does not compile until it has a column.
    fn of(coder: &dyn Coder, kind: CoderKind) -> Self {
        Self {
            name: coder.name().to_owned(),
            kind,
            delivery: Declared::or_default(coder.delivery(), &Delivery::Submits),
            observes_tests: Declared::or_default(coder.observes_tests(), &false),
            requires: Declared::or_default(coder.availability_requirements(), &Vec::new()),
            settings: Declared::or_default(coder.honoured_settings().to_vec(), &Vec::new()),
            toolset: match kind {
                CoderKind::External => Toolset::OwnLoop,
                CoderKind::Component | CoderKind::Native => Toolset::Bounded,
            },
        }
    }
}

/// Every built-in coder, every installed one, every program of the user's settings, and every registered one. An installed one that cannot be
/// loaded is told to the observer, and left out.
///
/// # Errors
/// A built-in that cannot be loaded.
pub async fn coders(host: &Host, observer: &dyn Observer) -> Result<Vec<CoderRow>, SetupError> {
    let replay = Replay {
        started_at: std::time::Duration::ZERO,
        seed: [0; 32],
    };
    let mut loading = Loading::new(host, None, &[], replay, observer)?;
    let mut rows = Vec::new();
    for name in built_in_coders() {
        let (plugin, description) = loading.load(name, Role::Coder).await?;
        let coder = ComponentCoder::new(plugin, description.settings, replay);
        rows.push(CoderRow::of(&coder, CoderKind::Component));
    }
    for name in installed_coders(host)? {
        match loading.load(&name, Role::Coder).await {
            Ok((plugin, description)) => {
                let coder = ComponentCoder::new(plugin, description.settings, replay);
                rows.push(CoderRow::of(&coder, CoderKind::Component));
            }
            Err(error) => observer.on(&Event::Warning {
                message: &error.to_string(),
            }),
        }
    }
    for config in &host.config.external {
        let external = crate::settings::external(config, &host.config.sandbox, host.surroundings());
        let limits = crate::settings::submit_limits(&host.config);
        let coder = ExternalCoder::new(external, host.sandbox(None, "coders"), limits);
        rows.push(CoderRow::of(&coder, CoderKind::External));
    }
    rows.extend(
        host.native
            .iter()
            .map(|native| CoderRow::of(&*native.coder, CoderKind::Native)),
    );
    Ok(rows)
}

/// The names of installed plugins that the user agreed to as coders, or of which nobody knows.
pub(crate) fn installed_coders(host: &Host) -> Result<Vec<String>, SetupError> {
    let Some(installed) = host.installed()? else {
        return Ok(Vec::new());
    };
    let listing = installed.list()?;
    let coders = listing
        .plugins
        .iter()
        .filter(|listed| listed.record.as_ref().map_or(true, |record| record.role == Role::Coder));
    Ok(coders.map(|listed| listed.name.to_string()).collect())
}

/// The built-ins that export a coder's role, as anybody's plugin is looked at.
fn built_in_coders() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().filter_map(|built_in| {
        let name = PluginName::parse(built_in.name).ok()?;
        let context = Context {
            name: &name,
            role_expected: None,
            grants: Grants {
                model: true,
                runner: true,
            },
            served: SERVED,
            bodies: Bodies::Validate,
        };
        let inspection = inspect(built_in.bytes, &context, &Limits::standard());
        (inspection.role == Some(Role::Coder)).then_some(built_in.name)
    })
}
