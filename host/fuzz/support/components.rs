//! Components to begin with: one for each world of the contract as it is now, so that no stored file grows old, and texts.

use std::borrow::Cow;
use std::sync::OnceLock;

use snodo_admission::{contract_version, wit_sources};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, SourceMap};

/// What components are made for: the worlds of the contract that a plugin can be built for, and the least that makes a coder and a
/// judge, since small ones are many times faster to look at.
const WORLDS: [&str; 7] = [
    "coding",
    "judging",
    "coder",
    "model-coder",
    "validator",
    "model-validator",
    "runner-validator",
];

/// A component for each of them, with a body that does nothing.
pub(crate) fn all() -> &'static [Vec<u8>] {
    static ALL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    ALL.get_or_init(|| WORLDS.iter().map(|world| of_world(world)).collect())
}

fn of_world(name: &str) -> Vec<u8> {
    let mut files = SourceMap::new();
    for (file, text) in wit_sources() {
        files.push_str(file, *text);
    }
    let mut resolve = Resolve::new();
    let group = files.parse().map_err(|(_, error)| error).expect("the contract parses");
    resolve.push_group(group).expect("the contract resolves");
    let version = contract_version();
    let item = match name {
        "coding" | "judging" => format!("export snodo:plugin/{name}@{version};"),
        world => format!("include snodo:plugin/{world}@{version};"),
    };
    let text = format!("package fuzz:guest; world plugin {{ {item} }}");
    let package = resolve.push_source("guest.wit", &text).expect("a package");
    let world = resolve.select_world(&[package], Some("plugin")).expect("its world");
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("a module of this world");
    let encoder = ComponentEncoder::default().module(&module).expect("a module");
    encoder.validate(true).encode().expect("a component")
}

/// Text as the component that it writes down, or as the one it names (`world coder`); bytes as they are.
pub(crate) fn assembled(data: &[u8]) -> Cow<'_, [u8]> {
    if let Some(name) = data.strip_prefix(b"world ") {
        let at = WORLDS.iter().position(|world| world.as_bytes() == name.trim_ascii());
        return at.map_or(Cow::Borrowed(data), |at| Cow::Borrowed(&all()[at]));
    }
    if data.starts_with(b"(component") || data.starts_with(b";;") {
        return wat::parse_bytes(data).unwrap_or(Cow::Borrowed(data));
    }
    Cow::Borrowed(data)
}
