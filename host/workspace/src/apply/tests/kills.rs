//! An apply that is killed at any moment (case F12): the next start finds all before or all after, and makes one of them.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tree::{Amount, Snapshot, Tree};
use crate::apply::recover::recover_watched;
use crate::apply::watch::{Moment, Watch};
use crate::apply::{Direction, apply, apply_watched, recover};
use crate::capability::Cancel;

/// Where the child finds what to do. Of the tests only; nothing else reads it.
const ORDER: &str = "SNODO_TEST_KILLED_APPLY";
/// How many moments the kills are spread over.
const KILLS: usize = 200;

/// Calls something at the moment of a number, from 0.
struct At<F: Fn() -> io::Result<()> + Sync> {
    number: usize,
    passed: AtomicUsize,
    act: F,
}

impl<F: Fn() -> io::Result<()> + Sync> At<F> {
    fn new(number: usize, act: F) -> Self {
        Self {
            number,
            passed: AtomicUsize::new(0),
            act,
        }
    }
}

impl<F: Fn() -> io::Result<()> + Sync> Watch for At<F> {
    fn at(&self, _: Moment) -> io::Result<()> {
        let now = self.passed.fetch_add(1, Ordering::Relaxed);
        if now == self.number { (self.act)() } else { Ok(()) }
    }
}

struct Ends {
    before: Snapshot,
    after: Snapshot,
    moments: usize,
}

fn both_ends(amount: Amount) -> Ends {
    let tree = Tree::filled(amount);
    let before = tree.snapshot();
    let (root, set) = tree.change(amount.operations());
    assert_eq!(set.files.len(), amount.files());
    let watch = At::new(usize::MAX, || Ok(()));
    let applied = apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
    assert_eq!(applied.unclean, None);
    assert!(tree.state_files().is_empty());
    Ends {
        before,
        after: tree.snapshot(),
        moments: watch.passed.load(Ordering::Relaxed),
    }
}

/// Not a test: the process that is killed. Does nothing when it is not told to.
#[test]
#[ignore = "started by the tests below, as a process of its own"]
fn child() {
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    let (number, rest) = order.split_once(' ').unwrap();
    let (files, at) = rest.split_once(' ').unwrap();
    let tree = Tree::existing(Path::new(at));
    let (root, set) = tree.change(Amount::of_files(files.parse().unwrap()).operations());
    let watch = At::new(number.parse().unwrap(), || {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
        unreachable!("killed")
    });
    apply_watched(&root, &set, &tree.journal(), &Cancel::default(), &watch).unwrap();
}

fn apply_and_be_killed(tree: &Tree, amount: Amount, moment: usize) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "apply::tests::kills::child",
            "--ignored",
            "--test-threads=1",
            "--quiet",
        ])
        .env(
            ORDER,
            format!("{moment} {} {}", amount.files(), tree.at().to_str().unwrap()),
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "moment {moment}");
}

fn kill_at(ends: &Ends, amount: Amount, moment: usize) -> Option<Direction> {
    let tree = Tree::filled(amount);
    apply_and_be_killed(&tree, amount, moment);
    let recovered = recover(&tree.root(), &tree.journal()).unwrap();
    let expected = match recovered.as_ref().map(|r| r.direction) {
        Some(Direction::Undone) => &ends.before,
        // Before there was a journal. (There is none after it was removed, either.)
        None if moment < ends.moments / 2 => &ends.before,
        Some(Direction::Finished) | None => &ends.after,
    };
    // Everything: also what the change does not name, and no temporary file beside it.
    assert!(
        tree.snapshot() == *expected,
        "moment {moment}: {recovered:?}: {:?}",
        tree.snapshot().keys()
    );
    assert!(tree.state_files().is_empty());
    assert_eq!(recover(&tree.root(), &tree.journal()).unwrap(), None);
    if let Some(recovered) = &recovered {
        assert!(recovered.left.is_empty());
    }
    // And the workspace is as good as any: the same change can be applied, or has been.
    if *expected == ends.before {
        let (root, set) = tree.change(amount.operations());
        apply(&root, &set, &tree.journal(), &Cancel::default()).unwrap();
        assert!(tree.snapshot() == ends.after);
    }
    recovered.map(|r| r.direction)
}

/// Kills at the given ones of moments that `kills` moments are spread over.
fn kills(amount: Amount, kills: usize, which: impl Fn(usize) -> bool) {
    let ends = both_ends(amount);
    assert!(ends.moments > kills, "{}", ends.moments);
    let mut undone = 0;
    let mut finished = 0;
    for kill in (0..kills).filter(|kill| which(*kill)) {
        match kill_at(&ends, amount, kill * ends.moments / kills) {
            Some(Direction::Undone) => undone += 1,
            Some(Direction::Finished) => finished += 1,
            None => {}
        }
    }
    assert!(undone > 0 && finished > 0, "{undone} undone, {finished} finished");
}

#[test]
fn f12_killed_at_even_moments() {
    kills(Amount::Few, KILLS, |kill| kill % 2 == 0);
}

#[test]
fn f12_killed_at_odd_moments() {
    kills(Amount::Few, KILLS, |kill| kill % 2 == 1);
}

/// So many files that several threads make them, and remove what they displaced.
#[test]
fn f12_killed_while_several_threads_are_at_work() {
    kills(Amount::Many, 30, |_| true);
}

/// The control: the same change without a journal, ended half-way, is neither before nor after.
#[test]
fn f12_control_plain_writes_that_are_ended_leave_half() {
    let ends = both_ends(Amount::Few);
    let tree = Tree::empty();
    tree.fill();
    for (path, (_, content)) in ends
        .after
        .iter()
        .filter(|(_, (mode, _))| mode & 0o170_000 == 0o100_000)
        .take(10)
    {
        let _ = std::fs::remove_file(tree.path(path));
        tree.write(path, std::str::from_utf8(content).unwrap());
    }
    let half = tree.snapshot();
    assert!(half != ends.before && half != ends.after);
}

/// A recovery that ends half-way itself, at any of its moments, is taken up by the next one.
#[test]
fn f12_a_recovery_that_dies_is_recovered() {
    let ends = both_ends(Amount::Few);
    for killed in (0..ends.moments).step_by(ends.moments / 12) {
        let tree = Tree::empty();
        tree.fill();
        apply_and_be_killed(&tree, Amount::Few, killed);
        let mut dies = 0;
        loop {
            let watch = At::new(dies, || Err(io::Error::other("the recovery dies here")));
            if recover_watched(&tree.root(), &tree.journal(), &watch).is_ok() {
                break;
            }
            dies += 3;
        }
        let now = tree.snapshot();
        assert!(
            now == ends.before || now == ends.after,
            "killed at {killed}, died {dies} times"
        );
        assert!(tree.state_files().is_empty());
    }
}
