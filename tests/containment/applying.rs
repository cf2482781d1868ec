//! Signals while a change is applied (case F12).

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::script::steps;
use crate::support::tree::Tree;
use crate::world::{Place, World, submit};

const FILES: usize = 50;

fn old(place: &Place) {
    for n in 0..FILES {
        place.put(&format!("d{}/f{n}.txt", n % 5), format!("old {n}\n"));
    }
}

/// Writes all fifty, so that a half is seen.
fn change() -> String {
    let operations: Vec<Value> = (0..FILES)
        .map(|n| json!({ "write": format!("d{}/f{n}.txt", n % 5), "fill": 20_000 }))
        .collect();
    steps(json!([submit(operations.into())]))
}

/// How many of the files are new; and nothing else lies there.
#[track_caller]
fn applied(world: &World) -> usize {
    let mut new = 0;
    for n in 0..FILES {
        let text = world.real.read(&format!("d{}/f{n}.txt", n % 5));
        assert!(
            text == format!("old {n}\n") || text == "x".repeat(20_000),
            "{n}: {} bytes",
            text.len()
        );
        new += usize::from(text.len() == 20_000);
    }
    new
}

fn names(world: &World) -> Vec<String> {
    Tree::of(&world.real.root).0.into_keys().collect()
}

#[test]
fn f12_an_interrupt_at_any_moment_of_an_apply_leaves_all_or_nothing() {
    for (n, signal) in [Signal::INT, Signal::TERM, Signal::INT, Signal::TERM, Signal::INT]
        .into_iter()
        .enumerate()
    {
        let world = World::new(old);
        let before = names(&world);
        let mut running = world.start(&change());
        running.wait_for("applying 50 files");
        std::thread::sleep(Duration::from_millis(4 * n as u64));
        running.signal(signal);
        let (finished, took) = running.finish();
        assert!(took < Duration::from_secs(5), "{took:?}");
        let new = applied(&world);
        assert_eq!(names(&world), before, "something was left lying about");
        match finished.code {
            // It came too late: the change was in place.
            0 => assert_eq!(new, FILES),
            130 => {
                assert_eq!(new, 0);
                finished.ended(130, "environment_error", Some("interrupted"));
            }
            _ => panic!("{finished:#?}"),
        }
    }
}

#[test]
fn f12_after_a_kill_at_any_moment_the_next_start_undoes_or_finishes_and_says_which() {
    let mut said = 0;
    for n in 0..10 {
        let world = World::new(old);
        let before = names(&world);
        let mut running = world.start(&change());
        running.wait_for("applying 50 files");
        std::thread::sleep(Duration::from_millis(3 * n));
        running.signal(Signal::KILL);
        let _ = running.finish();
        let report = world.finish(&steps(json!([crate::world::read("ok.txt")]))).completed();
        let new = applied(&world);
        assert_eq!(names(&world), before, "something was left lying about");
        match report["recovered"].as_str() {
            Some(words) if words.contains("was undone") => assert_eq!(new, 0, "{words}"),
            Some(words) if words.contains("was finished") => assert_eq!(new, FILES, "{words}"),
            Some(words) => panic!("{words}"),
            None => assert!(new == 0 || new == FILES, "{new} of {FILES} and nothing said"),
        }
        said += usize::from(report["recovered"].is_string());
        // Said once.
        let report = world.finish(&steps(json!([crate::world::read("ok.txt")]))).completed();
        assert_eq!(report["recovered"], Value::Null);
    }
    assert!(said > 0, "no kill met an apply");
    // Control: writing by name has a moment at which half of it is there.
    let world = World::new(old);
    for n in 0..FILES / 2 {
        world.twin.put(&format!("d{}/f{n}.txt", n % 5), "x".repeat(20_000));
    }
    let new = (0..FILES)
        .filter(|n| world.twin.read(&format!("d{}/f{n}.txt", n % 5)).len() == 20_000)
        .count();
    assert_eq!(new, FILES / 2);
}
