//! Two runs in one workspace (case B12).

use rustix::process::Signal;
use serde_json::json;

use crate::support::script::steps;
use crate::support::tree::Tree;
use crate::world::{World, git, write};

#[test]
fn b12_a_second_run_is_refused_with_the_first_ones_id_and_a_dead_ones_lock_is_taken_over() {
    let world = World::new(|_| {});
    let task = steps(json!([write("first.txt"), { "do": "loop-forever" }]));
    let mut first = world.start(&task);
    first.wait_for("coder `guest_probe` works");
    let second =
        world
            .finish(&steps(json!([write("second.txt")])))
            .ended(4, "environment_error", Some("environment_error"));
    let id = first.id();
    assert!(
        second["reason"].as_str().unwrap().contains(&format!("(process {id})")),
        "{second:#}"
    );
    assert!(!world.real.exists("second.txt"));
    first.signal(Signal::KILL);
    first.finish();
    let (report, _) = world.run(json!([write("third.txt")]));
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains(&format!(
            "the lock of process {id}, which no longer runs, was taken over"
        )),
        "{warnings}"
    );
    assert!(world.real.exists("third.txt") && !world.real.exists("first.txt"));
    // Control: nothing in the system keeps two writers apart.
    for text in ["first", "second"] {
        std::fs::write(world.twin.root.join("ok.txt"), text).unwrap();
    }
    assert_eq!(world.twin.read("ok.txt"), "second");
}

#[test]
fn b12_gits_own_lock_is_neither_needed_nor_touched() {
    let world = World::new(|place| {
        git(&place.root, &["init", "-q"]);
        git(&place.root, &["add", "."]);
        place.put(".gitignore", "ignored.txt\n");
        place.put("ignored.txt", "x");
        place.put(".git/index.lock", "held by somebody");
    });
    let before = Tree::of(&world.real.root.join(".git"));
    let (report, answers) = world.run(json!([crate::world::read("ignored.txt"), write("new.txt")]));
    assert_eq!(answers[0]["error"]["kind"], "refused");
    assert_eq!(report["applied"], true);
    assert_eq!(
        before.differences(&Tree::of(&world.real.root.join(".git"))),
        [] as [&str; 0]
    );
    // Control: git itself does not get past it.
    assert!(!git(&world.twin.root, &["add", "."]).status.success());
}
