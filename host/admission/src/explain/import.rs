//! What stands in the way of an import, and what to do about it.

use crate::compare::Difference;
use crate::contract::{NAMESPACE, PACKAGE, contract};
use crate::finding::{Finding, Rule};
use crate::import::{Import, ImportClass, InterfaceId, RefusalReason};
use crate::inspect::Context;
use crate::role::{Interface, Role};
use crate::wasi;

/// What stands in the way of an import, if anything does.
pub(crate) fn import_finding(import: &Import, context: &Context<'_>) -> Option<Finding> {
    let name = context.name;
    let may = &import.sentence;
    let about = |rule, what: String, needed: String| Some(Finding::about(rule, &import.name, what, needed));
    let reason = match &import.class {
        ImportClass::GivenToRole | ImportClass::Granted { .. } | ImportClass::InertWasi | ImportClass::Undecided => {
            return None;
        }
        ImportClass::NeedsGrant { grant } => {
            let needed = format!("`--grant {name}:{grant}` gives it");
            return about(Rule::Grant, format!("to {may} takes the grant `{grant}`"), needed);
        }
        ImportClass::NotServed => {
            let interface = import.interface.map_or("", Interface::name);
            let needed = format!("use a plugin that does without it (it is there to {may})");
            return about(
                Rule::NotServed,
                format!("this build does not serve `{interface}`"),
                needed,
            );
        }
        ImportClass::Refused { reason } => reason,
    };
    let contract = contract();
    let ours = format!("`{NAMESPACE}:{PACKAGE}@{}`", contract.version);
    match reason {
        RefusalReason::NotForRole { role: Role::Validator } => about(
            Rule::NotForRole,
            format!("a validator may never {may}, whatever is granted: it judges the change"),
            format!(
                "leave the import out, or export `{}` to be a coder",
                Role::Coder.export()
            ),
        ),
        RefusalReason::NotForRole { role: Role::Coder } => about(
            Rule::NotForRole,
            format!("a coder may never {may}, whatever is granted: that is for validators"),
            "leave the import out".to_owned(),
        ),
        RefusalReason::Version { wanted, offered } => {
            let wanted = wanted
                .as_ref()
                .map_or_else(|| "no version".to_owned(), |v| format!("version {v}"));
            let (offered, needed) = if import.is_of_contract() {
                (
                    format!("{offered} (and takes {})", contract.version.track()),
                    format!("rebuild it against {ours}"),
                )
            } else {
                (
                    offered.clone(),
                    "build it with a toolchain for WASI 0.2 (`wasm32-wasip2`)".to_owned(),
                )
            };
            about(
                Rule::Version,
                format!("the plugin was built against {wanted}, this host offers {offered}"),
                needed,
            )
        }
        RefusalReason::UnknownInterface => about(
            Rule::Outside,
            format!("{ours} has no such interface"),
            "leave the import out, or use a host that has it".to_owned(),
        ),
        RefusalReason::ForExport => about(
            Rule::Outside,
            "a plugin exports this interface; the host offers it to none".to_owned(),
            "a plugin cannot wrap another one: leave the import out".to_owned(),
        ),
        RefusalReason::Differs { difference } => about(
            Rule::Interface,
            differs(difference),
            format!("rebuild it against {ours}"),
        ),
        RefusalReason::Network => about(
            Rule::Network,
            format!("asks to {may}"),
            "no plugin is given the network".to_owned(),
        ),
        RefusalReason::NotInert => about(
            Rule::Outside,
            "this part of WASI is not given to plugins".to_owned(),
            "leave the import out: of WASI there are io, clocks, random, cli and filesystem, all without effect"
                .to_owned(),
        ),
        RefusalReason::UnknownItem { item } => about(
            Rule::Outside,
            format!("asks for `{item}`, which this host's WASI does not have"),
            "leave it out".to_owned(),
        ),
        RefusalReason::UnknownPackage => about(
            Rule::Outside,
            "this host offers no such interface".to_owned(),
            format!("a plugin may import interfaces of {ours} and inert WASI 0.2, nothing else"),
        ),
        RefusalReason::NotAnInterface { what } => about(
            Rule::Outside,
            format!("is imported as a {what} by itself"),
            format!("a plugin may import interfaces of {ours} and inert WASI 0.2, nothing else"),
        ),
    }
}

impl Import {
    fn is_of_contract(&self) -> bool {
        InterfaceId::parse(&self.name).is_some_and(|id| id.is_of_contract())
    }

    /// The advice that keeps an import out of a build, where there is some.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        if self.class.passes() {
            return None;
        }
        wasi::network(&InterfaceId::parse(&self.name)?.package()).map(|n| n.advice)
    }
}

/// A difference in words.
pub(crate) fn differs(difference: &Difference) -> String {
    let Difference { item, plugin, host } = difference;
    format!("differs from this host's in {item}: the plugin has {plugin}, the host {host}")
}
