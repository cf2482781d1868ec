//! An apply whose steps fail: it undoes itself and says why.

use std::fs;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tree::{Tree, delete, fifty_operations, rename, write};
use crate::apply::watch::{Moment, Watch};
use crate::apply::{ApplyError, Difference, Direction, apply, apply_watched, recover};
use crate::capability::Cancel;

/// Does at each moment what a test wants.
pub(super) struct Doing<F: Fn(Moment) -> io::Result<()> + Sync>(pub(super) F);

impl<F: Fn(Moment) -> io::Result<()> + Sync> Watch for Doing<F> {
    fn at(&self, moment: Moment) -> io::Result<()> {
        (self.0)(moment)
    }
}

fn is_undo(moment: Moment) -> bool {
    matches!(
        moment,
        Moment::Undo(_) | Moment::UndoHalf(_) | Moment::Undone(_) | Moment::RemoveJournal
    )
}

/// A process that stops here, without undoing anything, as seen by the next one.
fn dies_at(tree: &Tree, operations: Vec<crate::capability::Operation>, moment: Moment) {
    let (root, set) = tree.change(operations);
    let watch = Doing(|now| {
        if now == moment || is_undo(now) {
            Err(io::Error::other("dies"))
        } else {
            Ok(())
        }
    });
    let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
    assert!(matches!(error, ApplyError::NotUndone { .. }), "{error}");
}

#[test]
fn a_full_disk_at_any_step_is_undone_and_named() {
    let moments = Mutex::new(Vec::new());
    let tree = Tree::empty();
    tree.fill();
    let before = tree.snapshot();
    let (root, set) = tree.change(fifty_operations());
    let record = Doing(|moment| {
        moments.lock().unwrap().push(moment);
        Ok(())
    });
    apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &record).unwrap();
    let can_fill_up = |m: &Moment| {
        matches!(
            m,
            Moment::JournalMade
                | Moment::JournalTorn
                | Moment::JournalSynced
                | Moment::Stage(_)
                | Moment::Made(_)
                | Moment::SyncStaged
                | Moment::Place(_)
                | Moment::Exchange(_)
                | Moment::SyncPlaced
        )
    };
    let all = moments.into_inner().unwrap();
    let last = all.iter().rposition(|m| *m == Moment::JournalSynced).unwrap();
    for at in (0..last).filter(|at| can_fill_up(&all[*at])) {
        let tree = Tree::empty();
        tree.fill();
        let (root, set) = tree.change(fifty_operations());
        let passed = AtomicUsize::new(0);
        let full = Doing(|_| {
            let now = passed.fetch_add(1, Ordering::Relaxed);
            if now == at {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        });
        let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &full).unwrap_err();
        assert!(matches!(error, ApplyError::DiskFull { .. }), "{:?}: {error}", all[at]);
        assert!(tree.snapshot() == before, "{:?}", all[at]);
        assert!(tree.state_files().is_empty(), "{:?}", all[at]);
    }
}

/// The last line of the journal is written, but its sync fails: nobody can know whether it is there. The undo has to hold either way, also
/// when it dies half-way.
#[test]
fn when_the_last_sync_of_the_journal_fails_all_is_undone() {
    let before = {
        let tree = Tree::empty();
        tree.fill();
        tree.snapshot()
    };
    for undo_dies in [None, Some(0), Some(20), Some(70)] {
        let tree = Tree::empty();
        tree.fill();
        let (root, set) = tree.change(fifty_operations());
        let (placed, undos) = (Mutex::new(false), AtomicUsize::new(0));
        let watch = Doing(|now| match now {
            Moment::SyncPlaced => {
                *placed.lock().unwrap() = true;
                Ok(())
            }
            Moment::JournalWritten if *placed.lock().unwrap() => Err(io::Error::other("the disk is gone")),
            Moment::Undo(_) if undo_dies == Some(undos.fetch_add(1, Ordering::Relaxed)) => {
                Err(io::Error::other("dies"))
            }
            _ => Ok(()),
        });
        let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
        assert_eq!(
            matches!(error, ApplyError::NotUndone { .. }),
            undo_dies.is_some(),
            "{error}"
        );
        let recovered = recover(&root, &tree.journal()).unwrap();
        assert_eq!(recovered.map(|r| r.direction), undo_dies.map(|_| Direction::Undone));
        assert!(tree.snapshot() == before, "{undo_dies:?}");
    }
}

