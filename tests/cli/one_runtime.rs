//! The README's two commands compile the component runtime once between them: minutes, on a fresh machine.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use serde_json::Value;

/// What cargo would build: every unit with its package, features and options, and what it is built from. Nothing is built.
fn units(arguments: &[&str]) -> Vec<Value> {
    let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .args(["--offline", "--locked", "-Z", "unstable-options", "--unit-graph"])
        .current_dir(crate::support::repository())
        // The graph has no other way out of the pinned toolchain's cargo.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut graph: Value = serde_json::from_slice(&out.stdout).unwrap();
    serde_json::from_value(graph["units"].take()).unwrap()
}

/// A unit by everything that decides whether it is built anew, all the way down.
fn identity(units: &[Value], at: usize, known: &mut HashMap<usize, String>) -> String {
    if let Some(known) = known.get(&at) {
        return known.clone();
    }
    let unit = &units[at];
    let mut below: Vec<String> = dependencies(unit).map(|at| identity(units, at, known)).collect();
    below.sort();
    let below = snodo_admission::Digest::of(below.concat().as_bytes()).hex();
    let profile = &unit["profile"];
    let whole = format!(
        "{} {} {} {} {} {below}",
        package(unit),
        unit["target"]["name"],
        unit["mode"],
        unit["features"],
        profile["opt_level"]
    );
    known.insert(at, whole.clone());
    whole
}

fn dependencies(unit: &Value) -> impl Iterator<Item = usize> {
    let dependencies = unit["dependencies"].as_array().unwrap();
    dependencies
        .iter()
        .map(|d| usize::try_from(d["index"].as_u64().unwrap()).unwrap())
}

fn package(unit: &Value) -> &str {
    let id = unit["pkg_id"].as_str().unwrap();
    id.rsplit('#').next().unwrap()
}

#[test]
fn running_and_testing_share_the_component_runtime() {
    let (run, test) = (units(&["build"]), units(&["test", "--workspace", "--no-run"]));
    let mut known = HashMap::new();
    let tested: BTreeSet<String> = (0..test.len()).map(|at| identity(&test, at, &mut known)).collect();
    let mut known = HashMap::new();
    let of_runtime: Vec<usize> = (0..run.len())
        .filter(|at| package(&run[*at]).starts_with("wasmtime"))
        .collect();
    assert!(of_runtime.len() > 10, "wasmtime is not in the graph");
    let twice: BTreeSet<&str> = of_runtime
        .into_iter()
        .filter(|at| !tested.contains(&identity(&run, *at, &mut known)))
        .map(|at| package(&run[at]))
        .collect();
    assert!(
        twice.is_empty(),
        "built twice, since something below asks for other features: {twice:?}; see the note in host/Cargo.toml"
    );
}
