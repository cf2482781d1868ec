//! Whether an interface as a plugin was built against it is the host's own, item by item.
//!
//! The plugin's side are the types that were read off its bytes; the host's side is the parsed contract, which has names and
//! says how far to walk: a plugin cannot make the comparison long.

use serde::Serialize;
use wasmparser::PrimitiveValType as Primitive;
use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentEntityType, ComponentFuncType, ComponentInstanceType,
    ComponentValType,
};
use wasmparser::types::TypesRef;
use wit_parser::{Function, FunctionKind, Interface, Resolve, Type, TypeDefKind, TypeId};

use crate::text::shown;

/// The first item in which two sides of an interface differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which: "function `read-file`, result, record `file`, field `size`".
    pub item: String,
    /// What the plugin was built against.
    pub plugin: String,
    /// What the host has.
    pub host: String,
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
    let walk = Walk { types, resolve };
    for (name, item) in &instance.exports {
        let found = match item.ty {
            ComponentEntityType::Func(id) => match (interface.functions.get(name), types.get(id)) {
                (Some(host), Some(plugin)) => walk.function(plugin, host),
                _ => surplus("function", name, direction),
            },
            ComponentEntityType::Type { referenced, .. } => match interface.types.get(name) {
                Some(host) => walk.named_type(name, referenced, *host),
                None => surplus("type", name, direction),
            },
            _ => surplus("item", name, direction),
        };
        if found.is_some() {
            return found;
        }
    }
    if direction == Direction::Export {
        let missing = interface
            .functions
            .keys()
            .find(|name| instance.exports.get(name.as_str()).is_none());
        if let Some(name) = missing {
            return Some(Difference {
                item: format!("function `{name}`"),
                plugin: "nothing".to_owned(),
                host: "a function".to_owned(),
            });
        }
    }
    None
}

fn surplus(what: &str, name: &str, direction: Direction) -> Option<Difference> {
    (direction == Direction::Import).then(|| Difference {
        item: format!("{what} `{}`", shown(name)),
        plugin: format!("a {what}"),
        host: "nothing".to_owned(),
    })
}

/// Where in a type the comparison stands; written out only when a difference is found.
#[derive(Clone, Copy)]
struct At<'p> {
    step: &'p dyn std::fmt::Display,
    outer: Option<&'p At<'p>>,
}

impl<'p> At<'p> {
    fn root(step: &'p dyn std::fmt::Display) -> Self {
        Self { step, outer: None }
    }

    fn then(&'p self, step: &'p dyn std::fmt::Display) -> Self {
        Self {
            step,
            outer: Some(self),
        }
    }

    fn path(&self) -> String {
        match self.outer {
            Some(outer) => format!("{}, {}", outer.path(), self.step),
            None => self.step.to_string(),
        }
    }

    fn differs(&self, plugin: impl Into<String>, host: impl Into<String>) -> Difference {
        Difference {
            item: self.path(),
            plugin: plugin.into(),
            host: host.into(),
        }
    }
}

struct Walk<'t> {
    types: TypesRef<'t>,
    resolve: &'t Resolve,
}

