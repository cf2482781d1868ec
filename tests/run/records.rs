//! What a run leaves behind, applied and taken back by the binary.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::records_world::{CHANGE, OTHER, content, done, folder, refused, report, run, runs, state, world};
use crate::support::Sandbox;
use crate::support::script::{steps, write};
use serde_json::json;

#[test]
fn a_dry_run_is_applied_exactly_and_undone_exactly() {
    let sandbox = world();
    let before = content(&sandbox);
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    assert_eq!(state(&sandbox, &id), "dry_run");
    assert_eq!(content(&sandbox), before);
    let acted = done(&sandbox, &["apply", "last"]);
    assert_eq!((&acted["run_id"], &acted["files"]), (&json!(id), &json!(5)));
    assert_eq!(state(&sandbox, &id), "applied");
    assert!(sandbox.read("src/main.py").contains("goodbye"));
    assert_eq!(sandbox.read("made/here/new.txt"), "new\n");
    assert!(!sandbox.exists("docs/guide.md") && !sandbox.exists("README.md") && sandbox.exists("doc/README.md"));
    assert_eq!(sandbox.mode("run.sh"), 0o755);
    refused(&sandbox, &["apply", &id], 64, "is applied already");
    done(&sandbox, &["undo", &id]);
    // Also the mode of the file that was deleted, and no folder that was made.
    assert_eq!(content(&sandbox), before);
    assert_eq!(state(&sandbox, &id), "undone");
    refused(&sandbox, &["undo", &id], 64, "is undone already");
    // It passed both gates against just this.
    done(&sandbox, &["apply", &id]);
    assert_eq!(state(&sandbox, &id), "applied");
}

#[test]
fn the_same_change_comes_from_a_run_and_from_a_record() {
    let (direct, by_record) = (world(), world());
    run(&direct, CHANGE, &[]);
    run(&by_record, CHANGE, &["--dry-run"]);
    done(&by_record, &["apply", "last"]);
    assert_eq!(content(&direct), content(&by_record));
}

#[test]
fn what_a_run_applied_is_undone_if_nothing_changed_since() {
    let sandbox = world();
    let before = content(&sandbox);
    let id = run(&sandbox, CHANGE, &[]);
    assert_eq!(state(&sandbox, &id), "applied");
    refused(&sandbox, &["apply", &id], 64, "applied its change itself");
    done(&sandbox, &["undo", "last"]);
    assert_eq!(content(&sandbox), before);
}

#[test]
fn folders_of_the_user_stay() {
    let sandbox = world();
    fs::create_dir_all(sandbox.workspace().join("made")).unwrap();
    let id = run(&sandbox, CHANGE, &[]);
    done(&sandbox, &["undo", &id]);
    assert!(sandbox.exists("made") && !sandbox.exists("made/here"));
    let id = run(&sandbox, CHANGE, &[]);
    sandbox.put("made/here/mine.txt", "mine\n");
    done(&sandbox, &["undo", &id]);
    assert!(sandbox.exists("made/here/mine.txt") && !sandbox.exists("made/here/new.txt"));
}

#[test]
fn one_path_that_changed_since_refuses_all_of_it() {
    type Edit = fn(&Sandbox);
    let edits: [(Edit, &str); 6] = [
        (|s| s.put("src/main.py", "mine\n"), "`src/main.py` was changed since"),
        (|s| s.put("docs/guide.md", "mine\n"), "`docs/guide.md` was made since"),
        (|s| s.put("README.md", "mine\n"), "`README.md` was made since"),
        (
            |s| fs::remove_file(s.workspace().join("made/here/new.txt")).unwrap(),
            "`made/here/new.txt` is gone since",
        ),
        (
            |s| fs::set_permissions(s.workspace().join("run.sh"), fs::Permissions::from_mode(0o644)).unwrap(),
            "`run.sh` was made executable, or no longer is",
        ),
        (
            |s| {
                let path = s.workspace().join("src/main.py");
                fs::remove_file(&path).unwrap();
                std::os::unix::fs::symlink("/etc/passwd", path).unwrap();
            },
            "`src/main.py` is a symbolic link",
        ),
    ];
    for (edit, words) in edits {
        let sandbox = world();
        let id = run(&sandbox, CHANGE, &[]);
        edit(&sandbox);
        refused(&sandbox, &["undo", &id], 4, words);
        assert_eq!(state(&sandbox, &id), "applied");
    }
}

#[test]
fn a_dry_run_that_went_stale_is_refused() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    run(&sandbox, OTHER, &[]);
    refused(
        &sandbox,
        &["apply", &id],
        4,
        "`src/main.py` was changed since the dry run",
    );
    assert_eq!(state(&sandbox, &id), "dry_run");
    done(&sandbox, &["undo", "last"]);
    done(&sandbox, &["apply", &id]);
}

#[test]
fn a_halted_run_can_only_be_looked_at() {
    let sandbox = world();
    let patch = "--- /dev/null\n+++ b/key.txt\n@@ -0,0 +1 @@\n+key = AKIAQ3EGRT5MPLJ7ZX2B\n";
    let halted = report(&sandbox, patch, &["--validator", "secrets"]);
    assert_eq!(halted["outcome"], "blocker", "{halted:#}");
    let id = halted["run_id"].as_str().unwrap();
    assert_eq!(state(&sandbox, id), "halted");
    refused(
        &sandbox,
        &["apply", id],
        64,
        "was halted (blocked): it can only be looked at",
    );
    refused(&sandbox, &["undo", id], 64, "was halted");
    let diff = sandbox.call(&["runs", "diff", id]);
    assert!(diff.code == 0 && diff.stdout.contains("+key = AKIA"), "{diff:#?}");
    assert!(
        !folder(&sandbox, id).join("change.json").exists(),
        "kept what cannot be applied"
    );
}

