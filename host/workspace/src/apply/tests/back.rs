//! A change that was kept as data, applied from there, and taken back by its inverse: also when that dies at any of its moments.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tree::{Amount, Tree, delete, write};
use crate::apply::watch::{Moment, Unwatched, Watch};
use crate::apply::{ApplyError, Difference, Direction, Manner, apply, apply_in, apply_in_watched, recover};
use crate::capability::Cancel;
use crate::change::{ChangeSet, Inverse, KeptError, KeptFile};

struct DiesAt {
    number: usize,
    passed: AtomicUsize,
}

impl Watch for DiesAt {
    fn at(&self, _: Moment) -> io::Result<()> {
        if self.passed.fetch_add(1, Ordering::Relaxed) >= self.number {
            return Err(io::Error::other("dead"));
        }
        Ok(())
    }
}

fn manner(inverse: &Inverse) -> Manner {
    Manner {
        exact: true,
        made: inverse.made.clone(),
        keep_folders: false,
    }
}

fn read_back(kept: &[KeptFile], digest: &str, contents: &BTreeMap<String, Arc<[u8]>>) -> Result<ChangeSet, KeptError> {
    ChangeSet::from_kept(kept, digest, |hash, _| {
        contents.get(hash).cloned().ok_or_else(|| "is missing".to_owned())
    })
}

#[test]
fn what_was_kept_is_the_same_change_and_can_be_taken_back() {
    let tree = Tree::filled(Amount::Few);
    let before = tree.snapshot();
    let (root, set) = tree.change(Amount::Few.operations());
    let text = serde_json::to_string(&set.to_kept()).unwrap();
    let kept: Vec<KeptFile> = serde_json::from_str(&text).unwrap();
    let again = read_back(&kept, &set.digest(), &set.contents()).unwrap();
    assert_eq!(
        again
            .files
            .iter()
            .map(|f| (&f.path, f.kind, &f.after))
            .collect::<Vec<_>>(),
        set.files
            .iter()
            .map(|f| (&f.path, f.kind, &f.after))
            .collect::<Vec<_>>()
    );
    let exact = Manner {
        exact: true,
        ..Manner::default()
    };
    apply_in(&root, &again, &tree.journal(), &Cancel::default(), &exact).unwrap();
    assert_ne!(tree.snapshot(), before);
    let inverse = again.inverse();
    assert!(!inverse.made.is_empty());
    apply_in(
        &root,
        &inverse.set,
        &tree.journal(),
        &Cancel::default(),
        &manner(&inverse),
    )
    .unwrap();
    // Modes, the link, and the file that only its owner could read too.
    assert_eq!(tree.snapshot(), before);
    assert!(tree.state_files().is_empty());
}

#[test]
fn what_dies_while_it_is_taken_back_is_recovered_whole() {
    let moments = {
        let (tree, root, inverse) = applied();
        let counted = DiesAt {
            number: usize::MAX,
            passed: AtomicUsize::new(0),
        };
        back(&tree, &root, &inverse, &counted).unwrap();
        counted.passed.load(Ordering::Relaxed)
    };
    assert!(moments > 100, "{moments}");
    let mut directions = Vec::new();
    for number in (0..moments).step_by(3) {
        let (tree, root, inverse) = applied();
        let after = tree.snapshot();
        let dies = DiesAt {
            number,
            passed: AtomicUsize::new(0),
        };
        let done = back(&tree, &root, &inverse, &dies);
        let recovered = recover(&root, &tree.journal()).unwrap().map(|r| r.direction);
        directions.extend(recovered);
        let is_back = done.is_ok() || recovered == Some(Direction::Finished);
        let expected = if is_back {
            Tree::filled(Amount::Few).snapshot()
        } else {
            after
        };
        assert!(tree.snapshot() == expected, "moment {number}: {recovered:?}");
    }
    assert!(directions.contains(&Direction::Undone) && directions.contains(&Direction::Finished));
}

fn applied() -> (Tree, Arc<crate::root::Root>, Inverse) {
    let tree = Tree::filled(Amount::Few);
    let (root, set) = tree.change(Amount::Few.operations());
    apply(&root, &set, &tree.journal(), &Cancel::default()).unwrap();
    (tree, root, set.inverse())
}

