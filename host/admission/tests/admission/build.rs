//! Components made for tests: of the contract's own WIT (or an edited one) with a body that does nothing, or of text.

use snodo_admission::{Bodies, Context, Grants, Inspection, Limits, PluginName, Served, admit, inspect, wit_sources};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, SourceMap};

/// WASI as far as the tests need it, in our own words.
const WASI: &[&str] = &[
    "package wasi:io@0.2.6;
     interface error { resource error { to-debug-string: func() -> string; } }
     interface poll { resource pollable { ready: func() -> bool; block: func(); } poll: func(in: list<borrow<pollable>>) -> list<u32>; }
     interface streams {
       use error.{error}; use poll.{pollable};
       variant stream-error { last-operation-failed(error), closed }
       resource output-stream { write: func(contents: list<u8>) -> result<_, stream-error>; subscribe: func() -> pollable; }
     }",
    "package wasi:cli@0.2.6;
     interface environment { get-environment: func() -> list<tuple<string, string>>; fork: func(); }
     interface stdout { use wasi:io/streams@0.2.6.{output-stream}; get-stdout: func() -> output-stream; }
     interface run { run: func() -> result; }",
    "package wasi:sockets@0.2.6;
     interface network { resource network; }
     interface tcp { connect: func(port: u16); }",
    "package wasi:http@0.2.6; interface outgoing-handler { handle: func(request: string) -> string; }",
    "package wasi:keyvalue@0.2.0; interface store { open: func(name: string); }",
    "package wasi:clocks@0.3.0; interface wall-clock { now: func() -> u64; }",
    "package snodo:host@0.9.0; interface tools { run-command: func(command: string); }",
    "package acme:tools; interface extra { hello: func(); }",
];

/// A component for the world `plugin { … }` of a package of the test's own, against the contract as `edit` leaves it.
pub(crate) fn component(world: &str, edit: impl Fn(&str, &str) -> String) -> Vec<u8> {
    let mut files = SourceMap::new();
    for (name, text) in wit_sources() {
        files.push_str(name, edit(name, text));
    }
    let mut resolve = Resolve::new();
    let group = files.parse().map_err(|(_, e)| e).unwrap();
    resolve.push_group(group).unwrap();
    for package in WASI {
        resolve.push_source("wasi.wit", package).unwrap();
    }
    let text = format!("package test:guest; world plugin {{ {world} }}");
    let package = resolve.push_source("guest.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default()
        .module(&module)
        .unwrap()
        .validate(true)
        .encode()
        .unwrap()
}

/// A component for a world of the test's own, against the contract as it is.
pub(crate) fn plugin(world: &str) -> Vec<u8> {
    component(world, |_, text| text.to_owned())
}

/// A component for a world of the contract itself.
pub(crate) fn of_world(name: &str) -> Vec<u8> {
    plugin(&format!("include snodo:plugin/{name}@0.1.0;"))
}

/// A component written as text.
pub(crate) fn text(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap()
}

pub(crate) fn name() -> PluginName {
    PluginName::parse("guest").unwrap()
}

/// Nothing granted, `completion` not served, any role.
pub(crate) fn context(name: &PluginName) -> Context<'_> {
    Context {
        name,
        role_expected: None,
        grants: Grants::NONE,
        served: Served { completion: false },
        bodies: Bodies::Validate,
    }
}

pub(crate) fn look(bytes: &[u8]) -> Inspection {
    inspect(bytes, &context(&name()), &Limits::standard())
}

/// What a person reads; "admitted" if nothing is wrong. Whatever it is, it has to be plain lines.
pub(crate) fn answer_in(bytes: &[u8], context: &Context<'_>) -> String {
    let answer = match admit(bytes, context, &Limits::standard()) {
        Ok(_) => "admitted".to_owned(),
        Err(refusal) => refusal.to_string(),
    };
    assert!(
        answer.chars().all(|c| c == '\n' || !c.is_control()),
        "control characters in {answer:?}"
    );
    answer
}

pub(crate) fn answer(bytes: &[u8]) -> String {
    answer_in(bytes, &context(&name()))
}
