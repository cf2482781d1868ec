//! One run at a time (case B12).

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cap_std::fs::Dir;
use snodo_workspace::ambient::{open_private_dir, open_root};
use snodo_workspace::lock::{LockError, RunLock, TakenOver};
use snodo_workspace::state::WorkspaceState;

/// Where the child finds the folder. Of this test only.
const FOLDER: &str = "SNODO_TEST_LOCK_FOLDER";

fn state(folder: &Path) -> Dir {
    open_private_dir(folder).unwrap()
}

/// Not a test: holds the lock until it is killed.
#[test]
#[ignore = "started by the test below, as a process of its own"]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let _lock = RunLock::acquire(&state(Path::new(&folder)), std::process::id()).unwrap();
    println!("held");
    std::thread::sleep(std::time::Duration::from_mins(1));
}

fn holder(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap());
    assert!(said.lines().any(|line| line.unwrap().contains("held")));
    child
}

#[test]
fn b12_the_second_run_is_refused_with_the_holders_id_and_a_dead_ones_lock_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let state = state(folder.path());
    let mut child = holder(folder.path());
    let error = RunLock::acquire(&state, 1).unwrap_err();
    assert!(
        matches!(error, LockError::Held { pid } if pid == Some(child.id())),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        format!(
            "another run (process {}) is at work in this workspace: wait for its end, or stop it",
            child.id()
        )
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let (lock, taken_over) = RunLock::acquire(&state, 7).unwrap();
    assert_eq!(taken_over, Some(TakenOver { pid: child.id() }));
    // Held again, in this same process.
    assert!(matches!(
        RunLock::acquire(&state, 8),
        Err(LockError::Held { pid: Some(7) })
    ));
    drop(lock);
    // Given up in order: nothing to be said.
    let (_lock, taken_over) = RunLock::acquire(&state, 9).unwrap();
    assert_eq!(taken_over, None);
}

/// The control: a file that is only made and removed keeps everybody out once its maker is dead.
#[test]
fn b12_control_a_lock_by_a_files_existence_stays_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let made = || fs::File::options().write(true).create_new(true).open(&path);
    drop(made().unwrap());
    assert!(made().is_err());
}

#[test]
fn a_lock_file_that_is_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let state = state(&folder.path().join("state"));
    fs::write(folder.path().join("elsewhere"), "123\n").unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.path().join("state/lock")).unwrap();
    assert!(matches!(RunLock::acquire(&state, 1), Err(LockError::Io(_))));
    assert_eq!(fs::read_to_string(folder.path().join("elsewhere")).unwrap(), "123\n");
}

#[test]
fn each_workspace_has_its_own_state_and_only_its_owner_may_look() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir().unwrap();
    let all = open_private_dir(&folder.path().join("state")).unwrap();
    let open = |name: &str| {
        fs::create_dir_all(folder.path().join(name)).unwrap();
        WorkspaceState::open(&all, &open_root(&folder.path().join(name)).unwrap()).unwrap()
    };
    let (one, other) = (open("one"), open("other"));
    let (_lock, _) = RunLock::acquire(one.dir(), 1).unwrap();
    RunLock::acquire(other.dir(), 1).unwrap();
    // The same folder by another name is the same workspace.
    std::os::unix::fs::symlink("one", folder.path().join("alias")).unwrap();
    let alias = WorkspaceState::open(&all, &open_root(&folder.path().join("alias")).unwrap()).unwrap();
    assert!(matches!(RunLock::acquire(alias.dir(), 2), Err(LockError::Held { .. })));
    one.journal().unwrap();
    let workspaces = folder.path().join("state/workspaces");
    assert_eq!(fs::read_dir(&workspaces).unwrap().count(), 2);
    for entry in fs::read_dir(&workspaces)
        .unwrap()
        .chain(fs::read_dir(&workspaces).unwrap())
    {
        let path = entry.unwrap().path();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        for below in fs::read_dir(path).unwrap() {
            assert_eq!(fs::metadata(below.unwrap().path()).unwrap().mode() & 0o077, 0);
        }
    }
}
