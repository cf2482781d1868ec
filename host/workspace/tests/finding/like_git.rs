//! Ignore rules, held against git itself: the same paths, by the same line of the same file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use proptest::prelude::*;
use snodo_workspace::ambient::open_root;
use snodo_workspace::ignore_rules::IgnoreRules;
use snodo_workspace::path::WorkspacePath;

use super::world::World;

/// Pieces of patterns: what means something to git, to the matcher below us, or to only one of them.
const PIECES: [&str; 40] = [
    "a",
    "b",
    "ab",
    "foo",
    "c",
    "x.y",
    "*",
    "**",
    "***",
    "?",
    "/",
    "/**/",
    "/*",
    "**/",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[!]a]",
    "[a",
    "[[:alpha:]]",
    "[[:nope:]]",
    "[\\]]",
    "[c-a]",
    "[a-]",
    "[-a]",
    "[!-]",
    "[!!]",
    "[+--]",
    "\\*",
    "\\a",
    "\\",
    "{a,b}",
    "{",
    "}",
    ",",
    "é",
    "!",
    " ",
];

const NAMES: [&str; 22] = [
    "a", "b", "ab", "abc", "foo", "c", "x.y", "é", "{a,b}", "{", "a b", "-", "!a", "!", "#b", "*", "]", "[a", "a*",
    ",", "aé", "foo ",
];

fn line() -> impl Strategy<Value = String> {
    let body = prop::collection::vec(prop::sample::select(&PIECES[..]), 1..5).prop_map(|pieces| pieces.concat());
    let before = prop::sample::select(&["", "", "", "", "", "!", "!", "/", "!/", "\\!", "\\#", "#", " "][..]);
    let after = prop::sample::select(&["", "", "", "", "/", "/", "/**", " ", "  ", "\\ ", "\r", "\t"][..]);
    (before, body, after).prop_map(|(before, body, after)| format!("{before}{body}{after}"))
}

fn file() -> impl Strategy<Value = String> {
    // To git, `a**//` is the folder `a`, by the way it compares letters first. Here, two slashes match nothing.
    let line = line().prop_filter("an accident", |line| !line.replace("\\/", "/").contains("**//"));
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

/// Paths of files; some folders; an ignore file for some of them.
fn tree() -> impl Strategy<Value = (Vec<String>, BTreeMap<String, String>)> {
    let path = prop::collection::vec(prop::sample::select(&NAMES[..]), 1..5).prop_map(|names| names.join("/"));
    let paths = prop::collection::vec(path, 1..12);
    (
        paths,
        prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), file()),
            0..3,
        ),
        file(),
    )
        .prop_map(|(paths, more, root)| {
            let mut files = BTreeMap::from([(String::new(), root)]);
            for (which, depth, content) in more {
                let path = which.get(&paths);
                let folders: Vec<&str> = path.split('/').collect();
                let depth = depth.index(folders.len());
                files.insert(folders[..depth].join("/"), content);
            }
            (paths, files)
        })
}

/// What git says of each path: file, line and pattern of the line that decides, if it ignores.
fn of_git(world: &World, paths: &[String]) -> Option<Vec<Option<(String, u32, String)>>> {
    let mut git = Command::new("git")
        .current_dir(world.root())
        .envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("XDG_CONFIG_HOME", "/nonexistent"),
        ])
        .args([
            "check-ignore",
            "--no-index",
            "--verbose",
            "--non-matching",
            "--stdin",
            "-z",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = git.stdin.take().unwrap();
    for path in paths {
        input.write_all(path.as_bytes()).unwrap();
        input.write_all(b"\0").unwrap();
    }
    drop(input);
    let output = git.wait_with_output().unwrap();
    let fields: Vec<String> = output
        .stdout
        .split(|b| *b == 0)
        .map(|f| String::from_utf8(f.to_vec()).unwrap())
        .collect();
    let answers: Vec<_> = fields
        .chunks_exact(4)
        .map(|field| {
            let ignores = !field[0].is_empty() && !field[2].starts_with('!');
            ignores.then(|| (field[0].clone(), field[1].parse().unwrap(), field[2].clone()))
        })
        .collect();
    assert_eq!(answers.len(), paths.len());
    Some(answers)
}

fn build(files: &[String], ignore: &BTreeMap<String, String>) -> (World, Vec<String>) {
    let world = World::new();
    let mut there = Vec::new();
    for path in files {
        // A name may be a file in one path and a folder in another: the first wins.
        let target = world.path(path);
        if target.exists()
            || target.parent().is_none_or(|p| std::fs::create_dir_all(p).is_err())
            || std::fs::write(&target, "").is_err()
        {
            continue;
        }
        there.push(path.clone());
    }
    for (folder, content) in ignore {
        let folder = world.path(folder);
        if folder.is_dir() {
            std::fs::write(folder.join(".gitignore"), content).unwrap();
        }
    }
    let mut paths: Vec<String> = there
        .iter()
        .flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned()))
        .collect();
    paths.extend(there);
    paths.sort_unstable();
    paths.dedup();
    (world, paths)
}

