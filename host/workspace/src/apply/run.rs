//! What the steps of an apply, its undoing and its recovery work with.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::rc::Rc;

use cap_fs_ext::MetadataExt as _;
use cap_std::fs::Dir;

use super::error::ApplyError;
use super::folders::Folders;
use super::intent::Intent;
use super::sys::{Id, sync_all};
use super::watch::{Moment, Watch};
use crate::path::WorkspacePath;

/// The intents of an apply over an open root.
pub(super) struct Run<'a> {
    pub(super) folders: Folders<'a>,
    pub(super) intents: &'a [Intent],
    /// By intent: what was made under the temporary name.
    pub(super) staged: Vec<Option<Id>>,
    pub(super) watch: &'a dyn Watch,
}

impl<'a> Run<'a> {
    /// Nothing of it made yet.
    pub(super) fn new(root: &'a Dir, intents: &'a [Intent], watch: &'a dyn Watch) -> Self {
        Self {
            folders: Folders::new(root),
            intents,
            staged: vec![None; intents.len()],
            watch,
        }
    }
}

impl Run<'_> {
    pub(super) fn at(&self, moment: Moment) -> io::Result<()> {
        self.watch.at(moment)
    }

    /// Makes everything durable that was done in the folders of this apply.
    pub(super) fn sync(&self) -> Result<(), ApplyError> {
        let failed = |e| ApplyError::io("sync", "the workspace", e);
        let touched: BTreeSet<Option<WorkspacePath>> = self
            .intents
            .iter()
            .flat_map(|i| [i.temp_folder(), i.path.parent()])
            .collect();
        let mut by_device: BTreeMap<u64, Vec<Rc<Dir>>> = BTreeMap::new();
        for folder in touched {
            // A folder that is not there has nothing to be synced; its name was in another one that is.
            let Some(dir) = self.open(folder.as_ref())? else {
                continue;
            };
            let dirs = by_device.entry(dir.dir_metadata().map_err(failed)?.dev()).or_default();
            // Where one call syncs a whole file system, one folder on it will do.
            if dirs.is_empty() || cfg!(not(target_os = "linux")) {
                dirs.push(dir);
            }
        }
        sync_all(by_device.values().flatten().map(|dir| &**dir)).map_err(failed)
    }
}
