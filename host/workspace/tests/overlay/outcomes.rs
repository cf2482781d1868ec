//! The table of outcomes, row by row. Ids name the cases that real tools got wrong.

use snodo_workspace::capability::{EntryKind, Read as _, SubmitError, SubmitRefusal};
use snodo_workspace::overlay::OverlayEntry;
use snodo_workspace::path::PathRule;

use crate::world::{World, delete, executable, rename, write, write_as};

fn strings(paths: &[&str]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn b01_what_is_read_and_submitted_again_is_no_change() {
    let content = "a\r\nb\nc\r";
    let world = World::with(
        |root| std::fs::write(root.join("crlf"), content).unwrap(),
        snodo_workspace::limits::SubmitLimits::standard(),
    );
    let read = world.view.read_file("crlf").unwrap();
    assert_eq!(read.content.as_bytes(), content.as_bytes());
    let submission = world.submit([write("crlf", content), write("b", "B")]).unwrap();
    assert_eq!((submission.accepted, submission.pending), (2, 0));
    assert_eq!(submission.unchanged, strings(&["b", "crlf"]));
    assert!(submission.superseded.is_empty());
    // Through ranges as well, and what is read back is what was submitted.
    let lines = world.view.read_lines("crlf", 1, u64::MAX).unwrap();
    assert_eq!(lines.content.as_bytes(), content.as_bytes());
    let more = format!("{content}\nd");
    world.submit([write("crlf", &more)]).unwrap();
    assert_eq!(world.text("crlf").unwrap(), more);
    assert_eq!(
        std::fs::read_to_string(world.folder.path().join("crlf")).unwrap(),
        content,
        "nothing is written to the workspace"
    );
}

#[test]
fn b08_one_path_in_two_spellings_is_a_duplicate() {
    let world = World::new();
    for second in [
        write("f", "2"),
        write("a/../f", "2"),
        delete("f"),
        write(".//f", "2"),
        executable("f", true),
        rename("f", "g"),
        rename("a", "f"),
    ] {
        let (index, reason) = world.refused([write("other", "x"), write("./f", "1"), second]);
        assert_eq!(index, 2);
        assert_eq!(
            reason,
            SubmitRefusal::Duplicate {
                path: "f".to_owned(),
                first: 1,
                second: 2
            }
        );
    }
    let (_, reason) = world.refused([write("f//g", "1"), write("f/g", "2")]);
    assert_eq!(
        reason,
        SubmitRefusal::Duplicate {
            path: "f/g".to_owned(),
            first: 0,
            second: 1
        }
    );
    assert!(world.pending().is_empty());
}

#[test]
fn b08_over_calls_the_last_wins_and_the_earlier_is_superseded() {
    let world = World::new();
    assert!(
        world
            .submit([write("f", "1"), write("g", "1")])
            .unwrap()
            .superseded
            .is_empty()
    );
    let second = world.submit([write("./f", "2"), write("h", "2")]).unwrap();
    assert_eq!(second.superseded, strings(&["f"]));
    assert_eq!((second.accepted, second.pending), (2, 3));
    assert_eq!(world.text("f").as_deref(), Some("2"));
    let third = world.submit([delete("f")]).unwrap();
    assert_eq!(
        (third.superseded, third.unchanged, third.pending),
        (strings(&["f"]), strings(&["f"]), 2)
    );
}

#[test]
fn b09_folders_are_not_files_and_empty_files_are_files() {
    let world = World::new();
    let (_, reason) = world.refused([write("target.txt/", "x")]);
    assert!(matches!(reason, SubmitRefusal::BadPath(bad) if bad.rule == PathRule::TrailingSlash));
    let (_, reason) = world.refused([write("dir", "x")]);
    assert_eq!(
        reason,
        SubmitRefusal::WrongKind {
            path: "dir".to_owned(),
            kind: EntryKind::Directory
        }
    );
    let (_, reason) = world.refused([write("a/x", "x")]);
    assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "a"));
    let (_, reason) = world.refused([delete("dir")]);
    assert_eq!(
        reason,
        SubmitRefusal::WrongKind {
            path: "dir".to_owned(),
            kind: EntryKind::Directory
        }
    );
    world
        .submit([write("e.txt", ""), write("n.txt", "abc"), write("a", "")])
        .unwrap();
    assert_eq!(world.text("e.txt").as_deref(), Some(""));
    assert_eq!(world.view.read_file("n.txt").unwrap().size, 3);
    assert_eq!(world.text("a").as_deref(), Some(""));
}

