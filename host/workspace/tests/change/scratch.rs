//! The copy that programs run in.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_workspace::capability::Cancel;
use snodo_workspace::limits::ScratchLimits;
use snodo_workspace::scratch::{Hidden, ScratchError, ScratchReport, hidden, materialise, remove_tree};
use snodo_workspace::view::View;

use crate::world::{World, delete, executable, put, rename, snapshot, write};

fn hide(world: &World) -> Hidden {
    hidden(&world.base, &Cancel::default()).unwrap()
}

fn copy(world: &World) -> (PathBuf, ScratchReport) {
    let into = world.outside("scratch");
    fs::create_dir(&into).unwrap();
    let view = View::with_overlay(Arc::clone(&world.base), Arc::clone(&world.overlay));
    let dir = Dir::open_ambient_dir(&into, ambient_authority()).unwrap();
    let report = materialise(&view, &hide(world), &dir, ScratchLimits::standard(), &Cancel::default()).unwrap();
    (into, report)
}

fn refused(world: &World, limits: ScratchLimits, cancel: &Cancel) -> ScratchError {
    let into = world.outside("scratch");
    fs::create_dir(&into).unwrap();
    let dir = Dir::open_ambient_dir(&into, ambient_authority()).unwrap();
    materialise(
        &View::of_base(Arc::clone(&world.base)),
        &hide(world),
        &dir,
        limits,
        cancel,
    )
    .unwrap_err()
}

