//! Components that are refused: against the contract as a test edits it, with WASI as far as it is needed, or written as text.

use snodo_admission::wit_sources;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, SourceMap};

/// What plugins ask for beside the contract.
const OTHERS: &[&str] = &[
    "package wasi:cli@0.2.6; interface environment { fork: func(); } interface run { run: func() -> result; }",
    "package wasi:sockets@0.2.6; interface tcp { connect: func(port: u16); }",
    "package wasi:http@0.2.6; interface outgoing-handler { handle: func(request: string) -> string; }",
    "package wasi:keyvalue@0.2.0; interface store { open: func(name: string); }",
    "package wasi:clocks@0.3.0; interface wall-clock { now: func() -> u64; }",
    "package acme:tools; interface extra { hello: func(); }",
];

/// A component of a world, against the contract with texts replaced in all of its files.
pub(crate) fn edited(world: &str, edits: &[(&str, &str)]) -> Vec<u8> {
    let mut files = SourceMap::new();
    for (name, text) in wit_sources() {
        let text = edits
            .iter()
            .fold((*text).to_owned(), |text, (from, to)| text.replace(from, to));
        files.push_str(name, text);
    }
    let mut resolve = Resolve::new();
    let group = files.parse().map_err(|(_, e)| e).unwrap();
    resolve.push_group(group).unwrap();
    for package in OTHERS {
        resolve.push_source("other.wit", package).unwrap();
    }
    let text = format!("package test:guest; world plugin {{ {world} }}");
    let package = resolve.push_source("guest.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let encoder = ComponentEncoder::default().module(&module).unwrap();
    encoder.validate(true).encode().unwrap()
}

/// The same against the contract as it is.
pub(crate) fn plain(world: &str) -> Vec<u8> {
    edited(world, &[])
}

/// A component written as text.
pub(crate) fn text(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap()
}
