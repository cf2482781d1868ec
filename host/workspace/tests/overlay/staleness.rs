//! What changes in the workspace while the run goes on (case B10, as far as the overlay sees it).

use snodo_workspace::capability::{Read as _, ReadError, SubmitRefusal};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::seen::Sight;

use crate::world::{World, delete, executable, rename, write};

fn path(given: &str) -> WorkspacePath {
    WorkspacePath::parse(given).unwrap()
}

fn changed(path: &str) -> SubmitRefusal {
    SubmitRefusal::ChangedDuringRun(path.to_owned())
}

#[test]
fn b10_what_was_read_and_then_changed_is_neither_read_nor_replaced() {
    let world = World::new();
    world.view.read_file("a").unwrap();
    std::fs::write(world.folder.path().join("a"), "newer").unwrap();
    assert_eq!(
        world.view.read_file("a").unwrap_err(),
        ReadError::ChangedDuringRun("a".to_owned())
    );
    for operation in [write("a", "x"), delete("a"), rename("a", "z"), executable("a", true)] {
        assert_eq!(world.refused([operation]).1, changed("a"));
    }
    // Back to what was read: it is that file again.
    std::fs::write(world.folder.path().join("a"), "A").unwrap();
    world.submit([write("a", "x")]).unwrap();
}

#[test]
fn b10_touched_or_saved_again_is_unchanged() {
    let world = World::new();
    let before = world.view.read_file("a").unwrap();
    let recorded = world.base.seen(&path("a")).unwrap();
    let file = world.folder.path().join("a");
    let later = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(2_000_000_000);
    std::fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert_eq!(world.view.read_file("a").unwrap(), before);
    std::fs::write(world.folder.path().join("a.tmp"), "A").unwrap();
    std::fs::rename(world.folder.path().join("a.tmp"), &file).unwrap();
    assert_eq!(world.view.read_file("a").unwrap(), before);
    assert_eq!(
        world.base.seen(&path("a")),
        Some(recorded),
        "the first look stays the record"
    );
    world.submit([write("a", "x")]).unwrap();
}

#[test]
fn b10_the_first_submission_of_a_path_is_a_look_at_it() {
    let world = World::new();
    assert_eq!(world.base.sight(&path("a")), None);
    world
        .submit([write("a", "x"), write("new", "x"), delete("b"), delete("link")])
        .unwrap();
    assert!(matches!(world.base.sight(&path("a")), Some(Sight::Present(seen)) if seen.hash == blake3::hash(b"A")));
    assert!(matches!(world.base.sight(&path("b")), Some(Sight::Present(_))));
    assert!(matches!(world.base.seen(&path("link")), Some(seen) if seen.is_link() && seen.hash == blake3::hash(b"a")));
    assert_eq!(world.base.sight(&path("new")), Some(Sight::Absent));
    // The user makes a file of that name.
    std::fs::write(world.folder.path().join("new"), "the user's").unwrap();
    assert_eq!(world.refused([write("new", "y")]).1, changed("new"));
    world.base.read(&path("new")).unwrap_err();
    std::fs::write(world.folder.path().join("a"), "newer").unwrap();
    assert_eq!(world.refused([write("a", "y")]).1, changed("a"));
}

#[test]
fn b10_what_was_read_and_then_removed_is_stale_and_not_created() {
    let world = World::new();
    world.view.read_file("a").unwrap();
    std::fs::remove_file(world.folder.path().join("a")).unwrap();
    assert_eq!(world.refused([write("a", "x")]).1, changed("a"));
    assert_eq!(
        world.view.read_file("a").unwrap_err(),
        ReadError::ChangedDuringRun("a".to_owned())
    );
    std::os::unix::fs::symlink("b", world.folder.path().join("a")).unwrap();
    assert_eq!(
        world.view.read_file("a").unwrap_err(),
        ReadError::ChangedDuringRun("a".to_owned())
    );
}

#[test]
fn a_link_whose_deletion_was_withdrawn_is_a_link_still() {
    let world = World::new();
    world.submit([delete("link")]).unwrap();
    world.overlay.withdraw(&["link".to_owned()]).unwrap();
    assert_eq!(
        world.view.read_file("link").unwrap_err(),
        ReadError::Symlink("link".to_owned())
    );
    world.submit([delete("link")]).unwrap();
}
