//! Somebody else commits at the same time.

use std::cell::Cell;
use std::sync::Barrier;

use super::world::{World, has_git, message, now};
use crate::commit::commit_watched;
use crate::error::CommitError;
use crate::watch::{Moment, Watch};

struct When<F: Fn()> {
    moment: Moment,
    done: Cell<bool>,
    act: F,
}

impl<F: Fn()> Watch for When<F> {
    fn at(&self, moment: Moment) -> Result<(), CommitError> {
        if moment == self.moment && !self.done.replace(true) {
            (self.act)();
        }
        Ok(())
    }
}

fn commit_while(moment: Moment, act: impl Fn(&World)) -> (World, Result<crate::Committed, CommitError>) {
    let world = World::new();
    let committable = world.committable();
    let change = world.change("name");
    world.apply(&change);
    let watch = When {
        moment,
        done: Cell::new(false),
        act: || act(&world),
    };
    let result = commit_watched(&committable, &change, &message(), now(), &watch);
    (world, result)
}

#[test]
fn a_branch_that_moves_at_the_last_moment_is_not_overwritten() {
    if !has_git() {
        return;
    }
    let (world, result) = commit_while(Moment::Synced, |world| {
        let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
        let commit = world.git(&["commit-tree", "-p", "HEAD", "-m", "theirs", &tree]);
        world.git(&["update-ref", "refs/heads/main", &commit]);
    });
    assert!(matches!(result, Err(CommitError::HeadMoved { .. })), "{result:?}");
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "theirs");
    assert!(!world.path(".git/index.lock").exists());
    world.assert_sound();
}

/// Another branch of the same commit: neither is moved.
#[test]
fn a_head_that_goes_to_another_branch_at_the_last_moment_is_noticed() {
    if !has_git() {
        return;
    }
    let (world, result) = commit_while(Moment::Synced, |world| {
        world.git(&["branch", "other"]);
        world.git(&["symbolic-ref", "HEAD", "refs/heads/other"]);
    });
    assert!(matches!(result, Err(CommitError::HeadMoved { .. })), "{result:?}");
    for branch in ["main", "other"] {
        assert_eq!(world.git(&["log", "-1", "--format=%s", branch]), "first");
    }
    for lock in [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/other.lock"] {
        assert!(!world.path(lock).exists(), "{lock}");
    }
    world.assert_sound();
}

#[test]
fn git_does_not_commit_while_the_index_is_ours() {
    if !has_git() {
        return;
    }
    for moment in [
        Moment::Locked,
        Moment::Prepared,
        Moment::ReferencesLocked,
        Moment::Moved,
    ] {
        let (world, result) = commit_while(moment, |world| {
            let output = world.try_git(&["commit", "-m", "theirs"]);
            assert!(String::from_utf8_lossy(&output.stderr).contains("index.lock"));
        });
        let committed = result.unwrap();
        assert_eq!(world.git(&["rev-parse", "HEAD"]), committed.id);
        assert_eq!(world.git(&["status", "--porcelain"]), "A  staged");
        world.assert_sound();
    }
}

#[test]
fn of_two_commits_at_once_one_is_made() {
    if !has_git() {
        return;
    }
    for _ in 0..20 {
        let world = World::new();
        let both = [world.committable(), world.committable()];
        let changes = [world.change("one"), world.change("two")];
        world.apply(&changes[0]);
        world.apply(&changes[1]);
        let barrier = Barrier::new(2);
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = both
                .iter()
                .zip(&changes)
                .map(|(committable, change)| {
                    scope.spawn(|| {
                        barrier.wait();
                        crate::commit(committable, change, &message(), now())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let made: Vec<_> = results.iter().filter_map(|result| result.as_ref().ok()).collect();
        assert_eq!(made.len(), 1, "{results:?}");
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            assert!(
                matches!(error, CommitError::Locked { .. } | CommitError::HeadMoved { .. }),
                "{error}"
            );
        }
        assert_eq!(world.git(&["rev-parse", "HEAD"]), made[0].id);
        assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "2");
        world.assert_sound();
    }
}
