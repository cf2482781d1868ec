//! Whether an interface as a plugin was built against it is the host's own, item by item.
//!
//! The plugin's side are the types that were read off its bytes; the host's side is the parsed contract, which has names and
//! says how far to walk: a plugin cannot make the comparison long.
//!
//! One walk with two ends: admission stops at the first difference ([`compare`]), and whoever wants to put a plugin right is told all of
//! them ([`compare_all`]), each once, at the type or function that it belongs to.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::Serialize;
use wasmparser::PrimitiveValType as Primitive;
use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentEntityType, ComponentFuncType, ComponentInstanceType,
    ComponentValType,
};
use wasmparser::types::TypesRef;
use wit_parser::{Function, FunctionKind, Interface, Resolve, Type, TypeDefKind, TypeId, TypeOwner};

use crate::text::shown;

/// The most differences of one interface that are told. The contract has no interface with as many items; what is over it was made to be
/// many.
const TOLD: usize = 200;

/// The most names in a list of them.
const LISTED: usize = 20;

/// An item in which two sides of an interface differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which: "function `read-file`, result, record `file`, field `size`".
    pub item: String,
    /// What the plugin was built against.
    pub plugin: String,
    /// What the host has.
    pub host: String,
}

/// What kind of item differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ItemKind {
    /// The interface as a whole: one side does not have it.
    Interface,
    /// A function that one side does not have, or has in another way.
    Function,
    /// The names of a function's parameters.
    Parameters,
    /// A type that one side does not have.
    Type,
    /// A field of a record that one side does not have.
    Field,
    /// A case of a variant or an enum that one side does not have.
    Case,
    /// A flag that one side does not have.
    Flag,
    /// The same fields, cases or flags in another order.
    Order,
    /// A value of another type.
    Mismatch,
    /// Something else that one side does not have.
    Other,
}

/// A difference, with what kind of item it is in and where that belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The interface of the contract that the type belongs to; none for the one that is compared.
    pub(crate) home: Option<String>,
    pub(crate) kind: ItemKind,
    pub(crate) difference: Difference,
}

/// What the instance is to the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The plugin calls it: it may use less than there is, and nothing that there is not.
    Import,
    /// The host calls it: every function of the contract has to be there; what is there beyond it is never called.
    Export,
}

/// Compares the plugin's `instance` with the host's `interface`. None: they fit.
pub(crate) fn compare(
    types: TypesRef<'_>,
    instance: &ComponentInstanceType,
    resolve: &Resolve,
    interface: &Interface,
    direction: Direction,
) -> Option<Difference> {
    let walk = Walk::new(types, resolve, false);
    let _ = walk.instance(instance, interface, direction);
    walk.found.into_inner().into_iter().next().map(|told| told.difference)
}

/// All differences, each once.
pub(crate) fn compare_all(
    types: TypesRef<'_>,
    instance: &ComponentInstanceType,
    resolve: &Resolve,
    interface: &Interface,
    direction: Direction,
) -> Vec<Told> {
    let walk = Walk::new(types, resolve, true);
    let _ = walk.instance(instance, interface, direction);
    walk.found.into_inner()
}

/// Where in a type the comparison stands; written out only when a difference is found.
#[derive(Clone, Copy)]
struct At<'p> {
    step: &'p dyn std::fmt::Display,
    outer: Option<&'p At<'p>>,
    /// At the root: the interface that the type belongs to, if that is another one.
    home: Option<&'p str>,
}

impl<'p> At<'p> {
    fn root(step: &'p dyn std::fmt::Display) -> Self {
        Self {
            step,
            outer: None,
            home: None,
        }
    }

    fn then(&'p self, step: &'p dyn std::fmt::Display) -> Self {
        Self {
            step,
            outer: Some(self),
            home: self.home,
        }
    }

    fn path(&self) -> String {
        match self.outer {
            Some(outer) => format!("{}, {}", outer.path(), self.step),
            None => self.step.to_string(),
        }
    }
}

/// Whether to go on: not after the first difference, if that is all that is asked for.
type Next = ControlFlow<()>;

