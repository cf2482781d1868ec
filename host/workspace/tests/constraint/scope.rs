//! `files_in_scope`.

use snodo_workspace::constraint::{ModuleBound, Params, Reason};
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::role::Phase;

use crate::world::{World, delete, params, rename, text, texts};

const PREDICATE: &str = "files_in_scope";

fn scope(paths: &[&str]) -> Params {
    params(&[("scope_paths", texts(paths))])
}

fn outside(world: &World, given: Params) -> Vec<String> {
    let result = world.look(PREDICATE, given);
    let evidence = serde_json::to_value(&result.evidence).unwrap();
    let listed: Vec<String> = evidence["out_of_scope_files"]
        .as_array()
        .map(|all| all.iter().map(|path| path.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default();
    assert_eq!(result.violated, !listed.is_empty(), "{result:?}");
    for path in &listed {
        assert!(result.justification.contains(path.as_str()), "{result:?}");
    }
    listed
}

/// Where snodo 0.26.0 answers over the same paths, the answer is the same.
#[test]
fn as_snodo_answers() {
    for (changed, given, expected) in [
        (
            &["pkg/m.py", "one/two/three.md"][..],
            scope(&["pkg/*"]),
            &["one/two/three.md"][..],
        ),
        (&["pkg/m.py"], scope(&["pkg/**"]), &[]),
        // `*` goes through folders.
        (&["pkg/deep/er/m.py"], scope(&["pkg/*"]), &[]),
        // A folder's name alone is a name, not the folder.
        (&["pkg/m.py"], scope(&["pkg"]), &["pkg/m.py"]),
        (&["docsx/y", "docs/a/b"], scope(&["docs"]), &["docs/a/b", "docsx/y"]),
        (&["docsx/y", "docs/a/b"], scope(&["docs/*"]), &["docsx/y"]),
        (&["pkg/m.py"], scope(&[]), &["pkg/m.py"]),
        (&["PKG/m.py"], scope(&["pkg/*"]), &["PKG/m.py"]),
        (&["pkg/m.py"], scope(&["pkg/?.py"]), &[]),
        (&["pkg/m.py"], scope(&["pkg/[!m].py"]), &["pkg/m.py"]),
        // Without the parameter everything is in scope.
        (&["pkg/m.py", ".hidden"], Params::default(), &[]),
        // One text is one pattern; snodo takes it letter by letter, with the same answer here, since one of them is `*`.
        (&["pkg/m.py"], params(&[("scope_paths", text("pkg/*"))]), &[]),
    ] {
        assert_eq!(outside(&World::wrote(changed), given.clone()), expected, "{given:?}");
    }
}

/// The places in which snodo is wrong, each with the reason.
#[test]
fn where_snodo_is_wrong() {
    // One text, letter by letter, lets everything pass as soon as one letter is `*`.
    let one = params(&[("scope_paths", text("pkg/*"))]);
    assert_eq!(outside(&World::wrote(&["elsewhere/m.py"]), one), ["elsewhere/m.py"]);
    // `pkg/../../etc/passwd` matches `pkg/*` there. Here no such path can be in a change set.
    for path in ["../x", "pkg/../../etc/passwd", "/etc/passwd"] {
        assert!(WorkspacePath::parse(path).is_err(), "{path}");
    }
    // `./pkg/*` matches no path at all there.
    assert!(outside(&World::wrote(&["pkg/m.py"]), scope(&["./pkg/*"])).is_empty());
}

/// snodo's engine adds `git_commit` to the paths, so that every scope but `*` and `**` is left by every commit (11.1).
#[test]
fn there_are_no_marker_words() {
    assert!(outside(&World::wrote(&["pkg/m.py"]), scope(&["pkg/*"])).is_empty());
    // A file that is called so is a file.
    assert_eq!(
        outside(&World::wrote(&["git_commit"]), scope(&["pkg/*"])),
        ["git_commit"]
    );
}

#[test]
fn both_paths_of_a_rename_count() {
    let world = World::with(&[("pkg/a", b"content\n"), ("other/b", b"else\n")]);
    world.submit(rename("other/b", "pkg/b"));
    assert_eq!(outside(&world, scope(&["pkg/*"])), ["other/b"]);
    let world = World::with(&[("pkg/a", b"content\n")]);
    world.submit(rename("pkg/a", "other/a"));
    assert_eq!(outside(&world, scope(&["pkg/*"])), ["other/a"]);
}

#[test]
fn every_file_of_a_folder_that_moves_or_goes_counts() {
    let files: [(&str, &[u8]); 3] = [("docs/adr/1", b"1\n"), ("docs/adr/2", b"2\n"), ("pkg/a", b"a\n")];
    let world = World::with(&files);
    world.submit(delete("docs/adr/1"));
    world.submit(delete("docs/adr/2"));
    assert_eq!(outside(&world, scope(&["pkg/*"])), ["docs/adr/1", "docs/adr/2"]);
    let world = World::with(&files);
    world.submit(rename("docs/adr/1", "pkg/1"));
    world.submit(rename("docs/adr/2", "pkg/2"));
    assert_eq!(outside(&world, scope(&["pkg/*"])), ["docs/adr/1", "docs/adr/2"]);
}

#[test]
fn a_module_takes_the_place_of_the_scope() {
    let module = |paths: &[&str]| ModuleBound {
        id: "api".to_owned(),
        paths: Some(paths.iter().map(|p| (*p).to_owned()).collect()),
    };
    for (paths, changed, holds) in [
        (&["srv/api", "common/*"][..], "srv/api/x.py", true),
        (&["srv/api", "common/*"], "srv/apix/x.py", false),
        (&["srv/api", "common/*"], "common/sub/u.py", true),
        (&["pack/*"], "pack/a", true),
        (&["lib/"], "lib/a", true),
        (&["lib/"], "lib2/a", false),
        (&["lib"], "lib", true),
        (&["."], "anything", false),
        (&["/"], "anything", false),
    ] {
        let world = World::wrote(&[changed]);
        let result = world.look_in(Phase::PostExecute, Some(&module(paths)), PREDICATE, scope(&["**"]));
        assert_eq!(result.violated, !holds, "{paths:?} {changed}: {result:?}");
    }
    let ghost = ModuleBound {
        id: "ghost".to_owned(),
        paths: None,
    };
    let result = World::wrote(&["x"]).look_in(Phase::PostExecute, Some(&ghost), PREDICATE, scope(&["**"]));
    assert_eq!(result.reason, Reason::Broken);
    assert_eq!(
        serde_json::to_value(&result.evidence).unwrap(),
        serde_json::json!({"module_id": "ghost"})
    );
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let names: Vec<String> = (0..250).map(|i| format!("out/{i:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let result = World::wrote(&names).look(PREDICATE, scope(&["in/*"]));
    let evidence = serde_json::to_value(&result.evidence).unwrap();
    assert_eq!(evidence["out_of_scope_files"].as_array().unwrap().len(), 200);
    assert_eq!(evidence["more"], 50);
    assert!(
        result.justification.ends_with("`out/009`, and 240 more"),
        "{}",
        result.justification
    );
}

#[test]
fn a_name_that_acts_on_a_terminal_is_told_as_text() {
    let result = World::wrote(&["out/a\n\u{1b}[31m`b"]).look(PREDICATE, scope(&["in/*"]));
    assert_eq!(
        result.justification,
        "outside the scope `in/*`: `out/a\\n\\u{1b}[31m`b`"
    );
}
