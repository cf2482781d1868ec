//! What a repository may not do: bring a coder along, choose a provider, make a stub of its judges, take more turns than the user gives.

use std::fs;

use snodo_provider::{Reply, Seen, Wire, script};

use crate::support::finished::said;
use crate::support::guest;
use crate::world::{JUDGED, PATCH, World};

#[test]
fn a_protocol_brings_no_coder_along() {
    let world = World::new(script::run("pass", &[]));
    fs::copy(guest("guest_greeter"), world.sandbox.workspace().join("evil.wasm")).unwrap();
    for given in ["./evil.wasm", "evil.wasm", "../workspace/evil.wasm"] {
        world.sandbox.put(
            ".snodo/protocol.yml",
            JUDGED.replace("    name: Work\n", &format!("    name: Work\n    coder: {given}\n")),
        );
        let why = world.run(&["Hello"]).refused();
        assert!(why.contains("a file: a repository cannot choose"), "{why}");
    }
    // The control: the user may.
    world.sandbox.put(".snodo/protocol.yml", JUDGED);
    world.run(&["Hello", "--coder", "./evil.wasm"]).completed();
}

#[test]
fn a_bare_name_is_no_file_of_the_current_folder() {
    let world = World::new(script::run("pass", &[]));
    fs::copy(guest("guest_greeter"), world.sandbox.workspace().join("helper")).unwrap();
    let why = world.run(&["Hello", "--coder", "helper"]).refused();
    assert!(why.contains("there is no plugin `helper`"), "{why}");
}

#[test]
fn a_protocol_chooses_among_the_users_providers_only() {
    let world = World::new(script::run("pass", &[]));
    let own = |model: &str| {
        JUDGED.replace(
            "    validator_type: llm\n",
            &format!("    validator_type: llm\n    model: {model}\n"),
        )
    };
    for model in ["hosted_vllm/anything", "ollama/qwen3", "gpt-5"] {
        world.sandbox.put(".snodo/protocol.yml", own(model));
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        let why = said(&report, "post_execute", "review")["justification"]
            .as_str()
            .unwrap();
        assert!(why.contains("providers that you configured"), "{why}");
    }
    // The control: another model of the user's provider.
    world.sandbox.put(".snodo/protocol.yml", own("stub/big"));
    world.run_patch().completed();
    assert!(world.provider.requests().iter().any(|seen| seen.model == "big"));
}

#[test]
fn a_protocol_makes_no_stub_of_its_judges() {
    let world = World::new(script::run("blocker", &[]));
    world.sandbox.put(
        ".snodo/protocol.yml",
        JUDGED.replace("    name: Work\n", "    name: Work\n    coder: mock\n"),
    );
    let report = world.run(&["Hello"]).ended(1, "blocker", Some("blocked"));
    assert_eq!(said(&report, "pre_execute", "plan")["mock"], false);
    // The control: the user may.
    let report = world.run(&["Hello", "--mock"]).completed();
    assert_eq!(said(&report, "pre_execute", "plan")["mock"], true);
}

#[test]
fn a_protocols_agent_does_not_spend_on_a_model_that_nobody_named() {
    let world = World::new(script::run("pass", &[]));
    world.sandbox.put(
        ".snodo/protocol.yml",
        JUDGED.replace("    name: Work\n", "    name: Work\n    coder: agent\n"),
    );
    world.config("");
    let why = world
        .run_with(&["Hello"], &[("ANTHROPIC_API_KEY", "sk-ant-of-the-environment")])
        .refused();
    assert!(why.contains("the user names no model"), "{why}");
}

#[test]
fn a_protocol_takes_no_more_turns_than_the_user_gives() {
    let asked = |turns: &str| {
        let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
            true => Reply::call(
                "read_file",
                &serde_json::json!({ "path": format!("docs/{}.md", seen.turn()) }),
            ),
            false => Reply::classify("debt"),
        });
        let block = world.provider_block("stub", Wire::OpenAi);
        world.config(&format!("model: stub/m\n{turns}{block}"));
        let protocol = JUDGED.replace(
            "    validator_type: architecture\n",
            "    validator_type: architecture\n    max_tool_turns: 9\n",
        );
        world.sandbox.put(".snodo/protocol.yml", protocol);
        world
            .run(&["--coder", "patch", PATCH])
            .ended(3, "validator_error", Some("validator_error"));
        let requests = world.provider.requests();
        requests.iter().filter(|seen| seen.offers("submit_verdict")).count()
    };
    let (bounded, free) = (asked("llm: {validator: {max_tool_turns: 2}}\n"), asked(""));
    assert!(bounded <= 3 && free >= 8, "{bounded} and {free}");
}

#[test]
fn what_no_model_answered_is_no_judgement_of_anybody() {
    let world = World::new(|seen: &Seen| match seen.tools.is_empty() {
        true => Reply::error(400, "bad", "no"),
        false if seen.offers("submit_verdict") => Reply::verdict("pass", "good"),
        false => Reply::classify("debt"),
    });
    let path = guest("guest_asking_judge");
    let report = world
        .run(&[
            "--coder",
            "patch",
            PATCH,
            "--validator",
            &path,
            "--grant",
            "guest_asking_judge:model",
        ])
        .json();
    let results = report["gates"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|gate| gate["results"].as_array().unwrap());
    let own: Vec<_> = results
        .filter(|result| result["plugin"] == "guest_asking_judge")
        .collect();
    assert!(
        !own.is_empty() && own.iter().all(|result| result["error"] == true),
        "{report:#}"
    );
    assert_eq!(report["outcome"], "validator_error");
}
