//! Staleness is by content (case B10).

use std::fs;
use std::os::unix::fs::symlink;

use snodo_workspace::apply::{ApplyError, Difference, apply};
use snodo_workspace::capability::Cancel;

use crate::world::{Snapshot, World, delete, put, rename, write};

fn world() -> World {
    let world = World::new(|root| {
        put(root, "f", "old\n", 0o644);
        put(root, "other", "other\n", 0o644);
        put(root, "away", "away\n", 0o644);
    });
    world.submit([
        write("f", "new\n"),
        write("other", "changed too\n"),
        delete("away"),
        write("made/x", "x\n"),
    ]);
    world
}

/// The change was judged; then `meddle`; then it is applied.
fn refused(world: &World, meddle: impl FnOnce()) -> (String, Difference, Snapshot) {
    let set = world.set();
    meddle();
    let now = world.snapshot();
    let error = apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap_err();
    assert!(world.is_settled());
    assert_eq!(world.snapshot(), now, "nothing at all is applied: {error}");
    match error {
        ApplyError::Stale { path, difference } => (path.as_str().to_owned(), difference, now),
        other => panic!("{other}"),
    }
}

#[test]
fn b10_other_bytes_are_stale_and_nothing_is_applied() {
    let world = world();
    let (path, difference, _) = refused(&world, || fs::write(world.path("f"), "mine\n").unwrap());
    assert_eq!((path.as_str(), difference), ("f", Difference::Changed));
    assert_eq!(world.text("f"), "mine\n");
    // Of the same length, and with the old time put back.
    let world = self::world();
    let time = fs::metadata(world.path("f")).unwrap().modified().unwrap();
    let (path, difference, _) = refused(&world, || {
        fs::write(world.path("f"), "odl\n").unwrap();
        fs::File::options()
            .write(true)
            .open(world.path("f"))
            .unwrap()
            .set_modified(time)
            .unwrap();
    });
    assert_eq!((path.as_str(), difference), ("f", Difference::Changed));
}

#[test]
fn b10_a_touch_or_the_same_content_written_again_applies() {
    let world = world();
    let set = world.set();
    fs::File::options()
        .write(true)
        .open(world.path("f"))
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    fs::write(world.path("t"), "other\n").unwrap();
    fs::rename(world.path("t"), world.path("other")).unwrap();
    apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap();
    assert_eq!(world.text("f"), "new\n");
    assert_eq!(world.text("other"), "changed too\n");
    assert!(world.is_settled());
}

#[test]
fn b10_a_file_that_is_gone_is_stale_and_not_made_again() {
    for name in ["f", "away"] {
        let world = world();
        let (path, difference, _) = refused(&world, || fs::remove_file(world.path(name)).unwrap());
        assert_eq!((path.as_str(), difference), (name, Difference::Gone));
    }
}

#[test]
fn b10_a_file_that_appeared_is_stale_and_not_replaced() {
    let world = world();
    let (path, difference, _) = refused(&world, || put(&world.path(""), "made/x", "theirs\n", 0o644));
    assert_eq!((path.as_str(), difference), ("made/x", Difference::Appeared));
    let world = self::world();
    let (path, difference, _) = refused(&world, || put(&world.path(""), "made", "theirs\n", 0o644));
    assert_eq!(path, "made");
    assert!(matches!(difference, Difference::Kind(_)));
    // A folder of that name in the meantime is no conflict.
    let world = self::world();
    let set = world.set();
    fs::create_dir(world.path("made")).unwrap();
    apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap();
    assert_eq!(world.text("made/x"), "x\n");
}

#[test]
fn b10_another_kind_of_thing_is_stale() {
    let world = world();
    let (path, difference, _) = refused(&world, || {
        fs::remove_file(world.path("f")).unwrap();
        symlink("other", world.path("f")).unwrap();
    });
    assert_eq!(path, "f");
    assert!(matches!(difference, Difference::Kind(_)));
}

/// A file the coder never read is compared with what it was when it was submitted.
#[test]
fn b10_overwriting_unread_is_compared_with_the_time_of_submission() {
    let world = World::new(|root| put(root, "f", "old\n", 0o644));
    fs::write(world.path("f"), "mine, before the submission\n").unwrap();
    world.submit([write("f", "new\n")]);
    world.apply().unwrap();
    assert_eq!(world.text("f"), "new\n");
}

#[test]
fn the_message_names_the_path_and_what_to_do() {
    let world = World::new(|root| put(root, "a\u{1b}[2Jb", "old\n", 0o644));
    world.submit([write("a\u{1b}[2Jb", "new\n")]);
    let set = world.set();
    fs::write(world.path("a\u{1b}[2Jb"), "mine\n").unwrap();
    let error = apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a\\u{1b}[2Jb` was changed since it was read: nothing was applied. Run again on the workspace as it is now"
    );
}

/// G13: the root was moved away, and another folder stands at its name.
#[test]
fn g13_a_root_that_is_no_longer_at_its_name_is_refused() {
    let world = world();
    let set = world.set();
    fs::rename(world.path(""), world.outside("moved")).unwrap();
    fs::create_dir(world.path("")).unwrap();
    let error = apply(world.base.root(), &set, &world.journal(), &Cancel::default()).unwrap_err();
    assert!(matches!(error, ApplyError::RootMoved), "{error}");
    assert_eq!(fs::read_to_string(world.outside("moved/f")).unwrap(), "old\n");
    assert!(world.snapshot().is_empty());
    // The control: by name the change ends in the wrong folder.
    fs::write(world.path("f"), "new\n").unwrap();
    assert_eq!(world.snapshot().len(), 1);
    assert_eq!(fs::read_to_string(world.outside("moved/f")).unwrap(), "old\n");
}

/// The control: the same without a comparison loses the user's text.
#[test]
fn b10_control_a_plain_write_loses_what_was_changed() {
    let world = World::new(|root| put(root, "f", "old\n", 0o644));
    fs::write(world.path("f"), "mine\n").unwrap();
    fs::write(world.path("f"), "new\n").unwrap();
    assert_eq!(world.text("f"), "new\n");
    // And a rename that replaces loses it, too.
    let world = World::new(|root| put(root, "f", "old\n", 0o644));
    world.submit([rename("f", "g")]);
    put(&world.path(""), "g", "mine\n", 0o644);
    fs::rename(world.path("f"), world.path("g")).unwrap();
    assert_eq!(world.text("g"), "old\n");
}
