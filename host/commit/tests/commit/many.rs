//! Many files at once, and in a repository with many.

use std::time::{Duration, Instant};

use crate::need_git;
use crate::world::{World, delete, message, now, write};

/// Generous: a debug build on a machine that does other things as well.
const ENOUGH: Duration = Duration::from_mins(1);

#[test]
fn five_thousand_files_are_committed_in_time() {
    need_git!();
    let name = |n: usize| format!("folder {}/sub {}/file {n}", n % 17, n % 5);
    let world = World::new(|world| {
        for n in 0..5_000 {
            world.put(&name(n), format!("{n}\n"));
        }
    });
    let run = world.run();
    let committable = world.check().unwrap();
    let operations = (0..2_500)
        .map(|n| write(&name(n), format!("changed {n}\n")))
        .chain((2_500..3_000).map(|n| delete(&name(n))))
        .chain((5_000..7_000).map(|n| write(&name(n), format!("{n}\n"))));
    let change = run.submit_at_once(operations.collect());
    assert_eq!(change.files.len(), 5_000);
    let start = Instant::now();
    snodo_commit::check_change(&committable, &change).unwrap();
    let checked = start.elapsed();
    run.apply(&change);
    let start = Instant::now();
    snodo_commit::commit(&committable, &change, &message(), now()).unwrap();
    let committed = start.elapsed();
    eprintln!("5,000 files: checked in {checked:?}, committed in {committed:?}");
    assert!(checked + committed < ENOUGH, "{checked:?} {committed:?}");
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.status(), Vec::<String>::new());
    world.assert_sound();
}
