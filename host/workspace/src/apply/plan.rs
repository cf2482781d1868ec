//! What has to be done for a change, decided before anything is done, and checked against the workspace.

use std::collections::{BTreeMap, BTreeSet};

use cap_fs_ext::MetadataExt as _;

use super::Manner;
use super::content::hash_of;
use super::error::{ApplyError, Difference};
use super::folders::Folders;
use super::intent::{Act, Intent, Known};
use super::sys::{Id, Standing, look};
use crate::capability::EntryKind;
use crate::change::{After, Before, ChangeKind, ChangeSet, FileChange};
use crate::path::WorkspacePath;
use crate::seen::Stat;

/// The bits of `st_mode` that say what it is, and their value for a link.
const TYPE_BITS: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// The steps, in the order of path bytes: a folder comes before what is in it.
pub(super) struct Plan<'a> {
    pub(super) intents: Vec<Intent>,
    /// By intent: what to write, where something is written.
    pub(super) fresh: Vec<Option<Fresh<'a>>>,
    /// Files with further names, which keep the old content.
    pub(super) detached: Vec<WorkspacePath>,
}

/// A file to write.
pub(super) struct Fresh<'a> {
    pub(super) bytes: &'a [u8],
    /// Some to set or clear the executable bits, none to leave them as they are.
    pub(super) executable: Option<bool>,
    /// The file whose mode, owner and attributes it takes over.
    pub(super) like: Option<WorkspacePath>,
    /// Its times, too: only the mode changes.
    pub(super) keep_times: bool,
    /// All permission bits, of a file that is put back.
    pub(super) mode: Option<u32>,
    /// It is a link that is put back; the bytes are its target.
    pub(super) link: bool,
}

/// Makes the plan, or finds what is stale. Reads only. `token` goes into the temporary names.
pub(super) fn make<'a>(
    folders: &Folders<'_>,
    set: &'a ChangeSet,
    manner: &Manner,
    token: String,
) -> Result<Plan<'a>, ApplyError> {
    let mut planner = Planner {
        folders,
        manner,
        token,
        leaving_ids: BTreeSet::new(),
        steps: Vec::new(),
        detached: Vec::new(),
        present: BTreeSet::new(),
        missing: BTreeMap::new(),
    };
    // What leaves comes first: a file may take the place of one that leaves.
    let mut known = BTreeMap::new();
    for file in &set.files {
        if let (Some(path), Some(before)) = (file.path_before(), &file.before) {
            let checked = planner.check(path, before)?;
            if matches!(file.kind, ChangeKind::Deleted | ChangeKind::Renamed) {
                planner.leaving_ids.insert(checked.id);
            }
            known.insert(path, checked);
        }
    }
    for file in &set.files {
        planner.plan(file, file.path_before().and_then(|p| known.get(p)).copied())?;
    }
    Ok(planner.finish())
}

