//! The patch text: `git apply` makes of the base what apply makes of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use crate::world::{Snapshot, World, delete, executable, put, rename, snapshot, write};

fn has_git() -> bool {
    let found = Command::new("git")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !found {
        eprintln!("skipped: no `git` to apply patches with");
    }
    found
}

/// `git apply` in a folder that is not in a repository: then it is a better `patch`.
fn git_apply(folder: &Path, patch: &[u8]) -> Result<(), String> {
    let file = folder.parent().unwrap().join("patch");
    fs::write(&file, patch).unwrap();
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn"])
        .arg(&file)
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Applies the pending change by git in a copy of the workspace, and by ourselves; both have to come to the same.
fn both_ways(world: &World) -> (Snapshot, Snapshot) {
    let twin = world.outside("twin/work");
    fs::create_dir_all(&twin).unwrap();
    let copied = Command::new("cp")
        .arg("-a")
        .arg(world.path("."))
        .arg(&twin)
        .status()
        .unwrap();
    assert!(copied.success());
    let patch = world.set().to_patch();
    if let Err(error) = git_apply(&twin, &patch) {
        panic!("{error}\n{}", String::from_utf8_lossy(&patch));
    }
    world.apply().unwrap();
    (snapshot(&twin), world.snapshot())
}

#[test]
fn git_takes_every_kind_of_change() {
    if !has_git() {
        return;
    }
    let long: String = (1..60).map(|i| i.to_string() + "\n").collect();
    let world = World::new(|root| {
        put(root, "long", &long, 0o644);
        put(root, "gone", "1\n2\n", 0o644);
        put(root, "gone-empty", "", 0o644);
        put(root, "mode", "x\n", 0o644);
        put(root, "both", "x\n", 0o755);
        put(root, "moved", "same\n", 0o644);
        put(root, "moved-changed", &long, 0o644);
        put(root, "crlf", "a\r\nb\r\nc\r\n", 0o644);
        put(root, "no-newline", "a\nb", 0o644);
        put(root, "gets-newline", "a\nb", 0o644);
        put(root, "emptied", "a\n", 0o644);
        put(root, "dir/only", "a\n", 0o644);
        symlink("somewhere/else", root.join("link")).unwrap();
    });
    world.submit(
        [
            write(
                "long",
                long.replace("\n30\n", "\nthirty\n")
                    .replace("1\n2\n", "1\nnew\n2\n")
                    .replace("59\n", "59"),
            ),
            delete("gone"),
            delete("gone-empty"),
            delete("link"),
            delete("dir/only"),
            executable("mode", true),
            write("both", "y\n"),
            rename("moved", "to/a b"),
            rename("moved-changed", "to/changed"),
            write("crlf", "a\r\nB\r\nc\r\n"),
            write("no-newline", "a\nc"),
            write("gets-newline", "a\nb\n"),
            write("emptied", ""),
            write("new", "no newline"),
            write("new-empty", ""),
            write("new/deep/er", "x\n"),
        ]
        .into_iter()
        .filter(|o| !matches!(o, snodo_workspace::capability::Operation::Write { path, .. } if path == "new")),
    );
    world.submit([
        write("to/changed", long.replace("\n7\n", "\nseven\n")),
        executable("both", false),
    ]);
    let (git, ours) = both_ways(&world);
    assert_eq!(git, ours);
}

#[test]
fn git_takes_odd_names() {
    if !has_git() {
        return;
    }
    let names = [
        "with space",
        "tab\there",
        "new\nline",
        "quote\"d",
        "é.txt",
        "e\u{301}.txt",
        "a\u{202f}b.txt",
        "app/[id]/(group)/p.tsx",
        "-f",
        "$HOME",
        "%20",
        "a b/c d",
        "b/",
        " b",
        "trailing ",
        "bell\u{7}",
        "\u{1f600}",
        "a/b",
        "--- a",
    ]
    .map(|n| n.trim_end_matches('/'));
    let world = World::new(|root| {
        for name in names.iter().filter(|n| **n != "b") {
            put(root, &format!("old/{name}"), "1\n2\n3\n", 0o644);
            put(root, &format!("gone/{name}"), "1\n", 0o644);
            put(root, &format!("from/{name}"), "1\n", 0o644);
        }
    });
    for name in names.iter().filter(|n| **n != "b") {
        world.submit([
            write(&format!("old/{name}"), "1\ntwo\n3\n"),
            delete(&format!("gone/{name}")),
            rename(&format!("from/{name}"), &format!("to/{name}")),
            write(&format!("new/{name}"), "n\n"),
        ]);
    }
    let (git, ours) = both_ways(&world);
    assert_eq!(git, ours);
}

#[test]
fn a_binary_file_is_named_and_git_does_not_leave_it_out_silently() {
    let world = World::new(|root| put(root, "img", b"\x00\x01", 0o644));
    world.submit([write("img", b"\x00\x02"), write("new", b"\xff\xfe")]);
    let patch = world.set().to_patch();
    assert_eq!(
        String::from_utf8(patch.clone()).unwrap(),
        "diff --git a/img b/img\nBinary files a/img and b/img differ\n\
         diff --git a/new b/new\nnew file mode 100644\nBinary files /dev/null and b/new differ\n"
    );
    if has_git() {
        assert!(git_apply(&world.path(""), &patch).is_err());
    }
}

#[test]
fn the_text_is_what_git_diff_prints() {
    let world = World::new(|root| put(root, "é f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", 0o644));
    world.submit([write("é f", "1\n2\n3\n4\nfive\n6\n7\n8\n9"), write("n", "a\n")]);
    assert_eq!(
        String::from_utf8(world.set().to_patch()).unwrap(),
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\
         diff --git \"a/\\303\\251 f\" \"b/\\303\\251 f\"\n--- \"a/\\303\\251 f\"\n+++ \"b/\\303\\251 f\"\n\
         @@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+9\n\\ No newline at end of file\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]
    /// Any two texts.
    #[test]
    fn git_makes_the_new_text_of_the_old(
        pairs in proptest::collection::vec(("([ab]{0,2}\r?\n){0,30}[ab]{0,2}", "([ab]{0,2}\r?\n){0,30}[ab]{0,2}"), 25)
    ) {
        if !has_git() {
            return Ok(());
        }
        let world = World::new(|root| {
            for (i, (old, _)) in pairs.iter().enumerate() {
                put(root, &i.to_string(), old, 0o644);
            }
        });
        world.submit(pairs.iter().enumerate().map(|(i, (_, new))| write(&i.to_string(), new)));
        let (git, ours) = both_ways(&world);
        prop_assert_eq!(git, ours);
    }
}
