//! The conformance suite: every coder and every validator, of every kind, is held to the whole declared interface.
//!
//! A component is looked at as a file, asked what it is, called by itself in a world that is as the suite wants it ([`bench`]), and used in
//! runs of the engine's own ([`stage`]), with a model that says what is written down for it. A program and a coder of the embedder's have no
//! file and cannot be called by themselves: what is left to them are the runs. Nothing of the user's is touched: workspaces and state stand
//! in a folder that goes when the suite ends.
//!
//! What is checked is one table, [`CHECKS`]; `docs/authors/conformance.md` shows it. No check passes for want of an answer: what nobody came
//! to fails, and what could not be shown is unproven.

mod admission;
mod bench;
mod bounds;
mod caller;
mod check;
mod context;
mod describe;
mod fixture;
mod gates;
mod hostile;
mod place;
mod refusals;
mod script;
mod stage;
mod subject;
mod table;
mod verdict;
mod work;

use std::time::Duration;

use snodo_admission::Role;
use snodo_plugins_build::BUILT_IN;

pub use self::check::{
    Applies, CONFORM_SCHEMA, Check, CheckReport, CheckResult, ConformReport, SubjectKind, SubjectReport, SubjectRole,
};
pub use self::place::FILES;
pub use self::table::CHECKS;

use self::bench::Bench;
use self::caller::Caller;
use self::check::{Outcome, Sheet};
use self::place::Place;
use self::subject::{Component, Subject, Told, no_folder};
use self::work::Staging;
use crate::engine::{GrantKind, Host, SetupError, Stop};
use crate::events::Observer;
use crate::plugin::{Plugin, PluginLimits};

/// Who is to be held to the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subjects {
    /// A built-in's or an installed plugin's name, a program's of `host.toml`, a registered coder's, or a file.
    One(String),
    /// Everything that is registered: built-ins, what is installed, programs, and coders of the embedder's.
    All,
}

/// What is to be checked, and by what.
#[derive(Debug, Clone)]
pub struct ConformRequest {
    /// Who.
    pub subjects: Subjects,
    /// A task that a coder can do in the suite's workspace ([`FILES`]).
    pub task: Option<String>,
    /// What is granted, beside what a built-in and an installed plugin have.
    pub grants: Vec<GrantKind>,
    /// Settings, `NAME.KEY=VALUE`.
    pub settings: Vec<String>,
    /// How long one call of a component may compute, where a check does not allow it less. Twice as long may the call take.
    pub patience: Duration,
}

impl ConformRequest {
    /// How long a component may compute where nobody says otherwise. The slowest scripting guest takes a second for its start.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// One of them, and nothing said.
    pub fn of(subjects: Subjects) -> Self {
        Self {
            subjects,
            task: None,
            grants: Vec::new(),
            settings: Vec::new(),
            patience: Self::PATIENCE,
        }
    }
}

