//! `model resolve` and `model check`.

use std::sync::LazyLock;

use serde_json::{Value, json};
use snodo_provider::{Provider, Reply, Seen, Wire, script};

use crate::support::{Finished, repository};
use crate::world::{JUDGED, KEY, World};

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = repository().join("docs/schema/snodo.model.v1.json");
    jsonschema::validator_for(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()).unwrap()
});

/// The one object, held against the schema; no key is anywhere.
#[track_caller]
fn checked(finished: &Finished) -> Value {
    let value = finished.json();
    let errors: Vec<String> = SCHEMA
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
    assert_eq!(value["ok"] == true, finished.code == 0, "{value:#}");
    assert!(
        !finished.stdout.contains(KEY) && !finished.stderr.contains(KEY),
        "{finished:#?}"
    );
    value
}

/// Names and addresses of each row, for a look at all of them.
fn rows(value: &Value) -> Vec<(String, String)> {
    let rows = value["models"].as_array().unwrap();
    let name = |row: &Value| match row["validator"].as_str() {
        Some(id) => format!("{} {id}", row["role"].as_str().unwrap()),
        None => row["role"].as_str().unwrap().to_owned(),
    };
    rows.iter()
        .map(|row| (name(row), row["model"].as_str().unwrap().to_owned()))
        .collect()
}

#[track_caller]
fn row<'a>(value: &'a Value, role: &str, validator: Option<&str>) -> &'a Value {
    let rows = value["models"].as_array().unwrap();
    rows.iter()
        .find(|row| row["role"] == role && row["validator"].as_str() == validator)
        .unwrap_or_else(|| panic!("{role} {validator:?}: {value:#}"))
}

fn configured(world: &World) {
    let base = world.provider.base_url(Wire::Anthropic);
    world.config(&format!(
        "model: stub/m\nllm:\n  num_retries: 1\n  coder: {{ model: gpt-5 }}\n  classifier: {{ model: claude/small }}\n{}  claude:\n    base_url: {base}\n    litellm_provider: anthropic\n    api_key_ref: 'command:printf %s {KEY}'\n    extra_headers: {{ x-team: {KEY} }}\n",
        world.provider_block("stub", Wire::OpenAi)
    ));
    let protocol = JUDGED.replace(
        "    validator_type: llm\n",
        "    validator_type: llm\n    model: claude/big\n",
    );
    world.sandbox.put(".snodo/protocol.yml", protocol);
}

