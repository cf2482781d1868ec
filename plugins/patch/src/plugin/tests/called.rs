//! The coder called as by the host: what its submissions come to.

use snodo_plugin::testing::Workspace;

use super::*;

fn workspace() -> Workspace {
    Workspace::new()
        .file("src/a.rs", "one\ntwo\nthree\n")
        .file("old.txt", "text\n")
}

#[test]
fn a_diff_is_the_change() {
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let run = workspace().coder::<Patch>().task(diff).run();
    assert_eq!(run.text("src/a.rs"), "one\n2\nthree\n");
    assert_eq!(run.diff()[0].to_string(), diff);
    assert_eq!(run.implementation().report.as_ref().unwrap().files[0].path, "src/a.rs");
}

#[test]
fn what_moves_and_changes_is_a_rename_with_other_content() {
    let diff = "diff --git a/old.txt b/new.txt\nrename from old.txt\nrename to new.txt\n\
                --- a/old.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-text\n+other\n";
    let run = workspace().coder::<Patch>().task(diff).run();
    run.implementation();
    let change = run.change();
    assert_eq!(change.files.len(), 1);
    assert_eq!(
        (
            change.files[0].old_path.as_deref(),
            change.files[0].path.as_str(),
            change.files[0].kind
        ),
        (Some("old.txt"), "new.txt", ChangeKind::Renamed)
    );
    assert_eq!(run.text("new.txt"), "other\n");
}

#[test]
fn nothing_is_submitted_where_a_part_is_refused_or_does_not_fit() {
    let one = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2 +2 @@\n-two\n+2\n";
    let refused = "--- /dev/null\n+++ b/kept/new\n@@ -0,0 +1 @@\n+x\n";
    let run = workspace()
        .protect("kept")
        .coder::<Patch>()
        .task(format!("{one}{refused}"))
        .run();
    assert!(matches!(run.error(), CoderError::Refused(refused) if refused.path == "kept/new"));
    assert!(!run.produced_work());

    let misfit = "--- a/old.txt\n+++ b/old.txt\n@@ -1 +1 @@\n-txet\n+x\n";
    let run = workspace().coder::<Patch>().task(format!("{one}{misfit}")).run();
    assert!(matches!(run.error(), CoderError::DoesNotApply(mismatch) if mismatch.path == "old.txt"));
    assert!(!run.produced_work());
}

#[test]
fn settings_are_read_by_their_type() {
    let diff = "--- deep/src/a.rs\n+++ deep/src/a.rs\n@@ -2 +2 @@\n-two\n+2\n";
    let run = workspace().coder::<Patch>().task(diff).set("strip", "1").run();
    assert_eq!(run.text("src/a.rs"), "one\n2\nthree\n");
    let run = workspace().coder::<Patch>().task(diff).setting("max-offset", -1).run();
    assert!(matches!(run.error(), CoderError::UnusableTask(why) if why.contains("`max-offset` is -1")));
}
