//! Where a workspace can be in a repository, and what HEAD can be.

use std::fs;

use snodo_commit::{CommitError, check};

use crate::need_git;
use crate::world::{World, delete, rename, write};

/// Case G14: paths are relative to the workspace, and what is beside it is neither shown nor touched.
#[test]
fn g14_a_workspace_below_the_top() {
    need_git!();
    let world = World::new(|world| {
        world.put("svc/a/x", "x\n");
        world.put("svc/a/deep/y", "y\n");
        world.put("svc/b/x", "b\n");
        world.put("x", "top\n");
    });
    world.put("svc/b/x", "dirty\n");
    world.put("svc/b/new", "untracked\n");
    world.put("x", "staged\n");
    world.git(&["add", "x"]);
    let before = world.status();
    let (committed, change) = world.commit_in(
        &world.path("svc/a"),
        vec![
            write("x", "changed\n"),
            rename("deep/y", "y"),
            write("package.json", "{}\n"),
        ],
    );
    assert_eq!(change.files.len(), 3);
    assert_eq!(
        world.git(&["show", "--name-status", "--format=", "-M", &committed.id]),
        "A\tsvc/a/package.json\nM\tsvc/a/x\nR100\tsvc/a/deep/y\tsvc/a/y"
    );
    assert_eq!(world.status(), before);
    world.assert_sound();
    let relative = world.git_in(
        &world.path("svc/a"),
        &["diff", "--relative", "--name-only", "HEAD~1", "HEAD"],
    );
    assert_eq!(relative, "package.json\nx\ny");
}

#[test]
fn an_unborn_branch_is_born() {
    need_git!();
    let world = World::unborn();
    world.put("beside", "untracked\n");
    world.put("staged", "staged\n");
    world.git(&["add", "staged"]);
    let committable = world.check().unwrap();
    assert!(committable.head().is_unborn() && !committable.head().is_detached());
    assert_eq!(
        committable.head().describe(),
        "the branch `main`, which has no commit yet"
    );
    let (committed, _) = world.commit(vec![write("a/b", "x\n")]);
    assert_eq!((committed.parent, committed.branch.as_deref()), (None, Some("main")));
    world.assert_sound();
    assert_eq!(world.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a/b");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  staged\n?? beside");
    assert_eq!(
        world.git(&["reflog", "--format=%gs"]),
        "commit (initial): Do what was asked"
    );
}

#[test]
fn a_branch_with_slashes_and_packed_references() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    world.git(&["switch", "--quiet", "--create", "feature/x/é"]);
    world.git(&["pack-refs", "--all"]);
    let (committed, _) = world.commit(vec![write("a", "b\n")]);
    assert_eq!(committed.branch.as_deref(), Some("feature/x/é"));
    assert_eq!(world.git(&["rev-parse", "feature/x/é"]), committed.id);
    assert_eq!(Some(world.git(&["rev-parse", "main"])), committed.parent);
    world.assert_sound();
}

#[test]
fn a_detached_head_is_committed_on_and_said() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    world.git(&["switch", "--quiet", "--detach"]);
    let committable = world.check().unwrap();
    assert!(committable.head().is_detached());
    assert!(committable.head().describe().starts_with("detached at "));
    let (committed, change) = world.commit(vec![write("a", "b\n")]);
    assert_eq!(committed.branch, None);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), committed.id);
    assert_eq!(Some(world.git(&["rev-parse", "main"])), committed.parent);
    assert!(world.git(&["reflog", "--format=%H"]).starts_with(&committed.id));
    assert!(
        !world
            .try_git_in(&world.path(""), &["symbolic-ref", "-q", "HEAD"])
            .status
            .success()
    );
    world.assert_is_change(&world.path(""), &change);
    world.assert_sound();
}

