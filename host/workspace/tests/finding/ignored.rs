//! Case C03: what is hidden or ignored is said, is there when asked for, and is decided by files inside the root only.

use std::process::Command;

use snodo_workspace::capability::{ListQuery, ReadError, Refusal, SearchError, SkipReason, TextQuery};

use super::world::{
    World, everything, list, list_error, listed, literal, paths, places, put, search, search_error, skipped,
};

fn tree() -> World {
    World::with(&[
        (".gitignore", "# built\ngen/\n*.log\n!keep.log\n"),
        (".github/w.yml", "needle\n"),
        ("gen/x.txt", "needle\n"),
        ("gen/deep/y.txt", "needle\n"),
        ("a.log", "needle\n"),
        ("keep.log", "needle\n"),
        ("src/.gitignore", "/local.txt\n!b.log\n"),
        ("src/local.txt", "needle\n"),
        ("src/sub/local.txt", "needle\n"),
        ("src/b.log", "needle\n"),
    ])
}

#[test]
fn c03_what_is_passed_over_is_said() {
    let found = search(&tree().view(), &literal("needle"));
    assert_eq!(paths(&found), ["keep.log", "src/b.log", "src/sub/local.txt"]);
    // `a.log`, `gen` and `src/local.txt`; `.gitignore` twice and `.github`.
    assert_eq!(
        (
            skipped(&found.skipped, SkipReason::Ignored),
            skipped(&found.skipped, SkipReason::Hidden)
        ),
        (3, 3)
    );
}

#[test]
fn c03_hidden_files_are_found_when_asked_for() {
    let world = tree();
    let view = world.view();
    assert!(
        paths(&search(
            &view,
            &TextQuery {
                hidden: true,
                ..literal("needle")
            }
        ))
        .contains(&".github/w.yml")
    );
    let under = |under: &str| TextQuery {
        under: under.to_owned(),
        ..literal("needle")
    };
    for asked in [".github", ".github/", ".github/w.yml"] {
        assert_eq!(places(&search(&view, &under(asked))), [".github/w.yml:1"], "{asked}");
    }
    assert_eq!(
        listed(&list(
            &view,
            &ListQuery {
                under: ".github".to_owned(),
                limit: 10,
                ..ListQuery::default()
            }
        )),
        [".github/w.yml"]
    );
}

#[test]
fn c03_ignored_files_are_found_when_the_user_allows_them_and_refused_by_line_otherwise() {
    let world = tree();
    let under = |under: &str, ignored| TextQuery {
        under: under.to_owned(),
        ignored,
        ..literal("needle")
    };
    let rule = |error: SearchError| match error {
        SearchError::Refused(Refusal { rule, .. }) => rule,
        other => panic!("{other:?}"),
    };
    let view = world.view();
    for (asked, ignored) in [
        ("gen", false),
        ("gen", true),
        ("gen/x.txt", false),
        ("gen/x.txt", true),
        ("gen/deep", true),
    ] {
        let rule = rule(search_error(&view, &under(asked, ignored)));
        assert!(rule.starts_with(".gitignore:2 `gen/`"), "{asked} {ignored}: {rule}");
    }
    let refused = rule(search_error(&view, &under("src/local.txt", true)));
    assert!(refused.starts_with("src/.gitignore:1 `/local.txt`"), "{refused}");
    // The whole tree with ignored files: those that may not be read are counted as refused.
    let found = search(
        &view,
        &TextQuery {
            ignored: true,
            ..literal("needle")
        },
    );
    assert_eq!(paths(&found), ["keep.log", "src/b.log", "src/sub/local.txt"]);
    assert_eq!(skipped(&found.skipped, SkipReason::Refused), 4);

    let view = world.view_allowing("gen/**");
    assert_eq!(
        paths(&search(&view, &under("gen", true))),
        ["gen/deep/y.txt", "gen/x.txt"]
    );
    let found = search(
        &view,
        &TextQuery {
            ignored: true,
            ..literal("needle")
        },
    );
    assert_eq!(
        paths(&found),
        [
            "gen/deep/y.txt",
            "gen/x.txt",
            "keep.log",
            "src/b.log",
            "src/sub/local.txt"
        ]
    );
    assert_eq!(skipped(&found.skipped, SkipReason::Refused), 2);
    // Still passed over without being asked for.
    assert_eq!(
        skipped(&search(&view, &literal("needle")).skipped, SkipReason::Ignored),
        3
    );
}

#[test]
fn c03_names_of_ignored_files_are_listed_when_asked_for() {
    let world = tree();
    let view = world.view();
    let all = list(
        &view,
        &ListQuery {
            ignored: true,
            ..everything()
        },
    );
    assert!(listed(&all).contains(&"gen/deep/y.txt"), "{all:?}");
    let refused = list_error(
        &view,
        &ListQuery {
            under: "gen".to_owned(),
            ..everything()
        },
    );
    assert!(matches!(refused, ReadError::Refused(r) if r.rule.starts_with(".gitignore:2 `gen/`")));
}

