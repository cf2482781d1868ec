//! Judges that ask a model: they pass, warn and block, over every wire format.

use snodo_provider::{Reply, Wire, script};

use crate::support::finished::{gate, results, said};
use crate::world::{PATCH, World, calls};

#[test]
fn a_change_that_is_judged_well_is_applied() {
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let world = World::over(wire, script::run("pass", &[]));
        let report = world.run_patch().completed();
        let passed = |id: &str| (id.to_owned(), "pass".to_owned(), false, false);
        assert_eq!(results(&report, "pre_execute"), [passed("plan")]);
        assert_eq!(results(&report, "post_execute"), [passed("review")]);
        assert_eq!(said(&report, "post_execute", "review")["mock"], false);
        assert_eq!(said(&report, "post_execute", "review")["model"], "stub/m");
        let asked: Vec<String> = calls(&report).into_iter().map(|(role, ..)| role).collect();
        assert_eq!(asked, ["classifier", "validator", "validator"], "{report:#}");
        assert!(
            report["models"]["totals"]["input_tokens"].as_u64().unwrap() > 0,
            "{report:#}"
        );
        assert_eq!(world.provider.requests().len(), 3);
        assert!(world.sandbox.read("README.md").starts_with("# The project"));
    }
}

#[test]
fn the_judge_of_a_change_sees_it_and_the_judge_of_a_plan_sees_none() {
    let world = World::new(script::run("pass", &[]));
    world.run(&["--coder", "patch", PATCH]).completed();
    let asked = world.provider.requests();
    let judges: Vec<_> = asked.iter().filter(|seen| seen.offers("submit_verdict")).collect();
    assert_eq!(judges.len(), 2);
    assert!(judges[0].mentions("The task can be understood."));
    assert!(!judges[0].offers("read_diff"));
    assert!(judges[1].mentions("Nothing else is changed.") && judges[1].mentions("+# The project"));
    for seen in judges {
        assert_eq!(seen.model, "m");
    }
}

#[test]
fn a_blocker_before_the_coder_keeps_it_from_being_called() {
    let world = World::new(script::run("blocker", &[]));
    let report = world.run_patch().ended(1, "blocker", Some("blocked"));
    assert_eq!(report["coder"], serde_json::Value::Null);
    assert!(report["reason"].as_str().unwrap().contains("plan"), "{report:#}");
}

#[test]
fn a_blocker_after_the_coder_keeps_the_change_out() {
    let world = World::new(
        |seen: &snodo_provider::Seen| match seen.mentions("Nothing else is changed.") {
            true => Reply::verdict("blocker", "it changes the title"),
            false if seen.offers("submit_verdict") => Reply::verdict("pass", "clear"),
            false => Reply::classify("debt"),
        },
    );
    let report = world.run_patch().json();
    assert_eq!(report["outcome"], "blocker", "{report:#}");
    assert!(
        said(&report, "post_execute", "review")["justification"]
            .as_str()
            .unwrap()
            .contains("it changes the title")
    );
    assert!(world.sandbox.read("README.md").starts_with("# A project"));
}

#[test]
fn a_warning_under_unanimity_asks_a_person() {
    let world = World::new(script::run("warn", &[]));
    let report = world.run_patch().ended(2, "escalate", Some("escalated"));
    assert_eq!(gate(&report, "pre_execute")["decision"], "escalate");
}

#[test]
fn prose_is_no_verdict() {
    let world = World::new(|seen: &snodo_provider::Seen| match seen.offers("submit_verdict") {
        true => Reply::text("{\"severity\": \"pass\", \"justification\": \"fine\"} verdict: pass"),
        false => Reply::classify("debt"),
    });
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    let plan = said(&report, "pre_execute", "plan");
    assert_eq!((&plan["severity"], &plan["error"]), (&"blocker".into(), &true.into()));
    assert_eq!(report["coder"], serde_json::Value::Null);
}

#[test]
fn a_validators_own_model_has_its_own_address_and_key() {
    let world = World::new(script::run("pass", &[]));
    let other = snodo_provider::Provider::start(script::run("pass", &[]));
    let base = other.base_url(Wire::Anthropic);
    world.config(&format!(
        "model: stub/m\n{}  other:\n    base_url: {base}\n    litellm_provider: anthropic\n    api_key_env: OTHER_KEY\n",
        world.provider_block("stub", Wire::OpenAi)
    ));
    let protocol = crate::world::JUDGED.replace(
        "    validator_type: llm\n",
        "    validator_type: llm\n    model: other/big\n",
    );
    world.sandbox.put(".snodo/protocol.yml", protocol);
    let variables = [
        ("STUB_KEY", crate::world::KEY),
        ("OTHER_KEY", "sk-another-key-of-somebody"),
    ];
    let report = world.run_with(&["--coder", "patch", PATCH], &variables).completed();
    let asked = other.requests();
    assert_eq!(asked.len(), 1, "{report:#}");
    assert_eq!(asked[0].model, "big");
    assert_eq!(asked[0].header("x-api-key"), Some("sk-another-key-of-somebody"));
    for seen in world.provider.requests() {
        assert_eq!(
            seen.header("authorization"),
            Some(format!("Bearer {}", crate::world::KEY).as_str())
        );
    }
}

/// The validators of the type `protocol`, in both gates: whether it belongs into the mode.
#[test]
fn adherence_to_the_protocol_is_judged_in_both_gates() {
    let world = World::new(script::run("pass", &[]));
    let protocol = crate::world::JUDGED
        .replace("validator_type: architecture", "validator_type: protocol")
        .replace("validator_type: llm", "validator_type: protocol")
        + "protected_paths: [docs/guide.md]\n";
    world.sandbox.put(".snodo/protocol.yml", protocol);
    let report = world.run_patch().completed();
    for (phase, id) in [("pre_execute", "plan"), ("post_execute", "review")] {
        let result = said(&report, phase, id);
        assert_eq!(
            (&result["plugin"], &result["severity"]),
            (&"protocol".into(), &"pass".into())
        );
    }
    let asked = world.provider.requests();
    let judges: Vec<_> = asked.iter().filter(|seen| seen.offers("submit_verdict")).collect();
    assert_eq!(judges.len(), 2);
    assert!(judges.iter().all(|seen| seen.mentions("docs/guide.md")), "{judges:#?}");
    assert!(judges[1].mentions("+# The project"));
}
