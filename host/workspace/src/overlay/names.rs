//! How the names in the base's folders are spelled: for twins that differ in letter case only.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::base::Base;
use crate::handle::{self, ReachError};
use crate::path::WorkspacePath;
use crate::rules::fold_case;
use crate::seen::{Stamp, Stat};

/// Names that are kept over all folders (about 10 MB). A folder with more is looked through each time it is asked for.
const MAX_NAMES: usize = 100_000;

/// The names of folders that were asked for, each with the state of the folder they were read in.
#[derive(Debug, Default)]
pub(super) struct Names {
    folders: HashMap<Option<WorkspacePath>, Folder>,
    kept: usize,
}

#[derive(Debug)]
struct Folder {
    version: Version,
    by_folded: HashMap<String, Vec<String>>,
    names: usize,
}

type Version = (u64, u64, Stamp, Stamp);

impl Names {
    /// The names in a folder of the base that fold to the same as `name`, itself left out. None when the folder is not there.
    pub(super) fn twins(
        &mut self,
        base: &Base,
        folder: Option<&WorkspacePath>,
        name: &str,
    ) -> Result<Vec<String>, ReachError> {
        let io = |error| ReachError::Io {
            path: folder.map_or_else(|| ".".to_owned(), ToString::to_string),
            error,
        };
        let dir = match handle::open_folder(base.root().dir(), folder) {
            Ok(dir) => dir,
            Err(ReachError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let stat = Stat::of(&dir.dir_metadata().map_err(io)?);
        let version = (stat.device, stat.inode, stat.mtime, stat.ctime);
        let folded = fold_case(name);
        let key = folder.cloned();
        if let Entry::Occupied(known) = self.folders.entry(key.clone()) {
            if known.get().version == version {
                return Ok(others(known.get().by_folded.get(&folded), name));
            }
            self.kept -= known.remove().names;
        }
        let mut by_folded: HashMap<String, Vec<String>> = HashMap::new();
        let mut names = 0;
        for entry in dir.entries().map_err(io)? {
            // What is not UTF-8 is nobody's twin: it cannot be named here.
            let Ok(spelled) = entry.map_err(io)?.file_name().into_string() else {
                continue;
            };
            let key = fold_case(&spelled);
            names += 1;
            if names <= MAX_NAMES || key == folded {
                by_folded.entry(key).or_default().push(spelled);
            }
        }
        let twins = others(by_folded.get(&folded), name);
        if names <= MAX_NAMES {
            if self.kept + names > MAX_NAMES {
                self.folders.clear();
                self.kept = 0;
            }
            self.kept += names;
            self.folders.insert(
                key,
                Folder {
                    version,
                    by_folded,
                    names,
                },
            );
        }
        Ok(twins)
    }
}

fn others(spelled: Option<&Vec<String>>, name: &str) -> Vec<String> {
    spelled
        .into_iter()
        .flatten()
        .filter(|other| *other != name)
        .cloned()
        .collect()
}
