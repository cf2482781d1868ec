//! What is submitted is what stands there afterwards, whole (cases B01, B09, B13).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use snodo_workspace::path::WorkspacePath;

use crate::world::{World, delete, executable, put, rename, write};

#[test]
fn b09_empty_is_a_file_and_no_newline_is_added() {
    let world = World::new(|root| put(root, "full", "content\n", 0o644));
    world.submit([write("e.txt", ""), write("n.txt", "abc"), write("full", "")]);
    world.apply().unwrap();
    assert_eq!(fs::read(world.path("e.txt")).unwrap(), b"");
    assert_eq!(fs::read(world.path("n.txt")).unwrap(), b"abc");
    assert_eq!(fs::read(world.path("full")).unwrap(), b"");
}

#[test]
fn b09_folders_are_neither_replaced_nor_deleted() {
    let world = World::new(|root| {
        put(root, "target.txt", "t\n", 0o644);
        put(root, "dir/file", "x\n", 0o644);
        put(root, "f", "x\n", 0o644);
    });
    let before = world.snapshot();
    for operation in [
        write("target.txt/", "x"),
        write("dir", "x"),
        write("f/x", "x"),
        delete("dir"),
    ] {
        assert!(world.overlay.submit(vec![operation.clone()]).is_err(), "{operation:?}");
    }
    world.apply().unwrap();
    assert_eq!(world.snapshot(), before);
    // The control: the file system itself would let a folder be replaced by its being moved away.
    fs::rename(world.path("dir"), world.path("dir2")).unwrap();
    fs::write(world.path("dir"), "x").unwrap();
    assert_ne!(world.snapshot(), before);
}

#[test]
fn b01_and_b13_bytes_are_bytes() {
    let bytes: Vec<u8> = (0..=255).collect();
    let world = World::new(|root| put(root, "crlf", "a\r\nb\nc\r", 0o644));
    world.submit([
        write("img.bin", &bytes),
        write("crlf", "a\r\nb\nc\rd"),
        write("bom", "\u{feff}x\r"),
    ]);
    world.apply().unwrap();
    assert_eq!(fs::read(world.path("img.bin")).unwrap(), bytes);
    assert_eq!(fs::read(world.path("crlf")).unwrap(), b"a\r\nb\nc\rd");
    assert_eq!(fs::read(world.path("bom")).unwrap(), b"\xef\xbb\xbfx\r");
}

/// Case B13: what is no text, cannot be read, or was deleted never comes out as an empty file.
#[test]
fn b13_no_content_is_ever_made_up() {
    let make = |root: &std::path::Path| {
        put(root, "img.bin", b"\x00\xff\xfe", 0o644);
        put(root, "changed.bin", b"\x00\xff", 0o644);
        put(root, "closed", "closed\n", 0o000);
        put(root, "gone.txt", "gone\n", 0o644);
    };
    let world = World::new(make);
    world.submit([
        rename("img.bin", "moved.bin"),
        write("changed.bin", b"\xff\x00"),
        delete("gone.txt"),
    ]);
    let closed = world.overlay.submit(vec![rename("closed", "open")]);
    // The administrator may read everything.
    let readable = fs::read(world.path("closed")).is_ok();
    match &closed {
        Ok(_) => assert!(readable),
        Err(error) => assert!(!readable && error.to_string().contains("`closed`"), "{error}"),
    }
    world.apply().unwrap();
    assert_eq!(fs::read(world.path("moved.bin")).unwrap(), b"\x00\xff\xfe");
    assert_eq!(fs::read(world.path("changed.bin")).unwrap(), b"\xff\x00");
    assert!(!world.path("gone.txt").exists() && !world.path("img.bin").exists());
    let closed = world.path(if readable { "open" } else { "closed" });
    assert_eq!(fs::metadata(&closed).unwrap().mode() & 0o777, 0);
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(fs::read_to_string(closed).unwrap(), "closed\n");

    // The control: a tool that takes everything for text, and what it cannot read for nothing, empties the file.
    let world = World::new(make);
    let text = fs::read_to_string(world.path("img.bin")).unwrap_or_default();
    fs::write(world.path("img.bin"), text).unwrap();
    assert_eq!(fs::read(world.path("img.bin")).unwrap(), b"");
}