#[test]
fn b09_files_and_folders_that_are_only_submitted_conflict_too() {
    let world = World::new();
    world.submit([write("new/deep/f", "1")]).unwrap();
    for folder in ["new", "new/deep"] {
        let (_, reason) = world.refused([write(folder, "x")]);
        assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "new/deep/f"));
        let (_, reason) = world.refused([delete(folder)]);
        assert_eq!(
            reason,
            SubmitRefusal::WrongKind {
                path: folder.to_owned(),
                kind: EntryKind::Directory
            }
        );
        let (_, reason) = world.refused([rename("a", folder)]);
        assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "new/deep/f"));
    }
    let (index, reason) = world.refused([write("g", "1"), write("g/x", "2")]);
    assert_eq!(index, 1);
    assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "g"));
    // Gone with its only file.
    world.submit([delete("new/deep/f")]).unwrap();
    world.submit([write("new", "now a file")]).unwrap();
    // A file of the base is in the way even when its deletion is pending; a folder of the base stays one.
    world.submit([delete("a"), delete("d/x")]).unwrap();
    let (_, reason) = world.refused([write("a/x", "x")]);
    assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "a"));
    let (_, reason) = world.refused([write("d", "x")]);
    assert_eq!(
        reason,
        SubmitRefusal::WrongKind {
            path: "d".to_owned(),
            kind: EntryKind::Directory
        }
    );
}

#[test]
fn b14_what_is_not_there_cannot_be_deleted() {
    let world = World::new();
    for missing in ["missing.txt", "sub/missing.txt", "a/x", "d/missing"] {
        let (index, reason) = world.refused([write("ok", "1"), delete(missing)]);
        assert_eq!((index, reason), (1, SubmitRefusal::NotFound(missing.to_owned())));
    }
    world.submit([delete("a")]).unwrap();
    for gone in [delete("a"), executable("a", true), rename("a", "z")] {
        assert_eq!(world.refused([gone]).1, SubmitRefusal::NotFound("a".to_owned()));
    }
    assert_eq!(world.text("a"), None);
    let again = world.submit([write("a", "A")]).unwrap();
    assert_eq!(
        (again.superseded, again.unchanged, again.pending),
        (strings(&["a"]), strings(&["a"]), 0)
    );
}

#[test]
fn one_refused_operation_refuses_the_call() {
    let world = World::new();
    world.submit([write("kept-out", "0"), rename("a", "moved")]).unwrap();
    let before = world.overlay.entries();
    let (index, reason) = world.refused([
        write("kept-out", "1"),
        write("a", "again"),
        rename("moved", "elsewhere"),
        delete("d/x"),
        write("kept/inside", "x"),
    ]);
    assert_eq!(index, 4);
    assert!(
        matches!(reason, SubmitRefusal::Refused(refusal) if refusal.path == "kept/inside" && refusal.rule.contains("`kept`"))
    );
    assert_eq!(world.overlay.entries(), before);
    // And nothing of it is left behind in what is counted or compared.
    world.submit([write("ELSEWHERE", "no twin was left")]).unwrap();
    assert_eq!(world.pending(), ["ELSEWHERE", "a", "kept-out", "moved"]);
}

#[test]
fn no_operation_is_no_change() {
    let submission = World::new().submit([]).unwrap();
    assert_eq!((submission.accepted, submission.pending), (0, 0));
    assert!(submission.superseded.is_empty() && submission.unchanged.is_empty());
}

