//! Each export of a component, and the role that they make.

use serde::Serialize;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;

use crate::compare::{Direction, compare};
use crate::contract::{NAMESPACE, PACKAGE, contract};
use crate::explain::differs;
use crate::finding::{Finding, Rule};
use crate::import::{InterfaceId, kind_name};
use crate::inspect::Context;
use crate::role::Role;
use crate::scan::Item;
use crate::text::shown;

/// One export of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Export {
    /// In full; escaped and cut for printing.
    pub name: String,
    /// "instance", "function", …
    pub kind: &'static str,
    /// The role that it makes; none for an export that is tolerated and never called.
    pub role: Option<Role>,
}

pub(crate) fn export(item: &Item<'_>) -> Export {
    Export {
        name: shown(item.name),
        kind: kind_name(item.kind),
        role: role_export(item).map(|(role, _)| role),
    }
}

/// The role that an export makes, whatever its version.
fn role_export(item: &Item<'_>) -> Option<(Role, InterfaceId)> {
    let id = InterfaceId::parse(item.name).filter(InterfaceId::is_of_contract)?;
    let role = Role::ALL.into_iter().find(|r| r.export() == id.interface)?;
    Some((role, id))
}

/// The role that the exports make, and what is wrong with them.
pub(crate) struct Roles {
    pub(crate) role: Option<Role>,
    pub(crate) built_against: Option<String>,
    pub(crate) findings: Vec<Finding>,
}

/// Reads the role off the exports: exactly one of `coding` and `judging`, as this host calls it.
pub(crate) fn roles(exports: &[Item<'_>], types: TypesRef<'_>, context: &Context<'_>) -> Roles {
    let contract = contract();
    let ours = format!("`{NAMESPACE}:{PACKAGE}@{}`", contract.version);
    let none = |finding| Roles {
        role: None,
        built_against: None,
        findings: vec![finding],
    };
    let found: Vec<(&Item<'_>, Role, InterfaceId)> = exports
        .iter()
        .filter_map(|item| role_export(item).map(|(role, id)| (item, role, id)))
        .collect();
    let (item, role, id) = match found.as_slice() {
        [] => {
            let both =
                format!("`{NAMESPACE}:{PACKAGE}/coding` (a coder) nor `{NAMESPACE}:{PACKAGE}/judging` (a validator)");
            let is_program = exports.iter().any(|e| e.name.starts_with("wasi:cli/run@"));
            return none(if is_program {
                Finding::whole(
                    Rule::Role,
                    format!("it is a command-line program: it exports `wasi:cli/run`, and neither {both}"),
                    format!("build a library for a world of {ours} (in Rust: `crate-type = [\"cdylib\"]`)"),
                )
            } else {
                Finding::whole(
                    Rule::Role,
                    format!("it exports neither {both}"),
                    format!("build it for a world of {ours}: `coder`, `validator`, or one that adds to them"),
                )
            });
        }
        [(item, role, id)] => (*item, *role, id),
        [(_, first, _), .., (_, last, _)] if first == last => {
            return none(Finding::whole(
                Rule::Role,
                format!("it exports `{}` in {} versions", first.export(), found.len()),
                format!("export the one of {ours}"),
            ));
        }
        _ => {
            return none(Finding::whole(
                Rule::Role,
                "it exports both `coding` and `judging`",
                "a plugin has one role: build a coder and a validator from it",
            ));
        }
    };
    let mut findings = Vec::new();
    if let Some(expected) = context.role_expected.filter(|e| *e != role) {
        findings.push(Finding::whole(
            Rule::OtherRole,
            format!("it is a {role}, and a {expected} is asked for"),
            format!("a {role} is named with `--{role}`"),
        ));
    }
    findings.extend(role_mismatch(item, id, types));
    let built_against = id.version.as_ref().map(ToString::to_string);
    Roles {
        role: Some(role),
        built_against,
        findings,
    }
}

/// Whether the role's interface, as it is exported, is the one that this host calls.
fn role_mismatch(item: &Item<'_>, id: &InterfaceId, types: TypesRef<'_>) -> Option<Finding> {
    let contract = contract();
    let subject = shown(item.name);
    let ours = format!("`{NAMESPACE}:{PACKAGE}@{}`", contract.version);
    let rebuild = format!("rebuild it against {ours}");
    if !id.version.as_ref().is_some_and(|v| contract.version.compatible(v)) {
        let wanted = id
            .version
            .as_ref()
            .map_or_else(|| "no version".to_owned(), |v| format!("version {v}"));
        let what = format!(
            "the plugin was built against {wanted}, this host offers {} (and takes {})",
            contract.version,
            contract.version.track()
        );
        return Some(Finding::about(Rule::Version, &subject, what, rebuild));
    }
    let instance = match types.component_item_for_export(item.name).map(|i| i.ty) {
        Some(ComponentEntityType::Instance(id)) => types.get(id),
        _ => None,
    };
    let (Some(instance), Some(host)) = (instance, contract.interface(&id.interface)) else {
        let what = format!("is exported as a {}, not as an interface", kind_name(item.kind));
        return Some(Finding::about(Rule::Interface, &subject, what, rebuild));
    };
    compare(types, instance, contract.resolve(), host, Direction::Export)
        .map(|difference| Finding::about(Rule::Interface, &subject, differs(&difference), rebuild))
}