const ON: Next = ControlFlow::Continue(());

struct Walk<'t> {
    types: TypesRef<'t>,
    resolve: &'t Resolve,
    /// Whether all differences are asked for.
    all: bool,
    found: RefCell<Vec<Told>>,
    /// What was told already, by item and both sides.
    told: RefCell<BTreeSet<(String, String, String)>>,
}

impl<'t> Walk<'t> {
    fn new(types: TypesRef<'t>, resolve: &'t Resolve, all: bool) -> Self {
        Self {
            types,
            resolve,
            all,
            found: RefCell::default(),
            told: RefCell::default(),
        }
    }

    fn differs(&self, at: &At<'_>, kind: ItemKind, plugin: impl Into<String>, host: impl Into<String>) -> Next {
        let difference = Difference {
            item: at.path(),
            plugin: plugin.into(),
            host: host.into(),
        };
        let key = (
            difference.item.clone(),
            difference.plugin.clone(),
            difference.host.clone(),
        );
        let mut found = self.found.borrow_mut();
        if self.told.borrow_mut().insert(key) {
            found.push(Told {
                home: at.home.map(str::to_owned),
                kind,
                difference,
            });
        }
        if self.all && found.len() < TOLD {
            ON
        } else {
            ControlFlow::Break(())
        }
    }

    fn instance(&self, instance: &ComponentInstanceType, interface: &Interface, direction: Direction) -> Next {
        for (name, item) in &instance.exports {
            match item.ty {
                ComponentEntityType::Func(id) => match (interface.functions.get(name), self.types.get(id)) {
                    (Some(host), Some(plugin)) => self.function(plugin, host)?,
                    _ => self.surplus(ItemKind::Function, "function", name, direction)?,
                },
                ComponentEntityType::Type { referenced, .. } => match interface.types.get(name) {
                    Some(host) => self.named_type(name, referenced, *host)?,
                    None => self.surplus(ItemKind::Type, "type", name, direction)?,
                },
                _ => self.surplus(ItemKind::Other, "item", name, direction)?,
            }
        }
        if direction == Direction::Export {
            for name in interface.functions.keys() {
                if instance.exports.get(name.as_str()).is_none() {
                    let step = format!("function `{name}`");
                    self.differs(&At::root(&step), ItemKind::Function, "nothing", "a function")?;
                }
            }
        }
        ON
    }

    fn surplus(&self, kind: ItemKind, what: &str, name: &str, direction: Direction) -> Next {
        if direction == Direction::Export {
            return ON;
        }
        let step = format!("{what} `{}`", shown(name));
        self.differs(&At::root(&step), kind, format!("a {what}"), "nothing")
    }

    fn function(&self, plugin: &ComponentFuncType, host: &Function) -> Next {
        let step = format!("function `{}`", host.name);
        let at = At::root(&step);
        let host_async = !matches!(host.kind, FunctionKind::Freestanding);
        if plugin.async_ != host_async {
            let word = |is_async| {
                if is_async {
                    "an asynchronous function"
                } else {
                    "a function"
                }
            };
            self.differs(&at, ItemKind::Function, word(plugin.async_), word(host_async))?;
        }
        let names =
            |names: &mut dyn Iterator<Item = &str>| format!("parameters ({})", names.collect::<Vec<_>>().join(", "));
        let same_names = plugin.params.len() == host.params.len()
            && plugin
                .params
                .iter()
                .zip(&host.params)
                .all(|(p, h)| p.0.as_str() == h.name);
        if same_names {
            for ((_, plugin), host) in plugin.params.iter().zip(&host.params) {
                let step = format!("parameter `{}`", host.name);
                self.value(&at.then(&step), *plugin, host.ty)?;
            }
        } else {
            self.differs(
                &at,
                ItemKind::Parameters,
                shown(&names(&mut plugin.params.iter().map(|p| p.0.as_str()))),
                names(&mut host.params.iter().map(|p| p.name.as_str())),
            )?;
        }
        self.optional(&at.then(&"result"), plugin.result, host.result)
    }

