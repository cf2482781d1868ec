//! What is refused, before anything is applied, and by which name.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use snodo_commit::{CommitError, check};

use crate::need_git;
use crate::world::{World, delete, executable, rename, write};

fn two_files() -> World {
    World::new(|world| {
        world.put("a", "a\n");
        world.put("folder/b", "b\n");
    })
}

#[test]
fn a_file_that_was_dirty_before_the_run() {
    need_git!();
    let world = two_files();
    world.put("a", "edited by hand\n");
    world.put("folder/new", "untracked\n");
    world.put("folder/staged", "staged, never committed\n");
    world.git(&["add", "folder/staged"]);
    for operations in [
        vec![write("a", "b\n")],
        vec![delete("a")],
        vec![rename("a", "c")],
        vec![executable("a", true)],
        vec![write("folder/new", "x\n")],
        vec![delete("folder/new")],
        vec![write("folder/staged", "x\n")],
        vec![write("fine", "x\n"), rename("folder/new", "c")],
    ] {
        let error = world.refused(operations);
        assert!(matches!(error, CommitError::DiffersFromHead { .. }), "{error}");
    }
    world.commit(vec![write("folder/b", "c\n")]);
}

#[test]
fn a_mode_that_is_not_heads_and_a_file_that_was_deleted() {
    need_git!();
    let world = two_files();
    world.make_executable("a");
    fs::remove_file(world.path("folder/b")).unwrap();
    for operations in [vec![write("a", "b\n")], vec![write("folder/b", "b\n")]] {
        let error = world.refused(operations);
        assert!(matches!(error, CommitError::DiffersFromHead { .. }), "{error}");
    }
}

#[test]
fn a_line_ending_conversion_makes_a_file_differ_from_head() {
    need_git!();
    let world = World::new(|world| {
        world.put(".gitattributes", "crlf text eol=crlf\n");
        world.put("crlf", "a\r\n");
    });
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let error = world.refused(vec![write("crlf", "b\r\n")]);
    assert!(error.to_string().contains("line ending conversion"), "{error}");
}

/// Something that the change does not name would leave HEAD.
#[test]
fn what_stands_in_heads_place_of_a_new_file() {
    need_git!();
    let world = two_files();
    fs::remove_dir_all(world.path("folder")).unwrap();
    fs::remove_file(world.path("a")).unwrap();
    for operations in [vec![write("folder", "a file\n")], vec![write("a/inside", "x\n")]] {
        let error = world.refused(operations);
        assert!(matches!(error, CommitError::WouldChangeMore { .. }), "{error}");
    }
}

#[test]
fn what_stands_in_the_indexs_place_of_a_new_file() {
    need_git!();
    let world = two_files();
    world.put("x", "staged\n");
    world.put("y/z", "staged\n");
    world.git(&["add", "x", "y"]);
    fs::remove_file(world.path("x")).unwrap();
    fs::remove_dir_all(world.path("y")).unwrap();
    for operations in [vec![write("x/inside", "x\n")], vec![write("y", "x\n")]] {
        let error = world.refused(operations);
        assert!(matches!(error, CommitError::IndexInTheWay { .. }), "{error}");
    }
    let blob = world.git(&["rev-parse", "HEAD:a"]);
    world.git_given(
        &["update-index", "--index-info"],
        &format!("0 {}\ta\n100644 {blob} 1\ta\n100644 {blob} 2\ta\n", "0".repeat(40)),
    );
    let error = world.refused(vec![write("a", "b\n")]);
    assert!(error.to_string().contains("is in conflict"), "{error}");
}

#[test]
fn an_empty_change() {
    need_git!();
    let world = two_files();
    let error = world.refused(vec![write("a", "a\n")]);
    assert!(matches!(error, CommitError::NothingToCommit), "{error}");
}

