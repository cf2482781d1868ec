//! `inspect --json`: the same, for a machine.

use serde_json::json;
use snodo_admission::{Limits, Unread, inspect_unread};

use crate::build::{context, look, name, of_world, plugin};

#[test]
fn an_inspection_is_one_object() {
    let bytes = of_world("runner-validator");
    let value = serde_json::to_value(look(&bytes)).unwrap();
    assert_eq!(value["name"], "guest");
    assert_eq!(value["kind"], "component");
    assert!(value["digest"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(value["size"], bytes.len());
    assert_eq!(
        (&value["role"], &value["world"], &value["built_against"]),
        (&json!("validator"), &json!("runner-validator"), &json!("0.1.0"))
    );
    let imports = value["imports"].as_array().unwrap();
    assert_eq!(
        *imports.iter().find(|i| i["interface"] == "runner").unwrap(),
        json!({
            "name": "snodo:plugin/runner@0.1.0",
            "functions": ["run-tests"],
            "class": { "kind": "needs-grant", "grant": "runner" },
            "sentence": "run the project's declared tests",
            "interface": "runner",
        })
    );
    assert_eq!(
        value["exports"][0],
        json!({ "name": "snodo:plugin/judging@0.1.0", "kind": "instance", "role": "validator" })
    );
    assert_eq!(
        value["verdict"],
        json!({
            "admitted": false,
            "findings": [{
                "rule": "grant",
                "subject": "snodo:plugin/runner@0.1.0",
                "what": "to run the project's declared tests takes the grant `runner`",
                "needed": "`--grant guest:runner` gives it",
            }],
        })
    );
    assert_eq!(value["advice"], json!([]));
    assert_eq!(value["census"]["imports"], 5);
}

#[test]
fn a_refused_import_says_why() {
    let value = serde_json::to_value(look(&plugin(
        "import wasi:http/outgoing-handler@0.2.6; export snodo:plugin/coding@0.1.0;",
    )))
    .unwrap();
    let http = value["imports"]
        .as_array()
        .unwrap()
        .iter()
        .find(|i| i["name"] == "wasi:http/outgoing-handler@0.2.6")
        .unwrap();
    assert_eq!(
        http["class"],
        json!({ "kind": "refused", "reason": { "why": "network" } })
    );
    assert_eq!(value["world"], json!(null));
    assert_eq!(value["advice"].as_array().unwrap().len(), 1);
}

#[test]
fn what_was_not_read_is_an_object_too() {
    let value = serde_json::to_value(inspect_unread(Unread::Folder, &context(&name()), &Limits::standard())).unwrap();
    assert_eq!(
        (&value["kind"], &value["digest"], &value["size"]),
        (&json!("folder"), &json!(null), &json!(null))
    );
    assert_eq!(value["verdict"]["findings"][0]["rule"], "not-a-component");
}
