//! The contract for reading: the WIT's own words as Markdown, so that they are written once.

use std::fmt::Write as _;

use snodo_admission::{Grant, Interface as Known, Right, Role, contract_version};
use wit_parser::{Interface, Resolve, SourceMap, Type, TypeDefKind, TypeId, WorldItem, WorldKey};

use crate::wit_package;

/// What all worlds of plugins together are: the host's own, which no plugin is built for.
const HOSTS_WORLD: &str = "host-side";

/// What the others refer to.
const TOLD_LAST: &str = "types";

/// `docs/authors/contract.md`: every world, interface, function and type of the package, with what the WIT says of it.
pub fn contract_reference() -> String {
    let reader = Reader::new();
    let mut out = format!(
        "<!-- Made from wit/: cargo run -p snodo-scaffold --example contract > docs/authors/contract.md -->\n\n\
         # The contract: `snodo:plugin@{}`\n\n\
         What a plugin may call, what it has to answer, and every type that crosses. `snodo-host wit` prints the same as WIT, which is\n\
         what tools take; [versioning.md](versioning.md) says what may change. Conventions of all of it stand at [`types`](#types).\n\
         Names are written as in WIT: each language spells them in its own way (`read-file` is `read_file` in Rust, C and Python, `readFile`\n\
         in JavaScript).\n",
        contract_version()
    );
    reader.worlds(&mut out);
    let told_first = Role::ALL.map(Role::export);
    let rest = Known::ALL
        .map(Known::name)
        .into_iter()
        .filter(|name| *name != TOLD_LAST);
    for name in told_first.into_iter().chain(rest).chain([TOLD_LAST]) {
        if let Some(interface) = reader.interface(name) {
            reader.section(&mut out, interface);
        }
    }
    out
}

/// The parsed package.
struct Reader {
    resolve: Resolve,
}

impl Reader {
    fn new() -> Self {
        let mut files = SourceMap::new();
        for (name, text) in wit_package() {
            files.push_str(name, *text);
        }
        let mut resolve = Resolve::new();
        // The same text is parsed at every admission.
        let Ok(group) = files.parse() else {
            unreachable!("the contract's own WIT parses")
        };
        let pushed = resolve.push_group(group);
        assert!(pushed.is_ok(), "the contract's own WIT resolves");
        Self { resolve }
    }

    fn interface(&self, name: &str) -> Option<&Interface> {
        self.resolve
            .interfaces
            .iter()
            .map(|(_, interface)| interface)
            .find(|interface| interface.name.as_deref() == Some(name))
    }