impl Walk<'_> {
    fn function(&self, plugin: &ComponentFuncType, host: &Function) -> Option<Difference> {
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
            return Some(at.differs(word(plugin.async_), word(host_async)));
        }
        let names =
            |names: &mut dyn Iterator<Item = &str>| format!("parameters ({})", names.collect::<Vec<_>>().join(", "));
        let same_names = plugin.params.len() == host.params.len()
            && plugin
                .params
                .iter()
                .zip(&host.params)
                .all(|(p, h)| p.0.as_str() == h.name);
        if !same_names {
            return Some(at.differs(
                shown(&names(&mut plugin.params.iter().map(|p| p.0.as_str()))),
                names(&mut host.params.iter().map(|p| p.name.as_str())),
            ));
        }
        for ((_, plugin), host) in plugin.params.iter().zip(&host.params) {
            let step = format!("parameter `{}`", host.name);
            let found = self.value(&at.then(&step), *plugin, host.ty);
            if found.is_some() {
                return found;
            }
        }
        self.optional(&at.then(&"result"), plugin.result, host.result)
    }

    fn named_type(&self, name: &str, plugin: ComponentAnyTypeId, host: TypeId) -> Option<Difference> {
        let step = format!("{} `{name}`", self.resolve.types[self.unalias(host)].kind.as_str());
        let at = At::root(&step);
        match plugin {
            ComponentAnyTypeId::Defined(id) => self.value_in(&at, ComponentValType::Type(id), Type::Id(host)),
            ComponentAnyTypeId::Resource(_) => Some(at.differs("a resource", self.host_name(Type::Id(host)))),
            _ => Some(at.differs("another kind of type", self.host_name(Type::Id(host)))),
        }
    }

    fn optional(&self, at: &At<'_>, plugin: Option<ComponentValType>, host: Option<Type>) -> Option<Difference> {
        match (plugin, host) {
            (None, None) => None,
            (Some(plugin), Some(host)) => self.value(at, plugin, host),
            (None, Some(host)) => Some(at.differs("nothing", self.host_name(host))),
            (Some(plugin), None) => Some(at.differs(self.plugin_name(plugin), "nothing")),
        }
    }

    /// A value inside another item: a type that has a name of its own is said on the way.
    fn value(&self, at: &At<'_>, plugin: ComponentValType, host: Type) -> Option<Difference> {
        if let Type::Id(id) = host {
            let def = &self.resolve.types[self.unalias(id)];
            if let Some(name) = &def.name {
                let step = format!("{} `{name}`", def.kind.as_str());
                return self.value_in(&at.then(&step), plugin, host);
            }
        }
        self.value_in(at, plugin, host)
    }

    fn value_in(&self, at: &At<'_>, plugin: ComponentValType, host: Type) -> Option<Difference> {
        let kind_differs = || Some(at.differs(self.plugin_name(plugin), self.host_name(host)));
        let host = match host {
            Type::Id(id) => match &self.resolve.types[self.unalias(id)].kind {
                TypeDefKind::Type(alias) => *alias,
                _ => host,
            },
            other => other,
        };
        let Type::Id(id) = host else {
            return match (self.primitive(plugin), primitive_of(host)) {
                (Some(plugin), Some(host)) if plugin == host => None,
                _ => kind_differs(),
            };
        };
        let Some(plugin) = self.defined(plugin) else {
            return kind_differs();
        };
        match (plugin, &self.resolve.types[self.unalias(id)].kind) {
            (ComponentDefinedType::Record(p), TypeDefKind::Record(h)) => {
                let mut plugin = p.fields.iter().map(|(name, ty)| (name.as_str(), Some(*ty)));
                let mut host = h.fields.iter().map(|f| (f.name.as_str(), Some(f.ty)));
                self.members(at, "field", &mut plugin, &mut host)
            }
            (ComponentDefinedType::Variant(p), TypeDefKind::Variant(h)) => {
                let mut plugin = p.cases.iter().map(|(name, case)| (name.as_str(), case.ty));
                let mut host = h.cases.iter().map(|c| (c.name.as_str(), c.ty));
                self.members(at, "case", &mut plugin, &mut host)
            }
            (ComponentDefinedType::Enum(p), TypeDefKind::Enum(h)) => {
                let mut plugin = p.iter().map(|name| (name.as_str(), None));
                let mut host = h.cases.iter().map(|c| (c.name.as_str(), None));
                self.members(at, "case", &mut plugin, &mut host)
            }
            (ComponentDefinedType::Flags(p), TypeDefKind::Flags(h)) => {
                let mut plugin = p.iter().map(|name| (name.as_str(), None));
                let mut host = h.flags.iter().map(|f| (f.name.as_str(), None));
                self.members(at, "flag", &mut plugin, &mut host)
            }
            (ComponentDefinedType::List { element, .. }, TypeDefKind::List(h)) => {
                self.value(&at.then(&"element"), *element, *h)
            }
            (ComponentDefinedType::Option { ty, .. }, TypeDefKind::Option(h)) => {
                self.value(&at.then(&"option"), *ty, *h)
            }
            (ComponentDefinedType::Result { ok, err, .. }, TypeDefKind::Result(h)) => self
                .optional(&at.then(&"success"), *ok, h.ok)
                .or_else(|| self.optional(&at.then(&"error"), *err, h.err)),
            (ComponentDefinedType::Tuple(p), TypeDefKind::Tuple(h)) if p.types.len() == h.types.len() => {
                let step = at.then(&"tuple");
                p.types
                    .iter()
                    .zip(&h.types)
                    .find_map(|(p, h)| self.value(&step, *p, *h))
            }
            // The contract has no other kinds; one that it gains is refused until it is compared here.
            _ => kind_differs(),
        }
    }

    /// Fields, cases or flags: the same names in the same order, each with the same type.
    fn members<'n>(
        &self,
        at: &At<'_>,
        what: &str,
        plugin: &mut dyn Iterator<Item = (&'n str, Option<ComponentValType>)>,
        host: &mut dyn Iterator<Item = (&'n str, Option<Type>)>,
    ) -> Option<Difference> {
        for place in 1_u32.. {
            match (plugin.next(), host.next()) {
                (None, None) => return None,
                (Some((p, plugin)), Some((h, host))) if p == h => {
                    let step = format!("{what} `{h}`");
                    let found = self.optional(&at.then(&step), plugin, host);
                    if found.is_some() {
                        return found;
                    }
                }
                (p, h) => {
                    let name = |n: Option<&str>| n.map_or_else(|| "nothing".to_owned(), |n| format!("`{}`", shown(n)));
                    return Some(
                        at.then(&format!("{what} {place}"))
                            .differs(name(p.map(|p| p.0)), name(h.map(|h| h.0))),
                    );
                }
            }
        }
        None
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
