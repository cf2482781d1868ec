//! `snodo-host runs` as a person uses it, and `prune`.

use std::fs;

use serde_json::{Value, json};

use crate::records_world::{CHANGE, OTHER, done, folder, refused, report, run, runs, state, world};
use crate::support::Sandbox;

#[test]
fn without_a_run_there_is_nothing() {
    let sandbox = Sandbox::new();
    let list = sandbox.call(&["runs", "list"]);
    assert_eq!((list.code, list.stdout.as_str()), (0, "no runs are kept\n"));
    assert_eq!(done(&sandbox, &["list"])["runs"], json!([]));
    refused(&sandbox, &["show", "last"], 64, "no run of this workspace is kept");
    assert_eq!(done(&sandbox, &["prune", "--keep", "0"])["removed"], json!([]));
}

#[test]
fn a_person_sees_what_happened() {
    let sandbox = world();
    let first = run(&sandbox, CHANGE, &["--dry-run"]);
    let second = run(&sandbox, OTHER, &[]);
    let list = sandbox.call(&["runs", "list"]).stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert!(lines[0].contains(&second) && lines[0].contains("applied"), "{list}");
    assert!(lines[1].contains(&first) && lines[1].contains("dry run"), "{list}");
    let shown = sandbox.call(&["runs", "show", "last"]).stdout;
    for words in [
        &second as &str,
        "applied",
        "outcome   completed",
        "src/main.py",
        "record    ",
        "secrets  pass",
    ] {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
    let diff = sandbox.call(&["runs", "diff", &first]).stdout;
    let kept = fs::read_to_string(folder(&sandbox, &first).join("change.patch")).unwrap();
    assert_eq!(diff, kept, "to a pipe goes what `git apply` takes");
    let undone = sandbox.call(&["runs", "undo", "last"]);
    assert!(
        undone.stdout.contains("undone  ") && undone.stdout.contains("1 file"),
        "{undone:#?}"
    );
    let refused = sandbox.call(&["runs", "undo", "last"]);
    assert!(
        refused.code == 64 && refused.stderr.contains("is undone already"),
        "{refused:#?}"
    );
    assert!(
        !list.contains('\u{1b}') && !shown.contains('\u{1b}'),
        "colours for no terminal"
    );
}

#[test]
fn a_text_of_a_record_is_escaped() {
    let sandbox = world();
    let patch = format!("\u{1b}]0;owned\u{7} \u{202e}\n{OTHER}");
    let id = report(&sandbox, &patch, &["--dry-run"])["run_id"]
        .as_str()
        .unwrap()
        .to_owned();
    for finished in [sandbox.call(&["runs", "list"]), sandbox.call(&["runs", "show", &id])] {
        assert_eq!(finished.code, 0);
        let acts = |c: char| c == '\u{1b}' || c == '\u{7}' || c == '\u{202e}';
        assert!(!finished.stdout.contains(acts), "{finished:#?}");
    }
}

#[test]
fn a_list_can_be_of_one_workspace() {
    let sandbox = world();
    run(&sandbox, CHANGE, &["--dry-run"]);
    let other = sandbox.path().join("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    assert_eq!(done(&sandbox, &["list", "--workspace", other])["runs"], json!([]));
    let own = sandbox.workspace();
    let list = done(&sandbox, &["list", "--workspace", own.to_str().unwrap()]);
    assert_eq!(list["runs"].as_array().unwrap().len(), 1);
}

fn ids(value: &Value) -> Vec<String> {
    let runs = value.as_array().unwrap();
    runs.iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn prune_removes_what_is_asked_for_and_says_so() {
    let sandbox = world();
    let applied = run(&sandbox, OTHER, &[]);
    done(&sandbox, &["undo", &applied]);
    let standing = run(&sandbox, OTHER, &[]);
    let patch = |n: u32| format!("--- /dev/null\n+++ b/n{n}\n@@ -0,0 +1 @@\n+x\n");
    let dry: Vec<String> = (0..3).map(|n| run(&sandbox, &patch(n), &["--dry-run"])).collect();
    // Without a bound nothing is meant.
    let (code, _) = runs(&sandbox, &["prune"]);
    assert_eq!(code, 64);
    let pruned = done(&sandbox, &["prune", "--keep", "10"]);
    assert_eq!((ids(&pruned["removed"]), ids(&pruned["spared"])), (vec![], vec![]));
    let pruned = done(&sandbox, &["prune", "--keep", "0", "--older-than", "1"]);
    assert_eq!(ids(&pruned["removed"]), [] as [&str; 0], "nothing is a day old");
    let pruned = done(&sandbox, &["prune", "--keep", "1"]);
    // The newest applied one stays: by it the last change can be undone.
    assert_eq!(
        ids(&pruned["removed"]),
        [&dry[1], &dry[0], &applied].map(String::as_str)
    );
    assert_eq!(ids(&pruned["spared"]), [standing.as_str()]);
    assert!(pruned["removed"][0]["bytes"].as_u64().unwrap() > 500);
    assert!(!folder(&sandbox, &applied).exists());
    assert_eq!(
        ids(&done(&sandbox, &["list"])["runs"]),
        [&dry[2], &standing].map(String::as_str)
    );
    assert_eq!(state(&sandbox, &standing), "applied");
    let pruned = done(&sandbox, &["prune", "--keep", "0", "--all"]);
    assert_eq!(ids(&pruned["removed"]).len(), 2);
    assert_eq!(fs::read_dir(sandbox.state().join("runs")).unwrap().count(), 0);
    refused(&sandbox, &["undo", &standing], 64, "there is no run");
}

#[test]
fn a_prune_that_was_cut_off_is_finished_by_the_next() {
    let sandbox = world();
    let id = run(&sandbox, OTHER, &["--dry-run"]);
    let runs = sandbox.state().join("runs");
    fs::rename(runs.join(&id), runs.join(format!("removing-{id}"))).unwrap();
    assert_eq!(done(&sandbox, &["list"])["runs"], json!([]));
    done(&sandbox, &["prune", "--keep", "5"]);
    assert_eq!(fs::read_dir(runs).unwrap().count(), 0);
}

#[test]
fn a_record_that_cannot_be_read_is_in_the_list_as_one() {
    let sandbox = world();
    let (bad, good) = (
        run(&sandbox, CHANGE, &["--dry-run"]),
        run(&sandbox, OTHER, &["--dry-run"]),
    );
    fs::write(folder(&sandbox, &bad).join("record.json"), "nothing").unwrap();
    assert_eq!(
        (state(&sandbox, &bad), state(&sandbox, &good)),
        ("damaged".into(), "dry_run".into())
    );
    let list = sandbox.call(&["runs", "list"]).stdout;
    assert!(list.contains("is no JSON"), "{list}");
}

#[test]
fn a_wrong_command_line_is_answered_in_the_schema_of_the_command() {
    let sandbox = Sandbox::new();
    let (code, value) = runs(&sandbox, &["apply"]);
    assert_eq!(code, 64, "{value}");
    let (code, value) = runs(&sandbox, &["prune", "--keep", "-1"]);
    assert_eq!(code, 64, "{value}");
}
