//! Everything in which a plugin's side of the contract is not this host's, for whoever has to put it right: `snodo-host wit diff`.
//!
//! Admission refuses at the first difference of each interface. Here the whole of it is told, also for a plugin that was built against
//! another version of the contract, where it says what a rebuild will meet.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;

use crate::admit::Refusal;
use crate::compare::{Direction, ItemKind, Told, compare_all};
use crate::contract::{NAMESPACE, PACKAGE, contract};
use crate::import::{InterfaceId, kind_name};
use crate::inspect::{Context, inspect};
use crate::kind::{FileKind, Frame, frame, sniff};
use crate::limits::Limits;
use crate::name::PluginName;
use crate::role::{Grants, Interface, Role, Served};
use crate::scan::{Bodies, Item, scan};
use crate::text::shown;

/// A plugin's side of the contract against this host's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WitReport {
    /// The version of the contract that this host offers.
    pub host: String,
    /// The versions that this host takes: `0.1.x`.
    pub takes: String,
    /// The versions that the plugin names, each with the interfaces of it; one for a plugin that is built in the usual way.
    pub built_against: Vec<BuiltAgainst>,
    /// Whether every version that it names is one that this host takes.
    pub compatible: bool,
    /// What differs, by interface; none twice.
    pub differences: Vec<WitDifference>,
    /// What to do, a line each; empty if nothing has to be done.
    pub advice: Vec<String>,
}

/// A version of the contract, as a plugin names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuiltAgainst {
    /// None where the plugin names none.
    pub version: Option<String>,
    /// Whether this host takes it.
    pub taken: bool,
    /// The interfaces that it imports or exports in this version, sorted.
    pub interfaces: Vec<String>,
}

/// One item in which a plugin's side of the contract is not this host's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WitDifference {
    /// The interface that the item belongs to: `snodo:plugin/read`.
    pub interface: String,
    /// The item: "record `file`, field `size`".
    pub item: String,
    /// What kind of item it is.
    pub kind: ItemKind,
    /// What the plugin was built against.
    pub plugin_has: String,
    /// What this host has.
    pub host_has: String,
    /// The version of the contract that the plugin was built against there; none where it names none.
    pub plugin_version: Option<String>,
}

impl fmt::Display for WitDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            interface,
            item,
            plugin_has,
            host_has,
            ..
        } = self;
        write!(
            f,
            "`{interface}`: {item}: the plugin has {plugin_has}, the host {host_has}"
        )
    }
}

impl WitReport {
    /// Whether the plugin's side of the contract is this host's.
    pub fn fits(&self) -> bool {
        self.compatible && self.differences.is_empty()
    }
}

/// Compares all of the contract that a plugin imports and exports with this host's. Nothing of it is compiled or run. A file that is no component, or
/// none within the limits, is refused as admission refuses it; whether the plugin would be admitted otherwise has no part in this.
pub fn differences(bytes: &[u8], name: &PluginName, limits: &Limits) -> Result<WitReport, Refusal> {
    let readable = limits.file_too_large(bytes.len() as u64).is_none()
        && sniff(bytes) == FileKind::Component
        && frame(bytes) == Frame::Whole;
    let scan = readable.then(|| scan(bytes, Bodies::Validate, limits));
    let within = scan.filter(|scan| limits.broken_by(&scan.census).is_empty());
    if let Some(scan) = within
        && let Ok(types) = &scan.types
    {
        return Ok(report(&scan.imports, &scan.exports, types.as_ref()));
    }
    let context = Context {
        name,
        role_expected: None,
        grants: Grants::NONE,
        served: Served { completion: true },
        bodies: Bodies::Validate,
    };
    let inspection = inspect(bytes, &context, limits);
    Err(Refusal::of(inspection))
}

/// An interface of the contract at the border of a plugin.
struct Side<'a> {
    item: &'a Item<'a>,
    id: InterfaceId,
    direction: Direction,
}

