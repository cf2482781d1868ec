//! No room left on the workspace's file system.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::machine::has_program;
use crate::support::script::steps;
use crate::support::tree::Tree;
use crate::support::{guest, skips};
use crate::world::{Place, World, submit};

const FILES: usize = 50;
const NEW: usize = 20_000;
/// Holds the old files, and no more than some of the new.
const SMALL: &str = "size=640k";
const LARGE: &str = "size=16m";

/// Says that this is the test's second process, which may mount.
const WITHIN: &str = "SNODO_TEST_MAY_MOUNT";

fn path(n: usize) -> String {
    format!("d{}/f{n}.txt", n % 5)
}

/// `mount` or `umount`.
fn call(program: &str, arguments: &[&str], folder: &Path) -> Result<(), String> {
    let out = Command::new(program).args(arguments).arg(folder).output();
    let out = out.map_err(|error| format!("{program}: {error}"))?;
    if out.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&out.stderr).into_owned())
}

/// Small file systems; they go before the folders that they lie on.
struct Mounted(Vec<PathBuf>);

impl Drop for Mounted {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = call("umount", &["--lazy"], folder);
        }
    }
}

/// Puts a small file system in the place of the workspace, with fifty files.
fn small(place: &Place) {
    call("mount", &["-t", "tmpfs", "-o", SMALL, "tmpfs"], &place.root).unwrap();
    place.put("ok.txt", "ok\n");
    for n in 0..FILES {
        place.put(&path(n), format!("old {n}\n"));
    }
}

#[test]
fn f12_a_change_that_the_disk_has_no_room_for_is_an_error_and_nothing_of_it_is_applied() {
    if std::env::var_os(WITHIN).is_some() {
        return within();
    }
    // Built with what this user may do; the other process finds it done.
    guest("guest_probe");
    if !has_program("unshare") || !has_program("mount") {
        return;
    }
    let space = ["--user", "--map-root-user", "--mount"];
    let try_it = tempfile::tempdir().unwrap();
    let tried = Command::new("unshare")
        .args(space)
        .args(["mount", "-t", "tmpfs", "-o", SMALL, "tmpfs"])
        .arg(try_it.path())
        .output()
        .unwrap();
    if !tried.status.success() {
        let why = String::from_utf8_lossy(&tried.stderr).trim().replace('\n', " ");
        return skips::program("unshare", &format!("no file system can be mounted: {why}"));
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let done = Command::new("unshare")
        .args(space)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        .env(WITHIN, "1")
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

/// The test itself, where mounting is allowed and nobody else sees it.
fn within() {
    let world = World::new(small);
    let _mounted = Mounted(vec![world.real.root.clone(), world.twin.root.clone()]);
    let operations: Vec<Value> = (0..FILES)
        .map(|n| json!({ "write": path(n), "fill": NEW }))
        .chain([
            json!({ "delete": "ok.txt" }),
            json!({ "write": "new/one.txt", "text": "new\n" }),
        ])
        .collect();
    let task = steps(json!([submit(operations.into())]));
    let before = Tree::of(&world.real.root);

    let report = world
        .finish(&task)
        .ended(4, "environment_error", Some("environment_error"));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("the disk is full") && reason.contains("nothing was applied"),
        "{reason}"
    );
    assert_eq!(report["applied"], false);
    // Byte for byte, the same inodes, and no temporary file.
    assert_eq!(before.differences(&Tree::of(&world.real.root)), [] as [&str; 0]);
    // Nothing is pending either: the next run has nothing to undo.
    let next = world.finish(&steps(json!([crate::world::read("ok.txt")]))).completed();
    assert_eq!(next["recovered"], Value::Null, "{next:#}");

    // Control: written by name, a part of it is new, one file is cut, and the error comes after that.
    let outcome = (0..FILES).try_for_each(|n| std::fs::write(world.twin.root.join(path(n)), "x".repeat(NEW)));
    assert_eq!(outcome.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    let lengths: Vec<usize> = (0..FILES).map(|n| world.twin.read(&path(n)).len()).collect();
    let new = lengths.iter().filter(|length| **length == NEW).count();
    let old = (0..FILES)
        .filter(|n| world.twin.read(&path(*n)) == format!("old {n}\n"))
        .count();
    assert!(new > 0 && old > 0 && new + old < FILES, "{lengths:?}");

    // And where there is room the very same change is applied.
    call("mount", &["-o", &format!("remount,{LARGE}")], &world.real.root).unwrap();
    assert_eq!(world.finish(&task).completed()["applied"], true);
    assert!((0..FILES).all(|n| world.real.read(&path(n)).len() == NEW));
    assert!(!world.real.exists("ok.txt") && world.real.exists("new/one.txt"));
}