#[test]
fn a_moved_file_is_the_same_inode_and_a_mode_change_keeps_the_time() {
    let world = World::new(|root| {
        put(root, "a", "a\n", 0o640);
        put(root, "b", "b\n", 0o644);
    });
    let inode = fs::metadata(world.path("a")).unwrap().ino();
    let time = fs::metadata(world.path("b")).unwrap().modified().unwrap();
    world.submit([rename("a", "deep/er/c"), executable("b", true)]);
    let applied = world.apply().unwrap();
    assert_eq!(
        applied
            .folders_made
            .iter()
            .map(WorkspacePath::as_str)
            .collect::<Vec<_>>(),
        ["deep", "deep/er"]
    );
    let moved = fs::metadata(world.path("deep/er/c")).unwrap();
    assert_eq!((moved.ino(), moved.mode() & 0o777), (inode, 0o640));
    assert_eq!(fs::metadata(world.path("b")).unwrap().modified().unwrap(), time);
}

#[test]
fn names_that_change_places_come_out_right() {
    let world = World::new(|root| {
        for name in ["a", "b", "c", "Case"] {
            put(root, name, format!("was {name}\n"), 0o644);
        }
    });
    // A chain, and a change of letter case.
    world.submit([rename("c", "d")]);
    world.submit([rename("b", "x/b")]);
    world.submit([rename("Case", "case")]);
    world.submit([write("a", "changed\n")]);
    world.apply().unwrap();
    let snapshot = world.snapshot();
    let texts: Vec<_> = snapshot
        .iter()
        .map(|(p, (_, c))| (p.as_str(), std::str::from_utf8(c).unwrap()))
        .collect();
    assert_eq!(
        texts,
        [
            ("a", "changed\n"),
            ("case", "was Case\n"),
            ("d", "was c\n"),
            ("x", ""),
            ("x/b", "was b\n")
        ]
    );
}

#[test]
fn emptied_folders_go_and_folders_with_anything_in_them_stay() {
    let world = World::new(|root| {
        put(root, "gone/deep/a", "a\n", 0o644);
        put(root, "gone/deep/b", "b\n", 0o644);
        put(root, "kept/a", "a\n", 0o644);
        put(root, "kept/ignored.o", "o\n", 0o644);
        put(root, "moved/a", "m\n", 0o644);
        put(root, ".gitignore", "*.o\n", 0o644);
        fs::create_dir(root.join("was-empty")).unwrap();
    });
    world.submit([
        delete("gone/deep/a"),
        delete("gone/deep/b"),
        delete("kept/a"),
        rename("moved/a", "here"),
    ]);
    let applied = world.apply().unwrap();
    let removed: Vec<_> = applied.folders_removed.iter().map(WorkspacePath::as_str).collect();
    assert_eq!(removed, ["gone", "gone/deep", "moved"]);
    assert_eq!(
        world.snapshot().keys().map(String::as_str).collect::<Vec<_>>(),
        [".gitignore", "here", "kept", "kept/ignored.o", "was-empty"]
    );
}

#[test]
fn deleting_a_link_removes_the_link_only() {
    let world = World::new(|root| {
        put(root, "target", "t\n", 0o644);
        put(root, "../outside.txt", "OUTSIDE\n", 0o644);
        symlink("target", root.join("in")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("../outside.txt", root.join("out")).unwrap();
    });
    world.submit([delete("in"), delete("dangling"), delete("out")]);
    world.apply().unwrap();
    assert_eq!(world.snapshot().keys().collect::<Vec<_>>(), ["target"]);
    assert_eq!(fs::read_to_string(world.outside("outside.txt")).unwrap(), "OUTSIDE\n");
}

#[test]
fn nothing_submitted_is_nothing_done() {
    let world = World::new(|root| put(root, "f", "x\n", 0o644));
    let before = world.snapshot();
    assert_eq!(world.apply().unwrap().files, 0);
    assert_eq!(world.snapshot(), before);
    assert!(world.is_settled());
}
