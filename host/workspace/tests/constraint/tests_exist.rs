//! `tests_exist_for_modified`.

use std::os::unix::fs::symlink;

use snodo_workspace::constraint::{Params, Reason};

use crate::world::{World, delete, params, rename, text, write};

const PREDICATE: &str = "tests_exist_for_modified";

fn missing(world: &World, given: Params) -> Vec<String> {
    let result = world.look(PREDICATE, given);
    let evidence = serde_json::to_value(&result.evidence).unwrap();
    let listed: Vec<String> = evidence["missing_tests"]
        .as_array()
        .map(|all| all.iter().map(|path| path.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default();
    assert_eq!(result.violated, !listed.is_empty(), "{result:?}");
    for path in &listed {
        assert!(result.justification.contains(path.as_str()), "{result:?}");
    }
    listed
}

fn naming(folder: Option<&str>, name: Option<&str>) -> Params {
    let given = [("test_dir_pattern", folder), ("test_name_pattern", name)];
    let given: Vec<_> = given
        .iter()
        .filter_map(|(key, value)| value.map(|v| (*key, text(v))))
        .collect();
    params(&given)
}

/// Where snodo 0.26.0 answers over the same paths, the answer is the same.
#[test]
fn as_snodo_answers() {
    let with_tests = |changed: &str| {
        let world = World::with(&[
            ("tests/test_m.py", b"t"),
            ("spec/m_spec.rb", b"t"),
            ("tests/unit/test_deep.py", b"t"),
        ]);
        world.submit(write(changed, "new\n"));
        world
    };
    for (changed, given, expected) in [
        ("pkg/m.py", Params::default(), &[][..]),
        ("pkg/n.py", Params::default(), &["tests/test_n.py"]),
        ("tests/other.py", Params::default(), &[]),
        // Every kind of file.
        ("README.md", Params::default(), &["tests/test_README.py"]),
        ("pkg/.env", Params::default(), &["tests/test_.env.py"]),
        ("pkg/__init__.py", Params::default(), &["tests/test___init__.py"]),
        ("pkg/m.py", naming(Some("spec/"), Some("{stem}_spec.rb")), &[]),
        ("pkg/deep.py", naming(Some("tests/unit"), None), &[]),
        ("pkg/m.py", naming(None, Some("{path}.t")), &["tests/pkg/m.py.t"]),
    ] {
        assert_eq!(
            missing(&with_tests(changed), given.clone()),
            expected,
            "{changed} {given:?}"
        );
    }
}

/// The places in which snodo is wrong, each with the reason.
#[test]
fn where_snodo_is_wrong() {
    // Its engine adds `git_commit` to the paths, for which a test is missing after every commit (11.1).
    let world = World::with(&[("tests/test_m.py", b"t")]);
    world.submit(write("pkg/m.py", "new\n"));
    assert!(missing(&world, Params::default()).is_empty());
    // It compares texts: what begins like the folder's name passes for a test.
    let world = World::wrote(&["testsuite/n.py"]);
    assert_eq!(missing(&world, naming(Some("tests"), None)), ["tests/test_n.py"]);
    let world = World::wrote(&["tests_of_mine/n.py"]);
    assert_eq!(missing(&world, naming(Some("./tests/"), None)), ["tests/test_n.py"]);
    // An empty name of the folder makes a test of every file.
    for folder in ["", ".", "./"] {
        let result = World::wrote(&["pkg/n.py"]).look(PREDICATE, naming(Some(folder), None));
        assert_eq!(result.reason, Reason::BadParameter, "{result:?}");
    }
}

#[test]
fn a_test_of_the_same_change_counts() {
    let world = World::wrote(&["pkg/n.py", "tests/test_n.py"]);
    assert!(missing(&world, Params::default()).is_empty());
    // And one that the change takes away does not.
    let world = World::with(&[("pkg/n.py", b"1\n"), ("tests/test_n.py", b"t\n")]);
    world.submit(write("pkg/n.py", "2\n"));
    assert!(missing(&world, Params::default()).is_empty());
    world.submit(delete("tests/test_n.py"));
    assert_eq!(missing(&world, Params::default()), ["tests/test_n.py"]);
}

#[test]
fn deleted_files_and_both_paths_of_a_rename_count() {
    let world = World::with(&[("pkg/n.py", b"1\n")]);
    world.submit(delete("pkg/n.py"));
    assert_eq!(missing(&world, Params::default()), ["tests/test_n.py"]);
    let world = World::with(&[("pkg/n.py", b"1\n"), ("tests/test_o.py", b"t")]);
    world.submit(rename("pkg/n.py", "pkg/o.py"));
    assert_eq!(missing(&world, Params::default()), ["tests/test_n.py"]);
}

#[test]
fn what_is_no_file_is_no_test() {
    let world = World::with(&[("tests/test_n.py/x", b"a folder")]);
    world.submit(write("pkg/n.py", "new\n"));
    assert_eq!(missing(&world, Params::default()), ["tests/test_n.py"]);

    let world = World::with(&[("tests/real.py", b"t")]);
    symlink("real.py", world.path("tests/test_n.py")).unwrap();
    world.submit(write("pkg/n.py", "new\n"));
    assert_eq!(missing(&world, Params::default()), ["tests/test_n.py"]);

    // A link on the way: whether something stands behind it is not looked at, and so it cannot be told.
    let world = World::with(&[("real/test_n.py", b"t")]);
    symlink("real", world.path("tests")).unwrap();
    world.submit(write("pkg/n.py", "new\n"));
    let result = world.look(PREDICATE, Params::default());
    assert_eq!(
        (result.violated, result.reason),
        (true, Reason::CannotRun),
        "{result:?}"
    );
}

#[test]
fn names_that_make_no_path() {
    let world = World::wrote(&["pkg/n.py"]);
    for (folder, name) in [
        (Some("../tests"), None),
        (Some("/tests"), None),
        (None, Some("")),
        (None, Some("/{stem}")),
        (None, Some("{stem")),
        (None, Some("stem}")),
        (None, Some("{name}.py")),
        (None, Some("{stem!r}.py")),
        (None, Some("{}.py")),
    ] {
        let result = world.look(PREDICATE, naming(folder, name));
        assert_eq!(
            (result.violated, result.reason),
            (true, Reason::BadParameter),
            "{result:?}"
        );
    }
    let result = world.look(PREDICATE, naming(None, Some("../../{stem}")));
    assert_eq!(
        (result.violated, result.reason),
        (true, Reason::CannotRun),
        "{result:?}"
    );
    assert_eq!(missing(&world, naming(None, Some("{{{stem}}}.py"))), ["tests/{n}.py"]);
    // Beside the file is a place, too.
    assert!(missing(&World::wrote(&["pkg/n.go"]), naming(None, Some("../pkg/{stem}.go"))).is_empty());
}
