//! Case C09: the same tree, the same bytes.

use std::fs;

use snodo_workspace::capability::{Cancel, Search as _, SymbolQuery, TextQuery};

use super::world::{World, everything, exact, list, listed, literal, places, search};

/// 2,000 files with a hit each, made in the given order.
fn tree(order: impl Iterator<Item = u32>) -> World {
    let world = World::new();
    for n in order {
        world.write(
            &format!("d{}/{}f{n}.rs", n % 37, ["", "a/", "a.b/", "a-b/"][(n % 4) as usize]),
            format!("fn hit() {{}} // {n}\n"),
        );
    }
    world
}

#[test]
fn c09_a_cap_cuts_the_same_whatever_the_threads_and_the_order_of_creation() {
    let forward = tree(0..2_000);
    let backward = tree((0..2_000).rev());
    let shuffled = tree((0..2_000).map(|n| (n * 773 + 11) % 2_000));
    let query = TextQuery {
        limit: 50,
        ..literal("hit")
    };
    let symbol = SymbolQuery {
        name: "hit".to_owned(),
        limit: 50,
        ..SymbolQuery::default()
    };

    // Control: the folders do not list their entries in one order.
    let raw = |world: &World| -> Vec<_> {
        fs::read_dir(world.path("d0"))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect()
    };
    let sorted = |mut names: Vec<std::ffi::OsString>| {
        names.sort();
        names
    };
    assert!(
        [&forward, &backward, &shuffled]
            .iter()
            .any(|world| raw(world) != sorted(raw(world)))
    );

    // What a plain walk gives, sorted by the bytes of whole paths.
    let mut all: Vec<String> = (0..2_000)
        .map(|n| format!("d{}/{}f{n}.rs:1", n % 37, ["", "a/", "a.b/", "a-b/"][n % 4]))
        .collect();
    all.sort_unstable();
    for world in [&forward, &backward, &shuffled] {
        let view = world.view();
        let first = search(&view, &query);
        assert_eq!(places(&first), all[..50]);
        assert_eq!(
            (exact(first.total), first.truncated, first.files_searched),
            (2_000, true, 2_000)
        );
        let first_symbols = view.search_symbol(&symbol, &Cancel::default()).unwrap();
        let first_list = list(
            &view,
            &snodo_workspace::capability::ListQuery {
                limit: 50,
                ..everything()
            },
        );
        for _ in 0..10 {
            assert_eq!(search(&world.view(), &query), first);
            assert_eq!(
                world.view().search_symbol(&symbol, &Cancel::default()).unwrap(),
                first_symbols
            );
            assert_eq!(
                list(
                    &world.view(),
                    &snodo_workspace::capability::ListQuery {
                        limit: 50,
                        ..everything()
                    }
                ),
                first_list
            );
        }
    }
    assert_eq!(search(&forward.view(), &query), search(&backward.view(), &query));
    assert_eq!(search(&forward.view(), &query), search(&shuffled.view(), &query));
}

#[test]
fn the_cap_is_exact() {
    let world = World::with(&[("a", "x\nx\nx\n"), ("b", "x\nx\n")]);
    let view = world.view();
    for (limit, expected, truncated) in [
        (0, vec![], true),
        (1, vec!["a:1"], true),
        (3, vec!["a:1", "a:2", "a:3"], true),
        (4, vec!["a:1", "a:2", "a:3", "b:1"], true),
        (5, vec!["a:1", "a:2", "a:3", "b:1", "b:2"], false),
        (u32::MAX, vec!["a:1", "a:2", "a:3", "b:1", "b:2"], false),
    ] {
        let found = search(&view, &TextQuery { limit, ..literal("x") });
        assert_eq!(
            (places(&found), found.truncated, exact(found.total)),
            (expected.iter().map(ToString::to_string).collect(), truncated, 5)
        );
    }
    assert!(
        !search(
            &view,
            &TextQuery {
                limit: 0,
                ..literal("none")
            }
        )
        .truncated
    );
}

#[test]
fn the_hosts_ceiling_holds_whatever_is_asked_for() {
    let world = World::new();
    world.write("a", "x\n".repeat(10_001));
    let found = search(
        &world.view(),
        &TextQuery {
            limit: u32::MAX,
            ..literal("x")
        },
    );
    assert_eq!(
        (found.matches.len(), found.truncated, exact(found.total)),
        (10_000, true, 10_001)
    );
}

#[test]
fn paths_are_in_the_order_of_their_bytes_not_folder_by_folder() {
    let world = World::with(
        &[("a/b", "x"), ("a-b", "x"), ("a.b", "x"), ("a0", "x"), ("a/", "")]
            .map(|(p, c)| if p == "a/" { ("a/é", c) } else { (p, c) }),
    );
    let listing = list(&world.view(), &everything());
    assert_eq!(listed(&listing), ["a", "a-b", "a.b", "a/b", "a/é", "a0"]);
    assert_eq!(
        places(&search(&world.view(), &literal("x"))),
        ["a-b:1", "a.b:1", "a/b:1", "a0:1"]
    );
}
