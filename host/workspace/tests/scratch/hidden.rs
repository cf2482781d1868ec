//! What a scratch does not show.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use snodo_workspace::capability::{Cancel, EntryKind};
use snodo_workspace::limits::ScratchLimits;
use snodo_workspace::scratch::{HiddenReason, ScratchError, hidden, materialise, prepare_upper};
use snodo_workspace::view::View;

use crate::mounted::open;
use crate::world::{World, put, snapshot};

#[test]
fn git_our_own_and_denied_names_are_hidden_and_nothing_else() {
    let world = World::with(&["private/", "/only/here.txt"], |root| {
        for (name, mode) in [
            (".gitignore", 0o644),
            (".git/config", 0o644),
            ("a/b/.GiT", 0o644),
            ("ignored/c/.git/HEAD", 0o644),
            (".snodo/protocol.yml", 0o644),
            ("nested/.snodo/x", 0o644),
            ("nested/.snodo/.env", 0o600),
            ("ignored/.env", 0o600),
            ("x/.ENV.local", 0o600),
            ("x/.env.example", 0o644),
            ("x/Server.Pem", 0o600),
            ("x/private/deep/f", 0o600),
            ("x/private-not/f", 0o644),
            ("only/here.txt", 0o644),
            ("x/only/here.txt", 0o644),
            ("x/.aws/credentials", 0o600),
            ("x/.aws/config", 0o644),
            ("x/gitx/.gitmodules", 0o644),
        ] {
            put(root, name, "c\n", mode);
        }
        put(root, ".gitignore", "ignored/\n", 0o644);
        fs::write(root.join(OsStr::from_bytes(b"x/\xff.key")), "c\n").unwrap();
        symlink("/etc", root.join("x/.ssh")).unwrap();
        symlink("..", root.join("x/up")).unwrap();
        symlink("anywhere", root.join("x/.netrc")).unwrap();
    });
    let found = hidden(&world.base, &Cancel::default()).unwrap();
    let shown: Vec<_> = found
        .entries()
        .iter()
        .map(|e| (e.path.to_string_lossy().into_owned(), e.kind))
        .collect();
    let expected = [
        (".git", EntryKind::Directory),
        (".snodo", EntryKind::Directory),
        ("a/b/.GiT", EntryKind::File),
        ("ignored/.env", EntryKind::File),
        ("ignored/c/.git", EntryKind::Directory),
        ("nested/.snodo/.env", EntryKind::File),
        ("only/here.txt", EntryKind::File),
        ("x/.ENV.local", EntryKind::File),
        ("x/.aws/credentials", EntryKind::File),
        // A pattern for folders only: the link itself shows where it leads, and nothing of what is there.
        ("x/.netrc", EntryKind::Symlink),
        ("x/Server.Pem", EntryKind::File),
        ("x/private", EntryKind::Directory),
        ("x/\u{fffd}.key", EntryKind::File),
    ];
    assert_eq!(shown, expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!(found.at(Path::new(".git")).unwrap().reason, HiddenReason::Repository);
    assert_eq!(found.at(Path::new(".snodo")).unwrap().reason, HiddenReason::OwnState);
    let rule = &found.covering(Path::new("x/private/deep/f")).unwrap().reason;
    assert_eq!(
        *rule,
        HiddenReason::Denied("`private/` is not read (the test)".to_owned())
    );
    assert!(found.covering(Path::new("x/private-not/f")).is_none());
    assert!(found.at(Path::new("x/private/deep/f")).is_none());

    // The copy leaves out just these, and says of each kind of scratch that it was stopped.
    let into = world.outside("copy");
    fs::create_dir(&into).unwrap();
    let view = View::of_base(Arc::clone(&world.base));
    let limits = ScratchLimits::standard();
    materialise(&view, &found, &open(&into), limits, &Cancel::default()).unwrap();
    let mut all = world.snapshot();
    all.retain(|path, _| {
        !expected
            .iter()
            .any(|(h, _)| path == h || path.starts_with(&format!("{h}/")))
    });
    assert_eq!(snapshot(&into), all);
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(matches!(hidden(&world.base, &cancel), Err(ScratchError::Cancelled)));
    fs::create_dir(world.outside("upper")).unwrap();
    let upper = open(&world.outside("upper"));
    assert!(matches!(
        prepare_upper(&view, &found, &upper, limits, &cancel),
        Err(ScratchError::Cancelled)
    ));
    let few = ScratchLimits { entries: 3, ..limits };
    assert!(matches!(
        prepare_upper(&view, &found, &upper, few, &Cancel::default()),
        Err(ScratchError::TooLarge { limit: 3, .. })
    ));
}

/// Deeper than a path may be, and a tree like a comb, which is not held open level by level.
#[test]
fn what_nobody_could_look_through_is_hidden() {
    let world = World::new(|root| {
        let mut here = open(root);
        for _ in 0..400 {
            here.create_dir("d").unwrap();
            here.create_dir("e").unwrap();
            here = here.open_dir("d").unwrap();
        }
        here.write(".env", "c\n").unwrap();
    });
    let found = hidden(&world.base, &Cancel::default()).unwrap();
    // In the deepest folder that is looked at, both of its folders.
    assert_eq!(found.entries().len(), 2);
    assert!(found.entries().iter().all(|e| e.reason == HiddenReason::TooDeep));
    assert_eq!(found.entries()[0].path.iter().count(), 128);
}

/// Its owner could open it in a scratch, and find there what nobody had looked through.
#[test]
fn a_folder_that_may_not_be_read_is_hidden() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: no mode keeps root from reading");
        return;
    }
    let world = World::new(|root| {
        put(root, "closed/.env", "c\n", 0o600);
        put(root, "open/f", "c\n", 0o644);
        fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    });
    let found = hidden(&world.base, &Cancel::default()).unwrap();
    assert_eq!(found.entries().len(), 1);
    assert_eq!(found.at(Path::new("closed")).unwrap().reason, HiddenReason::Unreadable);
    fs::create_dir(world.outside("upper")).unwrap();
    let upper = open(&world.outside("upper"));
    let (view, limits) = (View::of_base(Arc::clone(&world.base)), ScratchLimits::standard());
    assert_eq!(
        prepare_upper(&view, &found, &upper, limits, &Cancel::default())
            .unwrap()
            .whiteouts,
        1
    );
    fs::create_dir(world.outside("copy")).unwrap();
    let copy = open(&world.outside("copy"));
    let report = materialise(&view, &found, &copy, limits, &Cancel::default()).unwrap();
    assert_eq!((report.unreadable, report.files), (1, 1));
    fs::set_permissions(world.path("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}
