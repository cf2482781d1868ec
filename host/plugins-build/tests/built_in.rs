//! What is embedded: which plugins, how large, and what each of them imports.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use snodo_plugins_build::{BUILT_IN, BuiltIn, find};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// Names of the component's own imports and exports, not of the modules and components inside of it.
fn outer_names(plugin: &BuiltIn) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut imports, mut exports, mut depth) = (BTreeSet::new(), BTreeSet::new(), 0);
    for payload in Parser::new(0).parse_all(plugin.bytes) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| import.unwrap().name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                exports.extend(section.into_iter().map(|export| export.unwrap().name.name.to_owned()));
            }
            _ => {}
        }
    }
    (imports, exports)
}

#[test]
fn they_are_embedded_in_the_order_of_names() {
    let names: Vec<&str> = BUILT_IN.iter().map(|plugin| plugin.name).collect();
    assert_eq!(
        names,
        [
            "acceptance",
            "agent",
            "judge",
            "mock",
            "patch",
            "protocol",
            "quality",
            "scope",
            "secrets"
        ]
    );
}

#[test]
fn every_plugin_is_a_valid_component() {
    for plugin in BUILT_IN {
        Validator::new_with_features(WasmFeatures::WASM2 | WasmFeatures::COMPONENT_MODEL)
            .validate_all(plugin.bytes)
            .unwrap();
    }
}

#[test]
fn a_plugin_imports_what_it_uses_and_exports_one_role() {
    let judge = &["change", "completion", "read", "search"][..];
    for (name, role, uses) in [
        ("acceptance", "judging", judge),
        ("agent", "coding", &["completion", "read", "runner", "search", "submit"]),
        ("judge", "judging", judge),
        ("protocol", "judging", judge),
        ("mock", "coding", &["submit"]),
        ("patch", "coding", &["read", "submit"]),
        ("quality", "judging", &["runner"]),
        ("scope", "judging", &["change"]),
        ("secrets", "judging", &["change", "read"]),
    ] {
        let (imports, exports) = outer_names(find(name).unwrap());
        let ours: BTreeSet<&str> = imports
            .iter()
            .filter_map(|import| import.strip_prefix("snodo:plugin/"))
            .filter_map(|import| import.strip_suffix("@0.1.0"))
            .filter(|import| *import != "types") // it holds no function
            .collect();
        assert_eq!(ours, uses.iter().copied().collect(), "{name}");
        assert_eq!(
            exports,
            BTreeSet::from([format!("snodo:plugin/{role}@0.1.0")]),
            "{name}"
        );
        // Of WASI, the inert part only: no files, no sockets, no HTTP.
        for import in imports.iter().filter(|import| !import.starts_with("snodo:plugin/")) {
            let inert = ["wasi:io/", "wasi:cli/", "wasi:clocks/", "wasi:random/"];
            assert!(
                inert.iter().any(|prefix| import.starts_with(prefix)),
                "{name} imports {import}"
            );
        }
    }
}

#[test]
fn a_plugin_carries_the_grants_that_its_imports_need_and_no_other() {
    for plugin in BUILT_IN {
        let (imports, _) = outer_names(plugin);
        let needs = |interface: &str| imports.contains(&format!("snodo:plugin/{interface}@0.1.0"));
        // A coder's world holds the runner without a grant.
        let is_judge = outer_names(plugin).1.contains("snodo:plugin/judging@0.1.0");
        let mut grants = Vec::new();
        if needs("completion") {
            grants.push("model");
        }
        if is_judge && needs("runner") {
            grants.push("runner");
        }
        assert_eq!(plugin.grants, grants, "{}", plugin.name);
    }
}

#[test]
fn plugins_are_small() {
    for plugin in BUILT_IN {
        assert!(
            plugin.bytes.len() < 500_000,
            "{}: {} bytes",
            plugin.name,
            plugin.bytes.len()
        );
    }
}

#[test]
fn the_digest_is_that_of_the_bytes() {
    for plugin in BUILT_IN {
        let mut digest = String::new();
        for byte in Sha256::digest(plugin.bytes) {
            write!(digest, "{byte:02x}").unwrap();
        }
        assert_eq!(plugin.sha256, digest, "{}", plugin.name);
    }
}

#[test]
fn no_folder_of_the_machine_that_built_it_is_in_a_plugin() {
    let root = env!("CARGO_MANIFEST_DIR").trim_end_matches("/host/plugins-build");
    let home = std::env::home_dir().unwrap().join(".cargo");
    for plugin in BUILT_IN {
        for folder in [root, home.to_str().unwrap()] {
            let found = plugin
                .bytes
                .windows(folder.len())
                .any(|bytes| bytes == folder.as_bytes());
            assert!(!found, "{} holds `{folder}`", plugin.name);
        }
    }
}
