//! What `git diff` and `diff -u` print of two random trees turns the first into the second.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use common::{Tree, carried_out, patched};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use snodo_patch::{Content, File, Options, apply_text};

/// Writes the files below a folder, which git must find empty of anything else.
fn write(folder: &Path, tree: &Tree) {
    fs::create_dir_all(folder).unwrap();
    for (path, file) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = match &file.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        };
        fs::write(&path, bytes).unwrap();
        let mode = if file.executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// What a program prints; none when it is not installed.
fn printed(folder: &Path, program: &[&str]) -> Option<String> {
    let output = Command::new(program[0])
        .args(&program[1..])
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C")
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: `{}` cannot be run: {error}", program[0]);
            return None;
        }
    };
    // Of diff, 1 says that there are differences.
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{program:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

/// What `git diff` prints about two trees.
fn git_diff(arguments: &[&str], before: &Tree, after: &Tree) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join("git");
    let git = format!("--git-dir={}", git.display());
    printed(folder.path(), &["git", &git, "init", "--quiet"])?;
    let mut trees = Vec::new();
    for (name, tree) in [("a", before), ("b", after)] {
        let files = folder.path().join(name);
        write(&files, tree);
        let add = ["git", &git, "--work-tree=.", "add", "--all", "--force", "."];
        printed(&files, &add)?;
        trees.push(printed(&files, &["git", &git, "write-tree"])?.trim().to_owned());
    }
    let command = [&["git", &git][..], arguments, &[&trees[0], &trees[1]]].concat();
    printed(folder.path(), &command)
}

/// What GNU diff prints about two trees.
fn gnu_diff(before: &Tree, after: &Tree) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a"), before);
    write(&folder.path().join("b"), after);
    printed(folder.path(), &["diff", "-ruN", "a", "b"])
}

/// Lines that are alike often enough to be moved, repeated and mistaken for one another, and for parts of a diff.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec![
            "a", "b", "c", "", " ", "a ", "\ta", "-- x", "++ x", "- x", "+ x", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "diff --git a/x b/x", "```",
            "\\ No newline at end of file", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "é", "x\ry",
        ]).prop_map(str::to_owned),
        4 => (0_u32..1000).prop_map(|number| number.to_string()),
    ]
}

fn content() -> impl Strategy<Value = String> {
    let ended = (line(), prop::sample::select(vec!["\n", "\n", "\n", "\r\n"])).prop_map(|(line, end)| line + end);
    let last = prop_oneof![3 => Just(String::new()), 1 => line()];
    (prop::collection::vec(ended, 0..40), last).prop_map(|(lines, last)| lines.concat() + &last)
}

/// The same text with some lines gone, come or doubled.
fn edited(before: String) -> impl Strategy<Value = String> {
    let count = before.split_inclusive('\n').count();
    prop::collection::vec((0..=count, 0_u8..4, line()), 0..6).prop_map(move |edits| {
        let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
        for (at, kind, line) in edits {
            let at = at.min(lines.len());
            match kind {
                0 if at < lines.len() => drop(lines.remove(at)),
                1 if at < lines.len() => lines[at] = line + "\n",
                2 if at < lines.len() => lines.insert(at, lines[at].clone()),
                _ => lines.insert(at, line + "\n"),
            }
        }
        lines.concat()
    })
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "x",
        "y",
        "p/x",
        "p/q/x",
        "my file",
        "tab\there",
        "quote\"",
        "é",
        "line\nbreak",
        "x b/x",
        "a/x",
        "b/x",
        "back\\slash",
        "-f",
        "p q/r s",
    ])
}

fn file(text: String, executable: bool) -> File {
    File {
        content: Content::Text(text),
        executable,
    }
}

