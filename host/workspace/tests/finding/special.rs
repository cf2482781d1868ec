//! Case C04 (links) and what of A07 and A16 concerns listing and searching: what is no file is named and never opened.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use snodo_workspace::capability::{EntryKind, SearchError, SkipReason, TextQuery};

use super::world::{
    World, everything, exact, list, list_error, listed, literal, places, search, search_error, skipped,
};

fn fifo(world: &World, path: &str) {
    mknodat(CWD, world.path(path), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}

#[test]
fn a07_special_files_are_listed_by_kind_and_passed_over_in_a_search() {
    let world = World::with(&[("ok.txt", "needle\n"), ("sub/ok.txt", "needle\n")]);
    fifo(&world, "p");
    fifo(&world, "sub/p");
    let _socket = UnixListener::bind(world.path("s")).unwrap();
    world.link("/dev/zero", "z");
    // Control: to open the FIFO as a file waits for somebody who writes.
    let fifo = world.path("p");
    let (sent, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || sent.send(fs::read(fifo)));
    assert!(received.recv_timeout(Duration::from_millis(200)).is_err());

    let start = Instant::now();
    let view = world.view();
    let found = search(&view, &literal("needle"));
    assert_eq!(places(&found), ["ok.txt:1", "sub/ok.txt:1"]);
    assert_eq!(
        (
            skipped(&found.skipped, SkipReason::Special),
            skipped(&found.skipped, SkipReason::Symlink)
        ),
        (3, 1)
    );
    let listing = list(&view, &everything());
    let kinds: Vec<_> = listing
        .entries
        .iter()
        .map(|e| (e.path.as_str(), e.kind, e.size))
        .collect();
    assert_eq!(
        kinds,
        [
            ("ok.txt", EntryKind::File, 7),
            ("p", EntryKind::Fifo, 0),
            ("s", EntryKind::Socket, 0),
            ("sub", EntryKind::Directory, 0),
            ("sub/ok.txt", EntryKind::File, 7),
            ("sub/p", EntryKind::Fifo, 0),
            ("z", EntryKind::Symlink, 0),
        ]
    );
    for (path, kind) in [("p", EntryKind::Fifo), ("s", EntryKind::Socket)] {
        let query = TextQuery {
            under: path.to_owned(),
            ..literal("needle")
        };
        assert_eq!(
            search_error(&view, &query),
            SearchError::WrongKind {
                path: path.to_owned(),
                kind
            }
        );
        assert!(matches!(
            list_error(&view, &snodo_workspace::capability::ListQuery { under: path.to_owned(), ..everything() }),
            snodo_workspace::capability::ReadError::WrongKind { kind: k, .. } if k == kind
        ));
    }
    assert!(start.elapsed() < Duration::from_secs(1));
    // Let the control's thread go.
    fs::write(world.path("p"), "").unwrap();
}

/// Case C04: loops end at once, and each real file is there once.
#[test]
fn c04_links_are_listed_once_and_never_followed() {
    let world = World::with(&[("a/b/f.txt", "needle\n")]);
    world.link("..", "a/b/loop");
    world.link("self", "self");
    world.link("y", "x");
    world.link("x", "y");
    world.link(".", "r");
    world.link("../out", "away");
    world.link("../out/secret", "secret");
    world.link("/", "slash");
    // Control: to follow them leads out of the root, and round and round.
    assert!(fs::read_to_string(world.path("secret")).unwrap().contains("OUTSIDE"));
    assert!(world.path("r/r/r/a/b/loop/b/loop/b/f.txt").is_file());

    let start = Instant::now();
    let view = world.view();
    let found = search(&view, &literal("needle"));
    assert_eq!(places(&found), ["a/b/f.txt:1"]);
    assert_eq!(skipped(&found.skipped, SkipReason::Symlink), 8);
    let listing = list(&view, &everything());
    assert_eq!(
        listed(&listing),
        [
            "a",
            "a/b",
            "a/b/f.txt",
            "a/b/loop",
            "away",
            "r",
            "secret",
            "self",
            "slash",
            "x",
            "y"
        ]
    );
    assert_eq!(
        listing.entries.iter().filter(|e| e.kind == EntryKind::Symlink).count(),
        8
    );
    assert!(start.elapsed() < Duration::from_secs(1));
    for under in ["r", "r/a", "away", "secret", "self", "a/b/loop"] {
        let query = TextQuery {
            under: under.to_owned(),
            ..literal("needle")
        };
        assert_eq!(search_error(&view, &query), SearchError::Symlink(under.to_owned()));
    }
}

#[test]
fn names_that_no_path_can_hold_are_counted() {
    let world = World::with(&[("ok.txt", "needle\n")]);
    for name in [&b"caf\xE9.txt"[..], b"a:b.txt", b"back\\slash.txt", b"nul", b"COM1.txt"] {
        fs::write(world.root().join(OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    fs::create_dir(world.root().join(OsStr::from_bytes(b"d\xFF"))).unwrap();
    fs::write(world.root().join(OsStr::from_bytes(b"d\xFF/f.txt")), "needle\n").unwrap();
    let found = search(&world.view(), &literal("needle"));
    assert_eq!(places(&found), ["ok.txt:1"]);
    assert_eq!(skipped(&found.skipped, SkipReason::Unreadable), 6);
    let listing = list(&world.view(), &everything());
    assert_eq!(listed(&listing), ["ok.txt"]);
    assert_eq!(skipped(&listing.skipped, SkipReason::Unreadable), 6);
}

#[test]
fn a_tree_deeper_than_any_path_ends_where_paths_end() {
    let world = World::new();
    // Made step by step, since no call takes so long a path.
    let mut dir = cap_std::fs::Dir::open_ambient_dir(world.root(), cap_std::ambient_authority()).unwrap();
    for _ in 0..300 {
        dir.write("f.txt", "needle\n").unwrap();
        dir.create_dir("d").unwrap();
        dir = dir.open_dir("d").unwrap();
    }
    let found = search(&world.view(), &literal("needle"));
    assert_eq!(exact(found.total), 128);
    assert_eq!(
        skipped(&found.skipped, SkipReason::Unreadable),
        2,
        "the file and the folder at the first step too deep"
    );
    let listing = list(&world.view(), &everything());
    assert_eq!(exact(listing.total), 256);
}

#[test]
fn what_may_not_be_opened_is_counted() {
    if rustix::process::geteuid().is_root() {
        // Nothing is closed to root.
        return;
    }
    let world = World::with(&[
        ("ok.txt", "needle\n"),
        ("closed.txt", "needle\n"),
        ("dir/f.txt", "needle\n"),
    ]);
    fs::set_permissions(world.path("closed.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(world.path("dir"), fs::Permissions::from_mode(0o000)).unwrap();
    let found = search(&world.view(), &literal("needle"));
    assert_eq!(places(&found), ["ok.txt:1"]);
    assert_eq!(skipped(&found.skipped, SkipReason::Unreadable), 2);
    let listing = list(&world.view(), &everything());
    assert_eq!(listed(&listing), ["closed.txt", "dir", "ok.txt"]);
    assert_eq!(skipped(&listing.skipped, SkipReason::Unreadable), 1);
    fs::set_permissions(world.path("dir"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Case A04 as far as a walk is concerned: a folder that becomes a link to outside while it is searched.
#[test]
fn a04_a_folder_that_is_swapped_for_a_link_during_the_walk_is_not_followed() {
    let world = World::with(&[("sub/secret", "inside\n"), ("f.txt", "needle\n")]);
    let (sub, kept, link) = (
        world.path("sub"),
        world.beside().join("kept"),
        world.beside().join("link"),
    );
    std::os::unix::fs::symlink("../out", &link).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                fs::rename(&sub, &kept).unwrap();
                fs::rename(&link, &sub).unwrap();
                // Control: now a path through `sub` leads outside.
                assert!(fs::read_to_string(sub.join("secret")).unwrap().contains("OUTSIDE"));
                fs::rename(&sub, &link).unwrap();
                fs::rename(&kept, &sub).unwrap();
            }
        });
        for _ in 0..500 {
            let view = world.view();
            assert_eq!(places(&search(&view, &literal("needle"))), ["f.txt:1"]);
            assert_eq!(places(&search(&view, &literal("OUTSIDE"))), [""; 0]);
            let under = TextQuery {
                under: "sub".to_owned(),
                ..literal("OUTSIDE")
            };
            match snodo_workspace::capability::Search::search_text(
                &view,
                &under,
                &snodo_workspace::capability::Cancel::default(),
            ) {
                Ok(found) => assert_eq!(found.matches, []),
                Err(
                    SearchError::Symlink(_)
                    | SearchError::NotFound(_)
                    | SearchError::WrongKind { .. }
                    | SearchError::Io(_),
                ) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
