//! What kind of task it is: said, and nothing more.

use snodo_provider::{Reply, Seen, script};

use crate::world::World;

#[test]
fn it_is_in_the_report_and_in_the_log() {
    let world = World::new(script::run("pass", &[]));
    let report = world.run_patch().completed();
    let said = &report["classification"];
    assert_eq!(
        (&said["flow_type"], &said["model"]),
        (&"feature".into(), &"stub/m".into()),
        "{said:#}"
    );
    let log = world.sandbox.read(".snodo/audit.log");
    let event = log.lines().find(|line| line.contains("\"task_classified\"")).unwrap();
    assert!(event.contains("\"flow_type\""), "{event}");
}

#[test]
fn it_never_stops_a_run() {
    for bad in [
        Reply::text("a feature"),
        Reply::error(500, "broken", "out of order"),
        Reply::classify("chore"),
    ] {
        let world = World::new(move |seen: &Seen| match seen.offers("submit_verdict") {
            true => Reply::verdict("pass", "good"),
            false => bad.clone(),
        });
        world.config(&format!(
            "model: stub/m\nllm: {{num_retries: 0}}\n{}",
            world.provider_block("stub", snodo_provider::Wire::OpenAi)
        ));
        let report = world.run_patch().completed();
        assert_eq!(report["classification"]["flow_type"], serde_json::Value::Null);
        assert!(!report["classification"]["reason"].as_str().unwrap().is_empty());
    }
}

#[test]
fn nobody_is_asked_without_a_protocol() {
    let world = World::new(script::run("pass", &[]));
    std::fs::remove_file(world.sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
    let report = world.run_patch().completed();
    assert_eq!(report["classification"], serde_json::Value::Null);
    assert!(world.provider.requests().is_empty());
}
