//! Each import of a component, and how it stands.

use std::fmt;

use serde::Serialize;
use wasmparser::ComponentExternalKind;
use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType, ComponentInstanceType};
use wasmparser::names::{ComponentName, ComponentNameKind};
use wasmparser::types::TypesRef;

use crate::compare::{Difference, Direction, compare};
use crate::contract::{NAMESPACE, PACKAGE, Version, contract};
use crate::inspect::Context;
use crate::role::{Grant, Interface, Right, Role};
use crate::scan::Item;
use crate::text::shown;
use crate::wasi;

/// Functions of one import that are listed; what is over it belongs to no interface that is known here.
const LISTED_FUNCTIONS: usize = 100;

/// One import of a plugin: what it asks to be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Import {
    /// In full: `snodo:plugin/read@0.1.0`. Escaped and cut for printing.
    pub name: String,
    /// The functions of it that the plugin uses (the first hundred).
    pub functions: Vec<String>,
    /// How it stands.
    pub class: ImportClass,
    /// What it lets a plugin do, as the end of "this plugin may …".
    pub sentence: String,
    /// Which interface of the contract it is.
    pub interface: Option<Interface>,
}

/// How an import stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ImportClass {
    /// In the role's base set.
    GivenToRole,
    /// The user could grant it, and has not.
    NeedsGrant {
        /// Which grant.
        grant: Grant,
    },
    /// The user granted it.
    Granted {
        /// Which grant.
        grant: Grant,
    },
    /// WASI with nothing behind it.
    InertWasi,
    /// Part of the contract, and not served by this build.
    NotServed,
    /// Whether it may have it depends on the role, and it has none.
    Undecided,
    /// Outside.
    Refused {
        /// Why.
        reason: RefusalReason,
    },
}

impl ImportClass {
    /// In a few words, as for a column of a table.
    pub fn label(&self) -> String {
        match self {
            Self::GivenToRole => "given to the role".to_owned(),
            Self::NeedsGrant { grant } => format!("needs the grant `{grant}`"),
            Self::Granted { grant } => format!("granted (`{grant}`)"),
            Self::InertWasi => "inert WASI".to_owned(),
            Self::NotServed => "not served by this build".to_owned(),
            Self::Undecided => "depends on the role".to_owned(),
            Self::Refused { .. } => "refused".to_owned(),
        }
    }

    /// Whether a plugin with this import can be admitted.
    pub fn passes(&self) -> bool {
        matches!(self, Self::GivenToRole | Self::Granted { .. } | Self::InertWasi)
    }
}

/// Why an import is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// Never given to this role, whatever is granted.
    NotForRole {
        /// The plugin's role.
        role: Role,
    },
    /// Of a version of its package that this host does not meet.
    Version {
        /// What the plugin wants; none if it names no version.
        wanted: Option<String>,
        /// What this host offers.
        offered: String,
    },
    /// The contract has no such interface.
    UnknownInterface,
    /// `coding` or `judging`: what a plugin exports, and none imports.
    ForExport,
    /// The interface is there, and an item of it differs.
    Differs {
        /// The first one.
        difference: Difference,
    },
    /// The network is never given.
    Network,
    /// A part of WASI that is not in the inert set.
    NotInert,
    /// The inert interface has no such function or resource.
    UnknownItem {
        /// The first one.
        item: String,
    },
    /// Of a package that this host does not have.
    UnknownPackage,
    /// Imported by itself, not in an interface: a function, a module, a component, a type or a value.
    NotAnInterface {
        /// What it is.
        what: &'static str,
    },
}

/// Reads an import off the component's type.
pub(crate) fn classify(item: &Item<'_>, types: TypesRef<'_>, role: Option<Role>, context: &Context<'_>) -> Import {
    let instance = match types.component_item_for_import(item.name).map(|i| i.ty) {
        Some(ComponentEntityType::Instance(id)) => types.get(id),
        _ => None,
    };
    let refused = |sentence: String, reason| Import {
        name: shown(item.name),
        functions: instance.map(functions).unwrap_or_default(),
        class: ImportClass::Refused { reason },
        sentence,
        interface: None,
    };
    let foreign = "use something that this host does not have";
    let Some(instance) = instance else {
        let what = kind_name(item.kind);
        return refused(foreign.to_owned(), RefusalReason::NotAnInterface { what });
    };
    let Some(name) = InterfaceId::parse(item.name) else {
        return refused(foreign.to_owned(), RefusalReason::UnknownPackage);
    };
    if name.is_of_contract() {
        return contract_import(item.name, &name, instance, types, role, context);
    }
    let package = name.package();
    if let Some(network) = wasi::network(&package) {
        return refused(network.sentence.to_owned(), RefusalReason::Network);
    }
    if let Some(inert) = wasi::inert(&format!("{package}/{}", name.interface)) {
        let class = inert_class(&name, inert, instance);
        return Import {
            name: shown(item.name),
            functions: functions(instance),
            class,
            sentence: inert.sentence.to_owned(),
            interface: None,
        };
    }
    let reason = if name.namespace == "wasi" {
        RefusalReason::NotInert
    } else {
        RefusalReason::UnknownPackage
    };
    refused(foreign.to_owned(), reason)
}

