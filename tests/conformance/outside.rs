//! `snodo-host conform`, as an author types it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Finished, Sandbox, guest, repository};

const PATCH: &str = "--- a/src/greeting.py\n+++ b/src/greeting.py\n@@ -1,2 +1,2 @@\n def greet(name):\n-    return \"hello \" + name\n+    return \"good day \" + name\n";

/// Conforms with `--json`; the answer is what the schema says.
fn conform(sandbox: &Sandbox, arguments: &[&str]) -> (Finished, Value) {
    let finished = sandbox.call(&[&["conform", "--json"], arguments].concat());
    let value = finished.json();
    let path = repository().join("docs/schema/snodo.conform.v1.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "not what the schema says: {errors:#?}\n{value:#}");
    (finished, value)
}

#[test]
fn json_is_what_the_schema_says_and_exit_codes_are_the_reports() {
    let sandbox = Sandbox::new();
    let (finished, report) = conform(&sandbox, &["scope"]);
    assert_eq!(
        (finished.code, report["exit_code"].as_i64()),
        (0, Some(0)),
        "{finished:#?}"
    );
    assert_eq!(report["subjects"][0]["role"], "validator");

    let broken = guest("guest_broken_coder");
    let (finished, report) = conform(&sandbox, &[&broken, "--set", "guest_broken_coder.behaviour=lies"]);
    assert_eq!((finished.code, &report["ok"]), (1, &Value::Bool(false)));
    let (finished, _) = conform(&sandbox, &[&broken, "--set", "guest_broken_coder.behaviour=idle"]);
    assert_eq!(finished.code, 2, "{finished:#?}");
    let (finished, report) = conform(&sandbox, &[&guest("guest_net")]);
    assert_eq!(finished.code, 1);
    assert_eq!(report["subjects"][0]["kind"], "component");
}

#[test]
fn a_suite_that_cannot_begin_says_why() {
    let sandbox = Sandbox::new();
    for (arguments, words) in [
        (&["no-such-plugin"][..], "no-such-plugin"),
        (&["patch", "--set", "patch.no-such=1"], "no-such"),
        (&["patch", "--task", "no-such-file.md"], "no-such-file.md"),
    ] {
        let (finished, report) = conform(&sandbox, arguments);
        assert_eq!(finished.code, 64, "{finished:#?}");
        assert!(report["error"].as_str().unwrap().contains(words), "{report:#}");
    }
    for arguments in [
        &["conform"][..],
        &["conform", "patch", "--all"],
        &["conform", "--all", "--task", "x"],
    ] {
        assert_eq!(sandbox.call(arguments).code, 64, "{arguments:?}");
    }
}

#[test]
fn a_task_of_the_authors_is_what_a_coder_is_tried_by() {
    let sandbox = Sandbox::new().with("task.diff", PATCH);
    let (finished, report) = conform(&sandbox, &["patch", "--task", "task.diff"]);
    assert_eq!(finished.code, 0, "{report:#}");
    let checks = report["subjects"][0]["checks"].as_array().unwrap();
    let produces = checks.iter().find(|check| check["id"] == "work.produces").unwrap();
    assert!(
        produces["seen"].as_str().unwrap().contains("src/greeting.py"),
        "{produces:#}"
    );
    // One that it cannot do proves nothing.
    let sandbox = sandbox.with("task.diff", "make it faster\n");
    let (finished, report) = conform(&sandbox, &["patch", "--task", "task.diff"]);
    assert_eq!(finished.code, 2, "{report:#}");
}

#[test]
fn people_are_shown_what_is_wrong_and_how_much_is_right() {
    let sandbox = Sandbox::new();
    let broken = guest("guest_broken_coder");
    let finished = sandbox.call(&["conform", &broken, "--set", "guest_broken_coder.behaviour=lies"]);
    assert_eq!(finished.code, 1);
    let shown: Vec<&str> = finished.stdout.lines().map(str::trim_end).collect();
    assert!(shown[0].starts_with("guest_broken_coder  coder, component (") && shown[0].ends_with("does not conform"));
    assert!(shown[1].starts_with("  fail      work.account"), "{shown:#?}");
    assert!(
        shown[2].contains("it claims and did not change: OTHER.md"),
        "{shown:#?}"
    );
    assert!(!finished.stdout.contains("describe.stable"), "{shown:#?}");
    let verbose = sandbox.call(&["conform", "--verbose", "scope"]);
    assert!(verbose.stdout.contains("describe.stable"), "{verbose:#?}");
    assert!(verbose.stdout.lines().next().unwrap().ends_with("conforms"));
}

/// What is installed is held to it like a file, with what was agreed to.
#[test]
fn an_installed_plugin_is_one_of_all() {
    let sandbox = Sandbox::new();
    let added = sandbox.call(&[
        "plugin",
        "add",
        &guest("guest_asking_judge"),
        "--as",
        "asking",
        "--grant",
        "model",
        "--yes",
    ]);
    assert_eq!(added.code, 0, "{added:#?}");
    let (finished, report) = conform(&sandbox, &["asking"]);
    assert_eq!(finished.code, 1, "{report:#}");
    let subject = &report["subjects"][0];
    assert_eq!(subject["name"], "asking");
    assert!(
        subject["origin"].as_str().unwrap().starts_with("installed"),
        "{subject:#}"
    );
    let failed = |check: &&Value| check["result"] == "fail";
    let failed: Vec<&Value> = subject["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(failed)
        .map(|check| &check["id"])
        .collect();
    assert_eq!(failed, ["model.missing", "model.failing"]);
    // Damaged, it is told of among all, and the others are looked at.
    let store = sandbox.state();
    let stored = find(&store, |path| {
        path.extension().is_some_and(|extension| extension == "wasm")
    });
    let stored = stored.unwrap_or_else(|| panic!("nothing is stored in {}", store.display()));
    std::fs::remove_file(stored).unwrap();
    let (finished, report) = conform(&sandbox, &["--all"]);
    assert_eq!(finished.code, 1);
    let subjects = report["subjects"].as_array().unwrap();
    let failing: Vec<&Value> = subjects
        .iter()
        .filter(|subject| subject["ok"] == false)
        .map(|subject| &subject["name"])
        .collect();
    assert_eq!(failing, ["asking"], "{report:#}");
    assert!(subjects.len() > 5);
}

fn find(folder: &Path, is_it: fn(&Path) -> bool) -> Option<PathBuf> {
    let paths = || std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let here = paths().find(|path| path.is_file() && is_it(path));
    here.or_else(|| paths().filter(|path| path.is_dir()).find_map(|path| find(&path, is_it)))
}
