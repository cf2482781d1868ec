//! `read-file`, `read-lines` and `submit-files` in process. The figure to hold: a file of 1 KB is read in under 10 µs at the median.
//!
//! `cargo bench -p snodo-workspace --bench read`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)] // A benchmark that cannot go on ends; it makes its own folder.

use std::sync::Arc;

use divan::Bencher;
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Operation, Read as _};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

fn main() {
    divan::main();
}

struct World {
    _folder: tempfile::TempDir,
    base: Arc<Base>,
    view: View,
}

fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(folder.path().join(".gitignore"), "target/\n*.log\n/build\n").unwrap();
    for (name, line) in [("at-root.rs", 32), ("src/deep/file.rs", 32)] {
        std::fs::write(folder.path().join(name), format!("{}\n", "x".repeat(31)).repeat(line)).unwrap();
    }
    std::fs::write(deep.join("large.rs"), format!("{}\n", "x".repeat(79)).repeat(12_800)).unwrap();
    let rules = AccessRules::new(&["infra".to_owned()], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let base = Arc::new(Base::new(
        Arc::new(open_root(folder.path()).unwrap()),
        rules,
        FileLimits::standard(),
        SearchLimits::standard(),
    ));
    let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
    let view = View::with_overlay(Arc::clone(&base), overlay);
    World {
        _folder: folder,
        base,
        view,
    }
}

#[divan::bench(args = ["at-root.rs", "src/deep/file.rs", "src/deep/large.rs"])]
fn read_file(bencher: Bencher<'_, '_>, path: &str) {
    let world = world();
    bencher.bench(|| world.view.read_file(path).unwrap());
}

#[divan::bench]
fn read_lines_of_a_megabyte(bencher: Bencher<'_, '_>) {
    let world = world();
    bencher.bench(|| world.view.read_lines("src/deep/large.rs", 6_000, 6_020).unwrap());
}

#[divan::bench(args = [1, 100])]
fn submit_10_000_new_files(bencher: Bencher<'_, '_>, calls: usize) {
    let world = world();
    let batches = || {
        let operations = (0..10_000).map(|n| Operation::Write {
            path: format!("new/{}/{n}.rs", n % 100),
            content: Content::Text("x".repeat(1024)),
            executable: None,
        });
        let all: Vec<Operation> = operations.collect();
        let batches: Vec<Vec<Operation>> = all.chunks(10_000 / calls).map(<[Operation]>::to_vec).collect();
        (Overlay::new(Arc::clone(&world.base), SubmitLimits::standard()), batches)
    };
    bencher.with_inputs(batches).bench_values(|(overlay, batches)| {
        for batch in batches {
            overlay.submit(batch).unwrap();
        }
        overlay
    });
}
