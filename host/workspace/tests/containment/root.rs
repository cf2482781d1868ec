//! The root, and what the user names.

use std::path::Path;

use snodo_workspace::ambient::{OpenError, open_private_dir, open_root, read_user_file};
use snodo_workspace::capability::EntryKind;

use crate::world::{World, link, within_a_second};

#[test]
fn a12_a_root_named_through_a_link_is_the_same_root() {
    let world = World::new(&[], |tree| link(&tree.root, &tree.root.with_file_name("R-link")));
    let root = world.real().root;
    let plain = open_root(&root).unwrap();
    let spellings = [
        root.with_file_name("R-link"),
        root.join(""),
        root.with_file_name(".").join("R/../R"),
        root.with_file_name("R-link").join("."),
    ];
    for given in spellings {
        let opened = open_root(&given).unwrap();
        assert_eq!(opened.identity(), plain.identity());
        assert_eq!(opened.resolved(), plain.resolved());
        assert_eq!(opened.given(), given);
        assert!(opened.still_there());
    }
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let world = World::new(&[], |tree| link("nowhere", &tree.root.join("dangling")));
    let root = world.real().root;
    assert!(matches!(
        open_root(&root.join("missing")),
        Err(OpenError::Missing { .. })
    ));
    assert!(matches!(
        open_root(&root.join("dangling")),
        Err(OpenError::Missing { .. })
    ));
    assert!(matches!(open_root(Path::new("")), Err(OpenError::Missing { .. })));
    let error = open_root(&root.join("ok.txt")).unwrap_err();
    assert!(matches!(
        error,
        OpenError::NotAFolder {
            kind: EntryKind::File,
            ..
        }
    ));
    assert!(
        error.to_string().ends_with("ok.txt` is a file, not a folder"),
        "{error}"
    );
}

#[test]
fn g13_a_root_that_was_moved_or_replaced_is_noticed() {
    let world = World::new(&[], |_| {});
    let root = world.real().root;
    let opened = open_root(&root).unwrap();
    std::fs::rename(&root, root.with_file_name("moved")).unwrap();
    assert!(!opened.still_there());
    std::fs::create_dir(&root).unwrap();
    assert!(!opened.still_there());
    // What is open is still the folder that was named; and its name leads to the other one (the control).
    assert!(opened.dir().symlink_metadata("ok.txt").is_ok());
    assert_eq!(world.text("ok.txt"), "ok\n");
    std::fs::write(root.join("ok.txt"), "of the other").unwrap();
    assert_eq!(world.text("ok.txt"), "ok\n");
    assert_eq!(std::fs::read_to_string(root.join("ok.txt")).unwrap(), "of the other");
}

#[test]
fn a17_a_state_folder_that_leads_elsewhere_is_refused() {
    type Make = fn(&Path);
    let cases: [(Make, &str, EntryKind); 6] = [
        (
            |root| link("../out", &root.join(".snodo")),
            ".snodo",
            EntryKind::Symlink,
        ),
        (
            |root| link("nowhere", &root.join(".snodo")),
            ".snodo",
            EntryKind::Symlink,
        ),
        (
            |root| std::fs::write(root.join(".snodo"), "x").unwrap(),
            ".snodo",
            EntryKind::File,
        ),
        (
            |root| in_snodo(root, |folder| link("../../out/secret", &folder.join("audit.log"))),
            ".snodo/audit.log",
            EntryKind::Symlink,
        ),
        (
            |root| in_snodo(root, |folder| link("../../out", &folder.join("runs"))),
            ".snodo/runs",
            EntryKind::Symlink,
        ),
        (
            |root| in_snodo(root, |folder| std::fs::create_dir(folder.join("audit.log")).unwrap()),
            ".snodo/audit.log",
            EntryKind::Directory,
        ),
    ];
    for (make, at, expected) in cases {
        let world = World::new(&[], |_| {});
        make(&world.real().root);
        let error = within_a_second(|| open_root(&world.real().root)).unwrap_err();
        assert!(error.to_string().contains(at), "{error}");
        assert!(
            matches!(error, OpenError::StateFolder { path, kind } if path == Path::new(at) && kind == expected),
            "{at}"
        );
        // Control: what is appended by name ends up there.
        make(&world.twin().root);
        if at == ".snodo/audit.log" && expected == EntryKind::Symlink {
            std::fs::write(world.twin().root.join(at), "appended").unwrap();
            assert_eq!(
                std::fs::read_to_string(world.twin().out.join("secret")).unwrap(),
                "appended"
            );
        }
    }
    let world = World::new(&[], |_| {});
    in_snodo(&world.real().root, |folder| {
        std::fs::hard_link(world.real().out.join("secret"), folder.join("audit.log")).unwrap();
    });
    assert!(
        matches!(open_root(&world.real().root), Err(OpenError::StateFileShared { path }) if path == Path::new(".snodo/audit.log"))
    );
    let world = World::new(&[], |_| {});
    in_snodo(&world.real().root, |folder| {
        std::fs::write(folder.join("audit.log"), "fine").unwrap();
    });
    open_root(&world.real().root).unwrap();
}

