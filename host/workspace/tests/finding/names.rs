//! Case C06: paths are literal everywhere; only what is named a glob is one.

use snodo_workspace::capability::{ListQuery, TextQuery};

use super::world::{World, everything, list, listed, literal, places, search, symbols};

const NAMES: [&str; 14] = [
    "app/[id]/(group)/[[...slug]]/p.rs",
    "app/i/g/s/p.rs",
    "a*b/f.rs",
    "aXb/f.rs",
    "-f/f.rs",
    "~x/f.rs",
    "$HOME/f.rs",
    "%20/f.rs",
    "a b/c d.rs",
    "{a,b}/f.rs",
    "a\"b'c/f.rs",
    "!x/f.rs",
    "#x/f.rs",
    "tab\there/f.rs",
];

#[test]
fn c06_names_that_look_like_globs_are_names() {
    let files: Vec<_> = NAMES.iter().map(|name| (*name, "fn needle() {}\n")).collect();
    let world = World::with(&files);
    let view = world.view();
    let mut all: Vec<String> = NAMES.iter().map(|name| format!("{name}:1")).collect();
    all.sort_unstable();
    assert_eq!(places(&search(&view, &literal("needle"))), all);
    for name in NAMES {
        let folder = name.rsplit_once('/').unwrap().0;
        let found = search(
            &view,
            &TextQuery {
                under: folder.to_owned(),
                ..literal("needle")
            },
        );
        assert_eq!(places(&found), [format!("{name}:1")]);
        let found = search(
            &view,
            &TextQuery {
                under: name.to_owned(),
                ..literal("needle")
            },
        );
        assert_eq!(places(&found), [format!("{name}:1")]);
        assert_eq!(
            listed(&list(
                &view,
                &ListQuery {
                    under: folder.to_owned(),
                    ..everything()
                }
            )),
            [name]
        );
        assert_eq!(symbols(&view, "needle").symbols.len(), NAMES.len());
    }
    // Control: as a glob, the first name matches another file.
    let glob = ListQuery {
        glob: Some("a*b/*".to_owned()),
        ..everything()
    };
    assert_eq!(
        listed(&list(&view, &glob)),
        ["a b/c d.rs", "a\"b'c/f.rs", "a*b/f.rs", "aXb/f.rs"]
            .iter()
            .filter(|p| p.split('/').next().unwrap().ends_with('b'))
            .copied()
            .collect::<Vec<_>>()
    );
}

#[test]
fn a10_names_that_look_alike_are_different_files() {
    let world = World::with(&[
        ("a\u{202f}b.txt", "one"),
        ("a b.txt", "two"),
        ("\u{e9}.txt", "nfc"),
        ("e\u{301}.txt", "nfd"),
    ]);
    let view = world.view();
    assert_eq!(list(&view, &everything()).entries.len(), 4);
    for (under, content) in [
        ("a\u{202f}b.txt", "one"),
        ("a b.txt", "two"),
        ("\u{e9}.txt", "nfc"),
        ("e\u{301}.txt", "nfd"),
    ] {
        let found = search(
            &view,
            &TextQuery {
                under: under.to_owned(),
                ..literal(content)
            },
        );
        assert_eq!(found.matches.len(), 1, "{under}");
        assert_eq!(found.matches[0].path, under);
    }
}
