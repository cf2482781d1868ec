//! The one account of what changed.

use std::os::unix::fs::symlink;

use snodo_workspace::change::{ChangeKind, ChangeSet, FileChange};
use snodo_workspace::path::WorkspacePath;

use crate::world::{World, delete, executable, put, rename, write};

/// Path, kind, old path, lines added, lines deleted, binary.
type Row<'a> = (&'a str, ChangeKind, Option<&'a str>, u64, u64, bool);

fn shape(set: &ChangeSet) -> Vec<Row<'_>> {
    let row = |f: &'_ FileChange| (f.kind, f.added, f.deleted, f.binary);
    set.files
        .iter()
        .map(|f| {
            let (kind, added, deleted, binary) = row(f);
            (
                f.path.as_str(),
                kind,
                f.old_path.as_ref().map(WorkspacePath::as_str),
                added,
                deleted,
                binary,
            )
        })
        .collect()
}

#[test]
fn every_kind_is_told_apart_in_the_order_of_path_bytes() {
    let world = World::new(|root| {
        put(root, "changed", "1\n2\n3\n", 0o644);
        put(root, "mode", "x\n", 0o644);
        put(root, "moved", "same\n", 0o644);
        put(root, "moved-and-changed", "a\nb\nc\nd\n", 0o644);
        put(root, "gone", "1\n2", 0o644);
        put(root, "binary", b"\x00\x01", 0o644);
        put(root, "untouched", "u\n", 0o644);
        symlink("nowhere", root.join("link")).unwrap();
    });
    world.submit([
        write("changed", "1\ntwo\n3\n4\n"),
        executable("mode", true),
        rename("moved", "new/place"),
        rename("moved-and-changed", "new/other"),
        delete("gone"),
        delete("link"),
        write("binary", b"\x00\x02"),
        write("added", "1\n2\n3"),
        write("added-empty", ""),
        write("B", "upper\n"),
    ]);
    world.submit([write("new/other", "a\nb\nc\nD\n")]);
    let set = world.set();
    assert_eq!(
        shape(&set),
        [
            ("B", ChangeKind::Added, None, 1, 0, false),
            ("added", ChangeKind::Added, None, 3, 0, false),
            ("added-empty", ChangeKind::Added, None, 0, 0, false),
            ("binary", ChangeKind::Modified, None, 0, 0, true),
            ("changed", ChangeKind::Modified, None, 2, 1, false),
            ("gone", ChangeKind::Deleted, None, 0, 2, false),
            ("link", ChangeKind::Deleted, None, 0, 1, false),
            ("mode", ChangeKind::ModeChanged, None, 0, 0, false),
            ("new/other", ChangeKind::Renamed, Some("moved-and-changed"), 1, 1, false),
            ("new/place", ChangeKind::Renamed, Some("moved"), 0, 0, false),
        ]
    );
    let summary = set.summary();
    assert_eq!((summary.added, summary.deleted), (7, 5));
    let mode = summary.files.iter().find(|f| f.path == "mode").unwrap();
    assert_eq!((mode.executable_before, mode.executable_after), (false, true));
    assert_eq!((mode.size_before, mode.size_after), (Some(2), Some(2)));
    let link = set.files.iter().find(|f| f.path.as_str() == "link").unwrap();
    assert!(link.before.as_ref().unwrap().is_link());
}

#[test]
fn b01_what_equals_the_base_is_no_change() {
    let text = "a\r\nb\nc\r";
    let world = World::new(|root| put(root, "f", text, 0o755));
    world.submit([write("f", text)]);
    assert!(world.set().is_empty());
    assert!(world.set().to_patch().is_empty());
    // The control: one byte is.
    world.submit([write("f", format!("{text}\n"))]);
    let set = world.set();
    assert_eq!((set.files[0].added, set.files[0].deleted), (1, 1));
    assert!(set.files[0].after.as_ref().unwrap().executable);
}

#[test]
fn the_digest_tells_changes_apart_and_nothing_else() {
    let digest = |operations: Vec<_>| {
        let world = World::new(|root| {
            put(root, "a", "a\n", 0o644);
            put(root, "b", "b\n", 0o644);
        });
        for operation in operations {
            world.submit([operation]);
        }
        world.set().digest()
    };
    let one = digest(vec![write("a", "x\n"), delete("b")]);
    assert_eq!(one.len(), 64);
    assert_eq!(
        one,
        digest(vec![delete("b"), write("a", "y\n"), write("a", "x\n")]),
        "however it came about"
    );
    let others = [
        digest(vec![write("a", "x\n")]),
        digest(vec![write("a", "x"), delete("b")]),
        digest(vec![write("a", "x\n"), delete("b"), executable("a", true)]),
        digest(vec![rename("b", "c")]),
        digest(vec![delete("b"), write("c", "b\nc\n")]),
        digest(vec![]),
    ];
    for other in &others {
        assert_ne!(&one, other);
        assert_eq!(others.iter().filter(|o| *o == other).count(), 1);
    }
}

#[test]
fn files_that_govern_tests_are_named_with_the_reason() {
    let world = World::new(|root| {
        put(root, "tests/a.rs", "a\n", 0o644);
        put(root, "pkg/b_test.go", "b\n", 0o644);
        put(root, "src/contest.py", "c\n", 0o644);
    });
    world.submit([
        rename("tests/a.rs", "src/a.rs"),
        delete("pkg/b_test.go"),
        write("src/contest.py", "d\n"),
        write(".github/workflows/ci.yml", "on: push\n"),
    ]);
    let named: Vec<_> = world
        .set()
        .test_governing()
        .into_iter()
        .map(|t| (t.path, t.change, t.reason))
        .collect();
    assert_eq!(
        named,
        [
            (
                ".github/workflows/ci.yml".to_owned(),
                ChangeKind::Added,
                "it says what continuous integration runs".to_owned()
            ),
            (
                "pkg/b_test.go".to_owned(),
                ChangeKind::Deleted,
                "it is a Go test file".to_owned()
            ),
            (
                "src/a.rs".to_owned(),
                ChangeKind::Renamed,
                "it was moved from `tests/a.rs`: it is in a folder of tests".to_owned()
            ),
        ]
    );
}

#[test]
fn a_base_that_changed_since_it_was_submitted_has_no_account() {
    let world = World::new(|root| put(root, "f", "1\n", 0o644));
    world.submit([write("f", "2\n")]);
    std::fs::write(world.path("f"), "by hand\n").unwrap();
    let error = ChangeSet::compute(&world.base, &world.overlay.entries()).unwrap_err();
    assert_eq!(error.to_string(), "`f` changed while the run was going on");
    std::fs::remove_file(world.path("f")).unwrap();
    let error = ChangeSet::compute(&world.base, &world.overlay.entries()).unwrap_err();
    assert_eq!(error.to_string(), "`f` changed while the run was going on");
}
