//! What a killed process leaves behind is never used, and is cleared away.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use crate::bed::{Bed, NONE, VALIDATOR, name, plugin};
use crate::processes::{child, child_role};

/// What a step is called, and what it leaves.
type Step<'a> = (&'a str, &'a dyn Fn(&Bed));

#[test]
fn what_is_left_at_every_step_is_never_used() {
    let (old, new) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"));
    let private = |path: &std::path::Path, bytes: &[u8]| {
        std::fs::write(path, bytes).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    // What an install of `new` over `old` (or over nothing) has written by the time it dies.
    let steps: [Step<'_>; 6] = [
        ("half of the bytes", &|bed| {
            private(&bed.store().join(".incoming"), &new[..new.len() / 2]);
        }),
        ("all of the bytes", &|bed| private(&bed.store().join(".incoming"), &new)),
        ("the bytes in their place", &|bed| private(&bed.stored(&new), &new)),
        ("an empty record", &|bed| {
            private(&bed.stored(&new), &new);
            private(&bed.records().join(".incoming"), b"");
        }),
        ("half of a record", &|bed| {
            private(&bed.stored(&new), &new);
            private(&bed.records().join(".incoming"), b"format = 1\nname = \"x\"\ndig");
        }),
        ("bytes in their place that never reached the disk", &|bed| {
            private(&bed.stored(&new), &vec![0; new.len()]);
        }),
    ];
    for (step, leave) in steps {
        for installed_before in [false, true] {
            let bed = Bed::new();
            bed.add(&old, if installed_before { "x" } else { "other" }, NONE)
                .unwrap();
            leave(&bed);
            let installed = bed.installed();
            let found = installed.find(&name("x")).unwrap();
            assert_eq!(
                found.map(|f| f.bytes.into_bytes()),
                installed_before.then(|| old.clone()),
                "{step}"
            );
            assert_eq!(installed.list().unwrap().plugins.len(), 1, "{step}");
            assert!(installed.list().unwrap().strays.is_empty(), "{step}");
            // The next command finishes it.
            bed.add(&new, "x", NONE).unwrap();
            assert_eq!(
                installed.find(&name("x")).unwrap().unwrap().bytes.bytes(),
                new,
                "{step}"
            );
            let kept = if installed_before { 2 } else { 3 };
            assert_eq!(Bed::names(&bed.store()).len(), kept, "{step}");
            // Or clears it away.
            leave(&bed);
            installed.remove(&name("x")).unwrap();
            let left = Bed::names(&bed.store()).len();
            assert_eq!(left, if installed_before { 1 } else { 2 }, "{step}");
            assert!(!Bed::names(&bed.records()).contains(&".incoming".to_owned()), "{step}");
        }
    }
}

/// Large, so that writing takes most of the time.
fn large() -> [Vec<u8>; 3] {
    ["1", "2", "3"].map(|mark| plugin(VALIDATOR, &mark.repeat(4 << 20)))
}

/// Adds, replaces and removes until it is killed.
#[test]
fn child_never_ends() {
    let Some(root) = child_role("forever") else { return };
    let bed = Bed::at(&root);
    let plugins = large();
    std::fs::write(root.join("ready"), "").unwrap();
    for round in 0_usize.. {
        bed.add(&plugins[round % 3], "x", NONE).unwrap();
        bed.add(&plugins[round % 2], "y", NONE).unwrap();
        if round.is_multiple_of(3) {
            bed.installed().remove(&name("y")).unwrap();
        }
    }
}

#[test]
fn a_process_that_is_killed_leaves_all_or_nothing() {
    let plugins = large();
    let bed = Bed::new();
    let ready = bed.root().join("ready");
    let (mut met, mut interrupted) = (0, 0);
    for round in 0..15_u64 {
        let mut process = child("interrupted::child_never_ends", "forever", bed.root())
            .spawn()
            .unwrap();
        while !ready.exists() {
            assert!(process.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        let left = |folder: std::path::PathBuf| folder.join(".incoming").exists();
        if round.is_multiple_of(3) {
            // Anywhere in its work.
            std::thread::sleep(Duration::from_millis(17 * round % 90));
        } else {
            // While it writes.
            let folder = if round % 3 == 1 { bed.store() } else { bed.records() };
            while !left(folder.clone()) {
                std::thread::yield_now();
            }
        }
        process.kill().unwrap();
        assert!(!process.wait().unwrap().success());
        std::fs::remove_file(&ready).unwrap();
        interrupted += u32::from(left(bed.store()) || left(bed.records()));

        let installed = bed.installed();
        for listed in installed.list().unwrap().plugins {
            let record = listed.record.unwrap();
            let found = installed.find(&listed.name).unwrap().unwrap();
            assert_eq!(found.record, record);
            assert!(plugins.iter().any(|p| p == found.bytes.bytes()));
            met += 1;
        }
        // The lock died with its holder, and the next change leaves no garbage.
        bed.add(&plugins[0], "z", NONE).unwrap();
        installed.remove(&name("z")).unwrap();
        let listing = installed.list().unwrap();
        let named = listing.plugins.iter().map(|p| p.record.as_ref().unwrap().digest.hex());
        let named: BTreeSet<String> = named.map(|hex| format!("{hex}.wasm")).collect();
        let stored = Bed::names(&bed.store()).into_iter().filter(|n| n != ".lock");
        assert_eq!(stored.collect::<BTreeSet<_>>(), named);
        assert!(!Bed::names(&bed.records()).contains(&".incoming".to_owned()));
    }
    assert!(
        met > 5 && interrupted > 0,
        "the processes got to work: {met}, {interrupted}"
    );
}