    fn named_type(&self, name: &str, plugin: ComponentAnyTypeId, host: TypeId) -> Next {
        let unaliased = self.unalias(host);
        let step = format!("{} `{name}`", self.resolve.types[unaliased].kind.as_str());
        let at = At {
            // Under its own name it is told where it comes from.
            home: self.home(unaliased),
            ..At::root(&step)
        };
        match plugin {
            ComponentAnyTypeId::Defined(id) => self.value_in(&at, ComponentValType::Type(id), Type::Id(host)),
            ComponentAnyTypeId::Resource(_) => {
                self.differs(&at, ItemKind::Mismatch, "a resource", self.host_name(Type::Id(host)))
            }
            _ => self.differs(
                &at,
                ItemKind::Mismatch,
                "another kind of type",
                self.host_name(Type::Id(host)),
            ),
        }
    }

    fn optional(&self, at: &At<'_>, plugin: Option<ComponentValType>, host: Option<Type>) -> Next {
        match (plugin, host) {
            (None, None) => ON,
            (Some(plugin), Some(host)) => self.value(at, plugin, host),
            (None, Some(host)) => self.differs(at, ItemKind::Mismatch, "nothing", self.host_name(host)),
            (Some(plugin), None) => self.differs(at, ItemKind::Mismatch, self.plugin_name(plugin), "nothing"),
        }
    }

    /// A value inside another item: a type that has a name of its own is said on the way.
    ///
    /// If all differences are asked for, what is inside such a type is told of the type alone, and not of every place where it is used.
    fn value(&self, at: &At<'_>, plugin: ComponentValType, host: Type) -> Next {
        if let Type::Id(id) = host {
            let id = self.unalias(id);
            let def = &self.resolve.types[id];
            if let Some(name) = &def.name {
                let step = format!("{} `{name}`", def.kind.as_str());
                if !self.all {
                    return self.value_in(&at.then(&step), plugin, host);
                }
                if self.plugin_name(plugin) != self.host_name(host) {
                    return self.differs(at, ItemKind::Mismatch, self.plugin_name(plugin), self.host_name(host));
                }
                let own = At {
                    home: self.home(id),
                    ..At::root(&step)
                };
                return self.value_in(&own, plugin, host);
            }
        }
        self.value_in(at, plugin, host)
    }

    /// The interface that a type belongs to.
    fn home(&self, id: TypeId) -> Option<&str> {
        match self.resolve.types[id].owner {
            TypeOwner::Interface(interface) => self.resolve.interfaces[interface].name.as_deref(),
            _ => None,
        }
    }

