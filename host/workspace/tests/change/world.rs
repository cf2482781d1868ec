//! A workspace on disk, a state folder, and what is submitted.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use snodo_workspace::ambient::{open_private_dir, open_root};
use snodo_workspace::apply::{Applied, ApplyError, apply};
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, Content, Operation};
use snodo_workspace::change::ChangeSet;
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};

pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) base: Arc<Base>,
    pub(crate) overlay: Arc<Overlay>,
}

/// Type and mode, and content (a link's target), by path.
pub(crate) type Snapshot = BTreeMap<String, (u32, Vec<u8>)>;

impl World {
    /// A workspace that `make` fills before it is opened.
    pub(crate) fn new(make: impl FnOnce(&Path)) -> Self {
        Self::with(&[], make)
    }

    pub(crate) fn with(denied: &[&str], make: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        make(&folder.path().join("work"));
        let root = Arc::new(open_root(&folder.path().join("work")).unwrap());
        let mut deny = DenyList::standard();
        let denied: Vec<String> = denied.iter().map(|d| (*d).to_owned()).collect();
        deny.add(&denied, "the test").unwrap();
        let rules = AccessRules::new(&[], deny, IgnoredReads::refuse_all()).unwrap();
        let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
        let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
        Self { folder, base, overlay }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Beside the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn journal(&self) -> Dir {
        open_private_dir(&self.folder.path().join("state/journal")).unwrap()
    }

    pub(crate) fn submit(&self, operations: impl IntoIterator<Item = Operation>) {
        self.overlay.submit(operations.into_iter().collect()).unwrap();
    }

    pub(crate) fn set(&self) -> ChangeSet {
        ChangeSet::compute(&self.base, &self.overlay.entries()).unwrap()
    }

    pub(crate) fn apply(&self) -> Result<Applied, ApplyError> {
        apply(self.base.root(), &self.set(), &self.journal(), &Cancel::default())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.path(""))
    }

    /// No journal and nothing kept.
    pub(crate) fn is_settled(&self) -> bool {
        fs::read_dir(self.folder.path().join("state/journal"))
            .unwrap()
            .next()
            .is_none()
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().mode() & 0o7777
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

pub(crate) fn snapshot(root: &Path) -> Snapshot {
    fn look(at: &Path, prefix: &str, into: &mut Snapshot) {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = fs::symlink_metadata(entry.path()).unwrap();
            let content = if metadata.is_dir() {
                look(&entry.path(), &format!("{name}/"), into);
                Vec::new()
            } else if metadata.is_symlink() {
                fs::read_link(entry.path())
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else if metadata.is_file() {
                fs::read(entry.path()).unwrap()
            } else {
                Vec::new()
            };
            into.insert(name, (metadata.mode(), content));
        }
    }
    let mut snapshot = Snapshot::new();
    look(root, "", &mut snapshot);
    snapshot
}

pub(crate) fn put(root: &Path, name: &str, content: impl AsRef<[u8]>, mode: u32) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
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
