//! What stands on the disk, for whom, and what happens where it cannot be written.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::bed::{Bed, NONE, VALIDATOR, message, name, plugin};
use crate::processes::{child, child_role};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn everything_is_for_the_owner_only() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "x", NONE).unwrap();
    for folder in [bed.records(), bed.store()] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for file in Bed::names(&folder) {
            assert_eq!(mode(&folder.join(&file)), 0o600, "{file}");
        }
    }
    assert_eq!(Bed::names(&bed.records()), [".lock", "x.toml"]);
    let stored = bed.stored(&bytes);
    assert_eq!(
        Bed::names(&bed.store()),
        [".lock", stored.file_name().unwrap().to_str().unwrap()]
    );
}

/// In a process that is not the administrator's, whom no mode stops: adds `x` to the folders, of which one cannot be written.
#[test]
fn child_adds_where_it_cannot_write() {
    let Some(_) = child_role("denied") else { return };
    for locked in ["state", "config", "store", "records"] {
        let bed = Bed::new();
        let (bytes, other) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"));
        let installed_before = matches!(locked, "store" | "records");
        if installed_before {
            bed.add(&bytes, "x", NONE).unwrap();
        }
        let folder = match locked {
            "state" => bed.state(),
            "config" => bed.config(),
            "store" => bed.store(),
            _ => bed.records(),
        };
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500)).unwrap();
        assert!(
            std::fs::write(folder.join("control"), "x").is_err(),
            "the control: nothing can be written there"
        );
        let answer = message(bed.add(&other, "x", NONE));
        assert!(
            answer.contains("cannot be written: Permission denied (os error 13); nothing was changed."),
            "{locked}: {answer}"
        );
        let found = bed.installed().find(&name("x")).unwrap();
        assert_eq!(found.is_some(), installed_before);
        if let Some(found) = found {
            assert_eq!(found.bytes.bytes(), bytes, "reading needs no right to write");
        }
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        bed.add(&other, "x", NONE).unwrap();
        assert_eq!(bed.installed().find(&name("x")).unwrap().unwrap().bytes.bytes(), other);
        assert_eq!(Bed::names(&bed.store()).len(), 2, "what was left is cleared away");
    }
}

#[test]
fn a_folder_that_is_read_only_is_told_and_changes_nothing() {
    let me = child("folders::child_adds_where_it_cannot_write", "denied", Path::new("/"));
    let mut command = if rustix::process::geteuid().is_root() {
        // `TMPDIR` may be the administrator's own.
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.arg(me.get_program()).args(me.get_args());
        command
            .envs(me.get_envs().filter_map(|(k, v)| Some((k, v?))))
            .env("TMPDIR", "/tmp");
        command
    } else {
        me
    };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

/// In a process that may write files of 2 KiB only: more is refused as on a full disk.
#[test]
fn child_adds_where_there_is_no_room() {
    let Some(root) = child_role("full") else { return };
    let bed = Bed::at(&root);
    let (small, large) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"));
    assert!(small.len() > 2048);
    let answer = message(bed.add(&large, "x", NONE));
    assert!(
        answer.contains("there is no room to write `STATE/plugins/")
            && answer.contains("nothing was changed. Make room, and start again"),
        "{answer}"
    );
    assert_eq!(bed.installed().find(&name("x")).unwrap().unwrap().bytes.bytes(), small);
}

#[test]
fn a_full_disk_is_told_and_changes_nothing() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&bytes, "x", NONE).unwrap();
    let before = (Bed::names(&bed.records()), Bed::names(&bed.store()));
    let me = child("folders::child_adds_where_there_is_no_room", "full", bed.root());
    let mut command = Command::new("sh");
    // The signal is ignored, so that the write fails as on a full disk and the process is not killed. Blocks of 512
    // bytes; the output goes through a pipe, which has no such limit.
    command.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh"]);
    command.arg(me.get_program()).args(me.get_args());
    command.envs(me.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert_eq!(
        before,
        (Bed::names(&bed.records()), Bed::names(&bed.store())),
        "nothing is left"
    );
}