    fn value_in(&self, at: &At<'_>, plugin: ComponentValType, host: Type) -> Next {
        let kind_differs = || self.differs(at, ItemKind::Mismatch, self.plugin_name(plugin), self.host_name(host));
        let host = match host {
            Type::Id(id) => match &self.resolve.types[self.unalias(id)].kind {
                TypeDefKind::Type(alias) => *alias,
                _ => host,
            },
            other => other,
        };
        let Type::Id(id) = host else {
            return match (self.primitive(plugin), primitive_of(host)) {
                (Some(plugin), Some(host)) if plugin == host => ON,
                _ => kind_differs(),
            };
        };
        let Some(plugin) = self.defined(plugin) else {
            return kind_differs();
        };
        match (plugin, &self.resolve.types[self.unalias(id)].kind) {
            (ComponentDefinedType::Record(p), TypeDefKind::Record(h)) => {
                let plugin = p.fields.iter().map(|(name, ty)| (name.as_str(), Some(*ty)));
                let host = h.fields.iter().map(|f| (f.name.as_str(), Some(f.ty)));
                self.members(at, Member::Field, plugin.collect(), host.collect())
            }
            (ComponentDefinedType::Variant(p), TypeDefKind::Variant(h)) => {
                let plugin = p.cases.iter().map(|(name, case)| (name.as_str(), case.ty));
                let host = h.cases.iter().map(|c| (c.name.as_str(), c.ty));
                self.members(at, Member::Case, plugin.collect(), host.collect())
            }
            (ComponentDefinedType::Enum(p), TypeDefKind::Enum(h)) => {
                let plugin = p.iter().map(|name| (name.as_str(), None));
                let host = h.cases.iter().map(|c| (c.name.as_str(), None));
                self.members(at, Member::Case, plugin.collect(), host.collect())
            }
            (ComponentDefinedType::Flags(p), TypeDefKind::Flags(h)) => {
                let plugin = p.iter().map(|name| (name.as_str(), None));
                let host = h.flags.iter().map(|f| (f.name.as_str(), None));
                self.members(at, Member::Flag, plugin.collect(), host.collect())
            }
            (ComponentDefinedType::List { element, .. }, TypeDefKind::List(h)) => {
                self.value(&at.then(&"element"), *element, *h)
            }
            (ComponentDefinedType::Option { ty, .. }, TypeDefKind::Option(h)) => {
                self.value(&at.then(&"option"), *ty, *h)
            }
            (ComponentDefinedType::Result { ok, err, .. }, TypeDefKind::Result(h)) => {
                self.optional(&at.then(&"success"), *ok, h.ok)?;
                self.optional(&at.then(&"error"), *err, h.err)
            }
            (ComponentDefinedType::Tuple(p), TypeDefKind::Tuple(h)) if p.types.len() == h.types.len() => {
                let step = at.then(&"tuple");
                p.types
                    .iter()
                    .zip(&h.types)
                    .try_for_each(|(p, h)| self.value(&step, *p, *h))
            }
            // The contract has no other kinds; one that it gains is refused until it is compared here.
            _ => kind_differs(),
        }
    }

    /// Fields, cases or flags: the same names in the same order, each with the same type.
    fn members(
        &self,
        at: &At<'_>,
        what: Member,
        plugin: Vec<(&str, Option<ComponentValType>)>,
        host: Vec<(&str, Option<Type>)>,
    ) -> Next {
        if self.all {
            return self.all_members(at, what, &plugin, &host);
        }
        let (mut plugin, mut host) = (plugin.into_iter(), host.into_iter());
        for place in 1_u32.. {
            match (plugin.next(), host.next()) {
                (None, None) => return ON,
                (Some((p, plugin)), Some((h, host))) if p == h => {
                    let step = format!("{} `{h}`", what.name());
                    self.optional(&at.then(&step), plugin, host)?;
                }
                (p, h) => {
                    let name = |n: Option<&str>| n.map_or_else(|| "nothing".to_owned(), |n| format!("`{}`", shown(n)));
                    let step = format!("{} {place}", what.name());
                    let (plugin, host) = (name(p.map(|p| p.0)), name(h.map(|h| h.0)));
                    return self.differs(&at.then(&step), what.kind(), plugin, host);
                }
            }
        }
        ON
    }

