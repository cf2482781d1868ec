//! A disk that is full: a small file system in memory, in a namespace of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use snodo_audit::files::FileFault;
use snodo_audit::lock::LockError;
use snodo_audit::{AuditError, AuditLog, verify};

use crate::world::{PROJECT, World, event, now, open, with};

/// The mounted folder. Of this test only.
const FOLDER: &str = "SNODO_TEST_AUDIT_SMALL_FOLDER";

/// Not a test: fills the disk that it is given.
#[test]
#[ignore = "started by the test below, as a process of its own"]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let dir = open(folder);
    let mut log = AuditLog::open(&dir, PROJECT, &[]).unwrap();
    log.append(now(), &event(0)).unwrap();
    // All but two pages.
    let page = 4096;
    let free = rustix::fs::statvfs(folder).unwrap();
    let filling = usize::try_from(free.f_bavail * free.f_frsize).unwrap() - 2 * page;
    fs::write(folder.join("filler"), vec![0; filling]).unwrap();

    let big = with([("text", "x".repeat(100_000).into())]);
    let before = fs::read(folder.join("audit.log")).unwrap();
    for _ in 0..3 {
        match log.append(now(), &big).unwrap_err() {
            AuditError::File(FileFault::Full { file, .. }) => assert_eq!(file, "audit.log"),
            other => panic!("{other:?}"),
        }
        assert_eq!(fs::read(folder.join("audit.log")).unwrap(), before);
    }
    assert_eq!(verify(&dir, &[]).unwrap().events, 1);
    // What fits is appended, and with room again all is.
    log.append(now(), &event(1)).unwrap();
    // The control: a plain append leaves half a line.
    let mut plain = fs::OpenOptions::new()
        .append(true)
        .open(folder.join("control"))
        .or_else(|_| fs::File::create(folder.join("control")))
        .unwrap();
    std::io::Write::write_all(&mut plain, &vec![b'x'; 100_000]).unwrap_err();
    assert!(plain.metadata().unwrap().len() > 0);
    fs::remove_file(folder.join("control")).unwrap();
    fs::remove_file(folder.join("filler")).unwrap();
    log.append(now(), &big).unwrap();
    assert_eq!(verify(&dir, &[]).unwrap().events, 3);
    println!("full and emptied");
}

/// Not a test: finds that its disk is read-only.
#[test]
#[ignore = "started by the test below, as a process of its own"]
fn read_only_child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let dir = open(Path::new(&folder));
    let error = AuditLog::open(&dir, PROJECT, &[]).unwrap_err();
    println!("{error}");
    assert!(
        matches!(&error, AuditError::Lock(LockError::File(FileFault::Denied { .. }))),
        "{error:?}"
    );
    assert_eq!(verify(&dir, &[]).unwrap().events, 2);
    println!("read-only and verified");
}

#[test]
fn a_read_only_disk_is_said_and_can_be_verified() {
    let world = World::with_events(2);
    let from = world.path("audit.log");
    let script = "mount -t tmpfs -o size=256k none \"$1\" && cp \"$2\" \"$1\" && mount -o remount,ro \"$1\" || exit 99; shift 2; exec \"$@\"";
    in_a_small_world(script, &[&from], "read_only_child", "read-only and verified");
}

#[test]
fn a_full_disk_leaves_no_half_line() {
    let script = "mount -t tmpfs -o size=256k none \"$1\" || exit 99; shift; exec \"$@\"";
    in_a_small_world(script, &[], "child", "full and emptied");
}

/// Runs a child of this test where it may mount something on a folder of its own.
fn in_a_small_world(script: &str, more: &[&Path], child: &str, proof: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .args(more)
        .arg(std::env::current_exe().unwrap())
        .arg(format!("full::{child}"))
        .args(["--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
        .output();
    let Ok(output) = output else {
        println!("skipped: there is no `unshare`");
        return;
    };
    let (said, complained) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if complained.contains("unshare:") || output.status.code() == Some(99) {
        println!("skipped: no file system can be mounted here ({})", complained.trim());
        return;
    }
    assert!(output.status.success() && said.contains(proof), "{said}{complained}");
}
