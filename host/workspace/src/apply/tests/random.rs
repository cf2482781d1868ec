//! Any change of any small workspace, failing or dying at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::tree::{Tree, delete, rename, write};
use crate::apply::watch::{Moment, Watch};
use crate::apply::{Direction, apply_watched, recover};
use crate::base::Base;
use crate::capability::{Cancel, Operation};
use crate::change::ChangeSet;
use crate::limits::{FileLimits, SearchLimits, SubmitLimits};
use crate::overlay::{Entries, Overlay, OverlayEntry};
use crate::rules::{AccessRules, DenyList, IgnoredReads};

/// Few names, so that operations meet.
const NAMES: &[&str] = &["a", "b", "x/a", "x/b", "x/y/a", "x/y/b", "z/a", "A"];

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(NAMES)
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => (name(), "[01]{0,2}").prop_map(|(n, t)| write(n, &t)),
        2 => name().prop_map(delete),
        3 => (name(), name()).prop_map(|(a, b)| rename(a, b)),
        1 => (name(), any::<bool>()).prop_map(|(n, x)| Operation::SetExecutable { path: n.to_owned(), executable: x }),
    ]
}

/// At a moment: an error, and perhaps nothing but errors from then on, as if the process had died.
struct Fails {
    at: usize,
    dies: bool,
    passed: AtomicUsize,
}

impl Watch for Fails {
    fn at(&self, _: Moment) -> io::Result<()> {
        let now = self.passed.fetch_add(1, Ordering::Relaxed);
        if now == self.at || (self.dies && now > self.at) {
            return Err(io::Error::other("fails"));
        }
        Ok(())
    }
}

/// Content and executable bit of each file, links and folders left out.
fn files(tree: &Tree) -> BTreeMap<String, (Vec<u8>, bool)> {
    let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
    tree.snapshot()
        .into_iter()
        .filter(|(_, (mode, _))| is_file(*mode))
        .map(|(path, (mode, content))| (path, (content, mode & 0o111 != 0)))
        .collect()
}

fn expected(before: &BTreeMap<String, (Vec<u8>, bool)>, entries: &Entries) -> BTreeMap<String, (Vec<u8>, bool)> {
    let mut after = before.clone();
    for (path, entry) in entries {
        match entry {
            OverlayEntry::Deleted => {
                after.remove(path.as_str());
            }
            OverlayEntry::File { bytes, executable, .. } => {
                after.insert(path.as_str().to_owned(), (bytes.to_vec(), *executable));
            }
        }
    }
    after
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_change_is_applied_whole_or_not_at_all(
        present in proptest::collection::btree_map(name(), ("[01]{0,2}", proptest::sample::select(vec![0o644_u32, 0o755, 0o600, 0o444])), 0..6),
        link in proptest::option::of(name()),
        operations in proptest::collection::vec(operation(), 0..10),
        at in 0_usize..120,
        dies in any::<bool>(),
    ) {
        let tree = Tree::empty();
        for (name, (text, mode)) in &present {
            tree.write(name, text);
            tree.chmod(name, *mode);
        }
        if let Some(name) = link.filter(|n| !present.contains_key(n)) {
            fs::create_dir_all(tree.path(name).parent().unwrap()).unwrap();
            symlink("nowhere", tree.path(name)).unwrap();
        }
        let root = tree.root();
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let base = Arc::new(Base::new(Arc::clone(&root), rules, FileLimits::standard(), SearchLimits::standard()));
        let overlay = Overlay::new(Arc::clone(&base), SubmitLimits::standard());
        for operation in operations {
            // A refusal is the overlay's business.
            let _ = overlay.submit(vec![operation]);
        }
        let entries = overlay.entries();
        let set = ChangeSet::compute(&base, &entries).unwrap();
        let (before, before_files) = (tree.snapshot(), files(&tree));
        let after_files = expected(&before_files, &entries);

        let watch = Fails { at, dies, passed: AtomicUsize::new(0) };
        let applied = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch);
        let recovered = recover(&root, &tree.journal()).unwrap();
        let is_applied = match (&applied, recovered.as_ref().map(|r| r.direction)) {
            (Ok(_), None | Some(Direction::Finished)) | (Err(_), Some(Direction::Finished)) => true,
            (Err(_), None | Some(Direction::Undone)) => false,
            (Ok(_), Some(Direction::Undone)) => panic!("what was said to be applied was undone"),
        };
        if is_applied {
            prop_assert_eq!(files(&tree), after_files);
            for (path, (mode, _)) in &before {
                // A file that is still there has its mode, but for the executable bits.
                if let (true, Ok(now)) = (mode & 0o170_000 == 0o100_000, fs::metadata(tree.path(path)))
                    && !set.files.iter().any(|f| f.path.as_str() == path && f.kind != crate::change::ChangeKind::Modified) {
                    prop_assert_eq!(now.mode() & !0o111, mode & !0o111);
                }
            }
        } else {
            prop_assert_eq!(tree.snapshot(), before);
        }
        prop_assert!(tree.state_files().is_empty());
        prop_assert!(tree.snapshot().keys().all(|path| !path.contains(".snodo-apply")));
    }
}