fn back(
    tree: &Tree,
    root: &crate::root::Root,
    inverse: &Inverse,
    watch: &dyn Watch,
) -> Result<crate::apply::Applied, ApplyError> {
    apply_in_watched(
        root,
        &inverse.set,
        &tree.journal(),
        &Cancel::default(),
        &manner(inverse),
        watch,
    )
}

#[test]
fn what_changed_since_is_not_taken_back() {
    type Edit = fn(&Tree);
    let edits: [(Edit, &str, Difference); 5] = [
        (
            |tree| tree.write("src/m3.rs", "mine\n"),
            "src/m3.rs",
            Difference::Changed,
        ),
        (
            |tree| std::fs::remove_file(tree.path("made/here/1.txt")).unwrap(),
            "made/here/1.txt",
            Difference::Gone,
        ),
        (
            |tree| tree.write("old/deep/d4.txt", "again\n"),
            "old/deep/d4.txt",
            Difference::Appeared,
        ),
        (|tree| tree.chmod("plain", 0o644), "plain", Difference::Mode),
        (
            |tree| std::os::unix::fs::symlink("x", tree.path("link")).unwrap(),
            "link",
            Difference::Appeared,
        ),
    ];
    for (edit, at, how) in edits {
        let (tree, root, inverse) = applied();
        edit(&tree);
        let edited = tree.snapshot();
        match back(&tree, &root, &inverse, &Unwatched) {
            Err(ApplyError::Stale { path, difference }) => assert_eq!((path.as_str(), difference), (at, how)),
            other => panic!("{at}: {other:?}"),
        }
        assert_eq!(tree.snapshot(), edited);
        assert!(tree.state_files().is_empty());
    }
}

#[test]
fn data_that_was_tampered_with_is_no_change() {
    let tree = Tree::filled(Amount::Few);
    let (_, set) = tree.change(vec![
        write("src/m1.rs", "new\n"),
        write("z/new", "n\n"),
        delete("name.txt"),
    ]);
    let (kept, contents, digest) = (set.to_kept(), set.contents(), set.digest());
    read_back(&kept, &digest, &contents).unwrap();
    let refused = |change: &dyn Fn(&mut Vec<KeptFile>)| {
        let mut changed = kept.clone();
        change(&mut changed);
        read_back(&changed, &digest, &contents).unwrap_err()
    };
    let set_path = |path: &'static str| move |kept: &mut Vec<KeptFile>| kept[2].path = path.to_owned();
    for path in ["../z", "/etc/z", "z/../../z", "z\0"] {
        assert!(matches!(refused(&set_path(path)), KeptError::Path(_)), "{path}");
    }
    for path in [".git/hooks/z", ".snodo/protocol.yml", "sub/.git/config"] {
        assert!(matches!(refused(&set_path(path)), KeptError::Protected(_)), "{path}");
    }
    assert!(matches!(refused(&set_path("./z/new")), KeptError::Order(_)));
    assert!(matches!(refused(&set_path("z/other")), KeptError::Digest { .. }));
    assert!(matches!(refused(&|kept| kept.swap(0, 1)), KeptError::Order(_)));
    assert!(matches!(
        refused(&|kept| {
            kept.pop();
        }),
        KeptError::Digest { .. }
    ));
    assert!(matches!(
        refused(&|kept| kept[2].kind = crate::change::ChangeKind::Modified),
        KeptError::Contradiction(_)
    ));
    assert!(matches!(
        refused(&|kept| kept[1].after = None),
        KeptError::Contradiction(_)
    ));
    assert!(matches!(
        refused(&|kept| kept[2].after.as_mut().unwrap().executable = true),
        KeptError::Digest { .. }
    ));
    assert!(matches!(
        refused(&|kept| kept[2].after.as_mut().unwrap().hash = "00".to_owned()),
        KeptError::Hash(_)
    ));
    let forged: BTreeMap<String, Arc<[u8]>> = contents
        .keys()
        .map(|hash| (hash.clone(), Arc::from(&b"x\n"[..])))
        .collect();
    assert!(matches!(
        read_back(&kept, &digest, &forged),
        Err(KeptError::Content { .. })
    ));
    assert!(matches!(
        read_back(&kept, &digest, &BTreeMap::new()),
        Err(KeptError::Content { .. })
    ));
}
