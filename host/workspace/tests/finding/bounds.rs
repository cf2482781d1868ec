//! What a large tree costs.

use std::fs::File;
use std::time::{Duration, Instant};

use snodo_workspace::capability::{Cancel, EntryKind, Search as _, SearchError, SkipReason, SymbolQuery, TextQuery};
use snodo_workspace::limits::SearchLimits;

use super::world::{World, everything, exact, list, listed, literal, places, search, skipped};

/// Case A16: a file of 60 GB that takes no space on disk.
#[test]
fn a16_a_giant_file_is_named_and_not_read() {
    let world = World::with(&[("ok.txt", "needle\n")]);
    File::create(world.path("big")).unwrap().set_len(60 << 30).unwrap();
    File::create(world.path("zeros")).unwrap().set_len(15 << 20).unwrap();
    // Control: it has the size, and reading it to the end would take minutes.
    assert_eq!(std::fs::metadata(world.path("big")).unwrap().len(), 60 << 30);
    let start = Instant::now();
    let view = world.view();
    let found = search(&view, &literal("needle"));
    assert_eq!(places(&found), ["ok.txt:1"]);
    // What is mostly zeros shows a NUL at once.
    assert_eq!(skipped(&found.skipped, SkipReason::Binary), 2);
    let listing = list(&view, &everything());
    assert_eq!(listing.entries[0].size, 60 << 30);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_text_over_the_size_that_can_be_read_whole_is_counted() {
    let world = World::with(&[("ok.txt", "needle\n")]);
    world.write("large.txt", "needle and more\n".repeat((16 << 20) / 16 + 1));
    world.write("just.txt", "needle and more\n".repeat((16 << 20) / 16));
    let found = search(
        &world.view(),
        &TextQuery {
            limit: 1,
            ..literal("needle")
        },
    );
    assert_eq!(skipped(&found.skipped, SkipReason::TooLarge), 1);
    assert_eq!(exact(found.total), 1 + (1 << 20));
    assert_eq!(found.files_searched, 2);
}

/// Case C03: 30,000 files that nobody wants do not blow the answer, and do not hide that they are there.
#[test]
fn c03_thirty_thousand_ignored_files_count_as_one_folder() {
    let world = World::with(&[(".gitignore", "node_modules/\n"), ("src/a.js", "needle\n")]);
    for n in 0..30_000 {
        if n % 100 == 0 {
            std::fs::create_dir_all(world.path(&format!("node_modules/p{}", n / 100))).unwrap();
        }
        File::create(world.path(&format!("node_modules/p{}/i{n}.js", n / 100))).unwrap();
    }
    world.write("node_modules/p/i.js", "needle\n");
    let view = world.view();
    let start = Instant::now();
    let found = search(&view, &literal("needle"));
    assert_eq!(places(&found), ["src/a.js:1"]);
    assert_eq!(
        (skipped(&found.skipped, SkipReason::Ignored), found.files_searched),
        (1, 1)
    );
    let listing = list(&view, &everything());
    assert_eq!(listed(&listing), [".gitignore", "src", "src/a.js"]);
    assert!(start.elapsed() < Duration::from_secs(2));
    // Asked for, they are listed, up to the ceiling, and all counted.
    let asked = list(
        &view,
        &snodo_workspace::capability::ListQuery {
            ignored: true,
            ..everything()
        },
    );
    assert_eq!((asked.entries.len(), asked.truncated), (10_000, true));
    assert_eq!(exact(asked.total), 3 + 1 + 300 + 30_000 + 2);
    assert_eq!(asked.entries[1].kind, EntryKind::Directory);
}

/// The bounds are those that were given, and not the standard ones.
#[test]
fn the_bounds_are_what_the_host_gives() {
    let world = World::with(&[("a.rs", "fn needle() {} // 0123456789\n"), ("b.rs", "fn needle() {}\n")]);
    let view = world.view_within(SearchLimits {
        results: 1,
        answer_bytes: 4096,
        line_bytes: 10,
        context_lines: 0,
        pattern_bytes: 6,
    });
    let found = search(&view, &literal("needle"));
    assert_eq!(
        (places(&found), exact(found.total), found.truncated),
        (vec!["a.rs:1".to_owned()], 2, true)
    );
    assert!(found.matches[0].clipped && found.matches[0].text.len() == 10);
    assert_eq!(listed(&list(&view, &everything())), ["a.rs"]);
    let with_context = TextQuery {
        context_before: 1,
        ..literal("needle")
    };
    let named = SymbolQuery {
        name: "needles".to_owned(),
        limit: 10,
        ..SymbolQuery::default()
    };
    let cancel = Cancel::default();
    for error in [
        view.search_text(&with_context, &cancel).unwrap_err(),
        view.search_text(&literal("needles"), &cancel).unwrap_err(),
        view.search_symbol(&named, &cancel).unwrap_err(),
    ] {
        assert!(matches!(error, SearchError::BadParameter(_)), "{error}");
    }
}
