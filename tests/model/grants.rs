//! Who may ask: plugins of somebody else need the user's word and a model, each named where it is missing.

use serde_json::{Value, json};
use snodo_provider::script;

use crate::support::finished::{plugin, said};
use crate::support::guest;
use crate::world::{KEY, PATCH, World};

#[test]
fn without_the_grant_nobody_asks_and_the_line_that_would_allow_it_is_named() {
    let world = World::new(script::run("pass", &[]));
    let (coder, judge) = (guest("guest_asker"), guest("guest_asking_judge"));
    for (arguments, name) in [
        (&["--coder", coder.as_str(), "x"][..], "guest_asker"),
        (
            &["--coder", "patch", "--validator", &judge, PATCH],
            "guest_asking_judge",
        ),
        // The grant of another plugin is not this one's, nor is another grant.
        (
            &[
                "--coder",
                &coder,
                "--validator",
                &judge,
                "--grant",
                "guest_asker:model",
                "x",
            ],
            "guest_asking_judge",
        ),
        (
            &["--coder", &coder, "--grant", "guest_asker:runner", "x"],
            "guest_asker",
        ),
    ] {
        let why = world.run(arguments).refused();
        assert!(why.contains(&format!("--grant {name}:model")), "{why}");
    }
    assert_eq!(world.provider.connections(), 0);
}

#[test]
fn with_the_grant_and_no_model_that_is_what_is_missing() {
    let world = World::new(script::run("pass", &[])).without_a_protocol();
    let (coder, judge) = (guest("guest_asker"), guest("guest_asking_judge"));
    let why = world
        .run_with(&["--coder", &coder, "--grant", "guest_asker:model", "x"], &[])
        .refused();
    assert!(why.contains("guest_asker") && why.contains("STUB_KEY"), "{why}");
    let report = world
        .run_with(
            &[
                "--coder",
                "patch",
                "--validator",
                &judge,
                "--grant",
                "guest_asking_judge:model",
                PATCH,
            ],
            &[],
        )
        .ended(3, "validator_error", Some("validator_error"));
    let result = said(&report, "pre_execute", "guest_asking_judge");
    assert_eq!(
        (&result["severity"], &result["error"]),
        (&json!("blocker"), &json!(true))
    );
    assert!(
        result["justification"]
            .as_str()
            .unwrap()
            .starts_with("no model client: "),
        "{result:#}"
    );
    assert_eq!((&report["coder"], &report["applied"]), (&Value::Null, &json!(false)));
    assert_eq!(world.provider.connections(), 0);
}

#[test]
fn with_both_it_asks_and_the_host_says_which_model() {
    let world = World::new(script::run("pass", &[]));
    let (coder, judge) = (guest("guest_asker"), guest("guest_asking_judge"));
    let report = world
        .run(&[
            "--coder",
            &coder,
            "--grant",
            "guest_asker:model",
            "--validator",
            &judge,
            "--grant",
            "guest_asking_judge:model",
            "--set",
            "guest_asking_judge.max-tokens=100000",
            "--set",
            "guest_asking_judge.words=Are you there?",
            "Say what you know",
        ])
        .completed();
    assert!(
        world.sandbox.read("ASKED.md").starts_with("of stub/m, as m: "),
        "{report:#}"
    );
    let words = said(&report, "post_execute", "guest_asking_judge")["justification"]
        .as_str()
        .unwrap();
    assert!(words.starts_with("model Some(\"stub/m\")\nm: "), "{words}");
    assert_eq!(said(&report, "post_execute", "guest_asking_judge")["model"], "stub/m");
    assert_eq!(plugin(&report, "guest_asker")["grants"], json!(["model"]));
    let asked = world.provider.requests();
    let of_coder = asked
        .iter()
        .find(|seen| seen.mentions("Say what you know") && seen.tools.is_empty())
        .unwrap();
    // The host's: the key, the model, the role's ceiling.
    assert_eq!(of_coder.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        (of_coder.model.as_str(), &of_coder.body["max_tokens"]),
        ("m", &json!(16_000))
    );
    let of_judge = asked.iter().find(|seen| seen.mentions("Are you there?")).unwrap();
    assert_eq!(
        of_judge.body["max_tokens"], 1_500,
        "a plugin cannot ask for more than the role has"
    );
}

#[test]
fn a_coder_in_the_plain_world_needs_none_of_it() {
    let world = World::new(script::run("pass", &[])).without_a_protocol();
    world.config("model: nowhere/m\n");
    let task = crate::support::script::steps(json!([crate::support::script::write("a.txt", "a\n")]));
    world
        .run_with(&["--coder", &guest("guest_probe"), &task], &[])
        .completed();
    assert_eq!(world.provider.connections(), 0);
}
