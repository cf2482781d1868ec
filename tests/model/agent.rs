//! The first-party coder that asks a model.

use snodo_provider::{Reply, Seen, Wire, script};

use crate::world::{World, calls};

const FILES: &[(&str, &str)] = &[("README.md", "# The project\n")];

#[test]
fn it_changes_what_the_model_submits() {
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let world = World::over(wire, script::run("pass", FILES));
        let report = world.run(&["--coder", "agent", "Call it the project"]).completed();
        assert_eq!(world.sandbox.read("README.md"), "# The project\n");
        assert!(
            calls(&report)
                .iter()
                .any(|(role, _, ended)| role == "coder" && ended == "answered"),
            "{report:#}"
        );
        assert_eq!(report["coder"]["claimed_but_missing"], serde_json::json!([]));
    }
}

#[test]
fn it_is_the_coder_where_a_model_is_configured_and_nobody_names_one() {
    let world = World::new(script::run("pass", FILES));
    let report = world.run(&["Call it the project"]).completed();
    assert_eq!(report["coder"]["name"], "agent");
    // And `patch` where none is.
    world.config("");
    std::fs::remove_file(world.sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
    let report = world.run_with(&["nothing that is a patch"], &[]).json();
    assert_eq!(report["coder"]["name"], "patch");
}

#[test]
fn what_it_read_is_what_stands_there() {
    let world = World::new(|seen: &Seen| match (seen.offers("submit_files"), seen.turn()) {
        (true, 0) => Reply::call(
            "read_files",
            &serde_json::json!({ "paths": ["src/main.py", "docs/none.md"] }),
        ),
        (true, 1) => Reply::submit_files(FILES),
        (true, _) => Reply::text("done"),
        (false, _) if seen.offers("submit_verdict") => Reply::verdict("pass", "good"),
        _ => Reply::classify("feature"),
    });
    world.run(&["--coder", "agent", "Call it the project"]).completed();
    let asked = world.provider.requests();
    let coder: Vec<&Seen> = asked.iter().filter(|seen| seen.offers("submit_files")).collect();
    let told = coder[1].tool_results().join("\n");
    assert!(
        told.contains("print(\"hello\")") && told.contains("docs/none.md"),
        "{told}"
    );
}

#[test]
fn a_model_that_only_talks_has_produced_nothing() {
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false if seen.offers("submit_files") => Reply::text("I have done it."),
        false => Reply::classify("feature"),
    });
    let finished = world.run(&["--coder", "agent", "Call it the project"]);
    let report = finished.json();
    assert_ne!(report["outcome"], "completed", "{report:#}");
    assert_eq!(report["applied"], false);
}
