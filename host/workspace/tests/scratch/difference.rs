//! What of what a program wrote is a change to submit.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use snodo_workspace::capability::{Content, Operation};
use snodo_workspace::scratch::Difference;

use crate::mounted::{Pair, can_mount, run_all};
use crate::world::{World, delete, executable, put, snapshot, write};

fn base(root: &Path) {
    for name in [
        "a",
        "b",
        "c",
        "same",
        "d/x",
        "d/y",
        "gone/x/y",
        "gone/z",
        "again/old",
        "again/kept",
        "README",
        "touched",
    ] {
        put(root, name, format!("{name}\n"), 0o644);
    }
    put(root, "run", "x\n", 0o755);
    put(root, ".gitignore", "target/\n*.log\n", 0o644);
    put(root, "target/old.o", "o\n", 0o644);
    put(root, "gone/build.log", "l\n", 0o644);
    put(root, ".git/config", "git\n", 0o644);
    put(root, ".env", "SECRET\n", 0o600);
    put(root, "pending/old", "o\n", 0o644);
    symlink("a", root.join("link")).unwrap();
    symlink("a", root.join("link2")).unwrap();
    symlink("a", root.join("link3")).unwrap();
}

const PROGRAM: &str = r#"
mkdir .git; echo x > .git/HEAD
echo new > new; chmod 644 new
printf '#!/bin/sh\n' > tool; chmod 755 tool
echo changed > a
echo same > same
touch touched
chmod 755 b; chmod 600 c; chmod 644 run
mv d/x d/moved
rm -r gone
rm -r again; mkdir again; echo again/kept > again/kept
rm README; echo readme > readme
rm link; ln -sf b link2; rm link3; echo file > link3; ln -s a link4
rm pending/new; echo p2 > pending/old
echo o > target/new.o; rm target/old.o; echo l > x.log; mkdir -p made/empty
mkfifo pipe; head -c 100001 /dev/zero > large; printf 'a\0b' > binary
echo x > .env; echo x > new.env; mkdir -p sub/.git .snodo; echo x > sub/.git/HEAD; echo x > .snodo/protocol.yml
echo x > "$(printf 'bad\377')"; echo x > 'a:b'
rm d/y; mkdir d/y; echo x > d/y/z
mkdir locked; echo x > locked/x; chmod 000 locked/x locked
"#;

fn run() -> Option<Pair> {
    if !can_mount() {
        return None;
    }
    let world = World::new(base);
    world.submit([write("pending/old", "p\n"), write("pending/new", "p\n")]);
    let pair = Pair::new(world);
    assert_eq!(pair.difference(true), Difference::default());
    assert_eq!(pair.difference(false), Difference::default());
    run_all(std::slice::from_ref(&pair), PROGRAM);
    Some(pair)
}

fn put_operation(path: &str, content: &str, executable: bool) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::from_bytes(content.as_bytes().to_vec()),
        executable: Some(executable),
    }
}

#[test]
fn what_a_program_edited_is_submitted() {
    let Some(pair) = run() else { return };
    let upper = pair.difference(true);
    let expected = [
        delete("README"),
        delete("again/old"),
        delete("d/x"),
        delete("gone/x/y"),
        delete("gone/z"),
        delete("link"),
        delete("pending/new"),
        put_operation("a", "changed\n", false),
        executable("b", true),
        put_operation("binary", "a\0b", false),
        put_operation("d/moved", "d/x\n", false),
        put_operation("locked/x", "x\n", false),
        put_operation("new", "new\n", false),
        put_operation("new.env", "x\n", false),
        put_operation("pending/old", "p2\n", false),
        put_operation("readme", "readme\n", false),
        executable("run", false),
        put_operation("tool", "#!/bin/sh\n", true),
    ];
    assert_eq!(upper.operations, expected);
    let refused: Vec<_> = upper
        .refused
        .iter()
        .map(|r| (r.path.as_str(), r.rule.as_str()))
        .collect();
    let link = "a symbolic link cannot be made or changed, only deleted";
    assert_eq!(
        refused,
        [
            (".env", "`.env` is not read (the host's list of secrets)"),
            (
                ".snodo",
                "`.snodo` is the host's own, at any depth, and never changed by plugins"
            ),
            (
                "a:b",
                "the path holds `:` or `\\`, which separate streams or folders on some systems: separate folders by `/` and use another name"
            ),
            ("bad\u{fffd}", "the name is not UTF-8, so no path can hold it"),
            ("d/y", "a folder cannot take the place of a file within one change"),
            ("large", "it has 100001 bytes; at most 100000 are taken"),
            ("link2", link),
            ("link3", link),
            ("link4", link),
            ("pipe", "a named pipe (FIFO) is no part of a change"),
            (
                "sub/.git",
                "`.git` is git's own, at any depth, and never changed by plugins"
            ),
        ]
    );
    assert_eq!(upper.refused_total, 11);
    assert_eq!(
        (upper.left_out.ignored, upper.left_out.examples.as_slice()),
        (3, ["gone/build.log", "target", "x.log"].map(str::to_owned).as_slice())
    );
    let copy = pair.difference(false);
    assert_eq!(copy, upper);

    // The overlay takes it as it is, and the workspace is then what the program left, as far as it was taken.
    pair.world.submit(upper.operations);
    pair.world.apply().unwrap();
    // To be looked at by the test, as an ordinary user too.
    for name in ["seen/locked", "seen/locked/x"] {
        fs::set_permissions(pair.outside(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (now, left) = (pair.world.snapshot(), snapshot(&pair.outside("seen")));
    for name in [
        "a",
        "again/kept",
        "binary",
        "d/moved",
        "new",
        "readme",
        "tool",
        "pending/old",
        "same",
    ] {
        assert_eq!(now.get(name).unwrap(), left.get(name).unwrap(), "{name}");
    }
    for name in ["README", "again/old", "d/x", "gone/x", "gone/z", "link", "pending/new"] {
        assert!(!now.contains_key(name), "{name}");
    }
    assert!(now.contains_key("target/old.o") && now.contains_key("gone/build.log"));
}

/// Who edits in the workspace while a program is at work does not lose it.
#[test]
fn what_changed_in_the_workspace_meanwhile_is_not_written_over() {
    for in_upper in [true, false] {
        let pair = Pair::new(World::new(base));
        std::thread::sleep(Duration::from_millis(20));
        let scratch = pair.outside(if in_upper { "upper" } else { "copy" });
        fs::write(pair.world.path("a"), "by a person\n").unwrap();
        fs::write(pair.world.path("made"), "by a person\n").unwrap();
        for name in ["a", "b", "made", "other"] {
            fs::write(scratch.join(name), "by the program\n").unwrap();
            fs::set_permissions(scratch.join(name), fs::Permissions::from_mode(0o644)).unwrap();
        }
        let found = pair.difference(in_upper);
        let text = "by the program\n";
        assert_eq!(
            found.operations,
            [put_operation("b", text, false), put_operation("other", text, false)]
        );
        let refused: Vec<_> = found.refused.iter().map(|r| r.path.as_str()).collect();
        assert_eq!(refused, ["a", "made"]);
        assert!(found.refused[0].rule.starts_with("it changed in the workspace"));
    }
}