#[test]
fn a_run_for_findings_has_nothing_to_undo() {
    let sandbox = Sandbox::new();
    let task = steps(json!([write("x", "y")]));
    let report = sandbox
        .run(&["--coder", &crate::support::guest("guest_probe"), "--dry-run", &task])
        .completed();
    let id = report["run_id"].as_str().unwrap();
    refused(&sandbox, &["undo", id], 64, "was never applied");
    let coder = crate::support::guest("guest_probe");
    let looks = steps(json!([{ "do": "read", "paths": ["README.md"] }]));
    let report = sandbox
        .run(&["--coder", &coder, "--expect", "findings", &looks])
        .completed();
    let id = report["run_id"].as_str().unwrap();
    assert_eq!(state(&sandbox, id), "nothing");
    refused(&sandbox, &["undo", id], 64, "has no change");
}

#[test]
fn contents_are_kept_once_and_for_the_owner_alone() {
    let sandbox = world();
    let added = |n: u32| format!("--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+the same\n");
    let same = (0..5).map(added).collect::<Vec<_>>().concat();
    let id = run(&sandbox, &same, &["--dry-run"]);
    let folder = folder(&sandbox, &id);
    assert_eq!(fs::read_dir(folder.join("blobs")).unwrap().count(), 1);
    for entry in [folder.clone(), folder.join("blobs")] {
        assert_eq!(fs::metadata(entry).unwrap().permissions().mode() & 0o777, 0o700);
    }
    for file in ["record.json", "report.json", "change.json", "change.patch"] {
        let mode = fs::metadata(folder.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let shown = done(&sandbox, &["show", &id]);
    assert!(shown["bytes"].as_u64().unwrap() > 1000);
    assert_eq!(shown["can_be_applied_or_undone"], true);
    assert_eq!(shown["report"]["run_id"], json!(id));
}

#[test]
fn a_git_repository_is_no_different() {
    let sandbox = world().committed();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let head = sandbox.git_command(&["rev-parse", "HEAD"]);
    done(&sandbox, &["apply", &id]);
    assert!(sandbox.git_command(&["status", "--porcelain"]).contains("src/main.py"));
    done(&sandbox, &["undo", &id]);
    assert_eq!(sandbox.git_command(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.git_command(&["rev-parse", "HEAD"]), head);
}

#[test]
fn the_record_of_another_workspace_is_refused() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let other = sandbox.path().join("other");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .args([sandbox.workspace(), other.clone()])
        .status();
    assert!(copied.unwrap().success());
    let other = other.to_str().unwrap();
    refused(&sandbox, &["apply", &id, "--workspace", other], 64, "was a run in `");
    refused(
        &sandbox,
        &["apply", "last", "--workspace", other],
        64,
        "no run of this workspace",
    );
    // Another folder at the same name.
    let moved = sandbox.path().join("moved");
    fs::rename(sandbox.workspace(), &moved).unwrap();
    fs::rename(other, sandbox.workspace()).unwrap();
    refused(&sandbox, &["apply", &id], 64, "another stands there now");
    // The control: the folder itself, back at its place.
    fs::rename(sandbox.workspace(), other).unwrap();
    fs::rename(&moved, sandbox.workspace()).unwrap();
    done(&sandbox, &["apply", &id]);
}

#[test]
fn what_is_done_from_a_record_is_in_the_audit_log() {
    let sandbox = world();
    fs::create_dir(sandbox.workspace().join(".snodo")).unwrap();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let log = || sandbox.read(".snodo/audit.log");
    let before = log();
    done(&sandbox, &["apply", &id]);
    done(&sandbox, &["undo", &id]);
    let log = log();
    let added: Vec<serde_json::Value> = log[before.len()..]
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let said: Vec<_> = added
        .iter()
        .map(|e| (&e["event_type"], &e["data"]["run_id"], e["data"]["undone"] == true))
        .collect();
    let (kind, id) = (json!("change_applied"), json!(id));
    assert_eq!(said, [(&kind, &id, false), (&kind, &id, true)]);
    assert_eq!(sandbox.call(&["audit", "verify"]).code, 0);
    // A log that was tampered with takes no more events, and so nothing is applied.
    sandbox.put(
        ".snodo/audit.log",
        log.replacen("completed", "complete", 1).replacen("passed", "past", 1),
    );
    refused(
        &sandbox,
        &["apply", id.as_str().unwrap()],
        4,
        "the audit log cannot be used",
    );
}

#[test]
fn runs_are_named_by_id_by_its_beginning_or_by_last() {
    let sandbox = world();
    let first = run(&sandbox, CHANGE, &["--dry-run"]);
    let second = run(&sandbox, OTHER, &["--dry-run"]);
    let shown = |name: &str| done(&sandbox, &["show", name])["run"]["run_id"].clone();
    assert_eq!(shown("last"), json!(second));
    assert_eq!(shown(&first[..first.len() - 2]), json!(first));
    refused(&sandbox, &["show", "run_"], 64, "is the beginning of 2 runs");
    refused(&sandbox, &["show", "run_1_00000000"], 64, "there is no run");
    for name in ["../runs", "/etc", "run_/../x", "RUN_1", "", "run_\u{1b}[31m", "."] {
        let (code, value) = runs(&sandbox, &["show", name]);
        assert_eq!(code, 64, "{value}");
        assert!(value["error"].as_str().unwrap().contains("is no run"), "{value}");
    }
    let list = done(&sandbox, &["list"]);
    let ids: Vec<_> = list["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["run_id"].clone())
        .collect();
    assert_eq!(ids, [json!(second), json!(first)]);
}
