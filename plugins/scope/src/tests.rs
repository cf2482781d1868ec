//! What the patterns mean, and what the verdict says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_plugin::pattern::BadPattern;
use snodo_plugin::testing::Workspace;

use super::*;

fn meant(pattern: &str, path: &str) -> bool {
    Pattern::parse(pattern).unwrap().matches(path)
}

#[test]
fn a_star_stops_at_a_slash_and_two_do_not() {
    for (pattern, path, expected) in [
        ("src/*", "src/a", true),
        ("src/*", "src/a/b", false),
        ("src/*", "src/../x", false),
        ("src/*", "src", false),
        ("src/**", "src/a", true),
        ("src/**", "src/a/b", true),
        ("src/**", "src", false),
        ("src/**", "srcx/a", false),
        ("src/**", "src/../x", false),
        ("**", "a", true),
        ("**", "a/b/c", true),
        ("**", "../x", false),
        ("**/*.rs", "a.rs", true),
        ("**/*.rs", "a/b/c.rs", true),
        ("**/*.rs", "a/b/c.rs/d", false),
        ("a/**/z", "a/z", true),
        ("a/**/z", "a/b/c/z", true),
        ("a/**/z", "a/b/c/zz", false),
        ("a/**/m/**/z", "a/m/m/q/z", true),
        ("a/**/m/**/z", "a/q/z", false),
        ("*/x", "a/x", true),
        ("*/x", "x", false),
        ("*", ".hidden", true),
        ("file?.txt", "file1.txt", true),
        ("file?.txt", "file12.txt", false),
        ("file?.txt", "fileü.txt", true),
        ("*a*b*", "xxaxxbxx", true),
        ("*a*b*", "xxbxxaxx", false),
    ] {
        assert_eq!(meant(pattern, path), expected, "`{pattern}` and `{path}`");
    }
}

#[test]
fn a_plain_path_means_it_and_everything_below() {
    for (pattern, path, expected) in [
        ("docs", "docs", true),
        ("docs", "docs/a/b", true),
        ("docs", "docsx/y", false),
        ("docs", "a/docs", false),
        ("./docs/", "docs/a", true),
        ("docs/.", "docs/a", true),
        ("docs//guide", "docs/guide/a", true),
        ("docs/guide", "docs/other", false),
        ("Docs", "docs/a", false),
        ("app/[id]/{a,b}", "app/[id]/{a,b}/page", true),
        ("app/[id]", "app/i", false),
        ("a!b", "a!b", true),
    ] {
        assert_eq!(meant(pattern, path), expected, "`{pattern}` and `{path}`");
    }
}

#[test]
fn a_path_that_is_not_in_its_normal_form_is_never_meant() {
    for path in [
        "src/../x", "../x", "./src/a", "src//a", "/src/a", "src/a/", "", ".", "..",
    ] {
        assert!(!meant("**", path), "`{path}`");
    }
}

#[test]
fn a_pattern_that_cannot_be_used_is_a_fault_that_names_it() {
    for (text, expected) in [
        ("", BadPattern::Empty),
        ("  ", BadPattern::Empty),
        ("/src", BadPattern::Absolute),
        ("..", BadPattern::Parent),
        ("src/../x", BadPattern::Parent),
        (".", BadPattern::Root),
        ("./", BadPattern::Root),
        ("src\\a", BadPattern::Backslash),
        ("a\0", BadPattern::Nul),
        ("a**", BadPattern::DoubleStar),
        ("src/***", BadPattern::DoubleStar),
        ("!src", BadPattern::Negated),
    ] {
        assert_eq!(Pattern::parse(text).unwrap_err(), expected, "`{text}`");
    }
    let Err(Fault::Setting(words)) = patterns(&["src".to_owned(), "a/../b".to_owned()]) else {
        unreachable!()
    };
    assert_eq!(words, "`paths`, pattern `a/../b`: it holds `..`");
    assert!(matches!(patterns(&[]), Err(Fault::Setting(_))));
}

