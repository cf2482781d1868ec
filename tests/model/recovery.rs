//! A judge's finding goes back to the coder that asks a model, which mends it.

use serde_json::{Value, json};
use snodo_provider::{Reply, Seen, Wire};

use crate::support::finished::said;
use crate::world::{JUDGED, World, calls};

/// The judge after the coder is capped, so that what it finds can be mended.
fn capped() -> String {
    JUDGED.replace(
        "    evaluation_phase: post_execute\n",
        "    evaluation_phase: post_execute\n    severity_cap: warn\n",
    )
}

/// Judges after the coder as the content of the change demands; the coder writes another one when it is told why.
fn mends(seen: &Seen) -> Reply {
    let told = seen.mentions("the title lacks its article");
    match (seen.offers("submit_verdict"), seen.offers("submit_files"), seen.turn()) {
        (true, ..) if seen.mentions("+# Project") => Reply::verdict("blocker", "the title lacks its article"),
        (true, ..) => Reply::verdict("pass", "it does what the task says"),
        (false, true, 0) if told => Reply::submit_files(&[("README.md", "# The project\n")]),
        (false, true, 0) => Reply::submit_files(&[("README.md", "# Project\n")]),
        (false, true, _) => Reply::text("done"),
        (false, false, _) => Reply::classify("debt"),
    }
}

#[test]
fn what_a_judge_found_is_mended_in_the_second_attempt() {
    for wire in Wire::ALL {
        let world = World::over(wire, mends);
        world.sandbox.put(".snodo/protocol.yml", capped());
        let report = world.run(&["--coder", "agent", "Call it the project"]).completed();
        assert_eq!(world.sandbox.read("README.md"), "# The project\n");
        let gates: Vec<Value> = report["gates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|gate| json!([gate["attempt"], gate["phase"], gate["results"][0]["severity_original"]]))
            .collect();
        assert_eq!(
            gates,
            [
                json!([1, "pre_execute", null]),
                json!([1, "post_execute", "blocker"]),
                json!([2, "pre_execute", null]),
                json!([2, "post_execute", null]),
            ],
            "{report:#}"
        );
        let asked: Vec<String> = calls(&report).into_iter().map(|(role, ..)| role).collect();
        let attempt = ["validator", "coder", "coder", "validator"];
        assert_eq!(asked, [&["classifier"][..], &attempt, &attempt].concat());
    }
}

#[test]
fn what_is_not_mended_is_not_applied() {
    let world =
        World::new(
            |seen: &Seen| match (seen.offers("submit_verdict"), seen.offers("submit_files"), seen.turn()) {
                (true, ..) if seen.mentions("Nothing else is changed.") => Reply::verdict("blocker", "no"),
                (true, ..) => Reply::verdict("pass", "yes"),
                (false, true, 0) => Reply::submit_files(&[("README.md", "# The project\n")]),
                (false, true, _) => Reply::text("done"),
                (false, false, _) => Reply::classify("debt"),
            },
        );
    world.sandbox.put(".snodo/protocol.yml", capped());
    let report = world
        .run(&["--coder", "agent", "Call it the project"])
        .ended(1, "blocker", Some("recovery_stalled"));
    assert_eq!(report["applied"], false);
}

#[test]
fn a_model_that_fails_in_the_second_attempt_leaves_no_pass() {
    // The judge answers once, and then no more.
    let world = World::impatient(Wire::OpenAi, |seen: &Seen| {
        let second = seen.mentions("the title lacks its article");
        match (seen.offers("submit_verdict"), seen.offers("submit_files"), seen.turn()) {
            (true, ..) if seen.mentions("+# The project") => Reply::error(500, "x", "out of order"),
            (false, true, 0) if second => Reply::submit_files(&[("README.md", "# The project\n")]),
            _ => mends(seen),
        }
    });
    world.sandbox.put(".snodo/protocol.yml", capped());
    let report =
        world
            .run(&["--coder", "agent", "Call it the project"])
            .ended(3, "validator_error", Some("validator_error"));
    assert_eq!(said(&report, "pre_execute", "plan")["severity"], "pass");
    assert_eq!(report["applied"], false);
}
