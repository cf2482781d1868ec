//! A workspace with `out/` beside it, twice: one under the binary, its twin open to `std::fs`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::finished::plugin;
use crate::support::protocol::simple;
use crate::support::script::steps;
use crate::support::tree::Tree;
use crate::support::{Finished, Sandbox, guest, script};

/// What lies outside, and must never be seen or changed.
pub(crate) const OUTSIDE: &str = "OUTSIDE-b0c4";

/// Bounds that turn a test that would hang into one that fails.
const BOUNDED: &str = "[limits]\ntotal_seconds = 60\ncompute_seconds = 30\n";

/// One of the two trees.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
}

impl Place {
    fn at(root: PathBuf) -> Self {
        let out = root.with_file_name("out");
        Self { root, out }
    }

    /// A file of the workspace, with its folders.
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn folder(&self, path: &str) {
        std::fs::create_dir_all(self.root.join(path)).unwrap();
    }

    /// `path` in the workspace is a link to `target`.
    pub(crate) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.root.join(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    /// What `out/secret` holds now.
    pub(crate) fn secret(&self) -> String {
        std::fs::read_to_string(self.out.join("secret")).unwrap()
    }
}

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) real: Place,
    /// For the controls.
    pub(crate) twin: Place,
    arguments: Vec<String>,
}

impl World {
    /// `make` is done to both trees.
    pub(crate) fn new(make: impl Fn(&Place)) -> Self {
        let sandbox = Sandbox::empty().host_toml(BOUNDED);
        let real = Place::at(sandbox.workspace());
        let twin = Place::at(sandbox.path().join("twin/workspace"));
        for place in [&real, &twin] {
            std::fs::create_dir_all(&place.root).unwrap();
            std::fs::create_dir_all(&place.out).unwrap();
            std::fs::write(place.out.join("secret"), OUTSIDE).unwrap();
            place.put("ok.txt", "ok\n");
            make(place);
        }
        Self {
            sandbox,
            real,
            twin,
            arguments: vec!["--expect".to_owned(), "findings".to_owned()],
        }
    }

    /// Under a protocol that protects these paths.
    pub(crate) fn protecting(paths: &[&str], make: impl Fn(&Place)) -> Self {
        let protocol = simple(&format!("protected_paths: {}\n", json!(paths)));
        let world = Self::new(|place| {
            place.put(".snodo/protocol.yml", &protocol);
            make(place);
        });
        // A protocol's mode asks for somebody who judges before the coder.
        world.with(&["--validator", &guest("guest_judge")])
    }

    /// With further arguments of `run`.
    #[must_use]
    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(ToString::to_string));
        self
    }

    /// Runs a coder that does these steps. Whatever it is about: nothing outside is touched, and nothing of it is said.
    pub(crate) fn finish(&self, task: &str) -> Finished {
        let outside = Tree::of(&self.real.out);
        let all = self.command(task);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let finished = self.sandbox.run_beside_somebody_else(&all);
        assert_eq!(
            outside.differences(&Tree::of(&self.real.out)),
            [] as [&str; 0],
            "something outside was touched: {finished:#?}"
        );
        finished
    }

    fn command(&self, task: &str) -> Vec<String> {
        let file = self.sandbox.path().join("task.json");
        std::fs::write(&file, task).unwrap();
        let mut all = vec![
            "--task-file".to_owned(),
            file.to_str().unwrap().to_owned(),
            "--coder".to_owned(),
            guest("guest_probe"),
        ];
        all.extend(self.arguments.iter().cloned());
        all
    }

    /// The whole command for a coder that does these steps.
    pub(crate) fn start(&self, task: &str) -> crate::support::process::Running {
        let all = self.command(task);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        self.sandbox.start(&all)
    }

    /// A coder that does these steps and comes to its end; the report, and what it was answered.
    #[track_caller]
    pub(crate) fn run(&self, list: Value) -> (Value, Vec<Value>) {
        let report = self.finish(&steps(list)).completed();
        assert_eq!(report["coder"]["error"], Value::Null, "{report:#}");
        let answers = script::answers(&report);
        (report, answers)
    }

    /// The same, where only the answers count.
    #[track_caller]
    pub(crate) fn ask(&self, list: Value) -> Vec<Value> {
        self.run(list).1
    }

    /// Each of these steps is answered by an error; which kinds.
    #[track_caller]
    pub(crate) fn refused(&self, list: Vec<Value>) -> Vec<String> {
        let before = Tree::of(&self.real.root);
        let answers = self.ask(Value::from(list.clone()));
        let kinds = list
            .iter()
            .zip(&answers)
            .map(|(step, answer)| {
                let kind = answer["error"]["kind"].as_str();
                kind.unwrap_or_else(|| panic!("{step} was done: {answer}")).to_owned()
            })
            .collect();
        assert_eq!(before.differences(&Tree::of(&self.real.root)), [] as [&str; 0]);
        kinds
    }
}

