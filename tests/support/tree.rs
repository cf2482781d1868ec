//! A folder as it stands: to show that it is, or is not, what it was before.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What stands at a path. Inode and times belong to it: a file that was written again with the same bytes was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Folder {
        mode: u32,
    },
    File {
        mode: u32,
        bytes: Vec<u8>,
        inode: u64,
        modified: (i64, i64),
    },
    Link {
        target: PathBuf,
    },
    Other,
}

/// What the host writes in a workspace that has a `.snodo`, whatever comes of the run.
const HOSTS_OWN: [&str; 3] = [".snodo/runs", ".snodo/audit.log", ".snodo/audit.log.lock"];

/// Everything below a folder, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<String, Entry>);

impl Tree {
    /// Looks at a folder. The copies of reports and the audit log in `.snodo` are the host's own, and left out.
    pub fn of(root: &Path) -> Self {
        let mut entries = BTreeMap::new();
        collect(root, "", &mut entries);
        Self(entries)
    }

    /// Paths that are not the same in both.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let paths: std::collections::BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        paths
            .into_iter()
            .filter(|path| self.0.get(*path) != other.0.get(*path))
            .cloned()
            .collect()
    }
}

fn collect(folder: &Path, prefix: &str, entries: &mut BTreeMap<String, Entry>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if HOSTS_OWN.contains(&path.as_str()) {
            continue;
        }
        let meta = entry.path().symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let found = if meta.is_dir() {
            collect(&entry.path(), &format!("{path}/"), entries);
            Entry::Folder { mode }
        } else if meta.is_symlink() {
            Entry::Link {
                target: fs::read_link(entry.path()).unwrap(),
            }
        } else if meta.is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            Entry::File {
                mode,
                bytes,
                inode: meta.ino(),
                modified: (meta.mtime(), meta.mtime_nsec()),
            }
        } else {
            Entry::Other
        };
        entries.insert(path, found);
    }
}
