//! A commit that dies, or is refused something by the system, at any of its moments.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::world::{World, has_git, message, now};
use crate::commit::commit_watched;
use crate::error::CommitError;
use crate::watch::{Moment, Watch};

/// Where the child finds what to do. Of the tests only.
const ORDER: &str = "SNODO_TEST_KILLED_COMMIT";
/// `Locked`; an object each for two files, two folders and the commit; and five more.
const MOMENTS: usize = 11;

struct At<F: Fn() -> Result<(), CommitError>> {
    number: usize,
    passed: AtomicUsize,
    act: F,
}

impl<F: Fn() -> Result<(), CommitError>> At<F> {
    fn new(number: usize, act: F) -> Self {
        Self {
            number,
            passed: AtomicUsize::new(0),
            act,
        }
    }
}

impl<F: Fn() -> Result<(), CommitError>> Watch for At<F> {
    fn at(&self, _: Moment) -> Result<(), CommitError> {
        let now = self.passed.fetch_add(1, Ordering::Relaxed);
        if now == self.number { (self.act)() } else { Ok(()) }
    }
}

/// Not a test: the process that is killed. Does nothing when it is not told to.
#[test]
#[ignore = "started by the tests below, as a process of its own"]
fn child() {
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    let (number, at) = order.split_once(' ').unwrap();
    let world = World::existing(Path::new(at));
    let committable = world.committable();
    let change = world.change("name");
    world.apply(&change);
    let watch = At::new(number.parse().unwrap(), || {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        unreachable!("killed")
    });
    commit_watched(&committable, &change, &message(), now(), &watch).unwrap();
}

/// The process that dies at a moment, or not.
fn child_that(dies_at: usize, world: &World) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "tests::kills::child",
            "--ignored",
            "--test-threads=1",
            "--quiet",
        ])
        .env(ORDER, format!("{dies_at} {}", world.at.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn g14_the_environment_has_no_say() {
    if !has_git() {
        return;
    }
    let (world, other) = (World::new(), World::new());
    let theirs = |name: &str| other.path(name).into_os_string();
    let before = other.git(&["rev-parse", "HEAD"]);
    let status = child_that(usize::MAX, &world)
        .env("GIT_DIR", theirs(".git"))
        .env("GIT_WORK_TREE", theirs(""))
        .env("GIT_INDEX_FILE", theirs(".git/index"))
        .env("GIT_OBJECT_DIRECTORY", theirs(".git/objects"))
        .env("GIT_COMMON_DIR", theirs(".git"))
        .env("GIT_AUTHOR_NAME", "Mallory")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "user.name")
        .env("GIT_CONFIG_VALUE_0", "Mallory")
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(world.git(&["log", "-1", "--format=%an %s"]), "A what");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  staged");
    assert_eq!(other.git(&["rev-parse", "HEAD"]), before);
    world.assert_sound();
}

#[test]
fn a_commit_that_is_killed_leaves_a_sound_repository() {
    if !has_git() {
        return;
    }
    let mut moved = 0;
    for moment in 0..MOMENTS {
        let world = World::new();
        let before = world.git(&["rev-parse", "HEAD"]);
        let status = child_that(moment, &world).status().unwrap();
        assert_eq!(status.signal(), Some(9), "moment {moment}");
        world.assert_sound();
        let now = world.git(&["rev-parse", "HEAD"]);
        let status = world.git(&["status", "--porcelain", "--untracked-files=all"]);
        let lock = world.path(".git/index.lock");
        if now == before {
            // As after an apply without a commit.
            assert_eq!(status, " M a\nA  staged\n?? new/name", "moment {moment}");
            // Git says itself what is in the way, and goes on without it.
            assert!(!world.try_git(&["add", "a"]).status.success());
        } else {
            moved += 1;
            assert_eq!(world.git(&["rev-parse", "HEAD~1"]), before);
            assert_eq!(world.git(&["diff", "--name-only", "HEAD~1", "HEAD"]), "a\nnew/name");
            if lock.exists() {
                assert_eq!(status, "MM a\nD  new/name\nA  staged\n?? new/name", "moment {moment}");
            } else {
                assert_eq!(status, "A  staged", "moment {moment}");
            }
        }
        // What the documentation says puts it right.
        for name in [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"] {
            let _ = std::fs::remove_file(world.path(name));
        }
        if now == before {
            world.git(&["add", "a", "new"]);
            world.git(&["commit", "--quiet", "-m", "by hand"]);
        } else {
            world.git(&["reset", "--quiet", "--", "a", "new"]);
            assert_eq!(world.git(&["status", "--porcelain"]), "A  staged");
        }
        world.assert_sound();
    }
    assert_eq!(moved, 2, "the branch has moved at the last two moments");
}

#[test]
fn a_commit_that_fails_on_the_way_leaves_everything_as_it_was() {
    if !has_git() {
        return;
    }
    let mut failures = 0;
    loop {
        let world = World::new();
        let before = world.git(&["rev-parse", "HEAD"]);
        let index = std::fs::read(world.path(".git/index")).unwrap();
        let committable = world.committable();
        let change = world.change("name");
        world.apply(&change);
        let watch = At::new(failures, || Err(CommitError::Objects("the test".to_owned())));
        let done = commit_watched(&committable, &change, &message(), now(), &watch);
        assert!(!world.path(".git/index.lock").exists());
        assert!(!world.path(".git/refs/heads/main.lock").exists());
        world.assert_sound();
        if done.is_ok() {
            break;
        }
        if failures < MOMENTS - 2 {
            assert_eq!(world.git(&["rev-parse", "HEAD"]), before);
            assert!(std::fs::read(world.path(".git/index")).unwrap() == index);
            // And it can be tried again.
            crate::commit(&committable, &change, &message(), now()).unwrap();
            assert_eq!(world.git(&["status", "--porcelain"]), "A  staged");
        }
        failures += 1;
    }
    assert_eq!(failures, MOMENTS);
}