#[test]
fn an_operation_that_is_going_on() {
    need_git!();
    let conflicting = || {
        let world = two_files();
        world.git(&["switch", "--quiet", "-c", "side"]);
        world.put("a", "side\n");
        world.git(&["commit", "--quiet", "-am", "side"]);
        world.git(&["switch", "--quiet", "main"]);
        world.put("a", "main\n");
        world.git(&["commit", "--quiet", "-am", "main"]);
        world
    };
    let cases: &[(&[&str], &str)] = &[
        (&["merge", "side"], "a merge"),
        (&["rebase", "side"], "a rebase"),
        (&["rebase", "--apply", "side"], "a rebase"),
        (&["cherry-pick", "side"], "a cherry-pick"),
        (&["revert", "HEAD~1"], "a revert"),
        (&["bisect", "start"], "a bisection"),
    ];
    for (arguments, what) in cases {
        let world = conflicting();
        if arguments[0] == "revert" {
            world.put("a", "once more\n");
            world.git(&["commit", "--quiet", "-am", "more"]);
        }
        let committable = world.check().unwrap();
        world.try_git_in(&world.path(""), arguments);
        let error = world.check().unwrap_err();
        assert!(
            matches!(error, CommitError::InProgress { .. }),
            "{arguments:?}: {error}"
        );
        assert!(error.to_string().starts_with(what), "{error}");
        // Also when it begins after the check.
        let change = world.run().submit(vec![write("new", "x\n")]);
        snodo_commit::commit(&committable, &change, &crate::world::message(), crate::world::now()).unwrap_err();
    }
}

#[test]
fn a_lock_of_somebody_else_is_never_taken_away() {
    need_git!();
    let world = two_files();
    let committable = world.check().unwrap();
    let change = world.run().submit(vec![write("new", "x\n")]);
    fs::write(world.path(".git/index.lock"), "somebody's").unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::Locked { .. }), "{error}");
    let commit = || snodo_commit::commit(&committable, &change, &crate::world::message(), crate::world::now());
    let error = commit().unwrap_err();
    assert!(matches!(error, CommitError::Locked { .. }), "{error}");
    assert_eq!(fs::read_to_string(world.path(".git/index.lock")).unwrap(), "somebody's");
    fs::remove_file(world.path(".git/index.lock")).unwrap();

    let head = world.git(&["rev-parse", "HEAD"]);
    for lock in ["refs/heads/main.lock", "HEAD.lock"] {
        fs::write(world.path(".git").join(lock), "somebody's").unwrap();
        let error = commit().unwrap_err();
        assert!(matches!(error, CommitError::Reference { .. }), "{error}");
        assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
        assert!(!world.path(".git/index.lock").exists());
        fs::remove_file(world.path(".git").join(lock)).unwrap();
    }
    commit().unwrap();
}

#[test]
fn a_head_that_moved_during_the_run() {
    need_git!();
    let moves: &[&[&str]] = &[
        &["commit", "--quiet", "--allow-empty", "-m", "another"],
        &["switch", "--quiet", "-c", "other"],
        &["switch", "--quiet", "--detach"],
        &["branch", "-m", "renamed"],
    ];
    for arguments in moves {
        let world = two_files();
        let committable = world.check().unwrap();
        let change = world.run().submit(vec![write("new", "x\n")]);
        world.git(arguments);
        let error = snodo_commit::check_change(&committable, &change).unwrap_err();
        assert!(matches!(error, CommitError::HeadMoved { .. }), "{error}");
        let error =
            snodo_commit::commit(&committable, &change, &crate::world::message(), crate::world::now()).unwrap_err();
        assert!(matches!(error, CommitError::HeadMoved { .. }), "{error}");
    }
}

#[test]
fn nobody_knows_who_the_author_is() {
    need_git!();
    let world = two_files();
    fs::write(world.outside("home/.gitconfig"), "[user]\n\temail = a@b\n").unwrap();
    let error = world.check().unwrap_err();
    assert!(
        matches!(error, CommitError::NoIdentity { missing: "user.name" }),
        "{error}"
    );
    assert!(error.to_string().contains("git config --global user.name"), "{error}");
    fs::write(
        world.outside("home/.gitconfig"),
        "[user]\n\tname = \"<>\"\n\temail = a@b\n",
    )
    .unwrap();
    let error = world.check().unwrap_err();
    assert!(
        matches!(error, CommitError::NoIdentity { missing: "user.name" }),
        "{error}"
    );
    fs::write(world.outside("home/.gitconfig"), "[user\n").unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::Config { .. }), "{error}");
}

