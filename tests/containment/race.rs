//! A folder that is swapped for a link while a coder works in it (case A04).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::RenameFlags;
use serde_json::Value;

use crate::support::script::{answers, steps};
use crate::world::{OUTSIDE, World, read, write};

/// Swaps `sub` and `trap`, each time in one step, until told to stop.
fn swap(root: &std::path::Path, stop: &AtomicBool) {
    let dir = std::fs::File::open(root).unwrap();
    while !stop.load(Ordering::Relaxed) {
        rustix::fs::renameat_with(&dir, "sub", &dir, "trap", RenameFlags::EXCHANGE).unwrap();
    }
}

#[test]
fn a04_a_folder_swapped_for_a_link_while_it_is_used_leads_nowhere() {
    let world = World::new(|place| {
        place.put("sub/secret", "inside");
        place.link("../out", "trap");
    });
    let list: Vec<Value> = (0..500).flat_map(|_| [read("sub/secret"), write("sub/f")]).collect();
    let task = steps(list.into());
    let stop = AtomicBool::new(false);
    let finished = std::thread::scope(|scope| {
        scope.spawn(|| swap(&world.real.root, &stop));
        let finished = world.finish(&task);
        stop.store(true, Ordering::Relaxed);
        finished
    });
    assert!(!finished.stdout.contains(OUTSIDE), "the secret was told");
    let report = finished.json();
    // What was accepted is applied or found stale; a half is not among the outcomes.
    assert!(
        finished.code == 0 || report["halt_type"] == "stale" || report["outcome"] == "environment_error",
        "{report:#}"
    );
    let answers = answers(&report);
    assert_eq!(answers.len(), 1000);
    let mut refused = 0;
    for answer in &answers {
        if let Some(kind) = answer["error"]["kind"].as_str() {
            // Met between two looks: the system itself says that it is no folder.
            let between = kind == "io" && answer["error"]["reason"].as_str().unwrap().contains("Not a directory");
            assert!(
                between || ["symlink", "not-found", "changed-during-run"].contains(&kind),
                "{answer}"
            );
            refused += 1;
        } else if !answer["ok"]["content"].is_null() {
            assert_eq!(answer["ok"]["content"]["text"], "inside");
        }
    }
    assert!(refused > 0, "the link was never met");
    assert_eq!(world.real.secret(), OUTSIDE);

    // Control: by name, the same reading gets at the secret.
    let stop = AtomicBool::new(false);
    let got = std::thread::scope(|scope| {
        scope.spawn(|| swap(&world.twin.root, &stop));
        let started = Instant::now();
        let mut got = false;
        while !got && started.elapsed() < Duration::from_secs(20) {
            got = std::fs::read_to_string(world.twin.root.join("sub/secret")).is_ok_and(|text| text == OUTSIDE);
        }
        stop.store(true, Ordering::Relaxed);
        got
    });
    assert!(got, "the attack is none");
}
