//! A repository on disk, made by git, and what is committed to it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use snodo_commit::{CommitError, Committable, Committed, Message, UserConfig, check, check_change, commit};
use snodo_workspace::ambient::{open_private_dir, open_root};
use snodo_workspace::apply::apply;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, Content, Operation};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};

/// Whether there is a `git`. Says so when there is none.
pub(crate) fn has_git() -> bool {
    let found = Command::new("git").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no `git` on the path to judge the commits");
    }
    found
}

/// Ends a test that needs git where there is none.
#[macro_export]
macro_rules! need_git {
    () => {
        if !$crate::world::has_git() {
            return;
        }
    };
}

pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// A run's view of a workspace.
pub(crate) struct Run {
    pub(crate) base: Arc<Base>,
    overlay: Arc<Overlay>,
    journal: PathBuf,
}

impl World {
    /// Folders, and a user who is known to git. No repository.
    pub(crate) fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let config =
            "[user]\n\tname = Ada Łovelace\n\temail = ada@example.com\n[protocol \"file\"]\n\tallow = always\n";
        fs::write(folder.path().join("home/.gitconfig"), config).unwrap();
        Self { folder }
    }

    /// With a repository, the branch `main` in it, not born.
    pub(crate) fn unborn() -> Self {
        let world = Self::bare();
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world
    }

    /// With a commit of what `make` writes.
    pub(crate) fn new(make: impl FnOnce(&Self)) -> Self {
        let world = Self::unborn();
        make(&world);
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Beside the repository.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn make_executable(&self, name: &str) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn try_git_in(&self, folder: &Path, arguments: &[&str]) -> Output {
        let home = self.folder.path().join("home");
        Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true")
            .env("LC_ALL", "C")
            .output()
            .unwrap()
    }

    /// What git prints, without the last line feed.
    pub(crate) fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.try_git_in(folder, arguments);
        assert!(
            output.status.success(),
            "git {arguments:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.path(""), arguments)
    }

    /// `git` with a text on its standard input.
    pub(crate) fn git_given(&self, arguments: &[&str], input: &str) -> String {
        let file = self.outside("input");
        fs::write(&file, input).unwrap();
        let quoted: Vec<String> = arguments.iter().map(|a| format!("'{a}'")).collect();
        let script = format!("!git {} < '{}'", quoted.join(" "), file.display());
        self.git(&["-c", &format!("alias.given={script}"), "given"])
    }

    pub(crate) fn user(&self) -> UserConfig {
        UserConfig {
            system: None,
            xdg_config_home: None,
            home: Some(self.outside("home")),
        }
    }

    /// A run in a folder of the world, `work` or below.
    pub(crate) fn run_in(&self, folder: &Path) -> Run {
        let root = Arc::new(open_root(folder).unwrap());
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
        Run {
            base,
            overlay,
            journal: self.outside("state/journal"),
        }
    }

    pub(crate) fn run(&self) -> Run {
        self.run_in(&self.path(""))
    }

    pub(crate) fn check(&self) -> Result<Committable, CommitError> {
        check(self.run().base.root(), &self.user())
    }

    /// Checks, submits, applies and commits in the way that the host does.
    pub(crate) fn commit(&self, operations: Vec<Operation>) -> (Committed, ChangeSet) {
        self.commit_in(&self.path(""), operations)
    }

    pub(crate) fn commit_in(&self, folder: &Path, operations: Vec<Operation>) -> (Committed, ChangeSet) {
        let run = self.run_in(folder);
        let committable = check(run.base.root(), &self.user()).unwrap();
        let change = run.submit(operations);
        check_change(&committable, &change).unwrap();
        run.apply(&change);
        let committed = commit(&committable, &change, &message(), now()).unwrap();
        (committed, change)
    }

    /// What stands in the way of a change.
    pub(crate) fn refused(&self, operations: Vec<Operation>) -> CommitError {
        let run = self.run();
        let committable = self.check().unwrap();
        let before = self.git(&["status", "--porcelain=v2"]);
        let change = run.submit(operations);
        let error = check_change(&committable, &change).unwrap_err();
        // The commit looks for itself.
        let again = commit(&committable, &change, &message(), now()).unwrap_err();
        assert_eq!(error.to_string(), again.to_string());
        assert_eq!(before, self.git(&["status", "--porcelain=v2"]));
        assert!(!self.path(".git/index.lock").exists());
        error
    }

    /// Nothing is wrong with the repository.
    pub(crate) fn assert_sound(&self) {
        let said = self.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!(said, "", "{said}");
    }

    /// The commit's difference to its parent is the change: git, given the patch and the parent, comes to the same tree.
    pub(crate) fn assert_is_change(&self, folder: &Path, change: &ChangeSet) {
        let patch = self.outside("patch");
        fs::write(&patch, change.to_patch()).unwrap();
        let prefix = self.git_in(folder, &["rev-parse", "--show-prefix"]);
        let index = self.outside("index of the judge");
        let _ = fs::remove_file(&index);
        let with_index = |arguments: &str| {
            let script = format!(
                "!cd '{}' && GIT_INDEX_FILE='{}' git {arguments}",
                folder.display(),
                index.display()
            );
            self.git_in(folder, &["-c", &format!("alias.judge={script}"), "judge"])
        };
        with_index("read-tree HEAD~1");
        with_index(&format!("apply --cached --whitespace=nowarn '{}'", patch.display()));
        assert_eq!(
            with_index("write-tree"),
            self.git_in(folder, &["rev-parse", "HEAD^{tree}"]),
            "below `{prefix}`"
        );
    }

    pub(crate) fn status(&self) -> Vec<String> {
        let text = self.git(&["status", "--porcelain=v2", "--untracked-files=all", "--ignored"]);
        text.lines().map(str::to_owned).collect()
    }
}

impl Run {
    pub(crate) fn submit(&self, operations: Vec<Operation>) -> ChangeSet {
        // One by one: a file may be moved and then written.
        for operation in operations {
            self.overlay.submit(vec![operation]).unwrap();
        }
        ChangeSet::compute(&self.base, &self.overlay.entries()).unwrap()
    }

    pub(crate) fn submit_at_once(&self, operations: Vec<Operation>) -> ChangeSet {
        self.overlay.submit(operations).unwrap();
        ChangeSet::compute(&self.base, &self.overlay.entries()).unwrap()
    }

    pub(crate) fn apply(&self, change: &ChangeSet) {
        let journal = open_private_dir(&self.journal).unwrap();
        apply(self.base.root(), change, &journal, &Cancel::default()).unwrap();
    }
}

pub(crate) fn message() -> Message {
    Message::from_task("Do what was asked\n\nFor a reason.", "run-1")
}

/// 2023-11-14 22:13:20 UTC.
pub(crate) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

pub(crate) fn write(path: &str, content: impl AsRef<[u8]>) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::from_bytes(content.as_ref().to_vec()),
        executable: None,
    }
}

pub(crate) fn delete(path: &str) -> Operation {
    Operation::Delete { path: path.to_owned() }
}

pub(crate) fn rename(from: &str, to: &str) -> Operation {
    Operation::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

pub(crate) fn executable(path: &str, executable: bool) -> Operation {
    Operation::SetExecutable {
        path: path.to_owned(),
        executable,
    }
}
