//! A workspace with runs that are kept, and the commands that work on them. Shared by two test programs.
#![allow(dead_code, unreachable_pub, reason = "each of them uses a part")]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::Sandbox;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = crate::support::repository().join("docs/schema/snodo.runs.v1.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

/// A change of every kind, for [`world`].
pub const CHANGE: &str = "\
--- a/src/main.py
+++ b/src/main.py
@@ -1,2 +1,2 @@
 def main():
-    print(\"hello\")
+    print(\"goodbye\")
--- /dev/null
+++ b/made/here/new.txt
@@ -0,0 +1 @@
+new
--- a/docs/guide.md
+++ /dev/null
@@ -1,5 +0,0 @@
-one
-two
-three
-four
-five
diff --git a/README.md b/doc/README.md
similarity index 100%
rename from README.md
rename to doc/README.md
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
";

/// Another one.
pub const OTHER: &str = "\
--- a/src/main.py
+++ b/src/main.py
@@ -1,2 +1,2 @@
-def main():
+def main(): # other
     print(\"hello\")
";

pub fn world() -> Sandbox {
    let sandbox = Sandbox::new().with("run.sh", "#!/bin/sh\n");
    let guide = sandbox.workspace().join("docs/guide.md");
    fs::set_permissions(guide, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    sandbox
}

/// A run of a patch; answers its id.
pub fn run(sandbox: &Sandbox, patch: &str, more: &[&str]) -> String {
    let report = report(sandbox, patch, more);
    assert_eq!(report["outcome"], "completed", "{report:#}");
    report["run_id"].as_str().unwrap().to_owned()
}

pub fn report(sandbox: &Sandbox, patch: &str, more: &[&str]) -> Value {
    let task = sandbox.path().join("task.diff");
    fs::write(&task, patch).unwrap();
    let mut arguments = vec!["--task-file", task.to_str().unwrap()];
    arguments.extend(more);
    sandbox.run(&arguments).json()
}

/// `runs … --json`, held against the published schema.
pub fn runs(sandbox: &Sandbox, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["runs"];
    all.extend(arguments);
    all.push("--json");
    let finished = sandbox.call(&all);
    let value = finished.json();
    let errors: Vec<String> = SCHEMA
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "not what the schema says: {errors:#?}\n{value:#}");
    assert_eq!(value["ok"] == true, finished.code == 0, "{finished:#?}");
    assert!(!finished.stderr.contains("error"), "said twice: {finished:#?}");
    (finished.code, value)
}

/// The same, of an act that is refused: exit code, and the words. Nothing of the workspace is touched.
#[track_caller]
pub fn refused(sandbox: &Sandbox, arguments: &[&str], code: i32, words: &str) {
    let before = sandbox.tree();
    let (found, value) = runs(sandbox, arguments);
    assert_eq!(found, code, "{value:#}");
    let error = value["error"].as_str().unwrap();
    assert!(error.contains(words), "no `{words}` in `{error}`");
    let touched = before.differences(&sandbox.tree());
    assert_eq!(touched, [] as [&str; 0], "touched: {error}");
}

#[track_caller]
pub fn done(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let (code, value) = runs(sandbox, arguments);
    assert_eq!(code, 0, "{value:#}");
    value
}

/// What `list` says of a run.
#[track_caller]
pub fn state(sandbox: &Sandbox, id: &str) -> String {
    let list = done(sandbox, &["list"]);
    let runs = list["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["run_id"] == id);
    run.unwrap_or_else(|| panic!("{id} is not in {list:#}"))["state"]
        .as_str()
        .unwrap()
        .to_owned()
}

pub fn folder(sandbox: &Sandbox, id: &str) -> PathBuf {
    sandbox.state().join("runs").join(id)
}

/// Path, mode and content of everything: unlike a tree without inodes and times, which a change that was undone does not give back.
pub fn content(sandbox: &Sandbox) -> Vec<(String, u32, Vec<u8>)> {
    use crate::support::tree::Entry;
    let all = sandbox.tree().0.into_iter();
    all.map(|(path, entry)| match entry {
        Entry::Folder { mode } => (path, mode, Vec::new()),
        Entry::File { mode, bytes, .. } => (path, mode, bytes),
        Entry::Link { target } => (path, 0, target.into_os_string().into_encoded_bytes()),
        Entry::Other => (path, 1, Vec::new()),
    })
    .collect()
}

/// Changes a JSON file of a record.
pub fn edit(path: PathBuf, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}

/// Names the files of a record anew, with the hashes that they have now: what somebody can do who may write to the state folder.
pub fn seal_again(folder: &std::path::Path) {
    edit(folder.join("record.json"), |seal| {
        for file in seal["files"].as_array_mut().unwrap() {
            let bytes = fs::read(folder.join(file["name"].as_str().unwrap())).unwrap();
            file["size"] = bytes.len().into();
            file["hash"] = blake3::hash(&bytes).to_hex().as_str().into();
        }
    });
}
