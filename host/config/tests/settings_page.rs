//! `docs/settings.md` and the code say the same of `host.toml`.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use std::collections::{BTreeMap, BTreeSet};

use snodo_config::FaultKind;
use snodo_config::host_config::{ExternalConfig, HostConfig, load_host_config};

const PAGE: &str = include_str!("../../../docs/settings.md");

/// The page's blocks of TOML.
fn blocks() -> Vec<&'static str> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some((_, from)) = rest.split_once("```toml\n") {
        let (block, after) = from.split_once("\n```").unwrap();
        blocks.push(block);
        rest = after;
    }
    blocks
}

fn load(text: &str) -> HostConfig {
    match load_host_config("docs/settings.md", text.as_bytes()) {
        Ok(config) => config,
        Err(error) => panic!("{}", error.plain()),
    }
}

/// Keys by table, as the page spells them.
fn of_page(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut table = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            name.split_once(']').unwrap().0.clone_into(&mut table);
            tables.entry(table.clone()).or_default();
        } else if let Some((key, _)) = line.split_once('=')
            && !line.starts_with([' ', '#'])
        {
            tables.get_mut(&table).unwrap().insert(key.trim().to_owned());
        }
    }
    tables
}

/// What the code knows where `before` leads: it says so of a key that it does not know.
fn known(before: &str) -> BTreeSet<String> {
    let error = load_host_config("host.toml", format!("{before}xyzzy = 1\n").as_bytes()).unwrap_err();
    let known = error.faults().iter().find_map(|fault| match &fault.kind {
        FaultKind::UnknownKey { key, known, .. } if key == "xyzzy" => Some(known),
        _ => None,
    });
    known.unwrap().iter().map(|key| (*key).to_owned()).collect()
}

#[test]
fn the_first_block_is_the_standard() {
    assert_eq!(load(blocks()[0]), HostConfig::standard());
}

#[test]
fn every_key_of_every_table_is_on_the_page() {
    let page = of_page(blocks()[0]);
    let mut tables = known("");
    tables.remove("external");
    assert_eq!(page.keys().cloned().collect::<BTreeSet<_>>(), tables);
    for (table, keys) in &page {
        assert_eq!(*keys, known(&format!("[{table}]\n")), "[{table}]");
    }
}

#[test]
fn the_second_block_is_an_external_coder_with_every_key_at_its_default() {
    let text = blocks()[1];
    let config = load(text);
    let [external] = &config.external[..] else {
        panic!("{config:?}")
    };
    let standard = ExternalConfig::standard(external.name.clone(), external.command.clone());
    assert_eq!(*external, standard);
    let page = of_page(text);
    let keys = &page[&format!("external.{}", external.name)];
    assert_eq!(*keys, known("[external.x]\n"));
}
