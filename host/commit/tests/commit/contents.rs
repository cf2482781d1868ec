//! What a commit holds: its tree, its message, its people, and the log.

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::fs::symlink;

use snodo_commit::{check_change, commit};
use snodo_workspace::path::WorkspacePath;

use crate::need_git;
use crate::world::{World, delete, executable, message, now, rename, write};

fn lines() -> String {
    let lines: Vec<String> = (0..40).map(|n| format!("line {n}\n")).collect();
    lines.concat()
}

fn mixed() -> World {
    let lines = lines();
    World::new(|world| {
        world.put("modified", &lines);
        world.put("deleted", "gone\n");
        world.put("old/name", &lines);
        world.put("moved and changed", &lines);
        world.put("Case", "same\n");
        world.put("tool", "#!/bin/sh\n");
        world.put("plain", "x\n");
        world.make_executable("plain");
        world.put("kept/deep/file", "kept\n");
        symlink("deleted", world.path("link")).unwrap();
        symlink("elsewhere", world.path("link that goes")).unwrap();
    })
}

#[test]
fn every_kind_of_change_is_committed_and_nothing_else() {
    need_git!();
    let world = mixed();
    let lines = lines();
    let before = world.git(&["rev-parse", "HEAD"]);
    let (committed, change) = world.commit(vec![
        write("modified", lines.replace("line 20\n", "other\n")),
        delete("deleted"),
        rename("old/name", "new/name"),
        rename("moved and changed", "new/place"),
        write("new/place", lines.replace("line 3\n", "")),
        rename("Case", "case"),
        executable("tool", true),
        executable("plain", false),
        delete("link that goes"),
        write("added/in/folders", "new\n"),
        write("with spaces and é", "no line feed"),
        write("empty", ""),
    ]);
    world.assert_sound();
    assert_eq!(committed.id, world.git(&["rev-parse", "HEAD"]));
    assert_eq!(committed.parent.as_deref(), Some(before.as_str()));
    assert_eq!(committed.branch.as_deref(), Some("main"));
    assert_eq!(world.git(&["rev-parse", "HEAD~1"]), before);
    assert_eq!(world.status(), Vec::<String>::new());
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(
        world.git(&["diff", "--name-status", "-M", "HEAD~1", "HEAD"]),
        "A\tadded/in/folders\nR100\tCase\tcase\nD\tdeleted\nA\tempty\nD\tlink that goes\nM\tmodified\n\
         R100\told/name\tnew/name\nR097\tmoved and changed\tnew/place\nM\tplain\nM\ttool\nA\t\"with spaces and \\303\\251\""
    );
    assert!(world.git(&["ls-tree", "HEAD", "tool"]).starts_with("100755 "));
    assert!(world.git(&["ls-tree", "HEAD", "plain"]).starts_with("100644 "));
    assert!(world.git(&["ls-tree", "HEAD", "link"]).starts_with("120000 "));
}

/// Line for line what git prints, without what depends on how it abbreviates and guesses.
#[test]
fn the_difference_is_the_patch_of_the_change() {
    need_git!();
    let world = mixed();
    let lines = lines();
    let (_, change) = world.commit(vec![
        write("modified", lines.replace("line 20\n", "other\n")),
        delete("deleted"),
        rename("old/name", "new/name"),
        executable("tool", true),
        write("added", "new"),
    ]);
    let plain = |text: &str| -> Vec<String> {
        let kept = text
            .lines()
            .filter(|line| !line.starts_with("index ") && !line.starts_with("similarity "));
        kept.map(|line| match line.strip_prefix("@@ ") {
            Some(rest) => format!("@@ {} @@", rest.split(" @@").next().unwrap()),
            None => line.to_owned(),
        })
        .collect()
    };
    let ours = String::from_utf8(change.to_patch()).unwrap();
    assert_eq!(plain(&world.git(&["diff", "-M", "HEAD~1", "HEAD"])), plain(&ours));
    assert!(
        world
            .git(&["show", "--stat", "--format="])
            .ends_with("5 files changed, 2 insertions(+), 2 deletions(-)")
    );
}

#[test]
fn binary_contents_and_odd_line_ends_are_committed_as_they_are() {
    need_git!();
    let world = World::new(|world| {
        world.put(".gitattributes", "* text=auto eol=crlf\n");
        world.put("x", "x\n");
    });
    let odd: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let (_, change) = world.commit(vec![write("blob", &odd), write("crlf", "a\r\nb\nc\r")]);
    assert_eq!(change.files.len(), 2);
    world.assert_sound();
    for (name, content) in [("blob", odd.as_slice()), ("crlf", b"a\r\nb\nc\r")] {
        let output = world.try_git_in(&world.path(""), &["cat-file", "blob", &format!("HEAD:{name}")]);
        assert!(output.stdout == content, "{name}");
    }
}