fn in_snodo(root: &Path, make: impl FnOnce(&Path)) {
    std::fs::create_dir(root.join(".snodo")).unwrap();
    make(&root.join(".snodo"));
}

#[test]
fn private_folders_are_the_owners_alone() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};

    let world = World::new(&[], |_| {});
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
    let state = world.folder().join("xdg/state/snodo-host");
    open_private_dir(&state).unwrap();
    assert_eq!((mode(&state), mode(&world.folder().join("xdg"))), (0o700, 0o700));
    std::fs::set_permissions(&state, PermissionsExt::from_mode(0o755)).unwrap();
    open_private_dir(&state).unwrap();
    assert_eq!(mode(&state), 0o700);
    assert!(matches!(
        open_private_dir(&world.real().root.join("ok.txt")),
        Err(OpenError::NotAFolder { .. })
    ));
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&state, Some(65534), None).unwrap();
        assert!(matches!(
            open_private_dir(&state),
            Err(OpenError::NotOurs {
                owner: 65534,
                user: 0,
                ..
            })
        ));
    }
}

#[test]
fn files_named_by_the_user_are_bounded_and_never_block() {
    let world = World::new(&[], |tree| {
        link("ok.txt", &tree.root.join("named"));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            tree.root.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        std::fs::File::create(tree.root.join("big"))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
    });
    let read = |name: &str, limit| within_a_second(|| read_user_file(&world.real().root.join(name), limit));
    assert_eq!(read("ok.txt", 3).unwrap(), b"ok\n");
    assert_eq!(read("named", 3).unwrap(), b"ok\n");
    assert!(matches!(
        read("ok.txt", 2),
        Err(OpenError::TooLarge { size: 3, limit: 2, .. })
    ));
    assert!(matches!(read("big", 1 << 20), Err(OpenError::TooLarge { .. })));
    assert!(matches!(
        read("pipe", 10),
        Err(OpenError::NotAFile {
            kind: EntryKind::Fifo,
            ..
        })
    ));
    assert!(matches!(
        read(".", 10),
        Err(OpenError::NotAFile {
            kind: EntryKind::Directory,
            ..
        })
    ));
    assert!(matches!(read("missing", 10), Err(OpenError::Missing { .. })));
    let zero = within_a_second(|| read_user_file(Path::new("/dev/zero"), 10));
    assert!(matches!(
        zero,
        Err(OpenError::NotAFile {
            kind: EntryKind::CharDevice,
            ..
        })
    ));
    // A file of the kernel that does not tell its size.
    assert!(matches!(
        read_user_file(Path::new("/proc/self/maps"), 10),
        Err(OpenError::TooLarge { .. })
    ));
}