/// Case B04: at no moment is a temporary file open to more than the file that it becomes, or replaces.
#[test]
fn b04_a_temporary_file_is_never_wider_than_its_target() {
    use std::os::unix::fs::PermissionsExt as _;
    let modes = [
        ("run.sh", 0o755),
        ("key", 0o600),
        ("ro.txt", 0o444),
        ("none", 0o400),
        ("odd", 0o4711),
    ];
    let tree = Tree::empty();
    for (name, mode) in modes {
        tree.write(name, "old\n");
        tree.chmod(name, mode);
    }
    let (root, set) = tree.change(modes.iter().map(|(name, _)| write(name, "new\n")).collect());
    // In the order of the steps: by path.
    let mut by_path = modes;
    by_path.sort_unstable();
    let seen = Mutex::new(0);
    let watch = Doing(|now| {
        if let Moment::Made(number) | Moment::Staged(number) = now {
            for entry in fs::read_dir(tree.path(""))? {
                let entry = entry?;
                let name = entry.file_name().into_string().unwrap();
                if name.ends_with(&format!("-{number}.new")) {
                    let mode = entry.metadata()?.permissions().mode() & 0o7777;
                    assert_eq!(mode & !by_path[number].1, 0, "{} {mode:o}", by_path[number].0);
                    *seen.lock().unwrap() += 1;
                }
            }
        }
        Ok(())
    });
    apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
    assert_eq!(*seen.lock().unwrap(), 2 * modes.len());
}

#[test]
fn a_stop_between_any_two_steps_is_undone() {
    for stop_at in [
        Moment::Staged(3),
        Moment::SyncStaged,
        Moment::Lifted(5),
        Moment::Placed(30),
        Moment::SyncPlaced,
    ] {
        let tree = Tree::empty();
        tree.fill();
        let before = tree.snapshot();
        let (root, set) = tree.change(fifty_operations());
        let stop = Cancel::default();
        let hit = Mutex::new(false);
        let watch = Doing(|moment| {
            if std::mem::discriminant(&moment) == std::mem::discriminant(&stop_at) {
                *hit.lock().unwrap() = true;
                stop.cancel();
            }
            Ok(())
        });
        let error = apply_watched(&root, &set, &tree.journal(), &stop, &watch).unwrap_err();
        assert!(matches!(error, ApplyError::Interrupted), "{stop_at:?}: {error}");
        assert!(*hit.lock().unwrap());
        assert!(tree.snapshot() == before, "{stop_at:?}");
        assert!(tree.state_files().is_empty());
    }
}

#[test]
fn without_exchange_the_same_comes_out() {
    let with = Tree::empty();
    with.fill();
    let (root, set) = with.change(fifty_operations());
    apply(&root, &set, &with.journal(), &Cancel::default()).unwrap();
    let after = with.snapshot();
    // No exchange; and neither exchange nor hard links.
    for links in [true, false] {
        let tree = Tree::empty();
        tree.fill();
        let before = tree.snapshot();
        let cannot = |moment| match moment {
            Moment::Exchange(_) => Err(io::ErrorKind::Unsupported.into()),
            Moment::KeepOld(_) if !links => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        };
        // It dies at each moment of a replacement first, and is recovered.
        for die in [Moment::OldKept(10), Moment::Placed(10), Moment::SyncPlaced] {
            let (root, set) = tree.change(fifty_operations());
            let watch = Doing(|now| {
                let same = match (now, die) {
                    (Moment::OldKept(a), Moment::OldKept(b)) | (Moment::Placed(a), Moment::Placed(b)) => a >= b,
                    (a, b) => a == b,
                };
                if same || is_undo(now) {
                    Err(io::Error::other("dies"))
                } else {
                    cannot(now)
                }
            });
            apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
            let recovered = recover(&root, &tree.journal()).unwrap().unwrap();
            assert_eq!(recovered.direction, Direction::Undone, "{die:?}");
            assert!(tree.snapshot() == before, "{die:?}, links: {links}");
        }
        let (root, set) = tree.change(fifty_operations());
        apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &Doing(cannot)).unwrap();
        assert!(tree.snapshot() == after, "links: {links}");
    }
}

#[test]
fn a_file_changed_in_the_last_moment_is_found_and_kept() {
    let steps = [
        (write("f", "ours\n"), Moment::Exchange(0), "f"),
        (delete("f"), Moment::Lift(0), "f"),
        (rename("f", "g"), Moment::Lift(0), "f"),
    ];
    for (operation, moment, path) in steps {
        for by_rename in [false, true] {
            let tree = Tree::empty();
            tree.write("f", "old\n");
            let (root, set) = tree.change(vec![operation.clone()]);
            let watch = Doing(|now| {
                if now == moment {
                    if by_rename {
                        fs::write(tree.path("f.tmp"), "mine\n")?;
                        fs::rename(tree.path("f.tmp"), tree.path("f"))?;
                    } else {
                        fs::write(tree.path("f"), "mine\n")?;
                    }
                }
                Ok(())
            });
            let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
            let ApplyError::Stale {
                path: stale,
                difference,
            } = &error
            else {
                panic!("{error}");
            };
            assert_eq!((stale.as_str(), *difference), (path, Difference::Changed));
            assert_eq!(fs::read_to_string(tree.path("f")).unwrap(), "mine\n");
            assert_eq!(tree.snapshot().len(), 1);
        }
    }
}