fn compare(files: &[String], ignore: &BTreeMap<String, String>) -> Result<bool, TestCaseError> {
    let (world, paths) = build(files, ignore);
    let init = Command::new("git")
        .current_dir(world.root())
        .args(["init", "-q"])
        .status();
    if !init.is_ok_and(|status| status.success()) {
        return Ok(false);
    }
    let Some(git) = of_git(&world, &paths) else {
        return Ok(false);
    };
    let rules = IgnoreRules::new(Arc::new(open_root(&world.root()).unwrap()));
    for (path, git) in paths.iter().zip(git) {
        let is_dir = world.path(path).is_dir();
        let ours = rules.why_ignored(&WorkspacePath::parse(path).unwrap(), is_dir);
        let ours = ours.map(|hit| (hit.file, hit.line, hit.pattern));
        // git shows a pattern without the spaces and the carriage return at its end.
        let trimmed = ours
            .clone()
            .map(|(file, line, pattern)| (file, line, pattern.trim_end_matches([' ', '\r']).to_owned()));
        let git = git.map(|(file, line, pattern)| (file, line, pattern.trim_end_matches([' ', '\r']).to_owned()));
        prop_assert_eq!(trimmed, git, "{:?} (folder: {}) by {:?}", path, is_dir, ignore);
    }
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn git_and_we_agree((files, ignore) in tree()) {
        compare(&files, &ignore)?;
    }
}

#[test]
fn git_and_we_agree_about_what_is_documented() {
    let files = [
        "hello.c",
        "hello.h",
        "foo/bar",
        "foo/a/b/c",
        "doc/frotz/x",
        "a/doc/frotz/x",
        "frotz/x",
        "a/frotz/x",
        "foo/bar/hello.c",
        "abc/x/y",
        "abc",
        "a/x/b",
        "a/b",
        "a/x/y/b",
        "build/out.o",
        "build/keep/k.o",
        "src/build",
        "logs/debug.log",
        "logs/important.log",
        "#hash",
        "!bang",
        "trailing ",
        "sp ace",
        "Thumbs.db",
        "x/Thumbs.db",
        "q?",
        "qx",
        "[z]",
        "z",
    ]
    .map(str::to_owned);
    for patterns in [
        "hello.*\n!hello.h\n",
        "/hello.*\n",
        "doc/frotz/\n",
        "frotz/\n",
        "**/foo\nfoo/**/c\n",
        "abc/**\n!abc/x\n",
        "a/**/b\n",
        "build/\n!build/keep/\n!build/keep/k.o\n",
        "/build/*\n!/build/keep/\n",
        "*.log\n!important.log\n",
        "\\#hash\n\\!bang\n",
        "trailing\\ \nsp ace   \n",
        "q\\?\n\\[z\\]\n",
        "*\n!*/\n!*.c\n",
        "\u{feff}hello.c\nhello.h\r\n",
        "/\n//\n!\n\n   \n/*/\n",
        "Thumbs.db\n!/Thumbs.db\n",
    ] {
        let ignore = BTreeMap::from([(String::new(), patterns.to_owned())]);
        compare(&files, &ignore).unwrap();
    }
}
