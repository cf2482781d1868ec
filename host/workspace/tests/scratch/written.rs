//! What is told of what a program wrote, the same for both kinds of scratch.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use snodo_workspace::capability::EntryKind::{self, CharDevice, Directory, Fifo, File, Symlink};
use snodo_workspace::scratch::WriteKind::{self, Changed, Created, Deleted, ModeOnly, Replaced};
use snodo_workspace::scratch::Written;

use crate::mounted::{Pair, can_mount, run_all};
use crate::world::{World, delete, put, write};

fn base(root: &Path) {
    for name in [
        "a",
        "b",
        "c",
        "d/x",
        "d/y",
        "d/e/z",
        "gone/x/y",
        "gone/z",
        "again/old",
        "again/kept",
        "f",
        "replaced/x",
    ] {
        put(root, name, format!("{name}\n"), 0o644);
    }
    put(root, ".git/config", "git\n", 0o644);
    put(root, ".env", "SECRET\n", 0o600);
    put(root, ".ssh/key", "SECRET\n", 0o600);
    put(root, "pending/old", "o\n", 0o644);
    put(root, "half-gone/x", "o\n", 0o644);
    symlink("a", root.join("link")).unwrap();
    symlink("a", root.join("link2")).unwrap();
}

const PROGRAM: &str = r#"
echo new > new
mkdir -p made/deep; echo 1 > made/deep/1
echo changed > a
touch -r b stamp; echo B > b; touch -r stamp b; rm stamp
chmod 600 c
: >> f
rm d/x
echo z2 > d/e/z
rm -r gone
rm -r again; mkdir again; echo kept > again/kept
rm -r replaced; echo file > replaced
rm link; ln -s elsewhere link
rm link2; echo file > link2
mkfifo pipe
chmod 700 d/e
echo x > .env; mkdir .git; echo x > .git/config; mkdir -p .ssh .snodo sub/.git; echo x > .ssh/key
echo more >> pending/old; rm pending/new
mkdir half-gone; echo back > half-gone/x
mkdir -m 000 closed
mkdir "$(printf 'bad\377')"
ln new hard
mkdir -m 755 locked; echo x > locked/x; chmod 000 locked/x locked
"#;

#[test]
fn both_kinds_tell_the_same() {
    if !can_mount() {
        return;
    }
    let world = World::new(base);
    world.submit([
        write("pending/old", "p\n"),
        write("pending/new", "p\n"),
        delete("half-gone/x"),
    ]);
    let pair = Pair::new(world);
    assert_eq!(pair.written(true), Written::default());
    assert_eq!(pair.written(false), Written::default());
    run_all(std::slice::from_ref(&pair), PROGRAM);
    let upper = told(&pair.written(true));
    let expected: Vec<(&str, EntryKind, WriteKind, bool)> = vec![
        (".env", File, Created, true),
        (".git", Directory, Created, true),
        (".git/config", File, Created, true),
        (".snodo", Directory, Created, true),
        (".ssh", Directory, Created, true),
        (".ssh/key", File, Created, true),
        ("a", File, Changed, false),
        ("again/kept", File, Changed, false),
        ("again/old", File, Deleted, false),
        ("b", File, Changed, false),
        ("bad\u{fffd}", Directory, Created, false),
        ("c", File, ModeOnly, false),
        ("closed", Directory, Created, false),
        ("d/e", Directory, ModeOnly, false),
        ("d/e/z", File, Changed, false),
        ("d/x", File, Deleted, false),
        ("gone", Directory, Deleted, false),
        ("half-gone", Directory, Created, false),
        ("half-gone/x", File, Created, false),
        ("hard", File, Created, false),
        ("link", Symlink, Changed, false),
        ("link2", File, Replaced, false),
        ("locked", Directory, Created, false),
        ("locked/x", File, Created, false),
        ("made", Directory, Created, false),
        ("made/deep", Directory, Created, false),
        ("made/deep/1", File, Created, false),
        ("new", File, Created, false),
        ("pending/new", File, Deleted, false),
        ("pending/old", File, Changed, false),
        ("pipe", Fifo, Created, false),
        ("replaced", File, Replaced, false),
        ("sub", Directory, Created, false),
        ("sub/.git", Directory, Created, true),
    ];
    // The folder that the change emptied is not there in either; the program has to make it.
    let expected: Vec<_> = expected
        .iter()
        .map(|(p, e, k, a)| ((*p).to_owned(), *e, *k, *a))
        .collect();
    assert_eq!(upper, expected);
    assert_eq!(told(&pair.written(false)), expected);
}

fn told(written: &Written) -> Vec<(String, EntryKind, WriteKind, bool)> {
    assert_eq!(written.total, written.entries.len() as u64);
    assert!(!written.truncated);
    written
        .entries
        .iter()
        .map(|e| {
            (
                e.path.to_string_lossy().into_owned(),
                e.entry,
                e.kind,
                e.attempt.is_some(),
            )
        })
        .collect()
}

/// Without a mount: a copy, changed from here.
fn in_copy(make: impl FnOnce(&Path)) -> Written {
    let pair = Pair::new(World::new(base));
    make(&pair.outside("copy"));
    pair.written(false)
}

#[test]
fn the_list_is_bounded_and_attempts_stay_in_it() {
    let written = in_copy(|copy| {
        for i in 0..3_000 {
            fs::write(copy.join(format!("a{i:04}")), "").unwrap();
        }
        fs::write(copy.join(".env"), "").unwrap();
        fs::create_dir_all(copy.join("zzz/.git")).unwrap();
    });
    assert_eq!(
        (written.total, written.entries.len(), written.truncated),
        (3_003, 1_002, true)
    );
    assert_eq!(written.entries.last().unwrap().path, Path::new("zzz/.git"));
    assert!(
        written
            .entries
            .windows(2)
            .all(|w| w[0].path.as_os_str() < w[1].path.as_os_str())
    );
}

#[test]
fn what_is_made_to_harm_whoever_looks_does_not() {
    let written = in_copy(|copy| {
        let mut here = crate::mounted::open(copy);
        for _ in 0..3_000 {
            here.create_dir("n").unwrap();
            here = here.open_dir("n").unwrap();
        }
        symlink("/", copy.join("root")).unwrap();
        symlink("/dev/zero", copy.join("zero")).unwrap();
        let _ = rustix::fs::mknodat(
            rustix::fs::CWD,
            copy.join("white"),
            rustix::fs::FileType::CharacterDevice,
            rustix::fs::Mode::empty(),
            0,
        );
    });
    assert!(written.truncated);
    assert_eq!(written.total, 128 + 3);
    let kinds = |name: &str| {
        written
            .entries
            .iter()
            .find(|e| e.path == Path::new(name))
            .unwrap()
            .entry
    };
    assert_eq!(
        (kinds("root"), kinds("zero"), kinds("white")),
        (Symlink, Symlink, CharDevice)
    );
}
