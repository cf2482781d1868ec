use snodo_plugin::change::ChangedFile;
use snodo_plugin::{ChangeKind, Severity, Verdict};

use crate::judge;

fn file(path: &str, kind: ChangeKind, added: u64) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        kind,
        old_path: None,
        added,
        deleted: 0,
        binary: false,
        test_governing: None,
        size_before: None,
        size_after: Some(1),
        executable_before: false,
        executable_after: false,
    }
}

fn judged(change: &[ChangedFile], strict: bool) -> Verdict {
    judge::judge(change, "CHANGELOG.md", &["docs".to_owned()], strict)
}

#[test]
fn sources_without_an_entry_are_stopped_or_warned_of() {
    let change = [
        file("src/b.rs", ChangeKind::Modified, 1),
        file("src/a.rs", ChangeKind::Added, 1),
    ];
    let verdict = judged(&change, true);
    assert_eq!(verdict.severity, Severity::Blocker);
    assert_eq!(
        verdict.justification,
        "src/a.rs and 1 more changed, and CHANGELOG.md has no new entry."
    );
    assert_eq!(verdict.examined, ["src/a.rs", "src/b.rs"]);
    assert_eq!(judged(&change, false).severity, Severity::Warn);
}

#[test]
fn sources_with_an_entry_pass() {
    let change = [
        file("CHANGELOG.md", ChangeKind::Modified, 1),
        file("src/a.rs", ChangeKind::Modified, 1),
    ];
    let verdict = judged(&change, true);
    assert_eq!(verdict.severity, Severity::Pass);
    assert_eq!(verdict.justification, "CHANGELOG.md has a new entry for 1 changed path.");
}

#[test]
fn a_changelog_that_only_loses_lines_is_no_entry() {
    for kind in [ChangeKind::Modified, ChangeKind::Deleted] {
        let change = [file("CHANGELOG.md", kind, 0), file("src/a.rs", ChangeKind::Modified, 1)];
        assert_eq!(judged(&change, true).severity, Severity::Blocker);
    }
}

#[test]
fn what_needs_no_entry_is_skipped() {
    let verdict = judged(&[file("docs/a.md", ChangeKind::Modified, 1)], true);
    assert_eq!(verdict.severity, Severity::Pass);
    assert!(verdict.skipped.is_some());
    assert_eq!(judged(&[file("docs2/a.md", ChangeKind::Added, 1)], true).severity, Severity::Blocker);
}