    fn worlds(&self, out: &mut String) {
        out.push_str("\n## Worlds\n\nA world names a set of imports (beside `types`, which holds no function) and the one export that makes the role. The smallest that does is the right one.\n\n");
        out.push_str("| world | imports | exports | |\n|---|---|---|---|\n");
        for (_, world) in self
            .resolve
            .worlds
            .iter()
            .filter(|(_, world)| world.name != HOSTS_WORLD)
        {
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} |",
                world.name,
                self.names(world.imports.iter()),
                self.names(world.exports.iter()),
                words(&world.docs)
            );
        }
    }

    /// The interfaces of one side of a world, in the order of this page.
    fn names<'a>(&self, items: impl Iterator<Item = (&'a WorldKey, &'a WorldItem)>) -> String {
        let mut names: Vec<String> = items
            .filter_map(|(_, item)| match item {
                WorldItem::Interface { id, .. } => self.resolve.interfaces[*id].name.clone(),
                WorldItem::Function(_) | WorldItem::Type { .. } => None,
            })
            .filter(|name| name != TOLD_LAST)
            .collect();
        names.sort_by_key(|name| Known::by_name(name).map(|interface| Known::ALL.iter().position(|i| *i == interface)));
        let links: Vec<String> = names.into_iter().map(|name| format!("[`{name}`](#{name})")).collect();
        links.join(", ")
    }

    fn section(&self, out: &mut String, interface: &Interface) {
        let name = interface.name.as_deref().unwrap_or_default();
        let _ = write!(out, "\n## {name}\n\n{}\n", text(&interface.docs));
        if let Some(who) = who(name) {
            let _ = write!(out, "\n{who}\n");
        }
        for function in interface.functions.values() {
            let parameters: Vec<String> = function
                .params
                .iter()
                .map(|parameter| format!("{}: {}", parameter.name, self.plain(&parameter.ty)))
                .collect();
            let result = function.result.as_ref().map(|ty| format!(" -> {}", self.plain(ty)));
            let _ = write!(
                out,
                "\n### `{}`\n\n```wit\n{0}: func({}){}\n```\n\n{}\n",
                function.name,
                parameters.join(", "),
                result.unwrap_or_default(),
                text(&function.docs)
            );
            let mut mentioned = Vec::new();
            for ty in function
                .params
                .iter()
                .map(|parameter| &parameter.ty)
                .chain(&function.result)
            {
                self.mentioned(ty, &mut mentioned);
            }
            if !mentioned.is_empty() {
                let links: Vec<String> = mentioned.into_iter().map(|id| self.link(id)).collect();
                let _ = write!(out, "\nTypes: {}.\n", links.join(", "));
            }
        }
        for (name, &id) in &interface.types {
            self.definition(out, name, id);
        }
    }

    fn definition(&self, out: &mut String, name: &str, id: TypeId) {
        let definition = &self.resolve.types[id];
        let rows: Vec<(&str, Option<&Type>, String)> = match &definition.kind {
            TypeDefKind::Record(record) => record
                .fields
                .iter()
                .map(|field| (field.name.as_str(), Some(&field.ty), words(&field.docs)))
                .collect(),
            TypeDefKind::Variant(variant) => variant
                .cases
                .iter()
                .map(|case| (case.name.as_str(), case.ty.as_ref(), words(&case.docs)))
                .collect(),
            TypeDefKind::Enum(cases) => cases
                .cases
                .iter()
                .map(|case| (case.name.as_str(), None, words(&case.docs)))
                .collect(),
            // Used from another interface, where it is told.
            TypeDefKind::Type(Type::Id(_)) => return,
            _ => Vec::new(),
        };
        let kind = definition.kind.as_str();
        let _ = write!(out, "\n### {kind} `{name}` <a id=\"{}\"></a>\n\n", self.anchor(id));
        let docs = text(&definition.docs);
        if !docs.is_empty() {
            let _ = write!(out, "{docs}\n\n");
        }
        if definition.kind.as_str() == "enum" && rows.iter().all(|(_, _, docs)| docs.is_empty()) {
            let names: Vec<String> = rows.iter().map(|(name, _, _)| format!("`{name}`")).collect();
            let _ = writeln!(out, "One of {}.", names.join(", "));
            return;
        }
        let with_types = rows.iter().any(|(_, ty, _)| ty.is_some());
        out.push_str(match (kind, with_types) {
            ("record", _) => "| field | type | |\n|---|---|---|\n",
            (_, true) => "| case | with | |\n|---|---|---|\n",
            (_, false) => "| case | |\n|---|---|\n",
        });
        for (name, ty, docs) in rows {
            let ty = ty.map(|ty| self.linked(ty)).unwrap_or_default();
            let _ = if with_types {
                writeln!(out, "| `{name}` | {ty} | {docs} |")
            } else {
                writeln!(out, "| `{name}` | {docs} |")
            };
        }
    }

    /// A type in a cell of a table, each name of ours leading to its definition.
    fn linked(&self, ty: &Type) -> String {
        match ty {
            Type::Id(id) if self.resolve.types[*id].name.is_some() => self.link(*id),
            _ => {
                let mut mentioned = Vec::new();
                self.mentioned(ty, &mut mentioned);
                match mentioned.as_slice() {
                    [] => format!("`{}`", self.plain(ty)),
                    [id] => format!("[`{}`](#{})", self.plain(ty), self.anchor(*id)),
                    several => {
                        let links: Vec<String> = several.iter().map(|id| self.link(*id)).collect();
                        format!("`{}` ({})", self.plain(ty), links.join(", "))
                    }
                }
            }
        }
    }

    fn link(&self, id: TypeId) -> String {
        format!("[`{}`](#{})", self.name(id), self.anchor(id))
    }

    fn name(&self, id: TypeId) -> String {
        self.resolve.types[id].name.clone().unwrap_or_default()
    }

    /// Where the definition stands, which is not where it is used from.
    fn anchor(&self, id: TypeId) -> String {
        let mut id = id;
        while let TypeDefKind::Type(Type::Id(origin)) = self.resolve.types[id].kind {
            id = origin;
        }
        let definition = &self.resolve.types[id];
        let owner = match definition.owner {
            wit_parser::TypeOwner::Interface(interface) => self.resolve.interfaces[interface].name.clone(),
            wit_parser::TypeOwner::World(_) | wit_parser::TypeOwner::None => None,
        };
        format!("{}-{}", owner.unwrap_or_default(), self.name(id))
    }

    /// The named types in a type, each once.
    fn mentioned(&self, ty: &Type, out: &mut Vec<TypeId>) {
        let Type::Id(id) = ty else { return };
        let definition = &self.resolve.types[*id];
        if definition.name.is_some() {
            if !out.contains(id) {
                out.push(*id);
            }
            return;
        }
        match &definition.kind {
            TypeDefKind::List(ty) | TypeDefKind::Option(ty) => self.mentioned(ty, out),
            TypeDefKind::Tuple(tuple) => tuple.types.iter().for_each(|ty| self.mentioned(ty, out)),
            TypeDefKind::Result(result) => {
                result
                    .ok
                    .iter()
                    .chain(&result.err)
                    .for_each(|ty| self.mentioned(ty, out));
            }
            _ => {}
        }
    }

    /// A type as in WIT.
    fn plain(&self, ty: &Type) -> String {
        let primitive = match ty {
            Type::Bool => "bool",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::S8 => "s8",
            Type::S16 => "s16",
            Type::S32 => "s32",
            Type::S64 => "s64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Char => "char",
            Type::String => "string",
            Type::ErrorContext => "error-context",
            Type::Id(id) => return self.compound(*id),
        };
        primitive.to_owned()
    }

    fn compound(&self, id: TypeId) -> String {
        let definition = &self.resolve.types[id];
        if definition.name.is_some() {
            return self.name(id);
        }
        match &definition.kind {
            TypeDefKind::List(ty) => format!("list<{}>", self.plain(ty)),
            TypeDefKind::Option(ty) => format!("option<{}>", self.plain(ty)),
            TypeDefKind::Tuple(tuple) => {
                let types: Vec<String> = tuple.types.iter().map(|ty| self.plain(ty)).collect();
                format!("tuple<{}>", types.join(", "))
            }
            TypeDefKind::Result(result) => match (&result.ok, &result.err) {
                (Some(ok), Some(err)) => format!("result<{}, {}>", self.plain(ok), self.plain(err)),
                (Some(ok), None) => format!("result<{}>", self.plain(ok)),
                (None, Some(err)) => format!("result<_, {}>", self.plain(err)),
                (None, None) => "result".to_owned(),
            },
            other => other.as_str().to_owned(),
        }
    }
}

/// Who may import an interface, from the table that admission goes by; none for what is exported.
fn who(name: &str) -> Option<String> {
    let interface = Known::by_name(name)?;
    let right = |role: Role| match role.right_to(interface) {
        Right::Base => "always".to_owned(),
        Right::WithGrant(grant @ (Grant::Model | Grant::Runner)) => format!("with the grant `{}`", grant.name()),
        Right::Never => "never".to_owned(),
    };
    Some(format!(
        "A coder may import it: {}. A validator: {}.",
        right(Role::Coder),
        right(Role::Validator)
    ))
}

/// Documentation as it stands.
fn text(docs: &wit_parser::Docs) -> String {
    docs.contents.as_deref().unwrap_or_default().trim().to_owned()
}

/// Documentation in a cell of a table.
fn words(docs: &wit_parser::Docs) -> String {
    text(docs).replace('\n', " ").replace('|', "\\|")
}