#[test]
fn no_pattern_takes_long() {
    let pattern = Pattern::parse(&"**/a*a*a*b/".repeat(60)).unwrap();
    assert!(!pattern.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/".repeat(120).trim_end_matches('/')));
}

#[test]
fn what_is_outside_is_named() {
    let patterns = patterns(&["src/**".to_owned(), "docs".to_owned()]).unwrap();
    let verdict = judge(&patterns, ["docs/a", "etc/passwd", "src/a", "srcx"].into_iter());
    assert_eq!(verdict.severity, Severity::Blocker);
    assert_eq!(
        verdict.justification,
        "2 of 4 changed paths outside of `src/**`, `docs`: `etc/passwd`, `srcx`."
    );
    assert_eq!(verdict.examined, ["docs/a", "etc/passwd", "src/a", "srcx"]);

    let verdict = judge(&patterns, ["docs/a", "src/a"].into_iter());
    assert_eq!(verdict.severity, Severity::Pass);
    assert_eq!(
        verdict.justification,
        "All 2 changed paths are within `src/**`, `docs`."
    );
}

/// How it judges a change, under the patterns given.
fn judged(patterns: &[&str], operations: impl IntoIterator<Item = submit::Operation>) -> Result<Verdict, Fault> {
    let workspace = Workspace::new().file("src/a", "a\n").file("out/a", "a\n");
    let call = workspace
        .validator::<Scope>()
        .setting("paths", patterns)
        .changed(operations);
    call.run().outcome
}

#[test]
fn both_sides_of_a_rename_count() {
    for (old, new, severity) in [
        ("src/a", "src/b", Severity::Pass),
        ("src/a", "out/b", Severity::Blocker),
        ("out/a", "src/b", Severity::Blocker),
    ] {
        let verdict = judged(&["src"], [submit::rename(old, new)]).unwrap();
        assert_eq!(verdict.severity, severity, "{old} to {new}");
    }
}

#[test]
fn deletions_new_files_and_executable_bits_count() {
    for operation in [
        submit::delete("out/a"),
        submit::write("out/b", "b\n"),
        submit::set_executable("out/a", true),
    ] {
        let verdict = judged(&["src"], [operation, submit::write("src/a", "b\n")]).unwrap();
        assert_eq!(verdict.severity, Severity::Blocker);
        assert!(
            verdict.justification.starts_with("1 of 2 changed paths"),
            "{}",
            verdict.justification
        );
    }
}

#[test]
fn it_needs_patterns_and_judges_after_execution() {
    assert!(matches!(judged(&[], []), Err(Fault::Setting(_))));
    assert!(matches!(judged(&["src", "../x"], []), Err(Fault::Setting(why)) if why.contains("`../x`")));
    assert_eq!(judged(&["src"], []).unwrap().justification, "No path was changed.");
    let workspace = Workspace::new();
    let early = workspace
        .validator::<Scope>()
        .setting("paths", ["src"])
        .phase(Phase::PreExecute);
    assert!(matches!(early.run().fault(), Fault::Internal(_)));
}

#[test]
fn patterns_are_given_as_flags_too_and_nothing_is_read() {
    let workspace = Workspace::new().file("docs/a.md", "a\n");
    let call = workspace
        .validator::<Scope>()
        .set("paths", "src/**, docs")
        .changed([submit::write("docs/a.md", "b\n")]);
    let run = call.run();
    assert_eq!(
        run.verdict().justification,
        "The changed path is within `src/**`, `docs`."
    );
    assert_eq!(run.calls, ["summary"]);
}

#[test]
#[should_panic(expected = "`scope` needs the setting `paths`")]
fn without_patterns_it_is_not_called() {
    Workspace::new().validator::<Scope>().run();
}

#[test]
fn many_paths_are_counted_and_the_first_shown() {
    let patterns = patterns(&["src".to_owned()]).unwrap();
    let paths: Vec<String> = (0..150).map(|number| format!("out/{number:03}")).collect();
    let verdict = judge(&patterns, paths.iter().map(String::as_str));
    assert!(
        verdict.justification.ends_with("`out/019` and 130 more."),
        "{}",
        verdict.justification
    );
    assert_eq!(verdict.examined.len(), 101);
    assert_eq!(verdict.examined[100], "and 50 more paths");
}
