//! `list-files`.

use std::fs;
use std::time::{Duration, Instant};

use snodo_workspace::capability::{Cancel, EntryKind, ListQuery, Read as _, ReadError, SkipReason};

use super::world::{World, everything, exact, list, list_error, listed, skipped};

fn tree() -> World {
    World::with(&[
        ("README.md", "four"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/deep/er/x.rs", ""),
        (".hidden", ""),
        (".github/workflows/w.yml", "on: push\n"),
        (".git/config", "[core]\n"),
        (".snodo/audit.log", "log\n"),
        (".snodo/protocol.yml", "name: p\n"),
        ("sub/.git/HEAD", "ref\n"),
        (".env", "SECRET=1\n"),
    ])
}

#[test]
fn everything_once_with_kind_and_size() {
    let listing = list(&tree().view(), &everything());
    let entries: Vec<_> = listing
        .entries
        .iter()
        .map(|e| (e.path.as_str(), e.kind == EntryKind::File, e.size))
        .collect();
    assert_eq!(
        entries,
        [
            (".github", false, 0),
            (".github/workflows", false, 0),
            (".github/workflows/w.yml", true, 9),
            (".hidden", true, 0),
            (".snodo", false, 0),
            (".snodo/protocol.yml", true, 8),
            ("README.md", true, 4),
            ("src", false, 0),
            ("src/deep", false, 0),
            ("src/deep/er", false, 0),
            ("src/deep/er/x.rs", true, 0),
            ("src/main.rs", true, 13),
            ("sub", false, 0),
        ]
    );
    // `.git`, `sub/.git`, `.env` and the log.
    assert_eq!(skipped(&listing.skipped, SkipReason::Refused), 4);
    assert_eq!((exact(listing.total), listing.truncated), (13, false));
}

#[test]
fn depth_counts_from_the_folder_asked_for() {
    let world = tree();
    let view = world.view();
    let at = |under: &str, depth| ListQuery {
        under: under.to_owned(),
        depth: Some(depth),
        limit: 100,
        ..ListQuery::default()
    };
    assert_eq!(listed(&list(&view, &at("", 1))), ["README.md", "src", "sub"]);
    assert_eq!(
        listed(&list(&view, &at("", 2))),
        ["README.md", "src", "src/deep", "src/main.rs", "sub"]
    );
    assert_eq!(listed(&list(&view, &at("src", 1))), ["src/deep", "src/main.rs"]);
    assert_eq!(
        listed(&list(&view, &at("src/deep/", 2))),
        ["src/deep/er", "src/deep/er/x.rs"]
    );
    assert!(matches!(list_error(&view, &at("", 0)), ReadError::BadParameter(p) if p.field == "depth"));
}

#[test]
fn a_glob_is_taken_from_the_folder_asked_for() {
    let world = tree();
    let view = world.view();
    let by = |under: &str, glob: &str| {
        let query = ListQuery {
            under: under.to_owned(),
            glob: Some(glob.to_owned()),
            ..everything()
        };
        listed(&list(&view, &query)).join(" ")
    };
    assert_eq!(by("", "*.md"), "README.md");
    assert_eq!(
        by("", "*.rs"),
        "",
        "`*` stops at `/`, and the glob is held against the whole path"
    );
    assert_eq!(by("", "**/*.rs"), "src/deep/er/x.rs src/main.rs");
    assert_eq!(by("src", "*.rs"), "src/main.rs");
    assert_eq!(by("src", "deep/*"), "src/deep/er");
    assert_eq!(by("src", "src/*"), "");
    assert_eq!(by("", "{src,sub}"), "src sub");
    let bad = ListQuery {
        glob: Some("[".to_owned()),
        ..everything()
    };
    assert!(matches!(list_error(&view, &bad), ReadError::BadParameter(p) if p.field == "glob"));
}

#[test]
fn a_limit_cuts_and_the_rest_is_counted() {
    let world = tree();
    let listing = list(
        &world.view(),
        &ListQuery {
            limit: 2,
            ..ListQuery::default()
        },
    );
    assert_eq!(listed(&listing), ["README.md", "src"]);
    assert_eq!((exact(listing.total), listing.truncated), (7, true));
    let counted = list(
        &world.view(),
        &ListQuery {
            limit: 0,
            ..ListQuery::default()
        },
    );
    assert_eq!(
        (listed(&counted).len(), exact(counted.total), counted.truncated),
        (0, 7, true)
    );
}

#[test]
fn what_is_no_folder() {
    let world = tree();
    world.link("src", "link");
    let view = world.view();
    let under = |under: &str| ListQuery {
        under: under.to_owned(),
        ..everything()
    };
    assert_eq!(
        list_error(&view, &under("README.md")),
        ReadError::WrongKind {
            path: "README.md".to_owned(),
            kind: EntryKind::File
        }
    );
    assert_eq!(
        list_error(&view, &under("none/at/all")),
        ReadError::NotFound("none/at/all".to_owned())
    );
    assert_eq!(list_error(&view, &under("link")), ReadError::Symlink("link".to_owned()));
    assert_eq!(
        list_error(&view, &under("link/deep")),
        ReadError::Symlink("link/deep".to_owned())
    );
    for refused in [".git", "sub/.git", ".GIT", "none/.git"] {
        assert!(matches!(list_error(&view, &under(refused)), ReadError::Refused(r) if r.path == refused));
    }
    assert!(matches!(list_error(&view, &under("..")), ReadError::BadPath(_)));
}

#[test]
fn an_empty_folder_is_listed_and_lists_nothing() {
    let world = World::new();
    assert_eq!(list(&world.view(), &everything()).entries, []);
    fs::create_dir(world.path("empty")).unwrap();
    assert_eq!(listed(&list(&world.view(), &everything())), ["empty"]);
}

/// A tree of 10,000 files, which takes a while to go through.
fn large() -> World {
    let world = World::with(&[]);
    for folder in 0..100 {
        let folder = world.path(&format!("part{folder:03}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..100 {
            fs::File::create(folder.join(format!("module{file:03}"))).unwrap();
        }
    }
    world
}

#[test]
fn a_listing_can_be_abandoned() {
    let world = large();
    let view = world.view();
    let query = everything();
    let start = Instant::now();
    assert_eq!(exact(list(&view, &query).total), 10_100);
    let whole = start.elapsed();

    // Before it begins.
    let cancel = Cancel::default();
    cancel.cancel();
    let start = Instant::now();
    assert_eq!(view.list_files(&query, &cancel), Err(ReadError::Cancelled));
    assert!(
        start.elapsed() < whole / 4,
        "it went through the tree: {:?}",
        start.elapsed()
    );

    // In the middle, from another thread. It may be too late for one that is quick, so several are tried.
    let abandoned = (0..20).any(|_| {
        let cancel = Cancel::default();
        let (answer, ended, cancelled) = std::thread::scope(|scope| {
            let flag = cancel.clone();
            let other = scope.spawn(move || {
                std::thread::sleep(whole / 4);
                flag.cancel();
                Instant::now()
            });
            let answer = view.list_files(&query, &cancel);
            (answer, Instant::now(), other.join().unwrap())
        });
        match answer {
            Err(ReadError::Cancelled) => {
                let late = ended.saturating_duration_since(cancelled);
                assert!(late < Duration::from_millis(500), "it went on for {late:?}");
                true
            }
            answer => {
                assert_eq!(exact(answer.unwrap().total), 10_100);
                false
            }
        }
    });
    assert!(abandoned, "no listing was abandoned");
    // Nothing is left of it: the next one is whole.
    assert_eq!(exact(list(&view, &query).total), 10_100);
}
