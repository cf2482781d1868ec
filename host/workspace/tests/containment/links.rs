//! Links and hard links.

use snodo_workspace::capability::{EntryKind, Read as _, ReadError, SubmitRefusal};

use crate::world::{OUTSIDE, World, delete, link, write};

#[test]
fn a02_a_sibling_with_the_roots_name_in_front_is_outside() {
    let world = World::new(&[], |tree| {
        let sibling = tree.root.with_file_name("R-evil");
        std::fs::create_dir(&sibling).unwrap();
        std::fs::write(sibling.join("f"), OUTSIDE).unwrap();
        link("../out/secret", &tree.root.join("in"));
        link("../R-evil", &tree.root.join("evil"));
    });
    let absolute = world.real().root.with_file_name("R-evil").join("f");
    for path in [
        "../R-evil/f",
        "in",
        "evil/f",
        "sub/../../R-evil/f",
        "./../R-evil/f",
        absolute.to_str().unwrap(),
    ] {
        world.assert_closed(path);
    }
    // Control.
    let twin = world.twin();
    for path in ["../R-evil/f", "in", "evil/f"] {
        assert_eq!(std::fs::read_to_string(twin.root.join(path)).unwrap(), OUTSIDE);
    }
}

#[test]
fn links_are_not_followed_inside_either() {
    let world = World::new(&[], |tree| {
        std::fs::create_dir_all(tree.root.join("real/deep")).unwrap();
        std::fs::write(tree.root.join("real/deep/f"), "inside").unwrap();
        link("real", &tree.root.join("to-folder"));
        link("real/deep/f", &tree.root.join("to-file"));
        link("../real", &tree.root.join("real/back"));
        link("loop", &tree.root.join("loop"));
        link("/proc/self/root", &tree.root.join("proc"));
        link("/proc/self/cwd", &tree.root.join("cwd"));
        link("/proc/self/fd", &tree.root.join("fd"));
    });
    for path in [
        "to-folder/deep/f",
        "to-file",
        "real/back/deep/f",
        "loop",
        "loop/x",
        "proc/etc/passwd",
        "cwd/Cargo.toml",
        "fd/0",
    ] {
        world.assert_closed(path);
        assert_eq!(world.read(path).unwrap_err(), ReadError::Symlink(path.to_owned()));
        assert!(matches!(world.refused(write(path, "x")), SubmitRefusal::Symlink(_)));
    }
    assert_eq!(world.text("real/deep/f"), "inside");
    let kinds = world.listed("");
    for name in ["to-folder", "to-file", "loop", "proc", "real/back"] {
        assert!(
            kinds.contains(&(name.to_owned(), EntryKind::Symlink)),
            "{name}: {kinds:?}"
        );
    }
    assert!(
        kinds
            .iter()
            .all(|(path, _)| !path.starts_with("to-folder/") && !path.starts_with("proc/"))
    );
    // Control.
    assert_eq!(
        std::fs::read_to_string(world.twin().root.join("to-folder/deep/f")).unwrap(),
        "inside"
    );
    assert!(std::fs::read_to_string(world.twin().root.join("proc/etc/passwd")).is_ok());
}

#[test]
fn b06_deleting_a_link_leaves_its_target() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.join("A.md"), "target").unwrap();
        link("A.md", &tree.root.join("L.md"));
        link("../out/secret", &tree.root.join("outside"));
        link("nowhere", &tree.root.join("dangling"));
    });
    assert!(matches!(world.refused(write("L.md", "x")), SubmitRefusal::Symlink(_)));
    for path in ["L.md", "outside", "dangling"] {
        world.submit(delete(path)).unwrap();
        assert_eq!(world.read(path).unwrap_err(), ReadError::NotFound(path.to_owned()));
    }
    assert_eq!(world.text("A.md"), "target");
    // Control: writing by name goes through the link and changes what is outside.
    std::fs::write(world.twin().root.join("outside"), "CHANGED").unwrap();
    assert_eq!(
        std::fs::read_to_string(world.twin().out.join("secret")).unwrap(),
        "CHANGED"
    );
}

#[test]
fn a08_hard_linked_files_are_read() {
    let world = World::new(&[], |tree| {
        std::fs::hard_link(tree.out.join("secret"), tree.root.join("hl")).unwrap();
        std::fs::write(tree.root.join("one"), "1").unwrap();
        std::fs::hard_link(tree.root.join("one"), tree.root.join("two")).unwrap();
    });
    assert_eq!(world.text("hl"), OUTSIDE);
    world.submit(write("hl", "changed")).unwrap();
    world.submit(write("one", "changed")).unwrap();
    assert_eq!(world.text("two"), "1");
    assert_eq!(
        std::fs::read_to_string(world.real().out.join("secret")).unwrap(),
        OUTSIDE
    );
    // Control: writing by name changes what is outside.
    std::fs::write(world.twin().root.join("hl"), "changed").unwrap();
    assert_eq!(
        std::fs::read_to_string(world.twin().out.join("secret")).unwrap(),
        "changed"
    );
}

#[test]
fn a15_a_link_is_no_way_to_a_protected_file() {
    let world = World::new(&["policy.md"], |tree| {
        std::fs::write(tree.root.join("policy.md"), "policy").unwrap();
        std::fs::create_dir(tree.root.join(".snodo")).unwrap();
        std::fs::write(tree.root.join(".snodo/x"), "state").unwrap();
        link("policy.md", &tree.root.join("alias.md"));
        link(".snodo", &tree.root.join("pd"));
        std::fs::hard_link(tree.root.join("policy.md"), tree.root.join("hard.md")).unwrap();
    });
    for path in ["alias.md", "pd/x", "pd/y"] {
        world.assert_not_written(path);
    }
    assert!(matches!(world.refused(delete("pd/x")), SubmitRefusal::Symlink(_)));
    assert!(world.view.read_lines("pd/x", 1, 1).is_err());
    // Through a second name of the inode, a new inode takes that name's place; the protected one keeps its content.
    world.submit(write("hard.md", "changed")).unwrap();
    assert_eq!(world.text("policy.md"), "policy");
    // Control.
    std::fs::write(world.twin().root.join("alias.md"), "PWNED").unwrap();
    assert_eq!(
        std::fs::read_to_string(world.twin().root.join("policy.md")).unwrap(),
        "PWNED"
    );
    std::fs::remove_file(world.twin().root.join("pd/x")).unwrap();
}