#[test]
fn resolve_says_who_is_served_by_what_and_who_says_so() {
    let world = World::new(script::run("pass", &[]));
    configured(&world);
    let value = checked(&world.call(&["model", "resolve", "--json"]));
    let expected = [
        ("coder", "gpt-5"),
        ("validator", "stub/m"),
        ("classifier", "claude/small"),
        ("validator plan", "stub/m"),
        ("validator review", "claude/big"),
    ];
    let expected: Vec<_> = expected.map(|(name, model)| (name.to_owned(), model.to_owned())).into();
    assert_eq!(rows(&value), expected);
    let coder = row(&value, "coder", None);
    assert!(
        coder["source"].as_str().unwrap().contains("llm.coder.model"),
        "{coder:#}"
    );
    let validator = row(&value, "validator", None);
    assert_eq!(validator["shares_with"], json!(["validator plan"]));
    assert_eq!(
        row(&value, "validator", Some("plan"))["shares_with"],
        json!(["validator"])
    );
    let client = &validator["client"];
    assert_eq!(
        (
            &client["provider"],
            &client["wire"],
            &client["sent_as"],
            &client["base_url"],
            &client["key_found"],
            &client["retries"]
        ),
        (
            &json!("stub"),
            &json!("openai"),
            &json!("m"),
            &json!(world.provider.base_url(Wire::OpenAi)),
            &json!(true),
            &json!(1)
        ),
        "{client:#}"
    );
    assert!(client["key"].as_str().unwrap().contains("STUB_KEY"), "{client:#}");
    let review = row(&value, "validator", Some("review"));
    assert!(
        review["source"].as_str().unwrap().contains("protocol, line"),
        "{review:#}"
    );
    assert_eq!(
        (
            &review["client"]["wire"],
            &review["client"]["key_found"],
            &review["client"]["headers"]
        ),
        (&json!("anthropic"), &Value::Null, &json!(["x-team"]))
    );
    // Nobody was asked, and no program was run for a key.
    assert_eq!(world.provider.connections(), 0);

    let shown = world.call(&["model", "resolve"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    for words in [
        "coder  gpt-5",
        "validator review  claude/big",
        "one client with validator plan",
        "STUB_KEY",
        "not run by this command",
        "x-team",
        "anthropic wire format, as `big`",
    ] {
        assert!(shown.stdout.contains(words), "no `{words}` in {}", shown.stdout);
    }
    assert!(!shown.stdout.contains(KEY) && !shown.stderr.contains(KEY), "{shown:#?}");
}

#[test]
fn resolve_says_what_is_missing_and_what_was_probably_not_meant() {
    let world = World::new(script::run("pass", &[]));
    world.config(&format!(
        "model: stub/m\nllm: {{ coder: {{ model: nowhere/m }} }}\nmodle: x\n{}",
        world.provider_block("stub", Wire::OpenAi)
    ));
    let finished = Finished::of(&world.sandbox.command(&["model", "resolve", "--json"]).output().unwrap());
    let value = checked(&finished);
    assert_eq!(finished.code, 1, "a role that cannot be asked");
    let coder = row(&value, "coder", None);
    assert_eq!(coder["client"], Value::Null);
    assert!(coder["fault"].as_str().unwrap().contains("nowhere"), "{coder:#}");
    assert_eq!(row(&value, "validator", None)["client"]["key_found"], false);
    assert!(value["warnings"].to_string().contains("modle"), "{value:#}");
    let shown = Finished::of(&world.sandbox.command(&["model", "resolve"]).output().unwrap());
    assert!(
        shown.stdout.contains("cannot be asked") && shown.stdout.contains("not there"),
        "{shown:#?}"
    );
    assert!(
        shown.stderr.contains("warning: ") && shown.stderr.contains("modle"),
        "{shown:#?}"
    );
}

#[test]
fn the_flag_and_the_mode_are_those_of_a_run() {
    let world = World::new(script::run("pass", &[]));
    let value = checked(&world.call(&["model", "resolve", "--json", "--model", "stub/other"]));
    assert_eq!(row(&value, "coder", None)["model"], "stub/other");
    assert_eq!(row(&value, "validator", None)["model"], "stub/m");
    let refused = world.call(&["model", "resolve", "--json", "--mode", "nowhere"]);
    assert_eq!(refused.code, 64);
    assert!(checked(&refused)["error"].as_str().unwrap().contains("nowhere"));
    let world = world.without_a_protocol();
    let value = checked(&world.call(&["model", "resolve", "--json"]));
    assert_eq!(value["models"].as_array().unwrap().len(), 3);
}

#[test]
fn a_key_that_is_unknown_under_llm_is_an_error_with_those_that_are_known() {
    let world = World::new(script::run("pass", &[]));
    world.config("llm: { validator: { modle: x } }\n");
    for command in [&["model", "resolve", "--json"][..], &["model", "check", "--json"]] {
        let finished = world.call(command);
        assert_eq!(finished.code, 64);
        let error = checked(&finished)["error"].as_str().unwrap().to_owned();
        for words in ["modle", "max_tool_turns", "config.yml"] {
            assert!(error.contains(words), "{error}");
        }
    }
    let shown = world.call(&["model", "resolve"]);
    assert!(shown.code == 64 && shown.stderr.contains("modle"), "{shown:#?}");
}

#[test]
fn check_asks_each_client_once() {
    let world = World::new(|_: &Seen| Reply::text("ready").model("m-2026"));
    let value = checked(&world.call(&["model", "check", "--json"]));
    assert_eq!(
        value["checks"][0]["serves"],
        json!(["coder", "validator", "classifier", "validator plan", "validator review"])
    );
    assert_eq!(
        (
            &value["checks"][0]["served"],
            &value["checks"][0]["attempts"],
            value["checks"].as_array().unwrap().len()
        ),
        (&json!("m-2026"), &json!(1), 1)
    );
    let asked = world.provider.requests();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].tools.is_empty());
    let shown = world.call(&["model", "check"]);
    assert!(
        shown.code == 0 && shown.stdout.contains("answers  stub/m"),
        "{shown:#?}"
    );
}

#[test]
fn check_says_who_does_not_answer_and_why_without_a_key() {
    let world = World::new(|seen: &Seen| {
        let key = seen.header("authorization").unwrap_or_default().to_owned();
        Reply::error(401, "invalid_api_key", format!("Incorrect API key provided: {key}"))
    });
    let other = Provider::start(|_| Reply::text("ready"));
    world.config(&format!(
        "model: stub/m\nllm: {{ num_retries: 0, classifier: {{ model: other/m }}, coder: {{ model: nowhere/m }} }}\n{}  other:\n    base_url: {}\n",
        world.provider_block("stub", Wire::OpenAi),
        other.base_url(Wire::OpenAi),
    ));
    let finished = world.call(&["model", "check", "--json"]);
    let value = checked(&finished);
    assert_eq!(finished.code, 1);
    let checks = value["checks"].as_array().unwrap();
    let of = |model: &str| checks.iter().find(|check| check["model"] == model).unwrap();
    assert_eq!((of("other/m")["ok"].clone(), other.requests().len()), (json!(true), 1));
    // A provider without a key is sent none.
    assert_eq!(other.requests()[0].header("authorization"), None);
    let fault = of("stub/m")["fault"].as_str().unwrap();
    assert!(fault.contains("Incorrect API key provided"), "{fault}");
    assert!(of("nowhere/m")["fault"].as_str().unwrap().contains("nowhere"));
    let shown = world.call(&["model", "check"]);
    assert!(
        shown.code == 1 && shown.stdout.contains("does not answer  stub/m"),
        "{shown:#?}"
    );
    assert!(!shown.stdout.contains(KEY), "{shown:#?}");
}
