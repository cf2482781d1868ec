//! So many files that several threads are at work (where the machine has them): one of them fails, or is told to stop.

use std::io;

use super::faults::Doing;
use super::tree::{Amount, Tree};
use crate::apply::watch::Moment;
use crate::apply::{ApplyError, Direction, apply_watched, recover};
use crate::capability::Cancel;

/// Near the beginning, the middle and the end.
const STEPS: [usize; 3] = [60, 620, 1_240];

fn after() -> super::tree::Snapshot {
    let tree = Tree::filled(Amount::Many);
    let (root, set) = tree.change(Amount::Many.operations());
    let watch = Doing(|_| Ok(()));
    let applied = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
    assert_eq!((applied.files, applied.unclean), (Amount::Many.files(), None));
    assert!(tree.state_files().is_empty());
    tree.snapshot()
}

#[test]
fn a_file_that_cannot_be_made_undoes_what_all_threads_made() {
    for step in STEPS {
        let tree = Tree::filled(Amount::Many);
        let before = tree.snapshot();
        let (root, set) = tree.change(Amount::Many.operations());
        let watch = Doing(|moment| match moment {
            Moment::Stage(number) if number >= step => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        });
        let error = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap_err();
        assert!(matches!(error, ApplyError::DiskFull { .. }), "{error}");
        assert!(tree.snapshot() == before, "{step}");
        assert!(tree.state_files().is_empty());
    }
}

#[test]
fn a_request_to_stop_reaches_all_threads() {
    for step in STEPS {
        let tree = Tree::filled(Amount::Many);
        let before = tree.snapshot();
        let (root, set) = tree.change(Amount::Many.operations());
        let stop = Cancel::default();
        let watch = Doing(|moment| {
            if moment == Moment::Made(step) {
                stop.cancel();
            }
            Ok(())
        });
        let error = apply_watched(&root, &set, &tree.journal(), &stop, &watch).unwrap_err();
        assert!(matches!(error, ApplyError::Interrupted), "{error}");
        assert!(tree.snapshot() == before, "{step}");
        assert!(tree.state_files().is_empty());
    }
}

#[test]
fn what_a_thread_could_not_remove_the_next_start_removes() {
    let after = after();
    for step in STEPS {
        let tree = Tree::filled(Amount::Many);
        let (root, set) = tree.change(Amount::Many.operations());
        let watch = Doing(|moment| match moment {
            Moment::Clean(number) if number >= step / 2 => Err(io::Error::other("not now")),
            _ => Ok(()),
        });
        let applied = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
        assert!(applied.unclean.is_some_and(|reason| reason.contains("not now")));
        assert!(tree.snapshot() != after);
        let recovered = recover(&root, &tree.journal()).unwrap().unwrap();
        assert_eq!(recovered.direction, Direction::Finished);
        assert!(tree.snapshot() == after && tree.state_files().is_empty());
    }
}
