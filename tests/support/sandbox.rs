//! Folders of one test: a workspace, and the user's configuration and state.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::finished::Finished;
use super::process::Running;
use super::tree::Tree;

/// Everything that the binary gets to see of the machine. Gone when this goes.
pub struct Sandbox {
    root: TempDir,
    cache: PathBuf,
}

/// The compile cache is shared by all tests, so that a plugin is compiled once and not in each of them. What makes its entries trusted
/// is a key in the state folder, which every test has of its own: so they all get the same one.
fn shared_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-cache")
}

impl Sandbox {
    /// An empty workspace that is no git repository.
    pub fn empty() -> Self {
        let root = tempfile::Builder::new().prefix("snodo-test-").tempdir().unwrap();
        for folder in ["workspace", "config/snodo-host", "home", "tmp"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let own = Self {
            root,
            cache: shared_cache(),
        };
        fs::create_dir_all(own.state()).unwrap();
        fs::set_permissions(own.state(), fs::Permissions::from_mode(0o700)).unwrap();
        let mut options = fs::OpenOptions::new();
        let key = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(own.state().join("compile-cache.key"));
        std::io::Write::write_all(&mut key.unwrap(), &[0x5e; 32]).unwrap();
        own
    }

    /// A workspace with a few files.
    pub fn new() -> Self {
        Self::empty()
            .with(
                "README.md",
                "# A project\n\nIt has two lines of prose,\nand they end here.\n",
            )
            .with("src/main.py", "def main():\n    print(\"hello\")\n\n\nmain()\n")
            .with("docs/guide.md", "one\ntwo\nthree\nfour\nfive\n")
    }

    /// The same, as a git repository with everything committed.
    pub fn git() -> Self {
        Self::new().committed()
    }

    /// Makes a git repository of the workspace, with everything committed.
    #[must_use]
    pub fn committed(self) -> Self {
        self.git_command(&["init", "--quiet", "--initial-branch=main"]);
        self.git_command(&["add", "--all"]);
        self.git_command(&["commit", "--quiet", "--message=start"]);
        self
    }

    /// Runs git in the workspace; answers what it prints.
    pub fn git_command(&self, arguments: &[&str]) -> String {
        let out = Command::new("git")
            .args([
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.invalid",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .current_dir(self.workspace())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", self.path().join("home"))
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    }

    /// Puts a file into the workspace.
    #[must_use]
    pub fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.put(path, content);
        self
    }

    /// Puts a file into the workspace.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Settings of the user, as `host.toml`.
    #[must_use]
    pub fn host_toml(self, text: &str) -> Self {
        fs::write(self.path().join("config/snodo-host/host.toml"), text).unwrap();
        self
    }

    /// With a compile cache, and a key, that no other test has.
    #[must_use]
    pub fn with_cache_of_its_own(mut self) -> Self {
        self.cache = self.path().join("cache");
        fs::remove_file(self.state().join("compile-cache.key")).unwrap();
        self
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub fn workspace(&self) -> PathBuf {
        self.path().join("workspace")
    }

    /// The host's state folder.
    pub fn state(&self) -> PathBuf {
        self.path().join("state/snodo-host")
    }

    /// The folder of compiled plugins.
    pub fn compiled(&self) -> PathBuf {
        self.cache.join("snodo-host/compiled")
    }

    /// A file of the workspace.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.workspace().join(path).symlink_metadata().is_ok()
    }

    pub fn mode(&self, path: &str) -> u32 {
        self.workspace().join(path).metadata().unwrap().permissions().mode() & 0o777
    }

    /// The workspace as it stands.
    pub fn tree(&self) -> Tree {
        Tree::of(&self.workspace())
    }

    /// The binary, with nothing of this process's environment but where programs are.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snodo-host"));
        command
            .args(arguments)
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path().join("home"))
            .env("TMPDIR", self.path().join("tmp"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CACHE_HOME", &self.cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Any command of the binary.
    pub fn call(&self, arguments: &[&str]) -> Finished {
        Finished::of(&self.command(arguments).output().unwrap())
    }

    /// `run --json` in the workspace. The answer is held against the published schema; and whatever a test is about, a run that does not
    /// say that it applied something has left the workspace as it was.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        let before = self.tree();
        let finished = self.run_beside_somebody_else(arguments);
        if finished.json()["applied"] != true {
            let touched = before.differences(&self.tree());
            assert_eq!(
                touched,
                [] as [&str; 0],
                "touched by a run that applied nothing: {finished:#?}"
            );
        }
        finished
    }

    /// The same, where somebody else writes to the workspace at the same time.
    pub fn run_beside_somebody_else(&self, arguments: &[&str]) -> Finished {
        let mut all = vec!["run", "--json"];
        all.extend(arguments);
        let finished = self.call(&all);
        finished.check_against_the_schema();
        finished
    }

    /// `run` in the workspace, as a person sees it.
    pub fn run_for_people(&self, arguments: &[&str]) -> Finished {
        let mut all = vec!["run"];
        all.extend(arguments);
        self.call(&all)
    }

    /// `run --json`, started and not waited for.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut all = vec!["run", "--json"];
        all.extend(arguments);
        Running::of(self.command(&all).spawn().unwrap())
    }
}