#[test]
fn c03_ignore_files_outside_the_root_have_no_effect() {
    let world = World::with(&[
        ("repo/svc/a.txt", "needle\n"),
        ("repo/svc/b/c.txt", "needle\n"),
        ("repo/.gitignore", "*\n"),
    ]);
    std::fs::write(world.beside().join(".gitignore"), "*\n").unwrap();
    world.write("repo/.git/info/exclude", "*\n");
    world.write("repo/svc/.git/info/exclude", "*\n");
    world.write("repo/svc/.ignore", "*\n");
    let global = world.beside().join("global-excludes");
    std::fs::write(&global, "*\n").unwrap();
    // Control: git and its kin are moved by a file outside; here, by the one above and the global one.
    if git(&world.path("repo"), &["init", "-q"])
        && git(
            &world.path("repo"),
            &["config", "core.excludesFile", global.to_str().unwrap()],
        )
    {
        assert!(git(
            &world.path("repo/svc"),
            &["check-ignore", "-q", "--no-index", "a.txt"]
        ));
    }
    let found = search(&world.view_of("repo/svc"), &literal("needle"));
    assert_eq!(paths(&found), ["a.txt", "b/c.txt"]);
    assert_eq!(skipped(&found.skipped, SkipReason::Ignored), 0);
}

fn git(folder: &std::path::Path, arguments: &[&str]) -> bool {
    Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn what_git_tracks_is_not_ignored_whatever_the_patterns_say() {
    let world = World::with(&[
        (".gitignore", "dist/\n*.min.js\n"),
        ("dist/kept.js", "needle\n"),
        ("dist/not.js", "needle\n"),
        ("dist/x/y.js", "needle\n"),
        ("a.min.js", "needle\n"),
        ("b.min.js", "needle\n"),
    ]);
    let root = world.root();
    if !git(&root, &["init", "-q"]) {
        return;
    }
    assert!(git(&root, &["add", "-f", "dist/kept.js", "a.min.js"]));
    let view = world.view();
    let found = search(&view, &literal("needle"));
    assert_eq!(paths(&found), ["a.min.js", "dist/kept.js"]);
    // `b.min.js`, `dist/not.js` and `dist/x`.
    assert_eq!(skipped(&found.skipped, SkipReason::Ignored), 3);
    assert_eq!(
        paths(&search(
            &view,
            &TextQuery {
                under: "dist".to_owned(),
                ..literal("needle")
            }
        )),
        ["dist/kept.js"]
    );
    assert_eq!(
        paths(&search(
            &view,
            &TextQuery {
                under: "dist/kept.js".to_owned(),
                ..literal("needle")
            }
        )),
        ["dist/kept.js"]
    );
    let found = search(
        &view,
        &TextQuery {
            ignored: true,
            ..literal("needle")
        },
    );
    assert_eq!(paths(&found), ["a.min.js", "dist/kept.js"]);
}

#[test]
fn a_coder_does_not_open_ignored_files_by_submitting_an_ignore_file() {
    let world = World::with(&[(".gitignore", "secret.txt\n"), ("secret.txt", "needle\n")]);
    let coder = world.coder();
    coder.submit(vec![put(".gitignore", "nothing\n"), put("sub/.gitignore", "!*\n")]);
    for ignored in [false, true] {
        assert_eq!(
            paths(&search(
                &coder.view,
                &TextQuery {
                    ignored,
                    ..literal("needle")
                }
            )),
            [""; 0]
        );
    }
}

#[test]
fn an_ignore_file_that_cannot_be_used_hides_its_folder() {
    let world = World::with(&[
        ("a/x.txt", "needle\n"),
        ("b/x.txt", "needle\n"),
        ("c/x.txt", "needle\n"),
        ("d/x.txt", "needle\n"),
    ]);
    // 60 GB of nothing, and more patterns than a person writes.
    std::fs::File::create(world.path("a/.gitignore"))
        .unwrap()
        .set_len(60 << 30)
        .unwrap();
    world.write("b/.gitignore", "x*y\n".repeat(20_000));
    // What is no file has no meaning, to git either.
    world.link("../../out/secret", "c/.gitignore");
    std::fs::create_dir(world.path("d/.gitignore")).unwrap();
    let view = world.view();
    assert_eq!(paths(&search(&view, &literal("needle"))), ["c/x.txt", "d/x.txt"]);
    let query = TextQuery {
        under: "b/x.txt".to_owned(),
        ..literal("needle")
    };
    assert!(
        matches!(search_error(&view, &query), SearchError::Refused(r) if r.rule.starts_with("b/.gitignore: it has over 5000 patterns"))
    );
}
