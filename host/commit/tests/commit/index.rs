//! What is in the index and not of the change stays as it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use snodo_commit::CommitError;

use crate::need_git;
use crate::world::{World, delete, executable, rename, write};

/// Everything that can be in an index, besides three files that are changed.
fn crowded() -> World {
    let world = World::new(|world| {
        for name in ["a/changed", "m/deleted", "z/moved"] {
            world.put(name, format!("{name}\n"));
        }
        for name in [
            "clean", "edited", "staged", "both", "removed", "skipped", "assumed", "mode", "conflict", "m/other",
        ] {
            world.put(name, format!("{name}\n"));
        }
        symlink("clean", world.path("link")).unwrap();
    });
    let other = world.outside("other");
    fs::create_dir(&other).unwrap();
    world.git_in(&other, &["init", "--quiet"]);
    world.git_in(&other, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    world.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "module"]);
    world.git(&["commit", "--quiet", "-m", "module"]);

    world.put("edited", "edited by hand\n");
    world.put("staged", "staged by hand\n");
    world.git(&["add", "staged"]);
    world.put("both", "staged\n");
    world.git(&["add", "both"]);
    world.put("both", "and edited\n");
    world.git(&["rm", "--quiet", "removed"]);
    world.put("added", "staged and new\n");
    world.git(&["add", "added"]);
    world.put("intended", "not yet\n");
    world.git(&["add", "--intent-to-add", "intended"]);
    world.git(&["update-index", "--skip-worktree", "skipped"]);
    world.git(&["update-index", "--assume-unchanged", "assumed"]);
    world.make_executable("mode");
    world.put("untracked", "untracked\n");
    fs::remove_file(world.path("link")).unwrap();
    symlink("edited", world.path("link")).unwrap();
    world.git_in(
        &world.path("module"),
        &["commit", "--quiet", "--allow-empty", "-m", "moved on"],
    );
    let blob = world.git(&["rev-parse", "HEAD:conflict"]);
    let zero = "0".repeat(40);
    world.git_given(
        &["update-index", "--index-info"],
        &format!(
            "0 {zero}\tconflict\n100644 {blob} 1\tconflict\n100644 {blob} 2\tconflict\n100755 {blob} 3\tconflict\n"
        ),
    );
    world
}

fn without_changed(text: &str) -> Vec<String> {
    let changed = ["a/changed", "m/deleted", "z/moved", "b/moved", "a/new"];
    let mut kept = Vec::new();
    let mut skip = false;
    for line in text.lines() {
        // `ls-files --debug` has the numbers of an entry on lines of their own, which are set in.
        if !line.starts_with("  ") {
            skip = changed.iter().any(|name| line.ends_with(name));
        }
        if !skip {
            kept.push(line.to_owned());
        }
    }
    kept
}

const OF_THE_INDEX: &[&str] = &["ls-files", "--stage", "-v", "--debug"];

fn commit_among(world: &World) {
    let before = (world.git(OF_THE_INDEX), world.status());
    assert!(before.1.len() > 10, "{:?}", before.1);
    let (_, change) = world.commit(vec![
        write("a/changed", "changed\n"),
        delete("m/deleted"),
        rename("z/moved", "b/moved"),
        write("a/new", "new\n"),
    ]);
    assert_eq!(without_changed(&world.git(OF_THE_INDEX)), without_changed(&before.0));
    assert_eq!(world.status(), before.1);
    world.assert_is_change(&world.path(""), &change);
    world.assert_sound();
}

#[test]
fn what_is_staged_edited_in_conflict_or_flagged_stays() {
    need_git!();
    let world = crowded();
    commit_among(&world);
    assert!(world.git(&["ls-files", "--unmerged"]).lines().count() == 3);
}

#[test]
fn in_every_version_of_the_index() {
    need_git!();
    for version in ["2", "3", "4"] {
        let world = crowded();
        world.git(&["update-index", "--index-version", version]);
        let kind = |world: &World| fs::read(world.path(".git/index")).unwrap()[7];
        let before = kind(&world);
        commit_among(&world);
        assert_eq!(kind(&world), before);
    }
}

/// What was known of how a conflict was resolved is an extension that stays true.
#[test]
fn the_resolution_of_a_conflict_stays() {
    need_git!();
    let world = crowded();
    world.git(&["add", "conflict"]);
    let undo = |world: &World| world.git(&["ls-files", "--resolve-undo"]);
    let before = undo(&world);
    assert_eq!(before.lines().count(), 3);
    world.commit(vec![write("a/changed", "changed\n")]);
    assert_eq!(undo(&world), before);
}

/// The control and the case: extensions that would lie do not survive.
#[test]
fn what_git_remembers_of_trees_and_untracked_files_is_not_believed_afterwards() {
    need_git!();
    let world = World::new(|world| {
        world.put("a/one", "1\n");
        world.put("b/two", "2\n");
    });
    world.git(&["config", "core.untrackedCache", "true"]);
    world.git(&["update-index", "--force-untracked-cache"]);
    world.status();
    world.status();
    let has = |name: &[u8]| {
        let index = fs::read(world.path(".git/index")).unwrap();
        index.windows(4).any(|window| window == name)
    };
    assert!(has(b"TREE") && has(b"UNTR"));
    let (_, change) = world.commit(vec![write("a/one", "changed\n"), write("c/new", "new\n")]);
    assert!(!has(b"TREE") && !has(b"UNTR"));
    assert_eq!(world.status(), Vec::<String>::new());
    world.assert_is_change(&world.path(""), &change);
    // A commit that git makes of this index is of what is in it.
    world.put("d", "d\n");
    world.git(&["add", "d"]);
    world.git(&["commit", "--quiet", "-m", "by git"]);
    assert_eq!(world.git(&["show", "--name-status", "--format=", "HEAD"]), "A\td");
}

