//! 10,000 files of 1 KB in 100 folders: applied with the journal, beside written plainly with one sync for each folder. The figure to hold: no
//! more than twice as long. All work in cargo's target folder, so that it is a disk that is measured and not memory.
//!
//! There are two ways to write plainly over files that exist. Truncating loses the old content before the new one is there; a new file
//! beside the old one, renamed over it, loses neither, and makes and gives up an inode for each file as an apply does.
//!
//! Medians on an ext4 of its own in a file, with two processors. Four rounds while other work took both, in brackets how many times
//! as long the apply took; and one round while the machine was quiet, before there were threads.
//!
//! | | new files: applied | plainly | existing files: applied | truncated | beside and renamed |
//! |---|---|---|---|---|---|
//! | 1 | 0.82 s | 0.85 s (1.0) | 0.76 s | 0.97 s (0.8) | 0.90 s (0.8) |
//! | 2 | 0.67 s | 0.52 s (1.3) | 1.16 s | 0.81 s (1.4) | 1.12 s (1.0) |
//! | 3 | 0.65 s | 1.05 s (0.6) | 1.25 s | 1.40 s (0.9) | 1.52 s (0.8) |
//! | 4 | 0.74 s | 0.85 s (0.9) | 1.76 s | 0.95 s (1.9) | 1.83 s (1.0) |
//! | one thread | 0.56 s | 0.29 s (2.0) | 0.98 s | 0.44 s (2.2) | 0.69 s (1.4) |
//!
//! What an ext4 takes depends on what was deleted on it shortly before: for some minutes it does not use the inode of a deleted file
//! again, and looks at each such inode for each new file. After other runs of this, or next to whatever else clears up thousands of files, making
//! 10,000 files takes five seconds and more, however they are made; compare only what ran under the same circumstances.
//!
//! `cargo bench -p snodo-workspace --bench apply`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)] // A benchmark that cannot go on ends; it makes its own folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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

/// All folders of this run. Nothing is deleted before its end: for some minutes ext4 does not use the inode of a deleted file again, and
/// searches past all of them for each new file, so that one sample would pay for the clearing up after another.
static FOLDERS_MADE: Mutex<Vec<TempDir>> = Mutex::new(Vec::new());

fn main() {
    divan::main();
    made().clear();
}

fn made() -> std::sync::MutexGuard<'static, Vec<TempDir>> {
    FOLDERS_MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder() -> PathBuf {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().to_owned();
    made().push(folder);
    path
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
}

fn prepared(existing: bool) -> Prepared {
    let (root, state) = (folder(), folder());
    if existing {
        fill(&root);
    }
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let opened = Arc::new(open_root(&root).unwrap());
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
    let journal = open_private_dir(&state.join("journal")).unwrap();
    Prepared { base, set, journal }
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
            fill(&root);
        }
        root
    };
    bencher.with_inputs(made).bench_refs(|root| plain(root));
}

/// As an editor saves: the old file is there, whole, until the new one is.
fn beside_and_renamed(root: &Path) {
    for folder in 0..FOLDERS {
        let path = root.join(format!("part{folder:02}"));
        for file in 0..FILES {
            let (name, beside) = (root.join(name(folder, file)), path.join(format!("new{file:02}")));
            std::fs::write(&beside, text('b')).unwrap();
            std::fs::rename(beside, name).unwrap();
        }
        std::fs::File::open(&path).unwrap().sync_all().unwrap();
    }
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn written_beside_and_renamed(bencher: Bencher<'_, '_>) {
    let made = || {
        let root = folder();
        fill(&root);
        root
    };
    bencher.with_inputs(made).bench_refs(|root| beside_and_renamed(root));
}