/// Holds them to it. `Err` means that the suite could not begin (exit code 64).
///
/// # Errors
/// Nobody of that name, a flag that cannot be used, no folder to work in, or an interruption.
pub async fn conform(
    host: &Host,
    request: &ConformRequest,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<ConformReport, SetupError> {
    tokio::select! {
        report = suite(host, request, observer) => report,
        () = stop.asked() => Err(SetupError::Interrupted),
    }
}

async fn suite(host: &Host, request: &ConformRequest, observer: &dyn Observer) -> Result<ConformReport, SetupError> {
    let place = Place::make(&host.temporary()).map_err(no_folder)?;
    let told = Told {
        task: request.task.as_deref(),
        grants: &request.grants,
        settings: &request.settings,
    };
    let names = match &request.subjects {
        Subjects::One(name) => vec![name.clone()],
        Subjects::All => everything(host)?,
    };
    let mut subjects = Vec::new();
    for name in names {
        let subject = match Subject::find(host, &place, &name, &told) {
            Ok(subject) => subject,
            // Among all, one that is registered and cannot be had is what is to be told; the others are looked at all the same.
            Err(error) if request.subjects == Subjects::All => {
                subjects.push(not_to_be_had(name, &error));
                continue;
            }
            Err(error) => return Err(error),
        };
        subjects.push(Box::pin(hold(host, &place, &subject, request.patience, observer)).await?);
    }
    Ok(ConformReport::of(subjects))
}

/// An installed plugin that is damaged, say.
fn not_to_be_had(name: String, error: &SetupError) -> SubjectReport {
    let mut sheet = Sheet::default();
    sheet.put("admission.component", Outcome::fail(error.to_string()));
    SubjectReport {
        name,
        kind: SubjectKind::Component,
        origin: "installed".to_owned(),
        role: None,
        ok: false,
        checks: sheet.finish(None),
    }
}

/// Everything that is registered, by name.
fn everything(host: &Host) -> Result<Vec<String>, SetupError> {
    let mut names: Vec<String> = BUILT_IN.iter().map(|built_in| built_in.name.to_owned()).collect();
    if let Some(installed) = host.installed()? {
        names.extend(
            installed
                .list()?
                .plugins
                .into_iter()
                .map(|listed| listed.name.to_string()),
        );
    }
    names.extend(
        host.user_config()
            .external
            .iter()
            .map(|external| external.name.to_string()),
    );
    names.extend(host.native_coders().map(|native| native.name().to_owned()));
    Ok(names)
}

/// One subject.
async fn hold(
    host: &Host,
    place: &Place,
    subject: &Subject,
    patience: Duration,
    observer: &dyn Observer,
) -> Result<SubjectReport, SetupError> {
    let mut sheet = Sheet::default();
    let role = subject.role();
    if let Some(component) = &subject.component {
        of_component(host, place, subject, component, patience, observer, &mut sheet).await?;
    } else {
        not_a_component(subject.kind, &mut sheet);
        let declared = subject
            .native
            .as_ref()
            .map(|native| native.honoured_settings().to_vec())
            .unwrap_or_default();
        let (flags, _) = fixture::settings(&subject.name, &declared, &subject.settings)?;
        let staging = Staging {
            host,
            place,
            subject,
            flags,
        };
        let produces = work::look(&staging, &mut sheet).await?;
        gates::of_coder(&staging, produces, &mut sheet).await?;
    }
    let checks = sheet.finish(role);
    let good = |check: &CheckReport| matches!(check.result, CheckResult::Pass | CheckResult::Skip);
    Ok(SubjectReport {
        name: subject.name.clone(),
        kind: subject.kind,
        origin: subject.origin.clone(),
        role,
        ok: checks.iter().all(good),
        checks,
    })
}

/// What is asked of a file, and of what can be called by itself, is not asked of others.
fn not_a_component(kind: SubjectKind, sheet: &mut Sheet) {
    let what = match kind {
        SubjectKind::External => "it is a program of the user's, whose bounds are the sandbox's",
        SubjectKind::Native | SubjectKind::Component => "it is code of the program that this library is part of",
    };
    let rest = Outcome::skip(what);
    sheet.rest(
        SubjectRole::Coder,
        &["admission", "describe", "refusals", "hostile", "output"],
        &rest,
    );
    for check in CHECKS
        .iter()
        .filter(|check| check.group() == "bounds" && check.id != "bounds.cancel")
    {
        sheet.put(check.id, rest.clone());
    }
}

async fn of_component(
    host: &Host,
    place: &Place,
    subject: &Subject,
    component: &Component,
    patience: Duration,
    observer: &dyn Observer,
    sheet: &mut Sheet,
) -> Result<(), SetupError> {
    let role = subject.role();
    let admitted = admission::look(&component.inspection, sheet);
    let Some(role) = role else { return Ok(()) };
    let (true, Some(source)) = (admitted, &component.source) else {
        sheet.rest(role, &[], &Outcome::skip("it is not admitted"));
        return Ok(());
    };
    let of_admission = match role {
        SubjectRole::Coder => Role::Coder,
        SubjectRole::Validator => Role::Validator,
    };
    let plugin = match host
        .load_for_conformance(source, of_admission, component.grants, observer)
        .await
    {
        Ok(plugin) => {
            let took = plugin.compiled().map_or_else(
                || "compiled before".to_owned(),
                |took| format!("compiled in {} ms", took.as_millis()),
            );
            sheet.put("admission.loads", Outcome::pass(took));
            plugin
        }
        Err(error) => {
            sheet.put("admission.loads", Outcome::fail(error.to_string()));
            sheet.rest(role, &[], &Outcome::skip("it cannot be loaded"));
            return Ok(());
        }
    };
    let plugin = patient(&plugin, patience);
    let Some(description) = describe::look(&plugin, of_admission, sheet).await else {
        sheet.rest(
            role,
            &[],
            &Outcome::skip("no run can begin with what it says of itself"),
        );
        return Ok(());
    };
    let (flags, settings) = fixture::settings(&subject.name, &description.settings, &subject.settings)?;
    let caller = Caller {
        bench: Bench { host, place, plugin },
        role,
        spec: subject.task.clone().unwrap_or_else(|| fixture::ANY_TASK.to_owned()),
        declared: description.settings,
        settings,
        phases: description.phases,
    };
    let Some(usual) = context::look(&caller, sheet).await.map_err(no_folder)? else {
        return Ok(());
    };
    refusals::look(&caller, sheet).await.map_err(no_folder)?;
    bounds::look(&caller, &usual, sheet).await.map_err(no_folder)?;
    hostile::look(&caller, sheet).await.map_err(no_folder)?;
    let staging = Staging {
        host,
        place,
        subject,
        flags,
    };
    match role {
        SubjectRole::Coder => {
            let produces = work::look(&staging, sheet).await?;
            gates::of_coder(&staging, produces, sheet).await
        }
        SubjectRole::Validator => {
            verdict::look(&caller, usual, sheet).await.map_err(no_folder)?;
            gates::of_validator(&staging, &caller.phases, sheet).await
        }
    }
}

/// Under the suite's patience, where the user's is longer.
fn patient(plugin: &Plugin, patience: Duration) -> Plugin {
    let limits = *plugin.limits();
    plugin.under(PluginLimits {
        compute: limits.compute.min(patience),
        total: limits.total.min(patience * 2),
        ..limits
    })
}
