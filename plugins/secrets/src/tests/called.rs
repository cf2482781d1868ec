//! The validator called as by the host, over changes that the host's own code computed.

use snodo_plugin::testing::{Workspace, describe_validator};

use super::*;

fn judged(workspace: &Workspace, operations: impl IntoIterator<Item = submit::Operation>) -> Verdict {
    let run = workspace.validator::<Secrets>().changed(operations).run();
    let verdict = run.verdict().clone();
    assert!(!format!("{verdict:?}").contains(&key()), "the value is put out");
    verdict
}

#[test]
fn an_added_key_blocks_by_file_and_line() {
    let workspace = Workspace::new().file("a.py", "x = 1\n");
    let verdict = judged(
        &workspace,
        [submit::write("a.py", format!("x = 1\nkey = \"{}\"\n", key()))],
    );
    assert_eq!(
        verdict.justification,
        "1 credential in 1 added line of 1 file:\n- a.py:2, aws-access-key-id (an AWS access key id): AKIA…"
    );
}

#[test]
fn a_key_that_stood_there_is_not_held_against_the_change() {
    let workspace = Workspace::new()
        .file("a", format!("{}\n", key()))
        .file("b.bin", [b"\0", key().as_bytes()].concat());
    for operations in [
        vec![submit::write("a", format!("{}\nmore\n", key()))],
        vec![submit::rename("a", "c")],
        vec![submit::delete("a")],
        vec![submit::write("b.bin", [b"\0\0", key().as_bytes()].concat())],
        vec![submit::rename("b.bin", "c.bin")],
        vec![submit::set_executable("a", true)],
    ] {
        let told = format!("{operations:?}");
        assert_eq!(judged(&workspace, operations).severity, Severity::Pass, "{told}");
    }
    // Control: the same file without a past.
    let verdict = judged(
        &Workspace::new(),
        [submit::write("b.bin", [b"\0\0", key().as_bytes()].concat())],
    );
    assert_eq!(verdict.severity, Severity::Blocker);
}

#[test]
fn a_key_far_down_in_a_file_that_no_answer_holds_is_found() {
    // One answer carries a few hundred bytes, so that the file is read in parts.
    let text = format!("{}{}\n", "line\n".repeat(1_000), key());
    let run = Workspace::new()
        .validator::<Secrets>()
        .changed([submit::write("big", text)])
        .with_context(|context| context.limits.call_bytes = 300)
        .run();
    assert!(
        run.verdict().justification.contains("- big:1001,"),
        "{}",
        run.verdict().justification
    );
    assert_eq!(
        run.verdict().examined,
        ["big: the whole file (binary, or too large to be compared)"]
    );
}

#[test]
fn what_it_may_not_see_is_a_fault() {
    let run = Workspace::new()
        .validator::<Secrets>()
        .changed([submit::write("a", "…")])
        .without_tool("diff")
        .run();
    assert!(matches!(run.fault(), Fault::IncompleteView(_)));
    assert_eq!(describe_validator::<Secrets>().phases, [Phase::PostExecute]);
}
