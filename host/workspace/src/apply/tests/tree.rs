//! A workspace with a change of fifty operations, and a look at all of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::ambient::open_root;
use crate::base::Base;
use crate::capability::{Content, Operation};
use crate::change::ChangeSet;
use crate::limits::{FileLimits, SearchLimits, SubmitLimits};
use crate::overlay::Overlay;
use crate::root::Root;
use crate::rules::{AccessRules, DenyList, IgnoredReads};

/// A workspace and a state folder beside it, in a folder that goes with the value.
pub(super) struct Tree {
    _folder: Option<tempfile::TempDir>,
    at: PathBuf,
}

/// Path, mode and content of everything. Content of a link: its target.
pub(super) type Snapshot = BTreeMap<String, (u32, Vec<u8>)>;

impl Tree {
    /// An empty workspace.
    pub(super) fn empty() -> Self {
        // In memory where that is possible: what is tested is not the disk, and hundreds of syncs would wait for it.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        }
        .unwrap();
        let at = folder.path().to_owned();
        fs::create_dir(at.join("work")).unwrap();
        fs::create_dir(at.join("state")).unwrap();
        Self {
            _folder: Some(folder),
            at,
        }
    }

    /// The same workspace, seen from another process.
    pub(super) fn existing(at: &Path) -> Self {
        Self {
            _folder: None,
            at: at.to_owned(),
        }
    }

    pub(super) fn at(&self) -> &Path {
        &self.at
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.at.join("work").join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn root(&self) -> Arc<Root> {
        Arc::new(open_root(&self.at.join("work")).unwrap())
    }

    pub(super) fn journal(&self) -> Dir {
        Dir::open_ambient_dir(self.at.join("state"), ambient_authority()).unwrap()
    }

    pub(super) fn change(&self, operations: Vec<Operation>) -> (Arc<Root>, ChangeSet) {
        let root = self.root();
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let base = Arc::new(Base::new(
            Arc::clone(&root),
            rules,
            FileLimits::standard(),
            SearchLimits::standard(),
        ));
        let overlay = Overlay::new(Arc::clone(&base), SubmitLimits::standard());
        for operation in operations {
            overlay.submit(vec![operation]).unwrap();
        }
        let set = ChangeSet::compute(&base, &overlay.entries()).unwrap();
        (root, set)
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        fn look(at: &Path, prefix: &str, into: &mut Snapshot) {
            for entry in fs::read_dir(at).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
                let metadata = fs::symlink_metadata(entry.path()).unwrap();
                let content = if metadata.is_dir() {
                    look(&entry.path(), &format!("{name}/"), into);
                    Vec::new()
                } else if metadata.is_symlink() {
                    fs::read_link(entry.path())
                        .unwrap()
                        .into_os_string()
                        .into_encoded_bytes()
                } else {
                    fs::read(entry.path()).unwrap()
                };
                into.insert(name, (metadata.mode(), content));
            }
        }
        let mut snapshot = Snapshot::new();
        look(&self.at.join("work"), "", &mut snapshot);
        snapshot
    }

    pub(super) fn state_files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.at.join("state"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Makes the workspace for [`fifty_operations`].
    pub(super) fn fill(&self) {
        for i in 0..20 {
            self.write(&format!("src/m{i}.rs"), &format!("fn old_{i}() {{}}\n"));
        }
        for i in 0..9 {
            self.write(&format!("old/deep/d{i}.txt"), &format!("to be deleted {i}\n"));
        }
        for i in 0..6 {
            self.write(&format!("from/r{i}.txt"), &format!("moves as it is {i}\n"));
        }
        for i in 0..3 {
            self.write(&format!("from/w{i}.txt"), &format!("moves and changes {i}\n"));
        }
        self.write("run.sh", "#!/bin/sh\n");
        self.write("plain", "plain\n");
        self.write("key", "secret-ish\n");
        self.write("ro.txt", "read only\n");
        self.write("name.txt", "deleted, with others left beside it\n");
        self.chmod("run.sh", 0o755);
        self.chmod("key", 0o600);
        self.chmod("ro.txt", 0o444);
        symlink("../outside", self.path("link")).unwrap();
        // What an apply must not touch at all.
        self.write("from/stays.txt", "not part of the change\n");
        self.write(".gitignore", "ignored/\n");
        self.write("ignored/cache.bin", "an ignored file\n");
        self.write("untracked.txt", "an untracked file\n");
        self.write(".git/index", "staged state\n");
        self.write(".git/objects/aa/bb", "object\n");
    }
}

pub(super) fn write(path: &str, content: &str) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(content.to_owned()),
        executable: None,
    }
}

pub(super) fn delete(path: &str) -> Operation {
    Operation::Delete { path: path.to_owned() }
}

pub(super) fn rename(from: &str, to: &str) -> Operation {
    Operation::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// Every kind of step, for the workspace of [`Tree::fill`].
pub(super) fn fifty_operations() -> Vec<Operation> {
    let mut operations = Vec::new();
    operations.extend((0..20).map(|i| write(&format!("src/m{i}.rs"), &format!("fn new_{i}() {{ /* other */ }}\n"))));
    operations.extend((0..9).map(|i| delete(&format!("old/deep/d{i}.txt"))));
    operations.extend((0..6).map(|i| rename(&format!("from/r{i}.txt"), &format!("to/new/r{i}.txt"))));
    for i in 0..3 {
        operations.push(rename(&format!("from/w{i}.txt"), &format!("to/w{i}.txt")));
        operations.push(write(&format!("to/w{i}.txt"), "moved and changed\n"));
    }
    operations.extend((0..5).map(|i| write(&format!("made/here/{i}.txt"), &format!("new {i}\n"))));
    operations.push(Operation::SetExecutable {
        path: "plain".to_owned(),
        executable: true,
    });
    operations.push(Operation::SetExecutable {
        path: "run.sh".to_owned(),
        executable: false,
    });
    operations.push(write("key", "another\n"));
    operations.push(write("ro.txt", "still read only\n"));
    operations.push(delete("link"));
    operations.push(write("new.txt", ""));
    operations.push(delete("name.txt"));
    operations
}

/// How much is changed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// [`fifty_operations`].
    Few,
    /// Those, and so many files more that several threads are at work where the machine has them.
    Many,
}

/// Files more that are changed, and that are made.
const MANY: usize = 600;

impl Amount {
    pub(super) fn of_files(files: usize) -> Self {
        if files == Self::Few.files() {
            Self::Few
        } else {
            Self::Many
        }
    }

    /// Files of the change.
    pub(super) fn files(self) -> usize {
        match self {
            Self::Few => 50,
            Self::Many => 50 + 2 * MANY,
        }
    }

    pub(super) fn operations(self) -> Vec<Operation> {
        let mut operations = fifty_operations();
        if self == Self::Many {
            for n in 0..MANY {
                operations.push(write(&format!("many{}/f{n:03}", n / 100), "changed\n"));
                operations.push(write(&format!("more{}/f{n:03}", n / 100), "made\n"));
            }
        }
        operations
    }
}

impl Tree {
    /// A workspace with what the operations need.
    pub(super) fn filled(amount: Amount) -> Self {
        let tree = Self::empty();
        tree.fill();
        if amount == Amount::Many {
            for n in 0..MANY {
                tree.write(&format!("many{}/f{n:03}", n / 100), "old\n");
            }
        }
        tree
    }
}
