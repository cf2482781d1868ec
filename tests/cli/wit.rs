//! `wit`: the contract as a whole, and a plugin's side of it.

use crate::support::{Sandbox, guest};

#[test]
fn the_package_is_one_text_that_a_parser_takes() {
    let sandbox = Sandbox::new();
    let printed = sandbox.call(&["wit"]);
    assert_eq!(printed.code, 0, "{printed:#?}");
    assert_eq!(printed.stdout.matches("package snodo:plugin@0.1.0;").count(), 1);
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("plugin.wit", &printed.stdout).unwrap();
    let worlds = &resolve.packages[package].worlds;
    for world in [
        "coder",
        "model-coder",
        "validator",
        "model-validator",
        "runner-validator",
    ] {
        assert!(worlds.contains_key(world), "{world}");
    }
}

#[test]
fn a_plugin_that_fits_and_one_that_does_not() {
    let sandbox = Sandbox::new();
    let fits = sandbox.call(&["wit", "diff", &guest("guest_greeter")]);
    assert_eq!(fits.code, 0, "{fits:#?}");
    assert!(fits.stdout.contains("fits"), "{}", fits.stdout);
    assert_eq!(sandbox.call(&["wit", "diff", "patch"]).code, 0);
    // Built against another version of the contract.
    let text = r#"(component (import "snodo:plugin/read@0.9.0" (instance)) (instance (export "x")) )"#;
    let wat = text.replace(" (instance (export \"x\")) ", "");
    let path = sandbox.path().join("old.wasm");
    std::fs::write(&path, wat::parse_str(&wat).unwrap()).unwrap();
    let differs = sandbox.call(&["wit", "diff", path.to_str().unwrap(), "--json"]);
    assert_eq!(differs.code, 1, "{differs:#?}");
    let value = differs.json();
    assert_eq!(
        (&value["schema"], &value["ok"]),
        (&"snodo.wit.v1".into(), &false.into())
    );
    assert!(value["built_against"].to_string().contains("0.9.0"), "{value:#}");
    let missing = sandbox.call(&["wit", "diff", "nothing-of-that-name"]);
    assert_eq!(missing.code, 64, "{missing:#?}");
}