/// Milliseconds that the coder's calls took.
pub(crate) fn in_calls(report: &Value) -> u64 {
    plugin(report, "guest_probe")["usage"]["host_ms"].as_u64().unwrap()
}

pub(crate) fn read(path: &str) -> Value {
    json!({ "do": "read-file", "path": path })
}

pub(crate) fn lines(path: &str, first: u64, last: u64) -> Value {
    json!({ "do": "read-lines", "path": path, "first": first, "last": last })
}

pub(crate) fn batch(paths: &[&str]) -> Value {
    json!({ "do": "read-files", "paths": paths })
}

pub(crate) fn list(under: &str) -> Value {
    json!({ "do": "list-files", "under": under, "hidden": true, "ignored": true })
}

pub(crate) fn search(pattern: &str) -> Value {
    json!({ "do": "search-text", "pattern": pattern })
}

pub(crate) fn submit(operations: Value) -> Value {
    json!({ "do": "submit-files", "operations": operations })
}

pub(crate) fn write(path: &str) -> Value {
    submit(json!([{ "write": path, "text": "PLANTED" }]))
}

pub(crate) fn delete(path: &str) -> Value {
    submit(json!([{ "delete": path }]))
}

pub(crate) fn rename(from: &str, to: &str) -> Value {
    submit(json!([{ "rename": from, "to": to }]))
}

pub(crate) fn executable(path: &str) -> Value {
    submit(json!([{ "set-executable": path, "executable": true }]))
}

/// Everything that changes a path.
pub(crate) fn mutations(path: &str) -> Vec<Value> {
    vec![
        write(path),
        delete(path),
        rename("ok.txt", path),
        rename(path, "elsewhere.txt"),
        executable(path),
    ]
}

/// Everything that looks into a path.
pub(crate) fn looks(path: &str) -> Vec<Value> {
    vec![
        read(path),
        lines(path, 1, 1),
        json!({ "do": "list-files", "under": path }),
        json!({ "do": "search-text", "pattern": "OUT", "under": path }),
        json!({ "do": "search-symbol", "name": "x", "under": path }),
    ]
}

/// The matches' paths.
pub(crate) fn found(answer: &Value) -> Vec<String> {
    paths_of(&answer["ok"]["matches"])
}

/// The entries' paths.
pub(crate) fn listed(answer: &Value) -> Vec<String> {
    paths_of(&answer["ok"]["entries"])
}

#[track_caller]
fn paths_of(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter()
        .map(|one| one["path"].as_str().unwrap().to_owned())
        .collect()
}

/// How many files were passed over for a reason.
pub(crate) fn skipped(answer: &Value, reason: &str) -> u64 {
    let all = answer["ok"]["skipped"].as_array().unwrap();
    let of_it = all.iter().filter(|one| one["reason"] == reason);
    of_it.map(|one| one["files"].as_u64().unwrap()).sum()
}

/// A program is there to be called.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.invalid"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap()
}
