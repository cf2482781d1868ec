//! Files that git ignores and does not track, and secrets by name.

use std::path::Path;
use std::process::Command;

use snodo_workspace::capability::ReadError;
use snodo_workspace::rules::IgnoredReads;

use crate::world::{Tree, World};

fn make(tree: &Tree) {
    std::fs::create_dir_all(tree.root.join("gen")).unwrap();
    std::fs::write(tree.root.join(".gitignore"), "# built\ngen/\n*.log\n").unwrap();
    std::fs::write(tree.root.join("gen/x.txt"), "generated").unwrap();
    std::fs::write(tree.root.join("gen/tracked.txt"), "tracked").unwrap();
    std::fs::write(tree.root.join("a.log"), "log").unwrap();
    std::fs::write(tree.root.join(".env"), "KEY=1").unwrap();
    std::fs::write(tree.root.join(".env.example"), "KEY=").unwrap();
    git(&tree.root, &["init", "-q"]);
    git(&tree.root, &["add", "-f", "gen/tracked.txt", ".gitignore"]);
}

fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}");
}

fn rule(world: &World, path: &str) -> String {
    match world.read(path).unwrap_err() {
        ReadError::Refused(refusal) => refusal.rule,
        other => panic!("{path}: {other}"),
    }
}

#[test]
fn c03_ignored_files_are_refused_with_the_line_that_says_so() {
    let world = World::new(&[], make);
    assert_eq!(
        rule(&world, "gen/x.txt"),
        ".gitignore:2 `gen/`: ignored files are read only when the user allows them (`--read-ignored PATTERN`)"
    );
    assert!(rule(&world, "a.log").starts_with(".gitignore:3 `*.log`"));
    // What git tracks is part of the project.
    assert_eq!(world.text("gen/tracked.txt"), "tracked");
    assert_eq!(rule(&world, ".env"), "`.env` is not read (the host's list of secrets)");
    assert_eq!(world.text(".env.example"), "KEY=");
    // Control.
    assert_eq!(
        std::fs::read_to_string(world.twin().root.join("gen/x.txt")).unwrap(),
        "generated"
    );
}

#[test]
fn c03_the_user_may_allow_them() {
    let allowed = IgnoredReads::allowing(&["gen/**".to_owned(), ".env".to_owned()], "--read-ignored").unwrap();
    let world = World::allowing(&[], allowed, make);
    assert_eq!(world.text("gen/x.txt"), "generated");
    assert!(rule(&world, "a.log").starts_with(".gitignore:3"));
    // Allowing ignored files opens no secrets.
    assert!(rule(&world, ".env").contains("secrets"));
}

#[test]
fn c03_ignore_files_outside_the_root_have_no_effect() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.parent().unwrap().join(".gitignore"), "*\n").unwrap();
    });
    assert_eq!(world.text("ok.txt"), "ok\n");
}
