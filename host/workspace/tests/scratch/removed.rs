//! Removing what a program left.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use snodo_workspace::scratch::remove_tree;

use crate::mounted::{can_mount, open};

#[test]
fn ten_thousand_folders_in_one_another_go() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scratch")).unwrap();
    let mut here = open(&folder.path().join("scratch"));
    for _ in 0..10_000 {
        here.create_dir("d").unwrap();
        here = here.open_dir("d").unwrap();
    }
    drop(here);
    remove_tree(&open(folder.path()), "scratch").unwrap();
    assert!(!folder.path().join("scratch").exists());
}

/// The kernel makes `work/work` with mode 000, and what the program left is in the upper layer: run as an ordinary user, to whom a mode is a barrier.
#[test]
fn what_an_overlay_leaves_goes() {
    if !can_mount() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("scratch");
    for name in ["lower", "upper", "work", "mnt"] {
        fs::create_dir_all(at.join(name)).unwrap();
    }
    fs::write(at.join("lower/f"), "f").unwrap();
    let script = "cd \"$1\" && mount -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work mnt \
        && rm mnt/f && mkdir -p mnt/a/b/c && echo x > mnt/a/b/c/f && chmod 000 mnt/a/b/c/f mnt/a/b/c mnt/a/b mnt/a";
    let out = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(&at)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let work = fs::metadata(at.join("work/work")).unwrap();
    assert_eq!(work.permissions().mode() & 0o777, 0);
    remove_tree(&open(folder.path()), "scratch").unwrap();
    assert!(!at.exists());
}