struct Planner<'p, 'a> {
    folders: &'p Folders<'p>,
    manner: &'p Manner,
    /// Tells the temporary names of one apply from those of another, and from any that a coder could have asked for.
    token: String,
    /// Inodes that will have left their place when others take theirs.
    leaving_ids: BTreeSet<Id>,
    steps: Vec<(Intent, Option<Fresh<'a>>)>,
    detached: Vec<WorkspacePath>,
    /// Folders known to be there.
    present: BTreeSet<WorkspacePath>,
    /// Folders to be made, with the nearest one above that is there.
    missing: BTreeMap<WorkspacePath, Option<WorkspacePath>>,
}

impl<'a> Planner<'_, 'a> {
    /// Compares a file or link with what was seen of it.
    fn check(&mut self, path: &WorkspacePath, before: &Before) -> Result<Known, ApplyError> {
        let dir = self.folders.above(path)?;
        let metadata = match dir.symlink_metadata(path.file_name()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ApplyError::stale(path, Difference::Gone));
            }
            Err(error) => return Err(ApplyError::io("look at", path, error)),
        };
        let standing = Standing::of(&metadata);
        let wanted = if before.is_link() {
            EntryKind::Symlink
        } else {
            EntryKind::File
        };
        if standing.kind != wanted {
            return Err(ApplyError::stale(path, Difference::Kind(standing.kind)));
        }
        let known = Known {
            id: standing.id,
            mode: standing.mode,
            size: before.bytes.len() as u64,
            link: before.is_link(),
            hash: before.seen.hash,
        };
        if !before.seen.same_stat(&Stat::of(&metadata)) {
            let hash = hash_of(&dir, path.file_name(), known.link, known.size);
            if hash.map_err(|e| ApplyError::io("read", path, e))? != Some(known.hash) {
                return Err(ApplyError::stale(path, Difference::Changed));
            }
        }
        if self.manner.exact && !known.link && (standing.mode & 0o111 != 0) != before.is_executable() {
            return Err(ApplyError::stale(path, Difference::Mode));
        }
        if standing.links > 1 && !known.link {
            self.detached.push(path.clone());
        }
        Ok(known)
    }

    fn plan(&mut self, file: &'a FileChange, before: Option<Known>) -> Result<(), ApplyError> {
        let path = &file.path;
        let (before, after) = match (before, &file.after) {
            (None, None) => return Ok(()),
            (None, Some(after)) => return self.create(path, fresh_new(after, self.manner.made.get(path).copied())),
            (Some(before), None) => {
                self.remove(path, before);
                return Ok(());
            }
            (Some(before), Some(after)) => (before, after),
        };
        let was_executable = file.before.as_ref().is_some_and(Before::is_executable);
        let same_bytes = file.before.as_ref().is_some_and(|b| b.bytes == after.bytes);
        let fresh = Fresh {
            bytes: &after.bytes,
            executable: (was_executable != after.executable).then_some(after.executable),
            like: file.path_before().cloned(),
            keep_times: same_bytes,
            mode: None,
            link: false,
        };
        match &file.old_path {
            None => self.replace(path, before, fresh),
            Some(from) if fresh.executable.is_none() && same_bytes && self.one_device(from, path)? => {
                self.make_room(path)?;
                let from = from.clone();
                self.step(path, Act::Move { from, before }, None);
            }
            Some(from) => {
                self.remove(from, before);
                self.create(path, fresh)?;
            }
        }
        Ok(())
    }

    fn create(&mut self, path: &WorkspacePath, fresh: Fresh<'a>) -> Result<(), ApplyError> {
        self.make_room(path)?;
        let within = self.nearest(path.parent());
        let act = Act::Create {
            within,
            after: blake3::hash(fresh.bytes),
            link: fresh.link,
        };
        self.step(path, act, Some(fresh));
        Ok(())
    }

    fn replace(&mut self, path: &WorkspacePath, before: Known, fresh: Fresh<'a>) {
        let backup = self.name("old");
        let act = Act::Replace {
            before,
            after: blake3::hash(fresh.bytes),
            backup,
        };
        self.step(path, act, Some(fresh));
    }

    fn remove(&mut self, path: &WorkspacePath, before: Known) {
        self.step(path, Act::Remove { before }, None);
    }

    fn step(&mut self, path: &WorkspacePath, act: Act, fresh: Option<Fresh<'a>>) {
        let intent = Intent {
            path: path.clone(),
            temp: self.name("new"),
            act,
        };
        self.steps.push((intent, fresh));
    }

    /// Nothing may stand at the path, or what will have left by then; folders above that are missing are planned.
    fn make_room(&mut self, path: &WorkspacePath) -> Result<(), ApplyError> {
        for folder in path.ancestors() {
            if self.present.contains(&folder) || self.missing.contains_key(&folder) {
                continue;
            }
            let above = folder.parent();
            let found = if above.as_ref().is_some_and(|a| self.missing.contains_key(a)) {
                None
            } else {
                self.look(&folder)?
            };
            match found {
                Some(EntryKind::Directory) => {
                    self.present.insert(folder);
                }
                Some(kind) => return Err(ApplyError::stale(&folder, Difference::Kind(kind))),
                None => {
                    let within = self.nearest(above);
                    self.missing.insert(folder.clone(), within.clone());
                    let act = Act::Folder { within };
                    self.step(&folder, act, None);
                }
            }
        }
        let parent = path.parent();
        if parent.as_ref().is_some_and(|p| self.missing.contains_key(p)) {
            return Ok(());
        }
        let dir = self.folders.open(parent.as_ref())?;
        match look(&dir, path.file_name()).map_err(|e| ApplyError::io("look at", path, e))? {
            // On a file system that folds letter case, the new name of a file finds the file itself.
            Some(standing) if !self.leaving_ids.contains(&standing.id) => {
                Err(ApplyError::stale(path, Difference::Appeared))
            }
            _ => Ok(()),
        }
    }

    fn look(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, ApplyError> {
        let dir = self.folders.above(path)?;
        let found = look(&dir, path.file_name()).map_err(|e| ApplyError::io("look at", path, e))?;
        Ok(found.map(|standing| standing.kind))
    }

    /// The folder itself when it is there, or else the nearest one above that is.
    fn nearest(&self, folder: Option<WorkspacePath>) -> Option<WorkspacePath> {
        match folder.as_ref().and_then(|f| self.missing.get(f)) {
            Some(within) => within.clone(),
            None => folder,
        }
    }

    fn one_device(&self, one: &WorkspacePath, other: &WorkspacePath) -> Result<bool, ApplyError> {
        // The folder of the new path may be one that is still to be made.
        let mut at = other.parent();
        let there = loop {
            match self.device(at.as_ref()) {
                Ok(device) => break device,
                Err(ApplyError::Stale { .. }) if at.is_some() => at = at.and_then(|p| p.parent()),
                Err(error) => return Err(error),
            }
        };
        Ok(self.device(one.parent().as_ref())? == there)
    }

    fn device(&self, folder: Option<&WorkspacePath>) -> Result<u64, ApplyError> {
        let dir = self.folders.open(folder)?;
        dir.dir_metadata()
            .map(|m| m.dev())
            .map_err(|e| ApplyError::io("look at", folder.map_or(".", |f| f.as_str()), e))
    }

    /// A name that nothing has: the token is this apply's own. Should something have it all the same, making the file fails.
    fn name(&self, ending: &str) -> String {
        format!(".snodo-apply-{}-{}.{ending}", self.token, self.steps.len())
    }

    fn finish(mut self) -> Plan<'a> {
        self.steps.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (intents, fresh) = self.steps.into_iter().unzip();
        Plan {
            intents,
            fresh,
            detached: self.detached,
        }
    }
}

fn fresh_new(after: &After, mode: Option<u32>) -> Fresh<'_> {
    Fresh {
        bytes: &after.bytes,
        executable: after.executable.then_some(true),
        like: None,
        keep_times: false,
        mode: mode.map(|mode| mode & 0o7777),
        link: mode.is_some_and(|mode| mode & TYPE_BITS == LINK),
    }
}