#[test]
fn executable_bits_stay_unless_given() {
    let world = World::new();
    world
        .submit([
            write("b", "new"),
            write("a", "new"),
            write("n", "new"),
            write_as("m", "new", true),
        ])
        .unwrap();
    assert!(world.is_executable("b") && world.is_executable("m"));
    assert!(!world.is_executable("a") && !world.is_executable("n"));
    // The pending bit counts for the next call, and comes along in a move.
    world.submit([executable("a", true)]).unwrap();
    world.submit([write("a", "newer")]).unwrap();
    assert!(world.is_executable("a"));
    world.submit([rename("b", "c")]).unwrap();
    assert!(world.is_executable("c"));
    // Deleted and written again: as the base has it.
    world.submit([delete("dir/run.sh")]).unwrap();
    world.submit([write("dir/run.sh", "#!/bin/sh")]).unwrap();
    assert!(world.is_executable("dir/run.sh"));
    let same = world
        .submit([write_as("dir/k", "dk", false), executable("d/x", false)])
        .unwrap();
    assert_eq!(same.unchanged, strings(&["d/x", "dir/k"]));
    let bit = world.submit([executable("d/x", true)]).unwrap();
    assert!(bit.unchanged.is_empty() && world.is_executable("d/x"));
    let back = world.submit([executable("d/x", false)]).unwrap();
    assert_eq!(
        (back.unchanged, back.superseded),
        (strings(&["d/x"]), strings(&["d/x"]))
    );
}

#[test]
fn twins_that_differ_in_letter_case_only_are_refused() {
    let world = World::new();
    for (twin, with) in [
        ("A", "a"),
        ("DIR/new", "dir"),
        ("dir/K", "dir/k"),
        ("Dir", "dir"),
        ("dir/SUB/x", "dir/sub"),
        ("LINK", "link"),
        ("Pipe", "pipe"),
    ] {
        for operation in [write(twin, "x"), rename("b", twin)] {
            let (_, reason) = world.refused([operation]);
            assert!(
                matches!(&reason, SubmitRefusal::Conflict { with: found, .. } if found == with),
                "{twin}: {reason:?}"
            );
        }
    }
    world
        .submit([write("New/file", "1"), write("stra\u{df}e", "1")])
        .unwrap();
    for (twin, with) in [
        ("new/other", "New"),
        ("NEW", "New"),
        ("New/FILE", "New/file"),
        ("STRASSE", "stra\u{df}e"),
    ] {
        let (_, reason) = world.refused([write(twin, "x")]);
        assert!(
            matches!(&reason, SubmitRefusal::Conflict { with: found, .. } if found == with),
            "{twin}: {reason:?}"
        );
    }
    let (index, _) = world.refused([write("one", "1"), write("ONE", "2")]);
    assert_eq!(index, 1);
    // Not twins: other letters, decomposed and composed.
    world
        .submit([
            write("\u{e9}.txt", "1"),
            write("e\u{301}.txt", "2"),
            write("New/files", "x"),
        ])
        .unwrap();
    assert_eq!(world.text("\u{e9}.txt").as_deref(), Some("1"));
    assert_eq!(world.text("e\u{301}.txt").as_deref(), Some("2"));
    // A twin that goes is none.
    world.submit([delete("a"), write("A", "instead")]).unwrap();
    let (_, reason) = world.refused([write("a", "back")]);
    assert!(matches!(reason, SubmitRefusal::Conflict { with, .. } if with == "A"));
}

#[test]
fn files_are_moved() {
    let world = World::new();
    let moved = world.submit([rename("a", "b2")]).unwrap();
    assert_eq!((moved.accepted, moved.pending), (1, 2));
    assert_eq!((world.text("a"), world.text("b2").as_deref()), (None, Some("A")));
    // A chain keeps where the base had it; new content does too.
    let on = world.submit([rename("b2", "deep/c")]).unwrap();
    assert_eq!(
        (on.superseded, on.unchanged, on.pending),
        (strings(&["b2"]), strings(&["b2"]), 2)
    );
    world.submit([write("deep/c", "other")]).unwrap();
    assert_eq!(origin(&world, "deep/c").as_deref(), Some("a"));
    // Only in letter case.
    world.submit([rename("deep/c", "deep/C")]).unwrap();
    assert_eq!(origin(&world, "deep/C").as_deref(), Some("a"));
    world.submit([rename("d/x", "d/X")]).unwrap();
    assert_eq!((world.text("d/x"), world.text("d/X").as_deref()), (None, Some("dx")));
    // Back where it was, with the content of the base: no change.
    let back = world.submit([rename("d/X", "d/x")]).unwrap();
    assert_eq!(back.unchanged, strings(&["d/X", "d/x"]));
    // A file that is only pending moves without a trace.
    world.submit([write("n1", "n")]).unwrap();
    world.submit([rename("n1", "n2")]).unwrap();
    assert_eq!(origin(&world, "n2"), None);
    assert_eq!(world.pending(), ["a", "deep/C", "n2"]);
}

