//! An overlay over the upper layer shows what the copy is.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use snodo_workspace::capability::Operation;

use crate::mounted::{Pair, can_mount, run_all};
use crate::world::{World, delete, executable, put, rename, write};

/// Kind, mode and content of everything but FIFOs, which a copy does not have; and times, to the nanosecond, but of files that the change wrote.
type Tree = BTreeMap<Vec<u8>, (u32, Vec<u8>, Option<(i64, i64)>)>;

fn tree(root: &Path, pair: &Pair) -> Tree {
    fn look(at: &Path, root: &Path, pair: &Pair, into: &mut Tree) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap();
            let content = if metadata.is_dir() {
                look(&path, root, pair, into);
                Vec::new()
            } else if metadata.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if metadata.is_file() {
                fs::read(&path).unwrap()
            } else {
                continue;
            };
            // What the change wrote is of now; a folder that it made, too.
            let in_base = fs::symlink_metadata(pair.world.path("").join(name));
            let is_old = in_base.is_ok_and(|base| base.is_dir() == metadata.is_dir())
                && !name
                    .to_str()
                    .is_some_and(|name| pair.world.overlay.entries().contains_key(name));
            let time = is_old.then(|| (metadata.mtime(), metadata.mtime_nsec()));
            into.insert(name.as_os_str().as_bytes().to_vec(), (metadata.mode(), content, time));
        }
    }
    let mut all = Tree::new();
    look(root, root, pair, &mut all);
    all
}

fn base(root: &Path) {
    for i in 0..5 {
        put(root, &format!("src/{i}"), format!("{i}\n"), 0o644);
    }
    put(root, "gone/deep/a", "a\n", 0o644);
    put(root, "gone/deep/er/b", "b\n", 0o644);
    put(root, "half/a", "a\n", 0o644);
    put(root, "half/b", "b\n", 0o644);
    put(root, "run", "x\n", 0o750);
    put(root, "key", "k\n", 0o600);
    put(root, "target/out.o", "o\n", 0o644);
    put(root, ".gitignore", "target/\n", 0o644);
    put(root, ".git/config", "git\n", 0o644);
    put(root, "vendor/.git/config", "git\n", 0o644);
    put(root, "vendor/f", "f\n", 0o644);
    put(root, "tree/.GIT", "gitdir: x\n", 0o644);
    put(root, "tree/only", "f\n", 0o644);
    put(root, ".snodo/protocol.yml", "p\n", 0o644);
    put(root, "nested/.snodo/x", "x\n", 0o644);
    put(root, ".env", "SECRET\n", 0o600);
    put(root, "deep/er/server.PEM", "SECRET\n", 0o600);
    put(root, "deep/er/plain", "p\n", 0o640);
    put(root, ".ssh/config", "SECRET\n", 0o600);
    put(root, ".ssh/other", "SECRET\n", 0o600);
    put(root, "secret-only/id_rsa", "SECRET\n", 0o600);
    fs::write(root.join(OsStr::from_bytes(b"bad-\xff.key")), "SECRET\n").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"bad-\xff")), "n\n").unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    symlink("src", root.join("link")).unwrap();
    symlink(".env", root.join("to-secret")).unwrap();
    symlink("x", root.join("linked/only")).unwrap_or_else(|_| {
        fs::create_dir(root.join("linked")).unwrap();
        symlink("x", root.join("linked/only")).unwrap();
    });
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(1_600_000_000, 123_456_789);
    for folder in ["src", "half", "deep/er", "deep", "vendor", ""] {
        fs::File::open(root.join(folder)).unwrap().set_modified(time).unwrap();
    }
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o1750);
    fs::set_permissions(root.join("half"), mode).unwrap();
}

