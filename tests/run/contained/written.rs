//! Where the tests run, and what becomes of what they write.

use serde_json::{Value, json};

use super::{execution, plainly, test};
use crate::support::finished::changes;
use crate::support::machine::Without;
use crate::support::protocol::simple;
use crate::support::{Sandbox, guest};

/// `path: kind`, with `!` where it is an attempt.
fn written(execution: &Value) -> Vec<String> {
    let written = execution["written"].as_array().unwrap();
    written
        .iter()
        .map(|w| {
            let mark = if w["attempt"].is_string() { "!" } else { "" };
            format!("{mark}{}: {}", w["path"].as_str().unwrap(), w["kind"].as_str().unwrap())
        })
        .collect()
}

const D12: &str = "\
    mkdir -p cache .snodo .git/hooks && echo x > cache/x && echo x >> src/main.py && rm docs/guide.md && echo p > .snodo/p && \
    echo x > locked/file.txt && echo x > run.log && echo x > .git/hooks/post-commit && chmod +x README.md";

/// A workspace under a protocol that protects a path, with an ignored file's rule.
fn d12() -> Sandbox {
    let protocol = simple("protected_paths: [locked]\n");
    Sandbox::new()
        .with(".snodo/protocol.yml", protocol)
        .with("locked/file.txt", "locked\n")
        .with(".gitignore", "*.log\n")
        .committed()
}

#[track_caller]
fn d12_is_told(sandbox: &Sandbox, report: &Value) {
    let execution = execution(report);
    let written = written(execution);
    for entry in [
        "cache/x: created",
        "src/main.py: changed",
        "docs/guide.md: deleted",
        "run.log: created",
        "README.md: mode-only",
        "!locked/file.txt: changed",
    ] {
        // Of a new folder the folder is named.
        let folder = entry.split('/').next().unwrap();
        let found = written.iter().any(|w| w == entry || *w == format!("{folder}: created"));
        assert!(found, "no `{entry}` in {written:#?}");
    }
    for hidden in [".snodo", ".git"] {
        assert!(
            written.iter().any(|w| w.starts_with(&format!("!{hidden}"))),
            "no attempt on `{hidden}` in {written:#?}"
        );
    }
    // Attempts stand first, whatever their names.
    let first_plain = written.iter().position(|w| !w.starts_with('!')).unwrap();
    assert!(
        written[first_plain..].iter().all(|w| !w.starts_with('!')),
        "{written:#?}"
    );
    assert!(execution["written_total"].as_u64().unwrap() >= written.len() as u64);
    assert_eq!(
        changes(report),
        ["added src/hello.py", "added tests/test_hello.py"],
        "what the tests wrote is none of the coder's change"
    );
    assert_eq!(sandbox.read("docs/guide.md"), "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(sandbox.read("locked/file.txt"), "locked\n");
    for absent in ["cache", "run.log", ".snodo/p", ".git/hooks/post-commit"] {
        assert!(!sandbox.exists(absent), "{absent} reached the workspace");
    }
    assert_eq!(sandbox.mode("README.md") & 0o111, 0);
    sandbox.assert_nothing_is_left();
}

#[test]
fn d12_what_they_write_is_listed_apart_and_thrown_away() {
    let judge = guest("guest_judge");
    let arguments = [
        "anything",
        "--mock",
        "--validator",
        &judge,
        "--validator",
        "quality",
        "--test-command",
        D12,
    ];
    let sandbox = d12();
    d12_is_told(&sandbox, &sandbox.run(&arguments).completed());
    let sandbox = d12();
    if sandbox.contains_in("plain", Some(Without::Namespaces)) {
        d12_is_told(
            &sandbox,
            &sandbox.run_without(Without::Namespaces, &arguments).completed(),
        );
    }
    // A plain process does all of it.
    let sandbox = d12();
    assert!(plainly(&sandbox, D12).0);
    assert!(
        !sandbox.exists("docs/guide.md") && sandbox.exists(".git/hooks/post-commit"),
        "the control"
    );
}

#[test]
fn they_run_at_the_workspaces_own_path_with_the_pending_change() {
    let sandbox = Sandbox::git();
    if !sandbox.contains_in("view", None) {
        return;
    }
    let command = "pwd && test -e src/hello.py && test -e README.md && echo trace > trace.txt && cat trace.txt";
    let report = test(&sandbox, command, &[]).completed();
    let shown = format!("{}\ntrace\n", sandbox.workspace().canonicalize().unwrap().display());
    assert_eq!(execution(&report)["output_tail"], shown);
    assert!(!sandbox.exists("trace.txt"));
}

#[test]
fn each_run_begins_anew() {
    use crate::support::script::{answers, steps};
    let sandbox = Sandbox::git();
    let run = json!({ "do": "run-tests", "path": null });
    let task = steps(json!([run, run]));
    let probe = guest("guest_probe");
    // Files that hold something: where a folder that is shown lies below `/tmp`, empty places for it are made there.
    let command = "test ! -e trace && test -z \"$(find \"$HOME\" \"$TMPDIR\" -type f -size +0)\" && \
                   for file in trace \"$HOME/t\" \"$TMPDIR/t\"; do echo x > \"$file\" || exit 1; done";
    let arguments = [
        &task,
        "--coder",
        &probe,
        "--expect",
        "findings",
        "--test-command",
        command,
    ];
    let report = sandbox.run(&arguments).completed();
    for answer in answers(&report) {
        assert_eq!(answer["ok"]["exit"], json!({ "code": 0 }), "{answer:#}");
    }
    sandbox.assert_nothing_is_left();
}

#[test]
fn a_large_list_is_cut_and_its_length_told() {
    let sandbox = Sandbox::git();
    let command = "mkdir -p .git many; for n in 0 1 2 3 4 5 6 7 8 9; do for m in 0 1 2 3 4 5 6 7 8 9; do for k in 1 2 3; do echo > docs/$n$m$k; done; done; done; echo > .git/zzz";
    let report = test(&sandbox, command, &[]).completed();
    let execution = execution(&report);
    assert_eq!(execution["written"].as_array().unwrap().len(), 200);
    assert!(
        execution["written_total"].as_u64().unwrap() >= 302,
        "{}",
        execution["written_total"]
    );
    assert!(
        written(execution)[0].starts_with("!.git"),
        "an attempt cannot be pushed out of the list"
    );
}
