//! Test suites as people have them, run by the programs that they are written for, contained.
//!
//! Each is a small project with a dependency that is already installed. It is run as it stands, where it fails, and after a patch that mends
//! it; through an overlay, and on a machine that allows no namespaces. What is not installed is skipped, and says so: `skipped: …`.

mod cargo;
mod go;
mod make;
mod memory;
mod node;
mod python;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::finished::{changes, said};
use crate::support::machine::Without;
use crate::support::tree::Tree;
use crate::support::{Finished, Sandbox, skips};

/// How programs are contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    /// At the workspace's own path, through an overlay.
    View,
    /// In a copy elsewhere, without namespaces.
    Plain,
}

/// Where toolchains are when no variable says so, from the home folder of whoever runs this: a test's own home is an empty one.
const TOOLCHAINS: [(&str, &str); 4] = [
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
];

/// A project whose tests fail, and the line by which they do.
struct Project {
    sandbox: Sandbox,
    /// The declared command.
    command: String,
    /// The file that is wrong, a line of it, and what that should say.
    mistake: (&'static str, &'static str, &'static str),
    /// What a failing and a passing run print.
    prints: (&'static [&'static str], &'static [&'static str]),
    /// Further variables of the user's.
    environment: Vec<(&'static str, PathBuf)>,
    /// A folder that comes first on `PATH`.
    first: Option<PathBuf>,
    /// A folder of the workspace that the user has opened, which fills.
    kept: Option<&'static str>,
}

impl Ground {
    /// Those of this machine.
    fn all() -> Vec<Self> {
        let sandbox = Sandbox::empty();
        let with = |mode, without, ground| sandbox.contains_in(mode, without).then_some(ground);
        [
            with("view", None, Self::View),
            with("plain", Some(Without::Namespaces), Self::Plain),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// It was really this one.
    #[track_caller]
    fn check(self, execution: &Value) {
        let layers = execution["sandbox"].as_array().unwrap();
        let has = |name: &str| layers.contains(&json!(name));
        assert!(has("seccomp") && has("landlock") || self == Self::View, "{execution:#}");
        assert_eq!(has("overlay"), self == Self::View, "{execution:#}");
        let elsewhere = execution["notes"].to_string().contains("absolute paths in files");
        assert_eq!(elsewhere, self == Self::Plain, "{execution:#}");
    }
}

impl Project {
    /// A project that is committed, with what it ignores.
    fn of(command: &str, ignored: &str, files: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::empty().with("NOTES.md", "old\n").with(".gitignore", ignored);
        for (path, text) in files {
            sandbox.put(path, text);
        }
        Self {
            sandbox: sandbox.committed(),
            command: command.to_owned(),
            mistake: ("", "", ""),
            prints: (&[], &[]),
            environment: Vec::new(),
            first: None,
            kept: None,
        }
    }

    fn run(&self, ground: Ground, task: &str) -> Finished {
        let mut command = self
            .sandbox
            .command(&["run", "--json", task, "--test-command", &self.command]);
        equip(&mut command, self.first.as_deref());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if ground == Ground::Plain {
            Without::Namespaces.apply(&mut command);
        }
        let finished = Finished::of(&command.output().unwrap());
        finished.check_against_the_schema();
        self.sandbox.assert_nothing_is_left();
        finished
    }

    /// A run that changes something else leaves the tests failing, and is blocked by what they print.
    #[track_caller]
    fn fails(&self, ground: Ground) -> Value {
        let before = self.sandbox.tree();
        let report = self.run(ground, &replace("NOTES.md", "old", "new"));
        let report = report.ended(1, "blocker", Some("blocked"));
        let why = said(&report, "post_execute", "quality")["justification"]
            .as_str()
            .unwrap();
        for words in self.prints.0 {
            assert!(why.contains(words), "{ground:?}: no `{words}` in {why}");
        }
        let code = &report["runner"][0]["exit"]["code"];
        assert!(code.as_i64().is_some_and(|code| code > 0), "{report:#}");
        assert_eq!(self.touched(&before), [] as [&str; 0], "{ground:?}");
        ground.check(&report["runner"][0]);
        report
    }

    /// A run that mends it completes, and nothing but that is in the workspace.
    #[track_caller]
    fn passes(&self, ground: Ground) -> Value {
        let before = self.sandbox.tree();
        let (file, wrong, right) = self.mistake;
        let report = self.run(ground, &replace(file, wrong, right)).completed();
        let tail = report["runner"][0]["output_tail"].as_str().unwrap();
        for words in self.prints.1 {
            assert!(tail.contains(words), "{ground:?}: no `{words}` in {tail}");
        }
        assert_eq!(report["runner"][0]["exit"], json!({ "code": 0 }));
        assert_eq!(changes(&report), [format!("modified {file}")]);
        assert_eq!(self.touched(&before), [file], "{ground:?}");
        ground.check(&report["runner"][0]);
        report
    }

    /// What is not as it was, but for what the user opened.
    fn touched(&self, before: &Tree) -> Vec<String> {
        let mut touched = before.differences(&self.sandbox.tree());
        touched.retain(|path| !self.kept.is_some_and(|kept| path.starts_with(kept)));
        touched
    }
}

/// Fails, then passes, on each ground.
fn prove(project: impl Fn() -> Project) {
    for ground in Ground::all() {
        let project = project();
        project.fails(ground);
        project.passes(ground);
    }
}

/// A task for the patch coder.
fn replace(file: &str, old: &str, new: &str) -> String {
    format!("{file}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

/// Gives a command what a user's shell has: where toolchains are, and a folder that comes first on `PATH`.
fn equip(command: &mut Command, first: Option<&Path>) {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for (name, usual) in TOOLCHAINS {
        let folder = std::env::var_os(name).map_or_else(|| home.join(usual), PathBuf::from);
        if folder.is_dir() {
            command.env(name, folder);
        }
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = first
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(all).unwrap());
}

/// What a program says when it is asked, or why that is skipped.
fn asked(program: impl AsRef<Path>, arguments: &[&str]) -> Option<String> {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim().to_owned())
}

/// Whether a program is there and works, which a shim of a name need not; says so when not.
fn works(program: &str, arguments: &[&str]) -> bool {
    let works = asked(program, arguments).is_some();
    if !works {
        skips::program(
            program,
            &format!("`{program} {}` does not work here", arguments.join(" ")),
        );
    }
    works
}

/// Lets a file be executed.
fn executable(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