    /// The same by name: what one side does not have, what has another type, and whether the order of what both have is another.
    fn all_members(
        &self,
        at: &At<'_>,
        what: Member,
        plugin: &[(&str, Option<ComponentValType>)],
        host: &[(&str, Option<Type>)],
    ) -> Next {
        let a_member = || format!("a {}", what.name());
        let mut common = Vec::new();
        for (name, plugin) in plugin {
            let step = format!("{} `{}`", what.name(), shown(name));
            let at = at.then(&step);
            match host.iter().find(|(h, _)| h == name) {
                Some((_, host)) => {
                    common.push(*name);
                    self.optional(&at, *plugin, *host)?;
                }
                None => self.differs(&at, what.kind(), a_member(), "nothing")?,
            }
        }
        let mut expected = Vec::new();
        for (name, _) in host {
            if common.contains(name) {
                expected.push(*name);
            } else {
                let step = format!("{} `{name}`", what.name());
                self.differs(&at.then(&step), what.kind(), "nothing", a_member())?;
            }
        }
        if common == expected {
            return ON;
        }
        let listed = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            if names.len() > LISTED {
                names.truncate(LISTED);
                names.push("…".to_owned());
            }
            names.join(", ")
        };
        let step = format!("order of {}s", what.name());
        self.differs(&at.then(&step), ItemKind::Order, listed(&common), listed(&expected))
    }

    /// The type behind `use` and `type x = y`, as long as that is a type with an id.
    fn unalias(&self, mut id: TypeId) -> TypeId {
        while let TypeDefKind::Type(Type::Id(next)) = &self.resolve.types[id].kind {
            id = *next;
        }
        id
    }

    fn defined(&self, ty: ComponentValType) -> Option<&ComponentDefinedType> {
        match ty {
            ComponentValType::Primitive(_) => None,
            ComponentValType::Type(id) => self.types.get(id),
        }
    }

    fn primitive(&self, ty: ComponentValType) -> Option<Primitive> {
        match ty {
            ComponentValType::Primitive(p) => Some(p),
            ComponentValType::Type(id) => match self.types.get(id)? {
                ComponentDefinedType::Primitive(p) => Some(*p),
                _ => None,
            },
        }
    }

    fn plugin_name(&self, ty: ComponentValType) -> String {
        if let Some(p) = self.primitive(ty) {
            return p.to_string();
        }
        match self.defined(ty) {
            Some(ComponentDefinedType::Record(_)) => "a record",
            Some(ComponentDefinedType::Variant(_)) => "a variant",
            Some(ComponentDefinedType::Enum(_)) => "an enum",
            Some(ComponentDefinedType::Flags(_)) => "flags",
            Some(ComponentDefinedType::List { .. }) => "a list",
            Some(ComponentDefinedType::Tuple(_)) => "a tuple",
            Some(ComponentDefinedType::Option { .. }) => "an option",
            Some(ComponentDefinedType::Result { .. }) => "a result",
            Some(ComponentDefinedType::Own(_) | ComponentDefinedType::Borrow(_)) => "a resource",
            _ => "another kind of type",
        }
        .to_owned()
    }

    fn host_name(&self, ty: Type) -> String {
        let Type::Id(id) = ty else {
            return primitive_of(ty).map_or_else(|| "another kind of type".to_owned(), |p| p.to_string());
        };
        match &self.resolve.types[self.unalias(id)].kind {
            TypeDefKind::Record(_) => "a record",
            TypeDefKind::Variant(_) => "a variant",
            TypeDefKind::Enum(_) => "an enum",
            TypeDefKind::Flags(_) => "flags",
            TypeDefKind::List(_) => "a list",
            TypeDefKind::Tuple(_) => "a tuple",
            TypeDefKind::Option(_) => "an option",
            TypeDefKind::Result(_) => "a result",
            TypeDefKind::Type(alias) => return self.host_name(*alias),
            _ => "another kind of type",
        }
        .to_owned()
    }
}

/// What a record, a variant, an enum or flags are made of.
#[derive(Clone, Copy)]
enum Member {
    Field,
    Case,
    Flag,
}

impl Member {
    fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Case => "case",
            Self::Flag => "flag",
        }
    }

    fn kind(self) -> ItemKind {
        match self {
            Self::Field => ItemKind::Field,
            Self::Case => ItemKind::Case,
            Self::Flag => ItemKind::Flag,
        }
    }
}

/// The same primitive in the other library's words.
fn primitive_of(ty: Type) -> Option<Primitive> {
    Some(match ty {
        Type::Bool => Primitive::Bool,
        Type::U8 => Primitive::U8,
        Type::U16 => Primitive::U16,
        Type::U32 => Primitive::U32,
        Type::U64 => Primitive::U64,
        Type::S8 => Primitive::S8,
        Type::S16 => Primitive::S16,
        Type::S32 => Primitive::S32,
        Type::S64 => Primitive::S64,
        Type::F32 => Primitive::F32,
        Type::F64 => Primitive::F64,
        Type::Char => Primitive::Char,
        Type::String => Primitive::String,
        Type::ErrorContext => Primitive::ErrorContext,
        Type::Id(_) => return None,
    })
}