#[test]
fn formats_that_are_not_known() {
    need_git!();
    let world = World::bare();
    world.git(&["init", "--quiet", "--object-format=sha256"]);
    let error = world.check().unwrap_err();
    assert!(
        error.to_string().contains("extensions.objectformat = sha256"),
        "{error}"
    );

    let world = World::bare();
    world.git(&["init", "--quiet", "--ref-format=reftable"]);
    let error = world.check().unwrap_err();
    assert!(
        error.to_string().contains("extensions.refstorage = reftable"),
        "{error}"
    );

    let world = two_files();
    world.git(&["config", "core.repositoryFormatVersion", "1"]);
    world.git(&["config", "extensions.preciousObjects", "true"]);
    world.check().unwrap();
    world.git(&["config", "extensions.somethingNew", "true"]);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::UnsupportedFormat(_)), "{error}");
    let world = two_files();
    world.git(&["config", "core.repositoryFormatVersion", "2"]);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::UnsupportedFormat(_)), "{error}");
}

/// Where git would write through them, and where it would wait for ever.
#[test]
fn links_and_fifos_in_the_repository() {
    need_git!();
    let world = two_files();
    let elsewhere = world.outside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("file"), "mine\n").unwrap();
    let (file, folder) = (elsewhere.join("file"), elsewhere.clone());
    let cases = [
        ("HEAD", &file),
        ("index", &file),
        ("config", &file),
        ("logs/HEAD", &file),
        ("logs/refs/heads/main", &file),
        ("logs/refs", &folder),
        ("logs", &folder),
        ("refs/heads", &folder),
        ("refs/heads/main", &file),
        ("refs", &folder),
        ("objects", &folder),
        ("objects/pack", &folder),
        ("objects/info", &folder),
        ("objects/info/alternates", &file),
        ("objects/0f", &folder),
        ("packed-refs", &file),
    ];
    let fifo = |path: &std::path::Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    for (name, target) in cases {
        let path = world.path(".git").join(name);
        let kept = world.outside("kept");
        let was_there = fs::rename(&path, &kept).is_ok();
        for make in [&(|| symlink(target, &path).unwrap()) as &dyn Fn(), &|| fifo(&path)] {
            make();
            let error = world.check().unwrap_err();
            assert!(matches!(error, CommitError::OddFile { .. }), "{name}: {error}");
            fs::remove_file(&path).unwrap();
        }
        if was_there {
            fs::rename(&kept, &path).unwrap();
        }
        world.check().unwrap();
    }
    // The control: git writes through a link to the log.
    let log = world.path(".git/logs/HEAD");
    fs::remove_file(&log).unwrap();
    symlink(&file, &log).unwrap();
    world.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
    assert!(fs::read_to_string(&file).unwrap().contains("commit: x"));
    fs::remove_file(&log).unwrap();

    // An object that is not a file.
    let commit = world.git(&["rev-parse", "HEAD"]);
    let object = world.path(&format!(".git/objects/{}/{}", &commit[..2], &commit[2..]));
    fs::remove_file(&object).unwrap();
    fifo(&object);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::Objects(_)), "{error}");
}

#[test]
fn a_repository_that_cannot_be_written_to() {
    need_git!();
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: nothing is read-only for the administrator");
        return;
    }
    let world = two_files();
    let path = world.path(".git/objects");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
    let error = world.check().unwrap_err();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(error, CommitError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_repository_of_somebody_else() {
    need_git!();
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the administrator can give a folder away");
        return;
    }
    for name in [".git", ""] {
        let world = two_files();
        std::os::unix::fs::chown(world.path(name), Some(12_345), None).unwrap();
        let error = world.check().unwrap_err();
        assert!(matches!(error, CommitError::NotOurs { owner: 12_345, .. }), "{error}");
    }
}

