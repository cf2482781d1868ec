//! What is outside, or has another name, stays as it is (cases A04, A08, B06).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use snodo_workspace::apply::{ApplyError, apply, recover};
use snodo_workspace::capability::Cancel;
use snodo_workspace::path::WorkspacePath;

use crate::world::{World, delete, executable, put, write};

#[test]
fn a08_the_other_names_of_a_file_keep_the_old_content() {
    let make = |root: &std::path::Path| {
        put(root, "../out/secret", "OUTSIDE", 0o644);
        fs::hard_link(root.join("../out/secret"), root.join("hl")).unwrap();
        fs::hard_link(root.join("../out/secret"), root.join("mode")).unwrap();
        put(root, "one", "two names\n", 0o644);
        fs::hard_link(root.join("one"), root.join("two")).unwrap();
    };
    let world = World::new(make);
    world.submit([
        write("hl", "INSIDE"),
        write("one", "changed\n"),
        executable("mode", true),
    ]);
    let applied = world.apply().unwrap();
    assert_eq!(world.text("hl"), "INSIDE");
    assert_eq!(fs::read_to_string(world.outside("out/secret")).unwrap(), "OUTSIDE");
    assert_eq!(fs::metadata(world.outside("out/secret")).unwrap().mode() & 0o777, 0o644);
    assert_eq!(
        (world.text("one").as_str(), world.text("two").as_str()),
        ("changed\n", "two names\n")
    );
    assert_eq!(
        applied.detached.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(),
        ["hl", "mode", "one"]
    );
    // The control: a write in place goes through to the outside.
    let world = World::new(make);
    fs::write(world.path("hl"), "INSIDE").unwrap();
    assert_eq!(fs::read_to_string(world.outside("out/secret")).unwrap(), "INSIDE");
}

#[test]
fn a08_deleting_one_name_leaves_the_others() {
    let world = World::new(|root| {
        put(root, "../out/secret", "OUTSIDE", 0o644);
        fs::hard_link(root.join("../out/secret"), root.join("hl")).unwrap();
    });
    world.submit([delete("hl")]);
    world.apply().unwrap();
    assert!(world.snapshot().is_empty());
    assert_eq!(fs::read_to_string(world.outside("out/secret")).unwrap(), "OUTSIDE");
}

/// A folder on the way became a link after the change was made: nothing is made, changed or removed through it.
#[test]
fn b06_a_parent_that_became_a_link_is_refused() {
    let make = |root: &std::path::Path| {
        put(root, "sub/f", "old\n", 0o644);
        put(root, "../out/f", "old\n", 0o644);
    };
    for operation in [
        write("sub/f", "new\n"),
        write("sub/new", "new\n"),
        delete("sub/f"),
        write("sub/deep/x", "new\n"),
    ] {
        let world = World::new(make);
        world.submit([operation]);
        let set = world.set();
        fs::rename(world.path("sub"), world.path("sub.real")).unwrap();
        symlink("../out", world.path("sub")).unwrap();
        let error = apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap_err();
        assert!(matches!(error, ApplyError::Stale { .. }), "{error}");
        assert_eq!(fs::read_dir(world.outside("out")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(world.outside("out/f")).unwrap(), "old\n");
    }
    // The control: by name it goes through.
    let world = World::new(make);
    fs::rename(world.path("sub"), world.path("sub.real")).unwrap();
    symlink("../out", world.path("sub")).unwrap();
    fs::write(world.path("sub/f"), "new\n").unwrap();
    assert_eq!(fs::read_to_string(world.outside("out/f")).unwrap(), "new\n");
}

/// The same while it is being applied: a loop swaps the folder for a link to the outside.
#[test]
fn a04_a_parent_that_is_swapped_during_the_apply_leads_nowhere() {
    let world = World::new(|root| {
        put(root, "sub/f", "old\n", 0o644);
        put(root, "../out/f", "OUTSIDE\n", 0o644);
        symlink("../out", root.join("evil")).unwrap();
    });
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (sub, evil) = (world.path("sub"), world.path("evil"));
                let _ = rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    &sub,
                    rustix::fs::CWD,
                    &evil,
                    rustix::fs::RenameFlags::EXCHANGE,
                );
            }
        });
        let journal = world.journal();
        for round in 0..300 {
            let submitted = world.overlay.submit(vec![
                write("sub/f", format!("{round}\n")),
                write(&format!("sub/n{round}"), "n\n"),
            ]);
            let Ok(set) = snodo_workspace::change::ChangeSet::compute(&world.base, &world.overlay.entries()) else {
                continue;
            };
            if submitted.is_ok() && apply(world.base.root(), &set, &journal, &Cancel::default()).is_ok() {
                break;
            }
            // An undo may have been in the way of the swap; it is taken up again.
            for _ in 0..100 {
                if recover(world.base.root(), &journal).is_ok() {
                    break;
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(world.outside("out/f")).unwrap(), "OUTSIDE\n");
    assert_eq!(fs::read_dir(world.outside("out")).unwrap().count(), 1);
    // The control: by name, whichever of the two it is, one of them leads outside.
    for name in ["sub/f", "evil/f"] {
        fs::write(world.path(name), "PWNED\n").unwrap();
    }
    assert_eq!(fs::read_to_string(world.outside("out/f")).unwrap(), "PWNED\n");
}
