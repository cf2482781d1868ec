//! A workspace of 50,000 files (of 1 KB, in 500 folders) and a change of ten of them: what a scratch of each kind costs before a program can run in it,
//! and what the look at it afterwards costs. Works in cargo's target folder, so that it is a disk that is measured and not memory.
//!
//! `cargo bench -p snodo-workspace --bench scratch`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)] // A benchmark that cannot go on ends; it makes its own folder.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use cap_std::fs::Dir;
use divan::Bencher;
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, Content, Operation};
use snodo_workspace::limits::{FileLimits, ScratchLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::scratch::{Scratch, Snapshot, hidden, materialise, prepare_upper, written};
use snodo_workspace::view::View;
use tempfile::TempDir;

const FOLDERS: usize = 500;
const FILES: usize = 100;

fn main() {
    divan::main();
}

struct Workspace {
    _folder: TempDir,
    base: Arc<Base>,
    view: View,
}

static WORKSPACE: LazyLock<Workspace> = LazyLock::new(|| {
    let folder = folder();
    fill(folder.path());
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let root = Arc::new(open_root(folder.path()).unwrap());
    let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
    let overlay = Overlay::new(Arc::clone(&base), SubmitLimits::standard());
    let operations = (0..10).map(|i| Operation::Write {
        path: name(i * 40, i),
        content: Content::Text("changed\n".to_owned()),
        executable: None,
    });
    overlay.submit(operations.collect()).unwrap();
    let view = View::frozen(Arc::clone(&base), overlay.entries());
    Workspace {
        _folder: folder,
        base,
        view,
    }
});

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn name(folder: usize, file: usize) -> String {
    format!("area{:02}/part{folder:03}/module{file:02}.rs", folder % 20)
}

fn fill(root: &Path) {
    for folder in 0..FOLDERS {
        std::fs::create_dir_all(root.join(name(folder, 0)).parent().unwrap()).unwrap();
        for file in 0..FILES {
            std::fs::write(root.join(name(folder, file)), vec![b'a'; 1024]).unwrap();
        }
    }
    for file in [".env", "area00/.env.local", "area01/key.pem"] {
        std::fs::write(root.join(file), "secret").unwrap();
    }
}

fn empty() -> (TempDir, Dir) {
    let folder = folder();
    let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
    (folder, dir)
}

fn copied() -> (TempDir, Dir) {
    let (folder, dir) = empty();
    let (workspace, cancel) = (&*WORKSPACE, Cancel::default());
    let hidden = hidden(&workspace.base, &cancel).unwrap();
    materialise(&workspace.view, &hidden, &dir, ScratchLimits::standard(), &cancel).unwrap();
    (folder, dir)
}

/// The look for what is not to be shown, alone.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn hidden_walk(bencher: Bencher<'_, '_>) {
    let workspace = &*WORKSPACE;
    bencher.bench(|| hidden(&workspace.base, &Cancel::default()).unwrap());
}

/// That, and all that an upper layer needs.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn upper_layer(bencher: Bencher<'_, '_>) {
    let (workspace, cancel) = (&*WORKSPACE, Cancel::default());
    bencher.with_inputs(empty).bench_refs(|(_, dir)| {
        let hidden = hidden(&workspace.base, &cancel).unwrap();
        prepare_upper(&workspace.view, &hidden, dir, ScratchLimits::standard(), &cancel).unwrap();
        Snapshot::of_upper(dir, &cancel).unwrap()
    });
}

/// The same for a copy.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn copy(bencher: Bencher<'_, '_>) {
    let (workspace, cancel) = (&*WORKSPACE, Cancel::default());
    bencher.with_inputs(empty).bench_refs(|(_, dir)| {
        let hidden = hidden(&workspace.base, &cancel).unwrap();
        materialise(&workspace.view, &hidden, dir, ScratchLimits::standard(), &cancel).unwrap();
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn snapshot_of_a_copy(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(copied)
        .bench_refs(|(_, dir)| Snapshot::of_copy(dir, &Cancel::default()).unwrap());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn written_in_a_copy(bencher: Bencher<'_, '_>) {
    let (workspace, cancel) = (&*WORKSPACE, Cancel::default());
    let made = || {
        let (folder, dir) = copied();
        let before = Snapshot::of_copy(&dir, &cancel).unwrap();
        let hidden = hidden(&workspace.base, &cancel).unwrap();
        (folder, dir, before, hidden)
    };
    bencher.with_inputs(made).bench_refs(|(_, dir, before, hidden)| {
        written(&workspace.base, hidden, Scratch::Copy(dir), before, &cancel).unwrap()
    });
}
