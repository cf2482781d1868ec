//! Names: aliases, devices, streams, lengths, and that everything else is literal.

use snodo_workspace::capability::{Read as _, ReadError, SubmitRefusal};
use snodo_workspace::path::PathRule;

use crate::world::{World, delete, executable, rename, write};

#[test]
fn a10_aliases_of_protected_names_are_refused() {
    let world = World::new(&["caf\u{e9}.md"], |tree| {
        std::fs::create_dir(tree.root.join(".git")).unwrap();
        std::fs::write(tree.root.join("caf\u{e9}.md"), "protected").unwrap();
    });
    for alias in [
        ".sn\u{200c}odo/x",
        ".snodo./x",
        ".snodo /x",
        ".git\u{200d}/config",
        ".GIT/config",
        "GIT~1/config",
        "cafe\u{301}.md",
        "CAF\u{c9}.md",
    ] {
        for operation in [
            write(alias, "x"),
            delete(alias),
            rename("ok.txt", alias),
            rename(alias, "z"),
            executable(alias),
        ] {
            let reason = world.refused(operation);
            assert!(
                matches!(&reason, SubmitRefusal::Refused(refusal) if refusal.path == alias),
                "{alias:?}: {reason:?}"
            );
        }
    }
    for alias in [".git\u{200d}/config", ".GIT/config", ".SNODO/audit.log", "GIT~1/HEAD"] {
        assert!(
            matches!(world.read(alias).unwrap_err(), ReadError::Refused(_)),
            "{alias:?}"
        );
    }
    // Control: this system makes them.
    std::fs::create_dir(world.twin().root.join(".git\u{200d}")).unwrap();
    std::fs::write(world.twin().root.join(".git\u{200d}/config"), "x").unwrap();
}

#[test]
fn a10_everything_else_is_literal() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.join("\u{e9}.txt"), "composed").unwrap();
        std::fs::write(tree.root.join("e\u{301}.txt"), "decomposed").unwrap();
    });
    assert_eq!(world.text("\u{e9}.txt"), "composed");
    assert_eq!(world.text("e\u{301}.txt"), "decomposed");
    world.submit(write("a\u{202f}b.txt", "narrow")).unwrap();
    assert_eq!(world.text("a\u{202f}b.txt"), "narrow");
    assert_eq!(
        world.read("a b.txt").unwrap_err(),
        ReadError::NotFound("a b.txt".to_owned())
    );
    assert!(std::fs::read(world.twin().root.join("a\u{202f}b.txt")).is_err());
}

#[test]
fn c06_names_that_look_like_globs_and_options_are_names() {
    let names = [
        "app/[id]/(group)/[[...slug]]/p.tsx",
        "-f",
        "~x",
        "a*b",
        "aXb",
        "$HOME",
        "%20",
        "{a,b}",
        "a?b",
        "with space",
    ];
    let world = World::new(&["[x]*"], |tree| {
        for name in names {
            std::fs::create_dir_all(tree.root.join(name).parent().unwrap()).unwrap();
            std::fs::write(tree.root.join(name), name).unwrap();
        }
    });
    for name in names {
        assert_eq!(world.text(name), name);
    }
    world.submit(delete("a*b")).unwrap();
    world.submit(write("{a,b}", "other")).unwrap();
    assert_eq!(world.text("aXb"), "aXb");
    assert_eq!(world.text("{a,b}"), "other");
    assert!(world.read("a").is_err());
    world.submit(write("x", "is not what `[x]*` names")).unwrap();
    assert!(matches!(world.refused(write("[x]*", "x")), SubmitRefusal::Refused(_)));
    let under = world.listed("app/[id]");
    assert!(
        under
            .iter()
            .any(|(path, _)| path == "app/[id]/(group)/[[...slug]]/p.tsx"),
        "{under:?}"
    );
}

#[test]
fn a11_what_is_no_path_is_refused_alike_for_every_call() {
    let world = World::new(&[], |_| {});
    let long = "n".repeat(5000);
    let deep = vec!["d"; 300].join("/");
    for (path, rule) in [
        ("nul", PathRule::ReservedName),
        ("sub/CON.txt", PathRule::ReservedName),
        ("COM\u{b9}", PathRule::ReservedName),
        ("CONIN$", PathRule::ReservedName),
        ("a:b", PathRule::ReservedCharacter),
        ("a\\..\\..\\b", PathRule::ReservedCharacter),
        ("a\0b", PathRule::Nul),
        ("", PathRule::Empty),
        (".", PathRule::Empty),
        ("/", PathRule::Absolute),
        ("C:\\x", PathRule::Absolute),
        ("target.txt/", PathRule::TrailingSlash),
        (long.as_str(), PathRule::TooLong),
        (deep.as_str(), PathRule::TooDeep),
    ] {
        world.assert_closed(path);
        assert!(
            matches!(world.read(path).unwrap_err(), ReadError::BadPath(bad) if bad.rule == rule),
            "{path:?}"
        );
        for operation in [
            write(path, "x"),
            delete(path),
            rename("ok.txt", path),
            rename(path, "z"),
            executable(path),
        ] {
            assert!(
                matches!(world.refused(operation), SubmitRefusal::BadPath(bad) if bad.rule == rule),
                "{path:?}"
            );
        }
        assert!(world.view.read_lines(path, 1, 1).is_err());
    }
    // Control: this system makes files of such names.
    for name in ["nul", "a:b", "a\\..\\..\\b", "COM\u{b9}"] {
        std::fs::write(world.twin().root.join(name), "x").unwrap();
    }
}