#[test]
fn a_place_that_is_filled_again_was_not_moved_from() {
    let world = World::new();
    world.submit([rename("a", "a2")]).unwrap();
    world.submit([write("a", "new")]).unwrap();
    assert_eq!(origin(&world, "a2"), None);
    // Two files that change places are two changed files.
    let world = World::new();
    world.submit([rename("a", "t")]).unwrap();
    world.submit([rename("b", "a")]).unwrap();
    world.submit([rename("t", "b")]).unwrap();
    assert_eq!(world.pending(), ["a", "b"]);
    assert_eq!(
        (world.text("a").as_deref(), world.text("b").as_deref()),
        (Some("B"), Some("A"))
    );
    assert_eq!((origin(&world, "a"), origin(&world, "b")), (None, None));
}

#[test]
fn a_move_has_to_fit() {
    let world = World::new();
    for to in ["b", "dir", "d/x", "a", "a/x", "link/x", "pipe/x", "pipe"] {
        assert!(
            matches!(
                world.refused([rename("a", to)]).1,
                SubmitRefusal::Conflict { .. } | SubmitRefusal::Symlink(_)
            ),
            "{to}"
        );
    }
    assert!(matches!(
        world.refused([rename("a", "link")]).1,
        SubmitRefusal::Symlink(_)
    ));
    assert!(matches!(
        world.refused([rename("link", "z")]).1,
        SubmitRefusal::Symlink(_)
    ));
    assert!(matches!(
        world.refused([rename("dangling", "z")]).1,
        SubmitRefusal::Symlink(_)
    ));
    assert!(matches!(
        world.refused([rename("dir", "z")]).1,
        SubmitRefusal::WrongKind {
            kind: EntryKind::Directory,
            ..
        }
    ));
    assert!(matches!(
        world.refused([rename("pipe", "z")]).1,
        SubmitRefusal::WrongKind {
            kind: EntryKind::Fifo,
            ..
        }
    ));
    assert!(matches!(
        world.refused([rename("none", "z")]).1,
        SubmitRefusal::NotFound(_)
    ));
    assert!(matches!(
        world.refused([rename("a", "kept/z")]).1,
        SubmitRefusal::Refused(_)
    ));
    assert!(matches!(
        world.refused([rename(".git/config", "z")]).1,
        SubmitRefusal::Refused(_)
    ));
    world.submit([write("p", "1")]).unwrap();
    assert!(matches!(
        world.refused([rename("a", "p")]).1,
        SubmitRefusal::Conflict { .. }
    ));
}

#[test]
fn a_file_that_may_not_be_read_cannot_come_into_view_by_a_move() {
    let world = World::with(
        |root| {
            std::fs::write(root.join(".env"), "SECRET").unwrap();
            std::fs::write(root.join(".gitignore"), "gen/\n").unwrap();
            std::fs::create_dir(root.join("gen")).unwrap();
            std::fs::write(root.join("gen/x"), "SECRET").unwrap();
        },
        snodo_workspace::limits::SubmitLimits::standard(),
    );
    for hidden in [".env", "gen/x"] {
        assert!(world.view.read_file(hidden).is_err());
        for operation in [rename(hidden, "shown"), executable(hidden, true)] {
            assert!(
                matches!(world.refused([operation]).1, SubmitRefusal::Refused(_)),
                "{hidden}"
            );
        }
        assert!(world.view.read_file(hidden).is_err());
    }
    let (_, reason) = world.refused([rename("gen/x", "shown")]);
    assert!(
        matches!(&reason, SubmitRefusal::Refused(refusal) if refusal.rule.starts_with(".gitignore:1 `gen/`")),
        "{reason:?}"
    );
    // What the coder wrote there itself, it may read and move.
    world.submit([write("gen/new", "mine")]).unwrap();
    assert_eq!(world.text("gen/new").as_deref(), Some("mine"));
    world.submit([rename("gen/new", "mine")]).unwrap();
}

