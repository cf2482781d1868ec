//! `Workspace` is the host's own rules over files that a test writes down: no WebAssembly, and no host.

use snodo_plugin::prelude::*;
use snodo_plugin::testing::Workspace;

use crate::Plugin;

fn workspace() -> Workspace {
    Workspace::new().file("CHANGELOG.md", "# Changelog\n").file("src/old.rs", "fn old() {}\n")
}

#[test]
fn sources_without_an_entry_are_stopped_or_warned_of() {
    let judged = |strict| {
        let change = [submit::write("src/b.rs", "b\n"), submit::write("src/a.rs", "a\n")];
        workspace().validator::<Plugin>().changed(change).set("strict", strict).run().verdict().clone()
    };
    let verdict = judged("true");
    assert_eq!(verdict.severity, Severity::Blocker);
    assert_eq!(
        verdict.justification,
        "src/a.rs and 1 more changed, and CHANGELOG.md has no new entry."
    );
    assert_eq!(verdict.examined, ["src/a.rs", "src/b.rs"]);
    assert_eq!(judged("false").severity, Severity::Warn);
}

#[test]
fn sources_with_an_entry_pass() {
    let change = [
        submit::write("CHANGELOG.md", "# Changelog\n\n- a\n"),
        submit::rename("src/old.rs", "src/new.rs"),
    ];
    let run = workspace().validator::<Plugin>().changed(change).run();
    assert_eq!(run.verdict().severity, Severity::Pass);
    assert_eq!(
        run.verdict().justification,
        "CHANGELOG.md has a new entry for 2 changed paths."
    );
}

#[test]
fn a_changelog_that_only_loses_lines_is_no_entry() {
    for gone in [submit::delete("CHANGELOG.md"), submit::write("CHANGELOG.md", "")] {
        let change = [gone, submit::write("src/a.rs", "a\n")];
        let run = workspace().validator::<Plugin>().changed(change).run();
        assert_eq!(run.verdict().severity, Severity::Blocker);
    }
}

#[test]
fn what_needs_no_entry_is_skipped_by_whole_names_of_folders() {
    let judged = |path| {
        let change = [submit::write(path, "a\n")];
        workspace().validator::<Plugin>().changed(change).run().verdict().clone()
    };
    assert!(judged("docs/a.md").skipped.is_some());
    assert_eq!(judged("docs2/a.md").severity, Severity::Blocker);
}

#[test]
fn before_execution_there_is_nothing_to_judge() {
    let run = workspace().validator::<Plugin>().phase(Phase::PreExecute).run();
    assert!(matches!(run.fault(), Fault::Internal(_)));
}
