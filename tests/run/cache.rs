//! Compiled plugins are kept, and only what the host itself put there is ever taken back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::finished::plugin;

/// A run of `mock` judged by `scope`: two plugins, of which each test compiles its own.
fn run(sandbox: &Sandbox) -> (Value, String) {
    let finished = sandbox.run(&[
        "anything",
        "--mock",
        "--dry-run",
        "--validator",
        "scope",
        "--set",
        "scope.paths=**",
    ]);
    let said = finished.stderr.clone();
    (finished.completed(), said)
}

fn compiled(report: &Value) -> Vec<bool> {
    ["mock", "scope"]
        .iter()
        .map(|name| plugin(report, name)["compiled"].as_bool().unwrap())
        .collect()
}

fn entries(sandbox: &Sandbox, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(sandbox.compiled())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    found.sort();
    found
}

#[test]
fn the_first_start_compiles_and_says_so_the_second_compiles_nothing() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let (report, said) = run(&sandbox);
    assert_eq!(compiled(&report), [true, true]);
    assert!(
        said.contains("compiling `mock` (") && said.contains("`mock` compiled in "),
        "{said}"
    );
    let (report, said) = run(&sandbox);
    assert_eq!(compiled(&report), [false, false]);
    assert!(!said.contains("compil"), "{said}");
}

#[test]
fn it_is_the_owners_alone_and_outside_of_any_workspace() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    run(&sandbox);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sandbox.compiled()), 0o700);
    let all = [entries(&sandbox, "cwasm"), entries(&sandbox, "seal")].concat();
    assert_eq!(all.len(), 4, "{all:?}");
    for entry in &all {
        assert_eq!(mode(entry), 0o600, "{}", entry.display());
    }
    assert_eq!(
        fs::read_dir(sandbox.compiled()).unwrap().count(),
        4,
        "nothing half-made is left"
    );
    let key = sandbox.state().join("compile-cache.key");
    assert_eq!((mode(&key), fs::read(&key).unwrap().len()), (0o600, 32));
    assert_eq!(mode(&sandbox.state()), 0o700);
}

/// Does something to every entry; the next run has to compile again, and the run after that not.
fn is_a_miss(harm: impl Fn(&Sandbox)) {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    run(&sandbox);
    harm(&sandbox);
    let (report, _) = run(&sandbox);
    assert_eq!(compiled(&report), [true, true]);
    let (report, _) = run(&sandbox);
    assert_eq!(compiled(&report), [false, false], "what was compiled anew is not kept");
}

#[test]
fn an_entry_with_one_bit_flipped_is_a_miss() {
    is_a_miss(|sandbox| {
        for entry in entries(sandbox, "cwasm") {
            let mut bytes = fs::read(&entry).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&entry, bytes).unwrap();
        }
    });
}

#[test]
fn a_truncated_or_empty_entry_is_a_miss() {
    is_a_miss(|sandbox| {
        for (n, entry) in entries(sandbox, "cwasm").iter().enumerate() {
            let length = entry.metadata().unwrap().len();
            let file = fs::OpenOptions::new().write(true).open(entry).unwrap();
            file.set_len(if n == 0 { 0 } else { length - 1 }).unwrap();
        }
    });
}

#[test]
fn an_entry_without_its_seal_or_with_that_of_another_is_a_miss() {
    is_a_miss(|sandbox| {
        let seals = entries(sandbox, "seal");
        fs::copy(&seals[0], sandbox.path().join("kept")).unwrap();
        fs::copy(&seals[1], &seals[0]).unwrap();
        fs::copy(sandbox.path().join("kept"), &seals[1]).unwrap();
    });
    is_a_miss(|sandbox| {
        for seal in entries(sandbox, "seal") {
            fs::remove_file(seal).unwrap();
        }
    });
}

#[test]
fn an_entry_that_stands_under_the_name_of_another_is_a_miss() {
    is_a_miss(|sandbox| {
        for ending in ["cwasm", "seal"] {
            let both = entries(sandbox, ending);
            fs::copy(&both[0], sandbox.path().join("kept")).unwrap();
            fs::copy(&both[1], &both[0]).unwrap();
            fs::copy(sandbox.path().join("kept"), &both[1]).unwrap();
        }
    });
}

#[test]
fn an_entry_that_others_can_read_or_that_is_a_link_is_a_miss() {
    is_a_miss(|sandbox| {
        for entry in entries(sandbox, "cwasm") {
            fs::set_permissions(entry, fs::Permissions::from_mode(0o644)).unwrap();
        }
    });
    is_a_miss(|sandbox| {
        for (n, entry) in entries(sandbox, "cwasm").iter().enumerate() {
            let moved = sandbox.path().join(format!("moved-{n}"));
            fs::rename(entry, &moved).unwrap();
            std::os::unix::fs::symlink(&moved, entry).unwrap();
        }
    });
}

#[test]
fn a_whole_cache_of_somebody_elses_is_a_miss() {
    let theirs = Sandbox::new().with_cache_of_its_own();
    run(&theirs);
    is_a_miss(|sandbox| {
        for ending in ["cwasm", "seal"] {
            for entry in entries(&theirs, ending) {
                fs::copy(&entry, sandbox.compiled().join(entry.file_name().unwrap())).unwrap();
            }
        }
    });
}

#[test]
fn another_key_makes_every_entry_a_miss() {
    is_a_miss(|sandbox| fs::write(sandbox.state().join("compile-cache.key"), [7; 32]).unwrap());
}

#[test]
fn without_a_cache_the_run_goes_on_and_compiles_every_time() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    fs::write(sandbox.path().join("cache"), "a file is in the way").unwrap();
    for _ in 0..2 {
        let (report, said) = run(&sandbox);
        assert_eq!(compiled(&report), [true, true]);
        assert!(said.contains("compiled plugins are not kept"), "{said}");
    }
}

#[test]
fn precompiled_code_is_no_plugin() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    run(&sandbox);
    let code = entries(&sandbox, "cwasm").remove(0);
    for name in ["plugin.cwasm", "plugin.wasm"] {
        let copy = sandbox.path().join(name);
        fs::copy(&code, &copy).unwrap();
        let why = sandbox.run(&["anything", "--coder", copy.to_str().unwrap()]).refused();
        assert!(
            why.contains("precompiled native code (`.cwasm`)") || why.contains("has a name"),
            "{why}"
        );
        assert!(why.lines().count() <= 3, "{why}");
    }
}
