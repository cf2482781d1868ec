//! `validate` with judges that ask a model.

use serde_json::Value;
use snodo_provider::{Reply, Seen, script};

use crate::support::Sandbox;
use crate::world::{JUDGED, World};

fn world(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> World {
    let mut world = World::new(script);
    world.sandbox = Sandbox::new().with(".snodo/protocol.yml", JUDGED).committed();
    world.config_with("llm: { num_retries: 0 }\n", snodo_provider::Wire::OpenAi);
    world.sandbox.put("README.md", "# The project\n");
    world
}

fn validate(world: &World, phase: &str) -> (i32, Value) {
    let before = world.sandbox.tree();
    let finished = world.call(&["validate", "Call it the project", "--json", "--phase", phase]);
    assert_eq!(before.differences(&world.sandbox.tree()), [] as [&str; 0]);
    let value = finished.json();
    let path = crate::support::repository().join("docs/schema/snodo.validate.v1.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
    (finished.code, value)
}

fn result<'a>(value: &'a Value, id: &str) -> &'a Value {
    let results = value["results"].as_array().unwrap_or_else(|| panic!("{value:#}"));
    results
        .iter()
        .find(|result| result["validator_id"] == id)
        .unwrap_or_else(|| panic!("{value:#}"))
}

#[test]
fn each_phase_asks_its_judges_and_ends_as_they_say() {
    for (severity, code) in [("pass", 0), ("blocker", 1), ("warn", 2)] {
        for (phase, id) in [("pre_execute", "plan"), ("post_execute", "review")] {
            let world = world(script::run(severity, &[]));
            let (ended, value) = validate(&world, phase);
            assert_eq!(ended, code, "{phase} {severity}: {value:#}");
            assert_eq!(result(&value, id)["severity"], severity);
            let asked = world.provider.requests();
            assert_eq!(asked.len(), 1, "nobody sorts a task that is not run");
            assert_eq!(asked[0].mentions("+# The project"), phase == "post_execute");
        }
    }
}

#[test]
fn what_is_no_verdict_could_not_judge() {
    for reply in [
        Reply::text("verdict: pass"),
        Reply::error(500, "x", "oops"),
        Reply::verdict("pass", "x").finish(snodo_provider::Finish::Length),
    ] {
        for (phase, id) in [("pre_execute", "plan"), ("post_execute", "review")] {
            let world = world(script::always(reply.clone()));
            let (code, value) = validate(&world, phase);
            assert_eq!(
                (code, value["status"].as_str()),
                (3, Some("validator_error")),
                "{value:#}"
            );
            assert_eq!(result(&value, id)["error"], true);
        }
    }
    let world = world(script::run("pass", &[]));
    world.config("model: nowhere/m\n");
    for phase in ["pre_execute", "post_execute"] {
        let (code, value) = validate(&world, phase);
        assert_eq!(code, 3, "{value:#}");
    }
    assert!(world.provider.requests().is_empty());
}
