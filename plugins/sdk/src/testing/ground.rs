//! A folder of the test's own, as the base of a run.

use std::fs;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::limits::{FileLimits, SearchLimits};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use tempfile::TempDir;

use super::workspace::{Entry, Workspace};

/// The folder, opened by the host's own code and under its rules. It goes with the last that holds it.
pub(super) struct Ground {
    pub(super) base: Arc<Base>,
    _folder: TempDir,
}

impl Ground {
    /// Makes the files.
    #[track_caller]
    pub(super) fn of(workspace: &Workspace) -> Arc<Self> {
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => panic!("no temporary folder for the workspace: {error}"),
        };
        for (path, entry) in &workspace.entries {
            if let Err(error) = make(folder.path(), path, entry) {
                panic!("`{path}` cannot be made in the workspace: {error}");
            }
        }
        let rules = AccessRules::new(
            &workspace.protected,
            DenyList::standard(),
            match IgnoredReads::allowing(&workspace.read_ignored, "the test") {
                Ok(reads) => reads,
                Err(error) => panic!("{error}"),
            },
        );
        let rules = match rules {
            Ok(rules) => rules,
            Err(error) => panic!("{error}"),
        };
        let root = match open_root(folder.path()) {
            Ok(root) => Arc::new(root),
            Err(error) => panic!("the workspace cannot be opened: {error}"),
        };
        let base = Base::new(root, rules, FileLimits::standard(), SearchLimits::standard());
        Arc::new(Self {
            base: Arc::new(base),
            _folder: folder,
        })
    }
}

fn make(root: &Path, path: &str, entry: &Entry) -> io::Result<()> {
    let is_inside = Path::new(path)
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    if path.is_empty() || !is_inside {
        return Err(io::Error::other("it is no path inside of a folder"));
    }
    let at = root.join(path);
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder)?;
    }
    match entry {
        Entry::Folder => fs::create_dir_all(&at),
        Entry::Link { target } => link(target, &at),
        Entry::File { bytes, executable } => {
            fs::write(&at, bytes)?;
            set_executable(&at, *executable)
        }
    }
}

#[cfg(unix)]
fn link(target: &str, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &str, _at: &Path) -> io::Result<()> {
    Err(io::Error::other("links are made on Unix only"))
}

#[cfg(unix)]
fn set_executable(at: &Path, executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(at, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_executable(_at: &Path, _executable: bool) -> io::Result<()> {
    Ok(())
}
