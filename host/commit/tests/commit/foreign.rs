//! Nothing of the repository's own is run or obeyed (case G07). Each has its control: git itself, committing the same, is taken in.

use std::fs;

use snodo_workspace::capability::Operation;

use crate::need_git;
use crate::world::{World, executable, write};

/// A program that leaves a file, and then does what `then` says.
fn marker(world: &World, name: &str, then: &str) -> String {
    let program = world.outside(name);
    let script = format!("#!/bin/sh\ntouch '{}.ran'\n{then}\n", program.display());
    fs::write(&program, script).unwrap();
    let path = program.to_str().unwrap().to_owned();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn ran(world: &World, name: &str) -> bool {
    world.outside(&format!("{name}.ran")).exists()
}

fn operations() -> Vec<Operation> {
    vec![
        write("a.txt", "changed\n"),
        write("b.txt", "new\n"),
        executable("tool", true),
    ]
}

fn repository() -> World {
    World::new(|world| {
        world.put("a.txt", "a\n");
        world.put("tool", "t\n");
    })
}

/// `prepare` sets a trap that leaves the marker `trap`.
fn is_not_run(prepare: impl Fn(&World)) {
    let control = repository();
    prepare(&control);
    control.put("a.txt", "changed\n");
    control.put("b.txt", "new\n");
    // Whether git's commit comes to an end does not matter.
    for arguments in [
        &["add", "--all"][..],
        &["commit", "-m", "x"],
        &["--paginate", "show", "--ext-diff"],
    ] {
        control.try_git_in(&control.path(""), arguments);
    }
    assert!(ran(&control, "trap"), "the control: git runs it");

    let world = repository();
    prepare(&world);
    let (_, change) = world.commit(operations());
    assert!(!ran(&world, "trap"));
    assert_eq!(change.files.len(), 3);
    assert_eq!(world.git(&["log", "--format=%s", "-1"]), "Do what was asked");
}

#[test]
fn g07_no_hook_is_run() {
    need_git!();
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
    ] {
        is_not_run(|world| {
            let program = marker(world, "trap", "");
            fs::create_dir_all(world.path(".git/hooks")).unwrap();
            fs::copy(program, world.path(".git/hooks").join(hook)).unwrap();
        });
    }
    is_not_run(|world| {
        let program = marker(world, "trap", "");
        fs::create_dir(world.path(".git/mine")).unwrap();
        fs::copy(program, world.path(".git/mine/pre-commit")).unwrap();
        world.git(&["config", "core.hooksPath", ".git/mine"]);
    });
}

#[test]
fn g07_no_filter_textconv_or_external_diff_is_run() {
    need_git!();
    let attributes = |world: &World, text: &str| {
        fs::create_dir_all(world.path(".git/info")).unwrap();
        fs::write(world.path(".git/info/attributes"), text).unwrap();
    };
    for key in ["filter.x.clean", "filter.x.process"] {
        is_not_run(|world| {
            let program = marker(world, "trap", "cat");
            attributes(world, "*.txt filter=x\n");
            world.git(&["config", key, &program]);
        });
    }
    is_not_run(|world| {
        let program = marker(world, "trap", "cat \"$1\"");
        attributes(world, "*.txt diff=x\n");
        world.git(&["config", "diff.x.textconv", &program]);
    });
    is_not_run(|world| {
        let program = marker(world, "trap", "cat");
        world.git(&["config", "diff.external", &program]);
    });
}

#[test]
fn g07_no_file_system_monitor_and_no_signing_program_is_run() {
    need_git!();
    is_not_run(|world| {
        let program = marker(world, "trap", "");
        world.git(&["config", "core.fsmonitor", &program]);
    });
    is_not_run(|world| {
        let program = marker(world, "trap", "exit 1");
        world.git(&["config", "gpg.program", &program]);
        world.git(&["config", "commit.gpgSign", "true"]);
    });
}

#[test]
fn g07_an_include_of_the_repositorys_is_not_followed() {
    need_git!();
    is_not_run(|world| {
        let program = marker(world, "trap", "");
        let included = world.outside("included");
        fs::write(
            &included,
            format!("[core]\n\tfsmonitor = {program}\n[user]\n\tname = Mallory\n"),
        )
        .unwrap();
        world.git(&["config", "include.path", included.to_str().unwrap()]);
    });
    let world = repository();
    let included = world.outside("included");
    fs::write(&included, "[user]\n\tname = Mallory\n").unwrap();
    world.git(&["config", "include.path", included.to_str().unwrap()]);
    assert_eq!(world.git(&["config", "user.name"]), "Mallory");
    assert_eq!(world.check().unwrap().author(), "Ada Łovelace <ada@example.com>");
}

#[test]
fn names_and_addresses_are_taken_from_where_git_takes_them() {
    need_git!();
    let world = repository();
    let author = || world.check().unwrap().author();
    world.git(&["config", "user.email", "ada@work.example"]);
    assert_eq!(author(), "Ada Łovelace <ada@work.example>");
    world.git(&["config", "author.name", "The Author"]);
    assert_eq!(author(), "The Author <ada@work.example>");
    let (committed, _) = world.commit(operations());
    assert_eq!(
        world.git(&["show", "--no-patch", "--format=%an %ae %cn %ce", &committed.id]),
        "The Author ada@work.example Ada Łovelace ada@work.example"
    );

    // The user's own includes are followed, also those for some folders only.
    let world = repository();
    let home = world.outside("home");
    let git_dir = world.path(".git");
    fs::write(home.join("work.inc"), "[user]\n\temail = at-work@example.com\n").unwrap();
    let config = format!(
        "[user]\n\tname = Ada\n\temail = at-home@example.com\n[includeIf \"gitdir:{}\"]\n\tpath = ~/work.inc\n",
        git_dir.display()
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    assert_eq!(world.git(&["config", "user.email"]), "at-work@example.com");
    assert_eq!(world.check().unwrap().author(), "Ada <at-work@example.com>");

    // The other place of the user's configuration.
    fs::remove_file(home.join(".gitconfig")).unwrap();
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(
        home.join(".config/git/config"),
        "[user]\nname = X\nemail = x@example.com\n",
    )
    .unwrap();
    assert_eq!(world.git(&["config", "user.name"]), "X");
    assert_eq!(world.check().unwrap().author(), "X <x@example.com>");
}

/// A repository's name for its author becomes one line of the commit, whatever is in it.
#[test]
fn a_hostile_name_adds_no_line_to_the_commit() {
    need_git!();
    let world = repository();
    fs::write(
        world.path(".git/config"),
        "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = \"x> 0 +0000\\nparent 1234\\n\\u202e\"\n",
    )
    .unwrap();
    // `\u` is no escape of git's.
    world.check().unwrap_err();
    fs::write(
        world.path(".git/config"),
        "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = \"x> 0 +0000\\nparent 1234\\n\u{202e}\"\n",
    )
    .unwrap();
    let (committed, _) = world.commit(operations());
    assert_eq!(
        world.git(&["show", "--no-patch", "--format=%an|%P", &committed.id]),
        format!("x 0 +0000parent 1234|{}", committed.parent.unwrap())
    );
    world.assert_sound();
}

/// An ignored path is committed: the change set is what was judged.
#[test]
fn an_ignored_path_of_the_change_is_committed() {
    need_git!();
    let world = World::new(|world| world.put(".gitignore", "*.log\n"));
    let (_, change) = world.commit(vec![write("x.log", "x\n"), write("y", "y\n")]);
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "x.log\ny");
    assert_eq!(world.status(), Vec::<String>::new());
}