/// Coders cannot make such a change, but a native one, or one that edits a scratch, can.
#[test]
fn a_file_takes_the_place_of_a_folder_and_a_folder_that_of_a_file() {
    need_git!();
    let world = World::new(|world| {
        world.put("folder/one", "1\n");
        world.put("folder/deep/two", "2\n");
        world.put("file", "f\n");
        world.put("folder.txt", "sorts between\n");
    });
    let run = world.run();
    let committable = world.check().unwrap();
    let mut change = run.submit(vec![
        delete("folder/one"),
        delete("folder/deep/two"),
        delete("file"),
        write("new one", "now a file\n"),
        write("new two", "now in a folder\n"),
    ]);
    for file in &mut change.files {
        match file.path.as_str() {
            "new one" => file.path = WorkspacePath::parse("folder").unwrap(),
            "new two" => file.path = WorkspacePath::parse("file/inside").unwrap(),
            _ => {}
        }
    }
    check_change(&committable, &change).unwrap();
    std::fs::remove_dir_all(world.path("folder")).unwrap();
    std::fs::remove_file(world.path("file")).unwrap();
    world.put("folder", "now a file\n");
    world.put("file/inside", "now in a folder\n");
    commit(&committable, &change, &message(), now()).unwrap();
    world.assert_sound();
    assert_eq!(world.status(), Vec::<String>::new());
    assert_eq!(
        world.git(&["ls-tree", "-r", "--name-only", "HEAD"]),
        "file/inside\nfolder\nfolder.txt"
    );
}

#[test]
fn all_files_may_go() {
    need_git!();
    let world = World::new(|world| world.put("a/b/only", "x\n"));
    let (_, change) = world.commit(vec![delete("a/b/only")]);
    world.assert_sound();
    world.assert_is_change(&world.path(""), &change);
    assert_eq!(world.git(&["ls-tree", "-r", "HEAD"]), "");
    assert_eq!(world.status(), Vec::<String>::new());
}

#[test]
fn message_people_time_and_log() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let (committed, _) = world.commit(vec![write("a", "b\n")]);
    let shown = world.git(&["show", "--no-patch", "--format=%an|%ae|%ad|%cn|%ce|%cd|%B", "HEAD"]);
    let when = "Tue Nov 14 22:13:20 2023 +0000";
    assert_eq!(
        shown.trim_end(),
        format!(
            "Ada Łovelace|ada@example.com|{when}|Ada Łovelace|ada@example.com|{when}|{}",
            message().as_str().trim_end()
        )
    );
    assert_eq!(
        world
            .git(&["show", "--no-patch", "--format=%(trailers)", "HEAD"])
            .trim(),
        "Snodo-Run: run-1"
    );
    for name in ["HEAD", "main"] {
        let log = world.git(&["reflog", "show", "--format=%H %gs", name]);
        let first = log.lines().next().unwrap().to_owned();
        assert_eq!(first, format!("{} commit: Do what was asked", committed.id), "{name}");
        assert_eq!(log.lines().count(), 2);
    }
    assert_eq!(world.git(&["rev-parse", "main@{1}"]), committed.parent.unwrap());
}

/// What is written has the modes that git itself gives.
#[test]
fn modes_of_the_files_in_the_repository_are_gits() {
    need_git!();
    let world = World::new(|world| world.put("a", "a\n"));
    let mode = |name: &str| std::fs::metadata(world.path(".git").join(name)).unwrap().mode() & 0o777;
    let names = ["index", "refs/heads/main", "HEAD", "logs/HEAD", "logs/refs/heads/main"];
    let before = names.map(mode);
    world.commit(vec![write("a", "b\n")]);
    assert_eq!(names.map(mode), before);
    let id = world.git(&["rev-parse", "HEAD:a"]);
    assert_eq!(mode(&format!("objects/{}/{}", &id[..2], &id[2..])), 0o444);
}

#[test]
fn commit_after_commit_and_git_goes_on() {
    need_git!();
    let world = World::new(|world| world.put("a", "0\n"));
    for n in 1..5 {
        let (_, change) = world.commit(vec![write("a", format!("{n}\n")), write(&format!("f{n}"), "x\n")]);
        world.assert_is_change(&world.path(""), &change);
        assert_eq!(world.status(), Vec::<String>::new());
        if n == 3 {
            world.git(&["gc", "--quiet"]);
            world.git(&["pack-refs", "--all"]);
        }
    }
    world.put("a", "by hand\n");
    world.git(&["commit", "--quiet", "-am", "by hand"]);
    world.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "7");
    world.assert_sound();
}
