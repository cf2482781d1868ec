//! No client, no verdict.

use snodo_provider::{Wire, script};

use crate::support::finished::said;
use crate::world::{JUDGED, PATCH, World};

/// Every way to have no client, and a word of what is said about it.
fn without_a_client(world: &World) -> Vec<(String, Vec<(&'static str, &'static str)>, &'static str)> {
    let block = world.provider_block("stub", Wire::OpenAi);
    vec![
        (format!("model: stub/m\n{block}"), vec![], "STUB_KEY"),
        (format!("model: stub/m\n{block}"), vec![("STUB_KEY", "")], "STUB_KEY"),
        (String::new(), vec![], "ANTHROPIC_API_KEY"),
        ("model: nowhere/m\n".to_owned(), vec![], "nowhere"),
        (
            format!(
                "model: stub/m\n{}",
                block.replace("api_key_env: STUB_KEY", "api_key_ref: 'command:false'")
            ),
            vec![],
            "false",
        ),
        (
            format!(
                "model: stub/m\n{}",
                block.replace("api_key_env: STUB_KEY", "api_key: '@keys/stub.key'")
            ),
            vec![],
            "encrypted",
        ),
    ]
}

#[test]
fn without_a_client_every_judge_is_an_error_and_the_coder_is_not_called() {
    let world = World::new(script::run("pass", &[]));
    for (config, variables, word) in without_a_client(&world) {
        world.config(&config);
        let report = world.run_with(&["--coder", "patch", PATCH], &variables).ended(
            3,
            "validator_error",
            Some("validator_error"),
        );
        let plan = said(&report, "pre_execute", "plan");
        assert_eq!((&plan["severity"], &plan["error"]), (&"blocker".into(), &true.into()));
        let why = plan["justification"].as_str().unwrap();
        assert!(why.starts_with("no model client: ") && why.contains(word), "{why}");
        assert_eq!(report["coder"], serde_json::Value::Null, "{config}");
    }
    assert!(world.provider.requests().is_empty());
}

#[test]
fn a_judge_of_the_second_gate_without_a_client_stops_the_run_before_the_coder() {
    let world = World::new(script::run("pass", &[]));
    let protocol = JUDGED.replace(
        "    validator_type: llm\n",
        "    validator_type: llm\n    model: nowhere/big\n",
    );
    world.sandbox.put(".snodo/protocol.yml", protocol);
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    assert_eq!(said(&report, "pre_execute", "plan")["severity"], "pass");
    assert_eq!(said(&report, "post_execute", "review")["error"], true);
    assert_eq!(report["coder"], serde_json::Value::Null);
}

#[test]
fn a_coder_that_asks_no_model_runs_where_nobody_judges_with_one() {
    let world = World::new(script::run("pass", &[]));
    world.config("model: nowhere/m\n");
    std::fs::remove_file(world.sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
    world.run_with(&["--coder", "patch", PATCH], &[]).completed();
}

#[test]
fn a_coder_that_asks_a_model_and_has_none_is_refused_by_name() {
    let world = World::new(script::run("pass", &[]));
    let why = world.run_with(&["--coder", "agent", "Mend it"], &[]).refused();
    assert!(why.contains("`agent`") && why.contains("STUB_KEY"), "{why}");
}
