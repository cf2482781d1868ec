//! A repository made by git, and a change that was applied in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Operation};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::root::Root;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};

use crate::{Committable, Message, UserConfig, check};

pub(super) struct World {
    _folder: Option<tempfile::TempDir>,
    pub(super) at: PathBuf,
}

pub(super) fn has_git() -> bool {
    let found = Command::new("git").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no `git` on the path to judge the commits");
    }
    found
}

impl World {
    /// Two files in a commit, and a third that is staged.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self {
            at: folder.path().to_owned(),
            _folder: Some(folder),
        };
        fs::create_dir(world.path("")).unwrap();
        fs::write(world.at.join(".gitconfig"), "[user]\nname = A\nemail = a@example.com\n").unwrap();
        world.git(&["init", "--quiet", "-b", "main"]);
        fs::write(world.path("a"), "a\n").unwrap();
        fs::write(world.path("b"), "b\n").unwrap();
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "-m", "first"]);
        fs::write(world.path("staged"), "staged\n").unwrap();
        world.git(&["add", "staged"]);
        world
    }

    pub(super) fn existing(at: &Path) -> Self {
        Self {
            _folder: None,
            at: at.to_owned(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.at.join("work").join(name)
    }

    pub(super) fn try_git(&self, arguments: &[&str]) -> Output {
        Command::new("git")
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.at)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .output()
            .unwrap()
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(super) fn committable(&self) -> Committable {
        let user = UserConfig {
            home: Some(self.at.clone()),
            ..UserConfig::default()
        };
        check(&self.root(), &user).unwrap()
    }

    fn root(&self) -> Root {
        open_root(&self.path("")).unwrap()
    }

    /// `a` is changed and `new/name` added.
    pub(super) fn change(&self, name: &str) -> ChangeSet {
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let root = Arc::new(self.root());
        let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
        let overlay = Overlay::new(Arc::clone(&base), SubmitLimits::standard());
        let write = |path: String, content: &str| Operation::Write {
            path,
            content: Content::from_bytes(content.as_bytes().to_vec()),
            executable: None,
        };
        overlay
            .submit(vec![
                write("a".to_owned(), "changed\n"),
                write(format!("new/{name}"), "new\n"),
            ])
            .unwrap();
        ChangeSet::compute(&base, &overlay.entries()).unwrap()
    }

    /// Puts the change's files where the apply would.
    pub(super) fn apply(&self, change: &ChangeSet) {
        for file in &change.files {
            let path = self.path(file.path.as_str());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &*file.after.as_ref().unwrap().bytes).unwrap();
        }
    }

    pub(super) fn assert_sound(&self) {
        let output = self.try_git(&["fsck", "--strict", "--no-dangling"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

pub(super) fn message() -> Message {
    Message::from_task("what", "run")
}

pub(super) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}
