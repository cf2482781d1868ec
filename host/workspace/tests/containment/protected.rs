//! Protected paths: git's, the host's, the protocol's.

use snodo_workspace::capability::{ReadError, SubmitRefusal};

use crate::world::{Tree, World, delete, rename, write};

fn refused(world: &World, operation: snodo_workspace::capability::Operation, rule: &str) {
    let reason = world.refused(operation.clone());
    assert!(
        matches!(&reason, SubmitRefusal::Refused(refusal) if refusal.rule.contains(rule)),
        "{operation:?}: {reason:?}"
    );
}

#[test]
fn a06_git_is_protected_at_any_depth_as_folder_and_file() {
    let make = |tree: &Tree| {
        std::fs::create_dir_all(tree.root.join("vendor/sub/.git/hooks")).unwrap();
        std::fs::create_dir_all(tree.root.join("tree")).unwrap();
        std::fs::write(tree.root.join("tree/.git"), "gitdir: ../elsewhere").unwrap();
    };
    let world = World::new(&[], make);
    refused(&world, write("vendor/sub/.git/hooks/pre-commit", "#!/bin/sh"), "`.git`");
    refused(&world, write("tree/.git", "gitdir: ./evil"), "`.git`");
    refused(&world, delete("tree/.git"), "`.git`");
    refused(&world, rename("tree/.git", "x"), "`.git`");
    refused(&world, rename("ok.txt", ".git"), "`.git`");
    refused(&world, write("new/.git/config", "x"), "`.git`");
    assert!(matches!(world.read("tree/.git").unwrap_err(), ReadError::Refused(_)));
    // Shapes that git takes for a repository only when told to: written, and for the report to flag.
    world.submit(write("x.git/HEAD", "ref: refs/heads/main")).unwrap();
    // Control.
    std::fs::write(world.twin().root.join("vendor/sub/.git/hooks/pre-commit"), "#!/bin/sh").unwrap();
    std::fs::write(world.twin().root.join("tree/.git"), "gitdir: ./evil").unwrap();
}

#[test]
fn a14_protected_paths_need_not_exist() {
    let world = World::new(&["secrets/", "infra/prod.tf"], |_| {});
    refused(&world, write("secrets/a", "x"), "`secrets` is protected");
    refused(&world, write("infra/prod.tf", "x"), "`infra/prod.tf` is protected");
    refused(&world, write("secrets", "a file"), "`secrets` is protected");
    refused(
        &world,
        write("infra", "a file"),
        "`infra/prod.tf` of the protocol lies below",
    );
    refused(&world, rename("ok.txt", "SECRETS/a"), "`secrets` is protected");
    world.submit(write("infra/dev.tf", "x")).unwrap();
    world.submit(write("secrets.md", "x")).unwrap();
    // Control.
    std::fs::create_dir(world.twin().root.join("secrets")).unwrap();
    std::fs::write(world.twin().root.join("secrets/a"), "x").unwrap();
}

#[test]
fn a14_protected_files_that_exist_stay() {
    let world = World::new(&["infra/prod.tf"], |tree| {
        std::fs::create_dir(tree.root.join("infra")).unwrap();
        std::fs::write(tree.root.join("infra/prod.tf"), "kept").unwrap();
    });
    for operation in [
        write("infra/prod.tf", "x"),
        delete("infra/prod.tf"),
        rename("infra/prod.tf", "y"),
        rename("ok.txt", "infra/prod.tf"),
    ] {
        refused(&world, operation, "`infra/prod.tf` is protected");
    }
    assert_eq!(world.text("infra/prod.tf"), "kept");
    std::fs::remove_file(world.twin().root.join("infra/prod.tf")).unwrap();
}

#[test]
fn g05_snodo_is_protected_at_any_depth_and_little_of_it_is_read() {
    let world = World::new(&[], |tree| {
        std::fs::create_dir_all(tree.root.join(".snodo/plans/sub")).unwrap();
        for file in [
            ".snodo/protocol.yml",
            ".snodo/audit.log",
            ".snodo/plans/a.md",
            ".snodo/plans/sub/b.yaml",
            ".snodo/plans/tool.sh",
        ] {
            std::fs::write(tree.root.join(file), file).unwrap();
        }
    });
    for path in [
        "pkg/.snodo/x",
        "./.snodo/x",
        "a/../.snodo/x",
        ".snodo",
        ".snodo/protocol.yml",
        ".snodo/audit.log",
        ".SNODO/x",
    ] {
        refused(&world, write(path, "x"), "`.snodo`");
        refused(&world, delete(path), "`.snodo`");
    }
    for open in [".snodo/protocol.yml", ".snodo/plans/a.md", ".snodo/plans/sub/b.yaml"] {
        assert_eq!(world.text(open), open);
    }
    for closed in [".snodo/audit.log", ".snodo/plans/tool.sh"] {
        assert!(
            matches!(world.read(closed).unwrap_err(), ReadError::Refused(_)),
            "{closed}"
        );
    }
    std::fs::write(world.twin().root.join(".snodo/audit.log"), "forged").unwrap();
}
