//! 10,000 files of 1 KB in 100 folders: applied with the journal, beside written plainly with one sync for each folder. The figure to hold: no
//! more than twice as long. Both work in cargo's target folder, so that it is a disk that is measured and not memory.
//!
//! `cargo bench -p snodo-workspace --bench apply`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)] // A benchmark that cannot go on ends; it makes its own folder.

use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use divan::Bencher;
use snodo_workspace::ambient::{open_private_dir, open_root};
use snodo_workspace::apply::apply;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, Content, Operation};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use tempfile::TempDir;

const FOLDERS: usize = 100;
const FILES: usize = 100;

fn main() {
    divan::main();
}

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn name(folder: usize, file: usize) -> String {
    format!("part{folder:02}/module{file:02}.rs")
}

fn text(mark: char) -> String {
    format!("{}\n", mark.to_string().repeat(1023))
}

/// What is in place already when existing files are changed.
fn fill(root: &Path) {
    for folder in 0..FOLDERS {
        std::fs::create_dir(root.join(format!("part{folder:02}"))).unwrap();
        for file in 0..FILES {
            std::fs::write(root.join(name(folder, file)), text('a')).unwrap();
        }
    }
    rustix::fs::syncfs(std::fs::File::open(root).unwrap()).unwrap();
}

fn plain(root: &Path) {
    for folder in 0..FOLDERS {
        let path = root.join(format!("part{folder:02}"));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..FILES {
            std::fs::write(root.join(name(folder, file)), text('b')).unwrap();
        }
        std::fs::File::open(&path).unwrap().sync_all().unwrap();
    }
}

struct Prepared {
    base: Arc<Base>,
    set: ChangeSet,
    journal: Dir,
    _root: TempDir,
    _state: TempDir,
}

fn prepared(existing: bool) -> Prepared {
    let (root, state) = (folder(), folder());
    if existing {
        fill(root.path());
    }
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let opened = Arc::new(open_root(root.path()).unwrap());
    let base = Arc::new(Base::new(
        opened,
        rules,
        FileLimits::standard(),
        SearchLimits::standard(),
    ));
    let overlay = Overlay::new(Arc::clone(&base), SubmitLimits::standard());
    let all = (0..FOLDERS).flat_map(|folder| (0..FILES).map(move |file| name(folder, file)));
    let operations = all.map(|path| Operation::Write {
        path,
        content: Content::Text(text('b')),
        executable: None,
    });
    overlay.submit(operations.collect()).unwrap();
    let set = ChangeSet::compute(&base, &overlay.entries()).unwrap();
    let journal = open_private_dir(&state.path().join("journal")).unwrap();
    Prepared {
        base,
        set,
        journal,
        _root: root,
        _state: state,
    }
}

#[divan::bench(args = [false, true], sample_count = 7, sample_size = 1)]
fn applied_with_a_journal(bencher: Bencher<'_, '_>, existing: bool) {
    bencher.with_inputs(|| prepared(existing)).bench_refs(|prepared| {
        apply(
            prepared.base.root(),
            &prepared.set,
            &prepared.journal,
            &Cancel::default(),
        )
        .unwrap()
    });
}

#[divan::bench(args = [false, true], sample_count = 7, sample_size = 1)]
fn written_plainly(bencher: Bencher<'_, '_>, existing: bool) {
    let made = || {
        let root = folder();
        if existing {
            fill(root.path());
        }
        root
    };
    bencher.with_inputs(made).bench_refs(|root| plain(root.path()));
}