#[test]
fn an_overlay_shows_what_a_copy_is() {
    if !can_mount() {
        return;
    }
    let table: &[&[Operation]] = &[
        &[],
        &[
            write("src/0", "changed\n"),
            write("key", "other\n"),
            write("run", "#!\n"),
        ],
        &[
            write("new/folder/file", "n\n"),
            write("half/new/file", "n\n"),
            write("deep/er/x", ""),
        ],
        &[delete("gone/deep/a"), delete("gone/deep/er/b")],
        &[
            delete("gone/deep/a"),
            delete("gone/deep/er/b"),
            write("gone/other", "o\n"),
        ],
        &[delete("half/a")],
        &[
            delete("half/a"),
            delete("half/b"),
            delete("link"),
            delete("linked/only"),
        ],
        &[
            rename("src/1", "src/moved"),
            rename("run", "bin/run"),
            rename("key", "deep/er/key"),
        ],
        &[executable("src/2", true), executable("run", false)],
        &[write(".env", "the coder's own\n"), write("new/.env", "n\n")],
        &[write(".ssh/config", "the coder's own\n"), write(".ssh/new/x", "n\n")],
        &[delete(".env"), delete(".ssh/other"), delete("secret-only/id_rsa")],
        &[delete("tree/only"), delete("vendor/f")],
        &[delete("target/out.o")],
        &[delete("to-secret"), write("empty/now/not", "x\n")],
    ];
    let pairs: Vec<Pair> = table
        .iter()
        .map(|operations| {
            let world = World::new(base);
            world.submit(operations.to_vec());
            Pair::new(world)
        })
        .collect();
    run_all(&pairs, "true");
    for (pair, operations) in pairs.iter().zip(table) {
        let seen = tree(&pair.outside("seen"), pair);
        assert_eq!(seen, tree(&pair.outside("copy"), pair), "{operations:?}");
        for (path, (_, content, _)) in &seen {
            assert!(content != b"SECRET\n", "{path:?}");
            assert!(!path.to_ascii_lowercase().ends_with(b".git"), "{path:?}");
        }
        assert!(pair.world.overlay.entries().contains_key(".ssh/config") || !seen.contains_key(b".ssh".as_slice()));
        // It has the mode and time of the workspace's, and the control: the workspace itself shows what is hidden.
        let of = |path: &Path| {
            fs::metadata(path)
                .map(|m| (m.mode(), m.mtime(), m.mtime_nsec()))
                .unwrap()
        };
        assert_eq!(of(&pair.outside("seen")), of(&pair.world.path("")));
        assert!(
            tree(&pair.world.path(""), pair)
                .values()
                .any(|(_, content, _)| content == b"SECRET\n")
        );
    }
    assert_eq!(pairs[0].report.files, 0);
    assert_eq!(pairs[0].report.whiteouts, pairs[0].hidden.entries().len() as u64);
}

const FILES: [&str; 12] = [
    "a",
    "b",
    "d/a",
    "d/b",
    "d/e/a",
    "d/e/.git",
    "f/.env",
    "f/a",
    "f/g/h/a",
    "f/g/id_rsa",
    ".env",
    "d/e/b",
];

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let path = || {
        prop::sample::select(
            FILES
                .iter()
                .copied()
                .filter(|f| !f.contains(".git"))
                .collect::<Vec<_>>(),
        )
    };
    let one = prop_oneof![
        (path(), 0..9_u8).prop_map(|(p, n)| write(p, format!("{n}"))),
        path().prop_map(delete),
        path().prop_map(delete),
        (path(), path()).prop_map(|(from, to)| rename(from, to)),
        (path(), any::<bool>()).prop_map(|(p, x)| executable(p, x)),
        (path(), 0..9_u8).prop_map(|(p, n)| write(&format!("{p}.new/x"), format!("{n}"))),
    ];
    prop::collection::vec(one, 0..12)
}

/// Any small workspace with any small change, all in one namespace.
#[test]
fn whatever_the_change_is() {
    if !can_mount() {
        return;
    }
    let mut runner = TestRunner::deterministic();
    let cases = (prop::collection::vec(any::<bool>(), FILES.len()), operations());
    let mut all = Vec::new();
    for _ in 0..60 {
        let (there, operations) = cases.new_tree(&mut runner).unwrap().current();
        let world = World::new(|root| {
            for (file, _) in FILES.iter().zip(&there).filter(|(_, there)| **there) {
                put(root, file, "base", 0o644);
            }
        });
        // Those that are taken.
        for operation in &operations {
            let _ = world.overlay.submit(vec![operation.clone()]);
        }
        all.push((Pair::new(world), operations));
    }
    let (pairs, operations): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    assert!(pairs.iter().filter(|p| !p.world.overlay.entries().is_empty()).count() > 30);
    run_all(&pairs, "true");
    for (pair, operations) in pairs.iter().zip(&operations) {
        assert_eq!(
            tree(&pair.outside("seen"), pair),
            tree(&pair.outside("copy"), pair),
            "{operations:?} over {:?}",
            pair.world.snapshot().keys()
        );
    }
}
