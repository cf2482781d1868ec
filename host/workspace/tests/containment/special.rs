//! FIFOs, sockets, devices and what cannot be opened (case A07).

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use snodo_workspace::capability::{EntryKind, Read as _, ReadError, SubmitRefusal};

use crate::world::{World, delete, executable, link, rename, within_a_second, write};

#[test]
fn a07_special_files_never_block_and_are_named() {
    let world = World::new(&[], |tree| {
        mknodat(CWD, tree.root.join("p"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        drop(UnixListener::bind(tree.root.join("s")).unwrap());
        link("/dev/zero", &tree.root.join("z"));
    });
    for (path, kind) in [("p", EntryKind::Fifo), ("s", EntryKind::Socket)] {
        assert_eq!(
            world.read(path).unwrap_err(),
            ReadError::WrongKind {
                path: path.to_owned(),
                kind
            }
        );
        let lines = within_a_second(|| world.view.read_lines(path, 1, 5));
        assert_eq!(
            lines.unwrap_err(),
            ReadError::WrongKind {
                path: path.to_owned(),
                kind
            }
        );
        for operation in [write(path, "x"), delete(path), executable(path), rename(path, "q")] {
            assert_eq!(
                world.refused(operation),
                SubmitRefusal::WrongKind {
                    path: path.to_owned(),
                    kind
                }
            );
        }
        world.assert_not_written(path);
        world.assert_not_written(&format!("{path}/below"));
        assert!(world.listed("").contains(&(path.to_owned(), kind)));
    }
    world.assert_closed("z");
    let batch = ["p", "ok.txt", "s", "z"].map(str::to_owned);
    let answers = within_a_second(|| world.view.read_files(&batch)).unwrap();
    let good: Vec<bool> = answers.iter().map(|answer| answer.outcome.is_ok()).collect();
    assert_eq!(good, [false, true, false, false]);
    // Control: reading the FIFO by name blocks.
    let pipe = world.twin().root.join("p");
    let (done, ended) = std::sync::mpsc::channel();
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let _ = std::fs::read(pipe);
            let _ = done.send(());
        })
    };
    assert!(ended.recv_timeout(Duration::from_millis(200)).is_err(), "it blocks");
    drop(std::fs::File::options().write(true).open(pipe).unwrap());
    reader.join().unwrap();
}

#[test]
fn a07_devices_are_not_opened() {
    let is_made = std::cell::Cell::new(true);
    let world = World::new(&[], |tree| {
        // Needs the right to make one; without it there is nothing to show.
        let made = mknodat(
            CWD,
            tree.root.join("null"),
            FileType::CharacterDevice,
            Mode::RWXU,
            makedev(1, 3),
        );
        is_made.set(made.is_ok());
    });
    if is_made.get() {
        assert_eq!(
            world.read("null").unwrap_err(),
            ReadError::WrongKind {
                path: "null".to_owned(),
                kind: EntryKind::CharDevice
            }
        );
        assert!(matches!(
            world.refused(write("null", "x")),
            SubmitRefusal::WrongKind {
                kind: EntryKind::CharDevice,
                ..
            }
        ));
        assert!(matches!(world.refused(delete("null")), SubmitRefusal::WrongKind { .. }));
    }
}

#[test]
fn what_cannot_be_opened_is_said_and_the_rest_is_answered() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.join("closed"), "x").unwrap();
        std::fs::create_dir(tree.root.join("locked")).unwrap();
        std::fs::write(tree.root.join("locked/f"), "x").unwrap();
        std::fs::write(tree.root.join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), "x").unwrap();
        let none = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(tree.root.join("closed"), std::fs::Permissions::clone(&none)).unwrap();
        std::fs::set_permissions(tree.root.join("locked"), none).unwrap();
    });
    let batch = ["closed", "locked/f", "ok.txt"].map(str::to_owned);
    let answers = within_a_second(|| world.view.read_files(&batch)).unwrap();
    assert!(answers[2].outcome.is_ok());
    let is_root = rustix::process::geteuid().is_root();
    for answer in &answers[..2] {
        match &answer.outcome {
            Err(ReadError::Io(failure)) => assert!(failure.reason.contains("denied"), "{failure:?}"),
            // The superuser opens everything.
            other => assert!(is_root, "{other:?}"),
        }
    }
    // Made so that the folder can be removed again.
    for root in [world.real().root, world.twin().root] {
        std::fs::set_permissions(root.join("locked"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    assert!(world.listed("").iter().any(|(path, _)| path == "ok.txt"));
}
