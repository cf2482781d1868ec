//! A coder sees the base with its own submission on top.

use std::collections::BTreeMap;
use std::sync::Arc;

use snodo_workspace::capability::{EntryKind, ListQuery, SearchError, SkipReason, TextQuery};
use snodo_workspace::overlay::OverlayEntry;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::view::View;

use super::world::{
    World, everything, exact, gone, list, listed, literal, places, put, renamed, search, search_error, skipped, symbols,
};

fn tree() -> World {
    World::with(&[
        ("a.rs", "fn old() {}\n"),
        ("src/b.rs", "needle\n"),
        ("src/c.rs", "needle\n"),
        ("src/deep/d.rs", "needle\n"),
        ("lone/only.rs", "needle\n"),
    ])
}

#[test]
fn added_replaced_deleted_and_moved() {
    let world = tree();
    let coder = world.coder();
    coder.submit(vec![
        put("a.rs", "fn new() {}\nneedle\n"),
        put("new/folder/e.rs", "needle\n"),
        gone("src/b.rs"),
        renamed("src/c.rs", "src/c2.rs"),
        gone("lone/only.rs"),
    ]);
    let found = search(&coder.view, &literal("needle"));
    assert_eq!(
        places(&found),
        ["a.rs:2", "new/folder/e.rs:1", "src/c2.rs:1", "src/deep/d.rs:1"]
    );
    assert_eq!(found.files_searched, 4);
    let listing = list(&coder.view, &everything());
    assert_eq!(
        listed(&listing),
        [
            "a.rs",
            "lone",
            "new",
            "new/folder",
            "new/folder/e.rs",
            "src",
            "src/c2.rs",
            "src/deep",
            "src/deep/d.rs"
        ]
    );
    assert_eq!(listing.entries[0].size, 19);
    assert_eq!(symbols(&coder.view, "new").symbols.len(), 1);
    assert_eq!(symbols(&coder.view, "old").symbols.len(), 0);
    // The base is as it was.
    assert_eq!(places(&search(&world.view(), &literal("needle"))).len(), 4);
    assert_eq!(symbols(&world.view(), "old").symbols.len(), 1);
}

#[test]
fn below_a_folder_that_only_the_submission_has() {
    let world = tree();
    let coder = world.coder();
    coder.submit(vec![put("new/folder/e.rs", "needle\n"), put("new/f.rs", "x\n")]);
    for under in ["new", "new/folder", "new/folder/e.rs"] {
        let found = search(
            &coder.view,
            &TextQuery {
                under: under.to_owned(),
                ..literal("needle")
            },
        );
        assert_eq!(places(&found), ["new/folder/e.rs:1"], "{under}");
    }
    let query = ListQuery {
        under: "new".to_owned(),
        depth: Some(1),
        ..everything()
    };
    let listing = list(&coder.view, &query);
    assert_eq!(listed(&listing), ["new/f.rs", "new/folder"]);
    assert_eq!(listing.entries[1].kind, EntryKind::Directory);
    let query = TextQuery {
        under: "new".to_owned(),
        ..literal("needle")
    };
    assert_eq!(
        search_error(&world.view(), &query),
        SearchError::NotFound("new".to_owned())
    );
}

#[test]
fn what_is_deleted_is_not_there() {
    let world = tree();
    let coder = world.coder();
    coder.submit(vec![gone("src/b.rs")]);
    let query = TextQuery {
        under: "src/b.rs".to_owned(),
        ..literal("needle")
    };
    assert_eq!(
        search_error(&coder.view, &query),
        SearchError::NotFound("src/b.rs".to_owned())
    );
}

/// The overlay takes no such submission today; what it holds is shown as it is all the same.
#[test]
fn a_folder_takes_the_place_of_a_file() {
    let world = tree();
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    let file = OverlayEntry::File {
        bytes: Arc::from(&b"needle\n"[..]),
        executable: false,
        renamed_from: None,
    };
    let entries = BTreeMap::from([(path("a.rs"), OverlayEntry::Deleted), (path("a.rs/mod.rs"), file)]);
    let view = View::frozen(Arc::clone(world.view().base()), Arc::new(entries));
    let found = search(
        &view,
        &TextQuery {
            under: "a.rs".to_owned(),
            ..literal("needle")
        },
    );
    assert_eq!(places(&found), ["a.rs/mod.rs:1"]);
    assert_eq!(listed(&list(&view, &everything()))[..2], ["a.rs", "a.rs/mod.rs"]);
}

#[test]
fn what_was_submitted_is_judged_by_the_same_rules() {
    let world = World::with(&[(".gitignore", "gen/\n"), ("x", "needle\n")]);
    let coder = world.coder();
    coder.submit(vec![
        put("gen/a.txt", "needle\n"),
        put(".hidden/b.txt", "needle\n"),
        put("bin", "needle \0\n"),
    ]);
    let found = search(&coder.view, &literal("needle"));
    assert_eq!(places(&found), ["x:1"]);
    let count = |reason| skipped(&found.skipped, reason);
    // `.gitignore` is hidden too.
    assert_eq!(
        (
            count(SkipReason::Ignored),
            count(SkipReason::Hidden),
            count(SkipReason::Binary)
        ),
        (1, 2, 1)
    );
    // What a coder wrote itself it may see again.
    let found = search(
        &coder.view,
        &TextQuery {
            hidden: true,
            ignored: true,
            ..literal("needle")
        },
    );
    assert_eq!(places(&found), [".hidden/b.txt:1", "gen/a.txt:1", "x:1"]);
}

#[test]
fn a_frozen_view_does_not_see_what_comes_later() {
    let world = tree();
    let coder = world.coder();
    coder.submit(vec![put("n.rs", "needle\n")]);
    let frozen = View::frozen(Arc::clone(coder.view.base()), coder.view.entries());
    coder.submit(vec![put("m.rs", "needle\n"), gone("n.rs")]);
    assert_eq!(exact(search(&frozen, &literal("needle")).total), 5);
    assert!(places(&search(&frozen, &literal("needle"))).contains(&"n.rs:1".to_owned()));
    assert!(!places(&search(&coder.view, &literal("needle"))).contains(&"n.rs:1".to_owned()));
}