#[test]
fn paths_that_git_does_not_take() {
    need_git!();
    let world = two_files();
    let committable = world.check().unwrap();
    for name in ["x/.git/config", ".GIT/hooks/pre-commit", "x/git~1", "x/.g\u{200c}it/x"] {
        let run = world.run();
        let mut change = run.submit(vec![write("new", "x\n")]);
        change.files[0].path = snodo_workspace::path::WorkspacePath::parse(name).unwrap();
        let error = snodo_commit::check_change(&committable, &change).unwrap_err();
        assert!(matches!(error, CommitError::BadPath { .. }), "{name}: {error}");
    }
}

/// Objects that lie: git's own `fsck` would say so, but nobody asked it.
#[test]
fn trees_of_a_stranger_are_bounded_and_not_believed() {
    need_git!();
    let world = two_files();
    let blob = world.git(&["rev-parse", "HEAD:a"]);
    let tree = |entries: &[(&str, &str, &str)]| -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            for at in (0..40).step_by(2) {
                bytes.push(u8::from_str_radix(&id[at..at + 2], 16).unwrap());
            }
        }
        let file = world.outside("tree");
        fs::write(&file, bytes).unwrap();
        world.git(&["hash-object", "-t", "tree", "--literally", "-w", file.to_str().unwrap()])
    };
    let head = |tree: &str| {
        let commit = world.git(&["commit-tree", "-m", "x", tree]);
        world.git(&["update-ref", "refs/heads/main", &commit]);
    };
    // A folder of folders, each twice the one below: 2^60 of them.
    let mut bomb = world.git(&["mktree", "--missing"]);
    for _ in 0..60 {
        bomb = tree(&[("40000", "l", &bomb), ("40000", "r", &bomb)]);
    }
    head(&tree(&[("100644", "a", &blob), ("40000", "bomb", &bomb)]));
    let committable = world.check().unwrap();
    let run = world.run();
    let fine = run.submit(vec![write("a", "b\n")]);
    snodo_commit::check_change(&committable, &fine).unwrap();
    let over_it = world.run().submit(vec![write("bomb", "x\n")]);
    let error = snodo_commit::check_change(&committable, &over_it).unwrap_err();
    assert!(matches!(error, CommitError::Damaged(_)), "{error}");

    // A name twice, and out of order.
    for entries in [
        [
            ("100644", "a", &*blob),
            ("100755", "a", &*blob),
            ("100644", "c", &*blob),
        ],
        [
            ("100644", "c", &*blob),
            ("100644", "a", &*blob),
            ("100644", "b", &*blob),
        ],
    ] {
        head(&tree(&entries));
        let committable = world.check().unwrap();
        let change = world.run().submit(vec![write("d/new", "x\n"), write("a", "b\n")]);
        let error = snodo_commit::check_change(&committable, &change).unwrap_err();
        assert!(matches!(error, CommitError::Objects(_)), "{error}");
    }

    // A tree that is missing, and one that is something else.
    for id in ["1".repeat(40), blob.clone()] {
        head(&tree(&[("100644", "a", &blob), ("40000", "sub", &id)]));
        let committable = world.check().unwrap();
        let change = world.run().submit(vec![write("sub/new", "x\n")]);
        let error = snodo_commit::check_change(&committable, &change).unwrap_err();
        assert!(matches!(error, CommitError::Objects(_)), "{error}");
    }
}

#[test]
fn a_damaged_head_is_an_error() {
    need_git!();
    for text in [
        "",
        "ref: refs/heads/../../x\n",
        "ref: refs/tags/x\n",
        "zzz",
        "ref: HEAD\n",
    ] {
        let world = two_files();
        fs::write(world.path(".git/HEAD"), text).unwrap();
        let root = world.run();
        assert!(check(root.base.root(), &world.user()).is_err(), "{text:?}");
    }
    let world = two_files();
    fs::write(world.path(".git/refs/heads/main"), format!("{}\n", "1".repeat(40))).unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::Objects(_)), "{error}");
    fs::write(world.path(".git/refs/heads/main"), vec![b'a'; 10_000]).unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::TooLarge { .. }), "{error}");
}