fn contract_import(
    full: &str,
    name: &InterfaceId,
    instance: &ComponentInstanceType,
    types: TypesRef<'_>,
    role: Option<Role>,
    context: &Context<'_>,
) -> Import {
    let contract = contract();
    let interface = Interface::by_name(&name.interface);
    let mut import = Import {
        name: shown(full),
        functions: functions(instance),
        class: ImportClass::GivenToRole,
        sentence: interface
            .map_or("use something that this host does not have", Interface::sentence)
            .to_owned(),
        interface,
    };
    let refused = |reason| ImportClass::Refused { reason };
    let compatible = name.version.as_ref().is_some_and(|v| contract.version.compatible(v));
    import.class = if !compatible {
        let wanted = name.version.as_ref().map(ToString::to_string);
        refused(RefusalReason::Version {
            wanted,
            offered: contract.version.to_string(),
        })
    } else if let (Some(interface), Some(host)) = (interface, contract.interface(&name.interface)) {
        match right(interface, role, context) {
            class @ (ImportClass::Refused { .. } | ImportClass::NotServed) => class,
            // Before a grant is asked for: it would not help.
            class => match compare(types, instance, contract.resolve(), host, Direction::Import) {
                Some(difference) => refused(RefusalReason::Differs { difference }),
                None => class,
            },
        }
    } else if Role::ALL.iter().any(|r| r.export() == name.interface) {
        refused(RefusalReason::ForExport)
    } else {
        refused(RefusalReason::UnknownInterface)
    };
    import
}

fn right(interface: Interface, role: Option<Role>, context: &Context<'_>) -> ImportClass {
    let Some(role) = role else {
        let rights = Role::ALL.map(|r| r.right_to(interface));
        return if rights == [Right::Base; 2] {
            ImportClass::GivenToRole
        } else {
            ImportClass::Undecided
        };
    };
    match role.right_to(interface) {
        Right::Never => ImportClass::Refused {
            reason: RefusalReason::NotForRole { role },
        },
        _ if !context.served.serves(interface) => ImportClass::NotServed,
        Right::Base => ImportClass::GivenToRole,
        Right::WithGrant(grant) if context.grants.has(grant) => ImportClass::Granted { grant },
        Right::WithGrant(grant) => ImportClass::NeedsGrant { grant },
    }
}

fn inert_class(name: &InterfaceId, inert: &wasi::Inert, instance: &ComponentInstanceType) -> ImportClass {
    let track = Version::parse(wasi::TRACK);
    let compatible = match (&name.version, &track) {
        (Some(wanted), Some(offered)) => offered.compatible(wanted),
        _ => false,
    };
    if !compatible {
        let reason = RefusalReason::Version {
            wanted: name.version.as_ref().map(ToString::to_string),
            offered: track.map_or_else(String::new, |t| t.track()),
        };
        return ImportClass::Refused { reason };
    }
    let unknown = instance.exports.iter().find(|(item, found)| match found.ty {
        ComponentEntityType::Type {
            referenced: ComponentAnyTypeId::Resource(_),
            ..
        } => !inert.has(item, true),
        // A plain type stands for itself; nothing of the host's is behind it.
        ComponentEntityType::Type { .. } => false,
        _ => !inert.has(item, false),
    });
    match unknown {
        Some((item, _)) => ImportClass::Refused {
            reason: RefusalReason::UnknownItem { item: shown(item) },
        },
        None => ImportClass::InertWasi,
    }
}

fn functions(instance: &ComponentInstanceType) -> Vec<String> {
    instance
        .exports
        .iter()
        .filter(|(_, item)| matches!(item.ty, ComponentEntityType::Func(_)))
        .take(LISTED_FUNCTIONS)
        .map(|(name, _)| shown(name))
        .collect()
}

pub(crate) fn kind_name(kind: ComponentExternalKind) -> &'static str {
    match kind {
        ComponentExternalKind::Module => "core module",
        ComponentExternalKind::Func => "function",
        ComponentExternalKind::Value => "value",
        ComponentExternalKind::Type => "type",
        ComponentExternalKind::Instance => "instance",
        ComponentExternalKind::Component => "component",
    }
}

/// The name of an interface, taken apart.
pub(crate) struct InterfaceId {
    pub(crate) namespace: String,
    pub(crate) package: String,
    pub(crate) interface: String,
    pub(crate) version: Option<Version>,
}

impl InterfaceId {
    pub(crate) fn parse(full: &str) -> Option<Self> {
        let name = ComponentName::new(full, 0).ok()?;
        let ComponentNameKind::Interface(name) = name.kind() else {
            return None;
        };
        let (_, version) = full.split_once('@').map_or((full, None), |(front, v)| (front, Some(v)));
        Some(Self {
            namespace: name.namespace().to_string(),
            package: name.package().to_string(),
            interface: name.projection().to_string(),
            version: version.and_then(Version::parse),
        })
    }

    /// Namespace and package: `wasi:io`.
    pub(crate) fn package(&self) -> String {
        format!("{}:{}", self.namespace, self.package)
    }

    pub(crate) fn is_of_contract(&self) -> bool {
        self.namespace == NAMESPACE && self.package == PACKAGE
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {} ({})", self.name, self.sentence, self.class.label())
    }
}