#[test]
fn b06_links_are_deleted_and_nothing_else() {
    let world = World::new();
    for path in ["link", "dangling", "dirlink", "dirlink/k", "dirlink/new", "link/x"] {
        for operation in [
            write(path, "x"),
            executable(path, true),
            rename(path, "z"),
            rename("a", path),
        ] {
            let (_, reason) = world.refused([operation.clone()]);
            assert_eq!(reason, SubmitRefusal::Symlink(path.to_owned()), "{operation:?}");
        }
    }
    assert!(matches!(
        world.refused([delete("dirlink/k")]).1,
        SubmitRefusal::Symlink(_)
    ));
    world
        .submit([delete("link"), delete("dangling"), delete("dirlink")])
        .unwrap();
    assert_eq!(world.pending(), ["dangling", "dirlink", "link"]);
    assert!(
        world
            .overlay
            .entries()
            .values()
            .all(|entry| *entry == OverlayEntry::Deleted)
    );
    // A link does not become a file or a folder in the same run.
    assert_eq!(
        world.refused([write("link", "x")]).1,
        SubmitRefusal::Symlink("link".to_owned())
    );
    assert_eq!(
        world.refused([write("dirlink/x", "x")]).1,
        SubmitRefusal::Symlink("dirlink/x".to_owned())
    );
    assert_eq!(
        world.refused([delete("link")]).1,
        SubmitRefusal::NotFound("link".to_owned())
    );
    assert_eq!(world.text("a").as_deref(), Some("A"));
}

#[test]
fn what_is_submitted_is_taken_back() {
    let world = World::new();
    world
        .submit([write("n", "1"), delete("b"), rename("a", "a2"), write("d/x", "2")])
        .unwrap();
    let given = strings(&["./n", "b", "a2", "nothing", "dir"]);
    assert_eq!(world.overlay.withdraw(&given).unwrap(), ["a", "a2", "b", "n"]);
    assert_eq!(world.pending(), ["d/x"]);
    assert_eq!(world.text("a").as_deref(), Some("A"));
    // By the other end as well, and also when it was changed on the way.
    world.submit([rename("a", "a2")]).unwrap();
    world.submit([write("a2", "changed")]).unwrap();
    assert_eq!(world.overlay.withdraw(&strings(&["a"])).unwrap(), ["a", "a2"]);
    assert!(world.overlay.withdraw(&strings(&["a", "a2"])).unwrap().is_empty());
    // A twin that came in its place would stand beside it.
    world.submit([delete("a"), write("A", "x")]).unwrap();
    let error = world.overlay.withdraw(&strings(&["d/x", "a"])).unwrap_err();
    assert!(
        matches!(error, SubmitError::Rejected(rejected) if rejected.index == 1 && matches!(rejected.reason, SubmitRefusal::Conflict { .. }))
    );
    assert_eq!(world.pending(), ["A", "a", "d/x"]);
    assert_eq!(world.overlay.withdraw(&strings(&["a", "A"])).unwrap(), ["A", "a"]);
    let error = world.overlay.withdraw(&strings(&["d/x", "../x"])).unwrap_err();
    assert!(matches!(error, SubmitError::Rejected(rejected) if rejected.index == 1));
    assert_eq!(world.pending(), ["d/x"]);
}

fn origin(world: &World, path: &str) -> Option<String> {
    match world.overlay.entries().get(path) {
        Some(OverlayEntry::File { renamed_from, .. }) => renamed_from.as_ref().map(|from| from.as_str().to_owned()),
        other => panic!("{path}: {other:?}"),
    }
}