/// A file that is edited right after it was staged, within the granularity of times and to the same size, is found by git only because the
/// index is not younger than the file. If the new index were, the edit would be invisible.
#[test]
fn an_edit_that_only_the_index_age_gives_away_stays_visible() {
    need_git!();
    let set = |path: &Path, time: SystemTime| {
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    // Only the times that are set here count.
    let prepared = || {
        let world = World::unborn();
        world.git(&["config", "core.trustctime", "false"]);
        world.git(&["config", "core.checkStat", "minimal"]);
        world.put("racy", "one\n");
        world.put("a", "a\n");
        set(&world.path("racy"), long_ago);
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "-m", "first"]);
        world.put("racy", "two\n");
        set(&world.path("racy"), long_ago);
        set(&world.path(".git/index"), long_ago);
        world
    };
    let expected = |world: &World| world.git(&["--no-optional-locks", "status", "--porcelain"]);
    let world = prepared();
    assert_eq!(expected(&world), " M racy");
    // The control: an index that only becomes younger hides it.
    set(&world.path(".git/index"), long_ago + Duration::from_secs(100));
    assert_eq!(expected(&world), "");

    let world = prepared();
    world.commit(vec![write("a", "b\n")]);
    assert_eq!(expected(&world), " M racy");
}

#[test]
fn a_file_that_changes_after_the_apply_is_seen_as_changed() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let run = world.run();
    let committable = world.check().unwrap();
    let change = run.submit(vec![write("a", "b\n"), write("gone", "x\n"), write("empty", "")]);
    run.apply(&change);
    world.put("a", "c\n");
    world.put("empty", "no longer\n");
    fs::remove_file(world.path("gone")).unwrap();
    snodo_commit::commit(&committable, &change, &crate::world::message(), crate::world::now()).unwrap();
    assert_eq!(world.git(&["status", "--porcelain"]), " M a\n M empty\n D gone");
    assert_eq!(world.git(&["show", "HEAD:a"]), "b");
    world.assert_sound();
}

/// Staged with other content: the commit has the change's, and the index the same.
#[test]
fn a_changed_path_that_is_staged_gets_the_changes_content() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    world.put("a", "staged\n");
    world.git(&["add", "a"]);
    world.put("a", "a\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "MM a");
    let (_, change) = world.commit(vec![write("a", "b\n")]);
    assert_eq!(world.status(), Vec::<String>::new());
    world.assert_is_change(&world.path(""), &change);
}

#[test]
fn flags_of_a_changed_path_are_gone() {
    need_git!();
    let world = World::new(|world| {
        world.put("skipped", "a\n");
        world.put("assumed", "a\n");
    });
    world.git(&["update-index", "--skip-worktree", "skipped"]);
    world.git(&["update-index", "--assume-unchanged", "assumed"]);
    world.commit(vec![write("skipped", "b\n"), executable("assumed", true)]);
    assert_eq!(world.git(&["ls-files", "-v"]), "H assumed\nH skipped");
    assert_eq!(world.status(), Vec::<String>::new());
}

#[test]
fn indexes_that_are_not_understood_are_refused() {
    need_git!();
    let world = World::new(|world| {
        world.put("a/one", "1\n");
        world.put("b/two", "2\n");
    });
    world.git(&["update-index", "--split-index"]);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::UnsupportedIndex { .. }), "{error}");
    world.git(&["update-index", "--no-split-index"]);
    world.check().unwrap();

    world.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "a"]);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::UnsupportedIndex { .. }), "{error}");
    world.git(&["sparse-checkout", "reapply", "--no-sparse-index"]);
    // A sparse checkout with an ordinary index is fine, also for a path outside what is checked out.
    let (_, change) = world.commit(vec![write("a/one", "2\n"), write("c/new", "new\n")]);
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.status(), Vec::<String>::new());
    assert!(!world.path("b").exists());

    let whole = fs::read(world.path(".git/index")).unwrap();
    for cut in [0, 1, 11, 40, 100, whole.len() - 21, whole.len() - 1] {
        fs::write(world.path(".git/index"), &whole[..cut]).unwrap();
        let error = world.check().unwrap_err();
        assert!(matches!(error, CommitError::Damaged(_)), "{cut}: {error}");
    }
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        fs::write(world.path(".git/index"), &damaged).unwrap();
        assert!(world.check().is_err());
        // Also when the hash is not there to tell.
        let end = damaged.len() - 20;
        damaged[end..].fill(0);
        fs::write(world.path(".git/index"), &damaged).unwrap();
        let _ = world.check();
    }
}

#[test]
fn an_index_without_a_hash_is_read() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    world.git(&["config", "index.skipHash", "true"]);
    world.git(&["update-index", "--force-write-index"]);
    assert!(fs::read(world.path(".git/index")).unwrap().ends_with(&[0; 20]));
    let (_, change) = world.commit(vec![write("a", "b\n")]);
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.status(), Vec::<String>::new());
}

#[test]
fn without_an_index_everything_else_stays_staged_for_deletion() {
    need_git!();
    let world = World::new(|world| {
        world.put("a", "a\n");
        world.put("b", "b\n");
    });
    fs::remove_file(world.path(".git/index")).unwrap();
    assert_eq!(world.git(&["status", "--porcelain"]), "D  a\nD  b\n?? a\n?? b");
    let (_, change) = world.commit(vec![write("a", "c\n")]);
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.git(&["status", "--porcelain"]), "D  b\n?? b");
}