#[test]
fn a_file_that_appears_in_the_last_moment_is_not_replaced() {
    let tree = Tree::empty();
    let (root, set) = tree.change(vec![write("a", "ours\n"), write("d/x", "ours\n")]);
    let watch = Doing(|now| {
        if now == Moment::Place(1) {
            fs::create_dir(tree.path("d"))?;
            fs::write(tree.path("d/theirs"), "theirs\n")?;
        }
        Ok(())
    });
    let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
    assert!(
        matches!(&error, ApplyError::Stale { path, difference: Difference::Appeared } if path.as_str() == "d"),
        "{error}"
    );
    assert_eq!(tree.snapshot().keys().collect::<Vec<_>>(), ["d", "d/theirs"]);
}

#[test]
fn what_somebody_changed_after_a_crash_stays_and_the_rest_is_finished() {
    let tree = Tree::empty();
    tree.write("a", "old a\n");
    tree.write("b", "old b\n");
    dies_at(
        &tree,
        vec![write("a", "new a\n"), write("b", "new b\n")],
        Moment::Placed(0),
    );
    fs::write(tree.path("a"), "new a, and more by hand\n").unwrap();
    let recovered = recover(&tree.root(), &tree.journal()).unwrap().unwrap();
    assert_eq!(recovered.direction, Direction::Finished);
    assert_eq!(fs::read_to_string(tree.path("a")).unwrap(), "new a, and more by hand\n");
    assert_eq!(fs::read_to_string(tree.path("b")).unwrap(), "new b\n");
    assert_eq!(tree.snapshot().len(), 2);
    assert!(tree.state_files().is_empty());
}

#[test]
fn what_can_be_neither_undone_nor_finished_is_kept_and_named() {
    let tree = Tree::empty();
    tree.write("a", "old a\n");
    tree.write("b", "old b\n");
    tree.write("c", "old c\n");
    let operations = vec![write("a", "new a\n"), write("b", "new b\n"), write("c", "new c\n")];
    dies_at(&tree, operations, Moment::Placed(1));
    fs::write(tree.path("a"), "new a, and more by hand\n").unwrap();
    fs::write(tree.path("c"), "c by hand\n").unwrap();
    let recovered = recover(&tree.root(), &tree.journal()).unwrap().unwrap();
    assert_eq!(recovered.direction, Direction::Undone);
    assert_eq!(fs::read_to_string(tree.path("a")).unwrap(), "new a, and more by hand\n");
    assert_eq!(fs::read_to_string(tree.path("b")).unwrap(), "old b\n");
    assert_eq!(fs::read_to_string(tree.path("c")).unwrap(), "c by hand\n");
    assert_eq!(tree.snapshot().len(), 3);
    assert_eq!(recovered.left.len(), 1);
    assert_eq!(recovered.left[0].path, "a");
    let kept = recovered.left[0].kept.clone().unwrap();
    assert_eq!(tree.state_files(), std::slice::from_ref(&kept));
    assert_eq!(
        fs::read_to_string(tree.at().join("state").join(kept)).unwrap(),
        "old a\n"
    );
}

#[test]
fn an_apply_over_an_unrecovered_one_is_refused() {
    let tree = Tree::empty();
    tree.write("a", "old\n");
    tree.write("z", "old\n");
    dies_at(&tree, vec![write("a", "new\n")], Moment::Placed(0));
    let (root, set) = tree.change(vec![write("z", "new\n")]);
    let error = apply(&root, &set, &tree.journal(), &Cancel::default()).unwrap_err();
    assert!(matches!(error, ApplyError::Unrecovered), "{error}");
    recover(&root, &tree.journal()).unwrap().unwrap();
    assert_eq!(fs::read_to_string(tree.path("a")).unwrap(), "old\n");
    apply(&root, &set, &tree.journal(), &Cancel::default()).unwrap();
}

#[test]
fn a_failure_to_clean_up_is_no_failure_and_is_made_good() {
    let tree = Tree::empty();
    tree.write("a", "old\n");
    let (root, set) = tree.change(vec![write("a", "new\n")]);
    let watch = Doing(|now| match now {
        Moment::Clean(_) => Err(io::Error::other("cannot")),
        _ => Ok(()),
    });
    let applied = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
    assert!(applied.unclean.is_some());
    assert_eq!(tree.snapshot().len(), 2);
    assert_eq!(
        recover(&root, &tree.journal()).unwrap().unwrap().direction,
        Direction::Finished
    );
    assert_eq!(tree.snapshot().len(), 1);
    assert_eq!(fs::read_to_string(tree.path("a")).unwrap(), "new\n");
}
