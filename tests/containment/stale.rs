//! Somebody else edits while a coder works (case B10).

use serde_json::json;

use crate::support::finished::changes;
use crate::support::script::steps;
use crate::world::{World, read, submit, write};

/// The declared test command stands for somebody with an editor: it runs when the coder asks for it, uncontained, or it would not reach the
/// workspace.
fn beside(command: &str) -> World {
    let world = World::new(|place| {
        place.put("f", "mine\n");
        place.put("g", "g\n");
    });
    let root = world.real.root.to_str().unwrap().to_owned();
    world.with(&[
        "--validator",
        "secrets",
        "--sandbox",
        "off",
        "--test-command",
        &command.replace("ROOT", &root),
    ])
}

const EDITOR: &str = r#"{ "do": "run-tests" }"#;

#[test]
fn b10_a_file_that_changed_after_it_was_read_is_not_overwritten() {
    let world = beside("echo newer > ROOT/f");
    let editor: serde_json::Value = serde_json::from_str(EDITOR).unwrap();
    let finished = world.finish(&steps(json!([read("f"), editor, write("f"), write("new.txt")])));
    let report = finished.json();
    // Refused when it is submitted, or when it is applied; then nothing is applied.
    let answers = crate::support::script::answers(&report);
    if answers[2]["error"]["kind"] == "changed-during-run" {
        assert_eq!(changes(&report), ["added new.txt"]);
    } else {
        assert_eq!(report["halt_type"], "stale", "{report:#}");
        assert!(!world.real.exists("new.txt"), "half of it was applied");
    }
    assert_eq!(world.real.read("f"), "newer\n");
    // Control: the same order of events by name loses what is newer.
    let (was, path) = (world.twin.read("f"), world.twin.root.join("f"));
    std::fs::write(&path, "newer\n").unwrap();
    std::fs::write(&path, was + "theirs\n").unwrap();
    assert_eq!(world.twin.read("f"), "mine\ntheirs\n");
}

#[test]
fn b10_a_file_that_was_only_touched_is_not_stale() {
    let world = beside("sleep 0.02; touch ROOT/f; cp ROOT/g ROOT/g2; mv ROOT/g2 ROOT/g");
    let editor: serde_json::Value = serde_json::from_str(EDITOR).unwrap();
    let (report, _) = world.run(json!([read("f"), read("g"), editor, write("f"), write("g")]));
    assert_eq!(changes(&report), ["modified f", "modified g"]);
    assert_eq!(
        (world.real.read("f").as_str(), world.real.read("g").as_str()),
        ("PLANTED", "PLANTED")
    );
    // Control: by its time it would be another file.
    let time = || world.twin.root.join("f").metadata().unwrap().modified().unwrap();
    let before = time();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::File::options()
        .append(true)
        .open(world.twin.root.join("f"))
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    assert_ne!(before, time());
}

#[test]
fn b10_a_file_that_was_never_read_is_held_to_what_it_was_at_its_submission() {
    let editor: serde_json::Value = serde_json::from_str(EDITOR).unwrap();
    // Nobody in between: it is replaced.
    let world = beside("true");
    let (report, _) = world.run(json!([write("f"), editor]));
    assert_eq!(
        (&report["applied"], world.real.read("f").as_str()),
        (&json!(true), "PLANTED")
    );
    // Changed after the submission: it is not.
    let world = beside("echo newer > ROOT/f");
    let report = world
        .finish(&steps(json!([write("f"), editor])))
        .ended(4, "environment_error", Some("stale"));
    assert!(report["reason"].as_str().unwrap().contains("`f`"), "{report:#}");
    assert_eq!(world.real.read("f"), "newer\n");
    // Control.
    std::fs::write(world.twin.root.join("f"), "newer\n").unwrap();
    std::fs::write(world.twin.root.join("f"), "PLANTED").unwrap();
    assert_eq!(world.twin.read("f"), "PLANTED");
}

#[test]
fn b10_a_file_that_was_deleted_meanwhile_is_stale_and_not_made_anew() {
    let editor: serde_json::Value = serde_json::from_str(EDITOR).unwrap();
    for list in [
        json!([read("f"), editor, write("f")]),
        json!([write("f"), editor]),
        json!([submit(json!([{ "delete": "f" }])), editor]),
    ] {
        let world = beside("rm -f ROOT/f");
        let finished = world.finish(&steps(list.clone()));
        let report = finished.json();
        let answered = report["coder"]["findings"]
            .is_array()
            .then(|| crate::support::script::answers(&report));
        let refused = answered
            .unwrap_or_default()
            .iter()
            .any(|answer| answer["error"]["kind"] == "changed-during-run");
        assert!(refused || report["halt_type"] == "stale", "{list}: {report:#}");
        assert!(!world.real.exists("f"), "it was made anew");
        assert_eq!(report["applied"], false);
    }
    // Control.
    let world = beside("true");
    std::fs::remove_file(world.twin.root.join("f")).unwrap();
    std::fs::write(world.twin.root.join("f"), "PLANTED").unwrap();
    assert!(world.twin.exists("f"));
}
