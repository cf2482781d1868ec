//! A credential is found, and its value shows up nowhere.

use serde_json::json;

use crate::support::finished::said;
use crate::support::script::{steps, write};
use crate::support::{Sandbox, guest};

/// In two parts, so that this file holds no text that looks like a credential.
fn token() -> String {
    ["ghp_", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"].concat()
}

/// Every file below a folder that holds the text.
fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with(&entry.path(), text));
        } else if String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).contains(text) {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn a_credential_in_an_added_line_blocks_and_is_named_by_its_place() {
    let sandbox = Sandbox::new().with(".snodo/keep", "");
    let before = sandbox.tree();
    let patch = format!(
        "Apply this.\n\n--- a/src/main.py\n+++ b/src/main.py\n@@ -1,2 +1,3 @@\n def main():\n+    token = \"{}\"\n     print(\"hello\")\n",
        token()
    );
    let report = sandbox.run(&[&patch]).ended(1, "blocker", Some("blocked"));
    let why = said(&report, "post_execute", "secrets")["justification"]
        .as_str()
        .unwrap();
    assert!(
        why.contains("src/main.py:2, github-token (a GitHub token): ghp_…"),
        "{why}"
    );
    assert_eq!(before, sandbox.tree());
}

#[test]
fn its_value_is_in_nothing_that_is_printed_or_kept_for_reading() {
    let sandbox = Sandbox::new().with(".snodo/keep", "");
    let file = sandbox.path().join("fix.patch");
    let patch = format!("--- /dev/null\n+++ b/config.env\n@@ -0,0 +1 @@\n+TOKEN={}\n", token());
    std::fs::write(&file, patch).unwrap();
    let arguments = ["--task-file", file.to_str().unwrap()];
    for finished in [sandbox.run(&arguments), sandbox.run_for_people(&arguments)] {
        assert_eq!(finished.code, 1);
        assert!(!finished.stdout.contains(&token()), "printed: {}", finished.stdout);
        assert!(!finished.stderr.contains(&token()), "logged: {}", finished.stderr);
    }
    assert_eq!(
        files_with(&sandbox.workspace(), &token()),
        [] as [&std::path::Path; 0],
        "left in the workspace"
    );
    // The change itself is kept for its owner, exactly: it would be no record otherwise.
    let kept = files_with(&sandbox.path().join("state"), &token());
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.iter().all(|path| path.ends_with("change.patch")), "{kept:?}");
}

#[test]
fn a_coders_own_words_give_it_away_neither() {
    let sandbox = Sandbox::new();
    let words = format!("the token is {}", token());
    let task = crate::support::script::script(
        json!([{ "do": "progress", "message": words }, { "do": "print", "text": words }, write("a.txt", "harmless\n")]),
        json!({ "report": { "notes": words }, "finding": { "title": words, "detail": words } }),
    );
    let finished = sandbox.run_for_people(&[&task, "--coder", &guest("guest_probe")]);
    assert!(!finished.stdout.contains(&token()), "printed: {}", finished.stdout);
    assert!(!finished.stderr.contains(&token()), "logged: {}", finished.stderr);
    let finished = sandbox.run(&[&task, "--coder", &guest("guest_probe"), "--dry-run"]);
    assert!(!finished.stdout.contains(&token()), "printed: {}", finished.stdout);
}

#[test]
fn a_credential_that_was_there_before_is_not_the_changes() {
    let sandbox = Sandbox::new().with("old.env", format!("TOKEN={}\n", token()));
    let task = steps(json!([{ "do": "submit-files", "operations": [{ "rename": "old.env", "to": "new.env" }] }]));
    sandbox.run(&[&task, "--coder", &guest("guest_probe")]).completed();
}

#[test]
fn a_binary_file_is_looked_through_too() {
    let sandbox = Sandbox::new();
    let mut bytes = vec![0, 159, 146, 150, 10];
    bytes.extend(token().bytes());
    let task = steps(json!([{ "do": "submit-files", "operations": [{ "write": "blob.bin", "bytes": bytes }] }]));
    let report = sandbox
        .run(&[&task, "--coder", &guest("guest_probe")])
        .ended(1, "blocker", Some("blocked"));
    assert!(
        said(&report, "post_execute", "secrets")["justification"]
            .as_str()
            .unwrap()
            .contains("blob.bin:2, github-token"),
        "{report:#}"
    );
}