/// A tree, and the tree that it becomes: files stay, change, go, come, move, and swap.
fn trees() -> impl Strategy<Value = (Tree, Tree)> {
    let fate = |text: String, executable: bool| {
        let stays = file(text.clone(), executable);
        prop_oneof![
            1 => Just(Some(stays)),
            1 => Just(None),
            4 => (edited(text), any::<bool>()).prop_map(|(text, executable)| Some(file(text, executable))),
        ]
    };
    let files = prop::collection::btree_map(
        path().prop_map(str::to_owned),
        (content(), any::<bool>())
            .prop_flat_map(move |(text, executable)| (Just(file(text.clone(), executable)), fate(text, executable))),
        0..5,
    );
    let come = prop::collection::btree_map(path().prop_map(str::to_owned), content(), 0..2);
    let moves = prop::collection::vec((path(), path()), 0..3);
    (files, come, moves).prop_map(|(files, come, moves)| {
        let before: Tree = files
            .iter()
            .map(|(path, (file, _))| (path.clone(), file.clone()))
            .collect();
        let mut after: Tree = files
            .into_iter()
            .filter_map(|(path, (_, fate))| Some((path, fate?)))
            .collect();
        for (path, text) in come {
            after.entry(path).or_insert(file(text, false));
        }
        for (from, to) in moves {
            let (one, other) = (after.remove(from), after.remove(to));
            after.extend(one.map(|file| (to.to_owned(), file)));
            after.extend(other.map(|file| (from.to_owned(), file)));
        }
        (before, after)
    })
}

/// Each case starts programs, so there are fewer than usual: 64, or a quarter of `PROPTEST_CASES`.
fn runner() -> TestRunner {
    let usual = ProptestConfig::default();
    TestRunner::new(ProptestConfig {
        cases: usual.cases / 4,
        failure_persistence: None,
        ..usual
    })
}

/// For random trees: what is printed about them turns the first into the second.
fn check(diff: impl Fn(&Tree, &Tree) -> Option<String>, told: impl Fn(&mut Tree, &mut Tree)) {
    let mut runner = runner();
    let result = runner.run(&trees(), |(mut before, mut after)| {
        told(&mut before, &mut after);
        let Some(printed) = diff(&before, &after) else {
            return Ok(());
        };
        if printed.is_empty() {
            return Ok(());
        }
        for task in [
            printed.clone(),
            format!("Please:\n\n```diff\n{printed}```\n\nThanks.\n"),
        ] {
            match patched(&before, &task) {
                Ok(found) => prop_assert_eq!(found, after.clone(), "{}", task),
                Err(error) => return Err(TestCaseError::fail(format!("{error}\n{task}"))),
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn check_git(arguments: &[&str]) {
    check(|before, after| git_diff(arguments, before, after), |_, _| ());
}

#[test]
fn what_git_prints_by_itself() {
    check_git(&["diff"]);
}

#[test]
fn what_git_prints_with_renames_and_copies() {
    check_git(&["diff", "-M30%", "-C30%", "--find-copies-harder", "--patience"]);
}

#[test]
fn what_git_prints_with_little_context_and_no_prefixes() {
    check_git(&["diff", "--no-prefix", "--no-renames", "--full-index", "-U1"]);
}

#[test]
fn what_git_prints_with_much_context_and_plain_names() {
    check_git(&[
        "-c",
        "core.quotePath=false",
        "-c",
        "diff.mnemonicPrefix=true",
        "diff",
        "-U30",
        "--histogram",
    ]);
}

#[test]
fn what_gnu_diff_prints() {
    // It tells nothing of executable bits, nor of empty files that come or go.
    let told = |before: &mut Tree, after: &mut Tree| {
        let empty = |file: &File| file.content == Content::Text(String::new());
        after.retain(|path, file| before.contains_key(path) || !empty(file));
        before.retain(|path, file| after.contains_key(path) || !empty(file));
        for (path, file) in after {
            file.executable = before.get(path).is_some_and(|before| before.executable);
        }
    };
    check(gnu_diff, told);
}

#[test]
fn a_shifted_file_is_patched_all_the_same() {
    // Every line stands once, so that there is one place for each hunk.
    let line = |text: String, number: u32| text + &format!("{number}\n");
    let lines = |range: std::ops::Range<u32>| range.fold(String::new(), line);
    let mut runner = runner();
    let changes = prop::collection::btree_set(0_u32..300, 1..6);
    let result = runner.run(&(changes, 0_u32..=200), |(changes, shift)| {
        let before = lines(0..300);
        let after = (0..300).fold(String::new(), |text, number| {
            text + if changes.contains(&number) { "new " } else { "" } + &format!("{number}\n")
        });
        let tree = |text: &str| -> Tree { [("x".to_owned(), file(text.to_owned(), false))].into() };
        let Some(task) = gnu_diff(&tree(&before), &tree(&after)) else {
            return Ok(());
        };
        let head = lines(1000..1000 + shift);
        let shifted = tree(&(head.clone() + &before));
        let edits =
            apply_text(&task, &shifted, &Options::default()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(carried_out(shifted, &edits), tree(&(head + &after)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