#[test]
fn a_linked_working_tree_has_its_own_head_and_index() {
    need_git!();
    for bare in [false, true] {
        let world = World::new(|world| {
            world.put("a", "a\n");
            world.put("b", "b\n");
        });
        world.put("b", "staged in the main one\n");
        world.git(&["add", "b"]);
        let linked = world.outside("linked");
        world.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
        if bare {
            // A bare repository that working trees are linked to.
            world.git(&["config", "core.bare", "true"]);
        }
        let index = fs::read(world.path(".git/index")).unwrap();
        let main = world.git(&["rev-parse", "main"]);
        let (committed, change) = world.commit_in(&linked, vec![write("a", "linked\n"), delete("b")]);
        assert_eq!(committed.branch.as_deref(), Some("side"));
        assert_eq!(world.git(&["rev-parse", "side"]), committed.id);
        assert_eq!(world.git(&["rev-parse", "main"]), main);
        assert!(index == fs::read(world.path(".git/index")).unwrap());
        assert_eq!(world.git_in(&linked, &["status", "--porcelain"]), "");
        assert!(
            world
                .git_in(&linked, &["reflog", "--format=%H"])
                .starts_with(&committed.id)
        );
        world.assert_is_change(&linked, &change);
        world.assert_sound();
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let other = world.outside("other");
    fs::create_dir(&other).unwrap();
    world.git_in(&other, &["init", "--quiet", "-b", "main"]);
    fs::write(other.join("f"), "f\n").unwrap();
    world.git_in(&other, &["add", "f"]);
    world.git_in(&other, &["commit", "--quiet", "-m", "x"]);
    world.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "module"]);
    world.git(&["commit", "--quiet", "-m", "module"]);

    // From above, nothing in it can be committed.
    for operations in [
        vec![write("module/f", "g\n")],
        vec![write("a", "b\n"), write("module/new", "x\n")],
    ] {
        let error = world.refused(operations);
        assert!(matches!(error, CommitError::OtherRepository { .. }), "{error}");
    }
    // Nor when it is not checked out.
    world.git(&["submodule", "--quiet", "deinit", "-f", "module"]);
    let error = world.refused(vec![write("module/new", "x\n")]);
    assert!(matches!(error, CommitError::OtherRepository { .. }), "{error}");
    world.git(&["submodule", "--quiet", "update", "--init"]);
    world.git_in(&world.path("module"), &["switch", "--quiet", "main"]);

    // What is beside it can, and its entry stays.
    let entry = world.git(&["ls-tree", "HEAD", "module"]);
    let (_, change) = world.commit(vec![write("a", "b\n")]);
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.git(&["ls-tree", "HEAD", "module"]), entry);

    // As a workspace of its own it can be committed to.
    let module = world.path("module");
    let (committed, change) = world.commit_in(&module, vec![write("f", "g\n")]);
    assert_eq!(world.git_in(&module, &["rev-parse", "HEAD"]), committed.id);
    world.assert_is_change(&module, &change);
    assert_eq!(world.git_in(&module, &["status", "--porcelain"]), "");
    assert_eq!(world.git(&["status", "--porcelain"]), " M module");
}

#[test]
fn a_nested_repository_is_not_committed_to() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    fs::create_dir(world.path("nested")).unwrap();
    world.git_in(&world.path("nested"), &["init", "--quiet"]);
    let error = world.refused(vec![write("nested/deep/x", "x\n")]);
    assert!(matches!(error, CommitError::OtherRepository { .. }), "{error}");
}

#[test]
fn no_repository_and_what_only_looks_like_one() {
    need_git!();
    let world = World::bare();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::NoRepository { .. }), "{error}");
    fs::create_dir(world.path(".git")).unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::NotARepository { .. }), "{error}");
    fs::remove_dir(world.path(".git")).unwrap();

    // A file that makes somebody else's repository the one of this folder.
    let victim = World::new(|world| world.put("a", "a\n"));
    world.put(".git", format!("gitdir: {}\n", victim.path(".git").display()));
    // The control: git goes there.
    assert_eq!(world.git(&["rev-parse", "HEAD"]), victim.git(&["rev-parse", "HEAD"]));
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::NotARepository { .. }), "{error}");
    for text in ["", "gitdir: ", "gitdir: nowhere\n", "gitdir: .\n", "x"] {
        world.put(".git", text);
        world.check().unwrap_err();
    }
    fs::remove_file(world.path(".git")).unwrap();
    std::os::unix::fs::symlink(victim.path(".git"), world.path(".git")).unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::OddFile { .. }), "{error}");
}

#[test]
fn a_working_tree_elsewhere_and_a_bare_repository_are_refused() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let other = world.outside("other");
    fs::create_dir(&other).unwrap();
    world.git(&["config", "core.worktree", other.to_str().unwrap()]);
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::NotARepository { .. }), "{error}");
    fs::write(
        world.path(".git/config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    )
    .unwrap();
    let error = world.check().unwrap_err();
    assert!(matches!(error, CommitError::NotARepository { .. }), "{error}");
}

#[test]
fn the_workspace_may_not_be_replaced_between_check_and_commit() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let run = world.run();
    let committable = check(run.base.root(), &world.user()).unwrap();
    let change = run.submit(vec![write("a", "b\n")]);
    fs::rename(world.path(".git"), world.path("moved")).unwrap();
    world.git(&["init", "--quiet"]);
    let error = snodo_commit::commit(&committable, &change, &crate::world::message(), crate::world::now()).unwrap_err();
    assert!(matches!(error, CommitError::NotARepository { .. }), "{error}");
}

#[test]
fn the_remote_is_origin_or_else_the_first() {
    need_git!();
    let world = World::new(|world| world.put("svc/x", "x\n"));
    let remote = || {
        let root = snodo_workspace::ambient::open_root(&world.path("svc")).unwrap();
        snodo_commit::remote(&root)
    };
    assert_eq!(remote(), None);
    world.git(&["remote", "add", "upstream", "https://example.org/up.git"]);
    world.git(&["remote", "add", "fork", "https://example.org/fork.git"]);
    assert_eq!(remote().as_deref(), Some("https://example.org/up.git"));
    world.git(&["remote", "add", "origin", "git@example.org:team/project.git"]);
    assert_eq!(remote().as_deref(), Some("git@example.org:team/project.git"));
    let outside = world.outside("nowhere");
    fs::create_dir_all(&outside).unwrap();
    let root = snodo_workspace::ambient::open_root(&outside).unwrap();
    assert_eq!(snodo_commit::remote(&root), None);
}