fn report(imports: &[Item<'_>], exports: &[Item<'_>], types: TypesRef<'_>) -> WitReport {
    let contract = contract();
    let imported = imports.iter().map(|item| (item, Direction::Import));
    let exported = exports.iter().map(|item| (item, Direction::Export));
    let sides: Vec<Side<'_>> = imported
        .chain(exported)
        .filter_map(|(item, direction)| {
            let id = InterfaceId::parse(item.name).filter(InterfaceId::is_of_contract)?;
            // What is exported beyond the roles is never called.
            let called = direction == Direction::Import || Role::ALL.iter().any(|r| r.export() == id.interface);
            called.then_some(Side { item, id, direction })
        })
        .collect();
    let mut versions: BTreeMap<Option<String>, BuiltAgainst> = BTreeMap::new();
    let mut differences: Vec<WitDifference> = Vec::new();
    for side in &sides {
        let version = side.id.version.as_ref().map(ToString::to_string);
        let taken = side.id.version.as_ref().is_some_and(|v| contract.version.compatible(v));
        let against = versions.entry(version.clone()).or_insert_with(|| BuiltAgainst {
            version: version.clone(),
            taken,
            interfaces: Vec::new(),
        });
        if !against.interfaces.contains(&side.id.interface) {
            against.interfaces.push(side.id.interface.clone());
            against.interfaces.sort();
        }
        for Told { home, kind, difference } in of_side(side, types) {
            let interface = home.unwrap_or_else(|| side.id.interface.clone());
            let told = WitDifference {
                interface: format!("{NAMESPACE}:{PACKAGE}/{}", shown(&interface)),
                item: difference.item,
                kind,
                plugin_has: difference.plugin,
                host_has: difference.host,
                plugin_version: version.clone(),
            };
            if !differences.contains(&told) {
                differences.push(told);
            }
        }
    }
    // As the contract orders its interfaces; within one as they were found.
    let place = |d: &WitDifference| {
        let name = d.interface.rsplit('/').next().unwrap_or_default();
        let roles = Role::ALL.map(Role::export);
        let names = Interface::ALL.map(Interface::name).into_iter().chain(roles);
        names.into_iter().position(|n| n == name).unwrap_or(usize::MAX)
    };
    differences.sort_by_key(place);
    let built_against: Vec<BuiltAgainst> = versions.into_values().collect();
    let compatible = built_against.iter().all(|against| against.taken);
    WitReport {
        host: contract.version.to_string(),
        takes: contract.version.track(),
        advice: advice(&built_against, &differences),
        compatible,
        built_against,
        differences,
    }
}

fn of_side(side: &Side<'_>, types: TypesRef<'_>) -> Vec<Told> {
    let contract = contract();
    let whole = |plugin: String, host: &str| {
        vec![Told {
            home: None,
            kind: ItemKind::Interface,
            difference: crate::compare::Difference {
                item: "the interface".to_owned(),
                plugin,
                host: host.to_owned(),
            },
        }]
    };
    let entity = match side.direction {
        Direction::Import => types.component_item_for_import(side.item.name),
        Direction::Export => types.component_item_for_export(side.item.name),
    };
    let instance = match entity.map(|e| e.ty) {
        Some(ComponentEntityType::Instance(id)) => types.get(id),
        _ => None,
    };
    let Some(instance) = instance else {
        return whole(format!("a {}", kind_name(side.item.kind)), "an interface");
    };
    let for_export = side.direction == Direction::Import && Role::ALL.iter().any(|r| r.export() == side.id.interface);
    match contract.interface(&side.id.interface) {
        _ if for_export => whole("an import of it".to_owned(), "it for export only"),
        Some(host) => compare_all(types, instance, contract.resolve(), host, side.direction),
        None => whole("an interface".to_owned(), "nothing"),
    }
}

fn advice(built_against: &[BuiltAgainst], differences: &[WitDifference]) -> Vec<String> {
    let contract = contract();
    let ours = format!("`{NAMESPACE}:{PACKAGE}@{}`", contract.version);
    let mut lines = Vec::new();
    for against in built_against.iter().filter(|against| !against.taken) {
        let theirs = against.version.as_deref().map_or_else(
            || "it names no version of the contract".to_owned(),
            |version| format!("it was built against `{NAMESPACE}:{PACKAGE}@{version}`"),
        );
        let other_host = against
            .version
            .as_deref()
            .map_or_else(String::new, |version| format!(", or use a host that takes {version}"));
        lines.push(format!(
            "{theirs}, and this host takes {}: rebuild it against {ours} (`snodo-host wit` writes it){other_host}",
            contract.version.track()
        ));
    }
    if !lines.is_empty() && differences.is_empty() {
        lines.push("no item that it uses differs: a rebuild needs no change of its code".to_owned());
    }
    if lines.is_empty() && !differences.is_empty() {
        lines.push(format!(
            "it names a version that this host takes, but was built against other text: rebuild it against {ours} (`snodo-host wit` writes it)"
        ));
    }
    let lacks = |d: &WitDifference| d.host_has == "nothing";
    if differences.iter().any(lacks) {
        lines.push(
            "what this host does not have cannot be used here: leave it out, or use a host that has it".to_owned(),
        );
    }
    lines
}