#[test]
fn everything_is_in_it_but_git_and_our_own() {
    let world = World::new(|root| {
        put(root, "src/a.rs", "a\n", 0o644);
        put(root, ".gitignore", "ignored/\n", 0o644);
        put(root, "ignored/deep/cache", "c\n", 0o600);
        put(root, ".hidden/x", "x\n", 0o644);
        put(root, ".git/config", "git\n", 0o644);
        put(root, "vendor/sub/.git/config", "git\n", 0o644);
        put(root, "worktree/.git", "gitdir: elsewhere\n", 0o644);
        put(root, "worktree/f", "f\n", 0o644);
        put(root, ".snodo/protocol.yml", "p\n", 0o644);
        put(root, "nested/.snodo/x", "x\n", 0o644);
        put(root, "e\u{301}.txt", "decomposed\n", 0o644);
        fs::create_dir(root.join("empty")).unwrap();
        fs::write(
            root.join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(
                b"not-utf8-\xff",
            )),
            "n\n",
        )
        .unwrap();
        symlink("src/a.rs", root.join("in")).unwrap();
        symlink("/etc/passwd", root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink(".", root.join("loop")).unwrap();
        fs::hard_link(root.join("src/a.rs"), root.join("second-name")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
    });
    let before = world.snapshot();
    let (into, report) = copy(&world);
    let mut expected = before.clone();
    expected.retain(|path, _| path != "pipe" && !path.split('/').any(|c| c == ".git") && !path.starts_with(".snodo"));
    assert_eq!(snapshot(&into), expected);
    assert_eq!(
        (report.special, report.unreadable, report.too_deep, report.links),
        (1, 0, 0, 4)
    );
    assert_eq!(report.files, 9);
    // Files of their own: what a program writes to one does not reach the workspace or the other.
    fs::write(into.join("second-name"), "written by a program\n").unwrap();
    assert_eq!(fs::read_to_string(into.join("src/a.rs")).unwrap(), "a\n");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn modes_and_times_are_kept_to_the_nanosecond() {
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_600_000_000, 123_456_789);
    let world = World::new(|root| {
        for (name, mode) in [
            ("a", 0o644),
            ("run", 0o755),
            ("ro", 0o444),
            ("key", 0o600),
            ("locked/f", 0o640),
        ] {
            put(root, name, "x\n", mode);
            fs::File::open(root.join(name)).unwrap().set_modified(time).unwrap();
        }
        put(root, "big", vec![7; 400_000], 0o644);
        symlink("a", root.join("link")).unwrap();
        let times = rustix::fs::Timestamps {
            last_access: rustix::fs::Timespec { tv_sec: 5, tv_nsec: 6 },
            last_modification: rustix::fs::Timespec { tv_sec: 7, tv_nsec: 8 },
        };
        rustix::fs::utimensat(
            rustix::fs::CWD,
            root.join("link"),
            &times,
            rustix::fs::AtFlags::SYMLINK_NOFOLLOW,
        )
        .unwrap();
        fs::File::open(root.join("locked")).unwrap().set_modified(time).unwrap();
        fs::set_permissions(root.join("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    });
    let (into, _) = copy(&world);
    for name in ["a", "run", "ro", "key", "locked/f", "locked", "big", "link"] {
        let (of, to) = (
            fs::symlink_metadata(world.path(name)).unwrap(),
            fs::symlink_metadata(into.join(name)).unwrap(),
        );
        assert_eq!(
            (of.mode(), of.mtime(), of.mtime_nsec()),
            (to.mode(), to.mtime(), to.mtime_nsec()),
            "{name}"
        );
    }
    assert_eq!(fs::metadata(into.join("a")).unwrap().modified().unwrap(), time);
    assert_eq!(fs::read(into.join("big")).unwrap(), vec![7; 400_000]);
}

/// The copy is what the workspace will be.
#[test]
fn with_a_pending_change_it_is_what_apply_makes() {
    let world = World::new(|root| {
        for i in 0..5 {
            put(root, &format!("src/{i}"), format!("{i}\n"), 0o644);
        }
        put(root, "gone/deep/a", "a\n", 0o644);
        put(root, "half/a", "a\n", 0o644);
        put(root, "half/b", "b\n", 0o644);
        put(root, "run", "x\n", 0o750);
        put(root, "key", "k\n", 0o600);
        fs::create_dir(root.join("was-empty")).unwrap();
        symlink("src", root.join("link")).unwrap();
    });
    world.submit([
        write("src/0", "changed\n"),
        rename("src/1", "src/moved"),
        rename("run", "bin/run"),
        delete("gone/deep/a"),
        delete("half/a"),
        delete("link"),
        write("key", "other\n"),
        executable("src/2", true),
        write("new/folder/file", "n\n"),
        write("half/new/file", "n\n"),
    ]);
    let (into, report) = copy(&world);
    world.apply().unwrap();
    assert_eq!(snapshot(&into), world.snapshot());
    assert_eq!(
        usize::try_from(report.files).unwrap(),
        world
            .snapshot()
            .values()
            .filter(|(mode, _)| mode & 0o170_000 == 0o100_000)
            .count()
    );
    assert_eq!(
        usize::try_from(report.folders).unwrap(),
        world
            .snapshot()
            .values()
            .filter(|(mode, _)| mode & 0o170_000 == 0o040_000)
            .count()
    );
}

#[test]
fn a16_a_giant_with_nothing_in_it_costs_nothing() {
    let world = World::new(|root| {
        let file = fs::File::create(root.join("giant")).unwrap();
        file.set_len(60 << 30).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"data in the middle", 30 << 30).unwrap();
    });
    let (into, report) = copy(&world);
    assert!(report.bytes < 1 << 20, "{}", report.bytes);
    let giant = fs::File::open(into.join("giant")).unwrap();
    assert_eq!(giant.metadata().unwrap().len(), 60 << 30);
    let mut middle = [0; 18];
    std::os::unix::fs::FileExt::read_exact_at(&giant, &mut middle, 30 << 30).unwrap();
    assert_eq!(&middle, b"data in the middle");
}

#[test]
fn limits_are_kept_and_named_and_it_can_be_stopped() {
    let make = |root: &Path| {
        for i in 0..10 {
            put(root, &format!("d/{i}"), vec![0; 1000], 0o644);
        }
    };
    let all = ScratchLimits::standard();
    let error = refused(
        &World::new(make),
        ScratchLimits { entries: 10, ..all },
        &Cancel::default(),
    );
    assert!(matches!(error, ScratchError::TooLarge { limit: 10, .. }), "{error}");
    let error = refused(
        &World::new(make),
        ScratchLimits { bytes: 9_999, ..all },
        &Cancel::default(),
    );
    assert_eq!(
        error.to_string(),
        "the workspace is too large to be copied for a test run: more than 9999 bytes (its ignored files count, too)"
    );
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(matches!(
        refused(&World::new(make), all, &cancel),
        ScratchError::Cancelled
    ));
    // The control: exactly as much is fine.
    let world = World::new(make);
    fs::create_dir(world.outside("s")).unwrap();
    let into = Dir::open_ambient_dir(world.outside("s"), ambient_authority()).unwrap();
    let limits = ScratchLimits {
        entries: 11,
        bytes: 10_000,
    };
    materialise(
        &View::of_base(Arc::clone(&world.base)),
        &hide(&world),
        &into,
        limits,
        &Cancel::default(),
    )
    .unwrap();
}

#[test]
fn whatever_a_program_made_of_it_can_be_removed() {
    let world = World::new(|root| put(root, "../victim/f", "stays\n", 0o644));
    let at = world.outside("scratch");
    put(&at, "a/b/c/f", "x\n", 0o000);
    symlink("../victim", at.join("link")).unwrap();
    symlink("../../../victim", at.join("a/b/link")).unwrap();
    put(&at, ".moved-0", "in the way\n", 0o644);
    put(&at, ".moved-1/x", "in the way\n", 0o644);
    // Deeper than a path can name, and than there are handles.
    let deep = Dir::open_ambient_dir(&at, ambient_authority()).unwrap();
    let mut here = deep;
    for _ in 0..1_100 {
        here.create_dir("depth").unwrap();
        here = here.open_dir("depth").unwrap();
    }
    drop(here);
    fs::set_permissions(at.join("a/b/c"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(at.join("a/b"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(at.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o555)).unwrap();
    let parent = Dir::open_ambient_dir(world.outside(""), ambient_authority()).unwrap();
    remove_tree(&parent, "scratch").unwrap();
    assert!(!at.exists());
    assert_eq!(fs::read_to_string(world.outside("victim/f")).unwrap(), "stays\n");
    // Not there: fine. A link: the link itself.
    remove_tree(&parent, "scratch").unwrap();
    symlink("victim", &at).unwrap();
    remove_tree(&parent, "scratch").unwrap();
    assert!(world.outside("victim/f").exists());
}
