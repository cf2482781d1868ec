//! What stands where the log should be, and folders that cannot be written.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use snodo_audit::files::FileFault;
use snodo_audit::folder::{self, FolderError};
use snodo_audit::{AuditError, VerifyError, verify};
use snodo_workspace::capability::EntryKind;

use crate::world::{World, event, now, open};

fn put(world: &World, name: &str, kind: EntryKind) {
    let path = world.path(name);
    match kind {
        EntryKind::Symlink => symlink("../elsewhere/secret", path).unwrap(),
        EntryKind::Directory => fs::create_dir(path).unwrap(),
        EntryKind::Fifo => rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap(),
        EntryKind::Socket => drop(UnixListener::bind(path).unwrap()),
        _ => unreachable!(),
    }
}

#[test]
fn a17_what_is_no_regular_file_is_refused_by_its_type() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "OUTSIDE").unwrap();
    for kind in [
        EntryKind::Symlink,
        EntryKind::Directory,
        EntryKind::Fifo,
        EntryKind::Socket,
    ] {
        for name in ["audit.log", "audit.log.lock", "audit.log.2026-w40"] {
            let world = World::new();
            if kind == EntryKind::Symlink {
                symlink(&secret, world.path(name)).unwrap();
            } else {
                put(&world, name, kind);
            }
            let error = match world.try_log() {
                Err(AuditError::File(fault) | AuditError::Lock(snodo_audit::lock::LockError::File(fault))) => fault,
                other => panic!("{other:?}"),
            };
            assert!(
                matches!(&error, FileFault::WrongKind { file, kind: found } if file == name && *found == kind),
                "{error:?}"
            );
            if name != "audit.log.lock" {
                let error = verify(&world.dir, &[]).unwrap_err();
                assert_eq!(error.code(), "file_unreadable", "{error}");
                assert!(matches!(error, VerifyError::File(_)));
            }
        }
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "OUTSIDE");
    // The control: opening by name goes through the link.
    let world = World::new();
    symlink(&secret, world.path("audit.log")).unwrap();
    fs::write(world.path("audit.log"), "changed").unwrap();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "changed");
}

#[test]
fn a_link_that_takes_the_logs_place_later_is_refused_too() {
    let world = World::with_events(1);
    let mut log = world.log();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    fs::remove_file(world.path("audit.log")).unwrap();
    symlink(elsewhere.path(), world.path("audit.log")).unwrap();
    assert!(log.append(now(), &event(1)).is_err());
    assert_eq!(fs::read(elsewhere.path()).unwrap(), b"");
}

#[test]
fn the_folder_is_made_and_never_reached_through_a_link() {
    let root = tempfile::tempdir().unwrap();
    let dir = open(root.path());
    assert!(folder::open(&dir).unwrap().is_none());
    let made = folder::open_or_make(&dir).unwrap();
    made.write("x", "").unwrap();
    assert!(root.path().join(".snodo/x").exists());
    let mode = fs::metadata(root.path().join(".snodo")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777 & !0o755, 0);
    folder::open_or_make(&dir).unwrap();

    let elsewhere = tempfile::tempdir().unwrap();
    fs::remove_dir_all(root.path().join(".snodo")).unwrap();
    symlink(elsewhere.path(), root.path().join(".snodo")).unwrap();
    let error = folder::open_or_make(&dir).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`.snodo` is a symbolic link, and must be a folder: look at what it is, and move it away"
    );
    fs::remove_file(root.path().join(".snodo")).unwrap();
    fs::write(root.path().join(".snodo"), "").unwrap();
    let kind = EntryKind::File;
    assert!(matches!(folder::open(&dir), Err(FolderError::WrongKind { kind: k }) if k == kind));
}

/// Root may write everywhere: then there is nothing to see.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_folder_that_is_read_only_is_said_and_can_be_verified() {
    if is_root() {
        println!("skipped: root may write what is read-only");
        return;
    }
    let world = World::with_events(2);
    fs::remove_file(world.path("audit.log.lock")).unwrap();
    fs::set_permissions(world.temp.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = world.try_log().unwrap_err();
    let verified = world.verify();
    fs::set_permissions(world.temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        error.to_string().contains("the audit log must be writable for a run"),
        "{error}"
    );
    assert_eq!(verified.events, 2);
}
