//! The steps that change the workspace: first everything that leaves its place, then everything that takes one.

use super::content::is_known;
use super::error::{ApplyError, Difference};
use super::intent::{Act, Intent, Known};
use super::parallel::in_ranges;
use super::run::Run;
use super::sys::{self, is_unsupported, look, rename_new};
use super::watch::Moment;
use crate::path::WorkspacePath;

impl Run<'_> {
    /// A file or link that is removed or moved leaves its place for its temporary name, and is verified there.
    pub(super) fn lift(&self, number: usize) -> Result<(), ApplyError> {
        let intent = &self.intents[number];
        let (path, before) = match &intent.act {
            Act::Remove { before } => (&intent.path, before),
            Act::Move { from, before } => (from, before),
            Act::Folder { .. } | Act::Create { .. } | Act::Replace { .. } => return Ok(()),
        };
        let failed = |e| ApplyError::rename(path, path, e);
        let dir = self.folders.above(path)?;
        self.at(Moment::Lift(number)).map_err(failed)?;
        rename_new(&dir, path.file_name(), &dir, &intent.temp).map_err(failed)?;
        self.at(Moment::Lifted(number)).map_err(failed)?;
        if is_known(&dir, &intent.temp, before).map_err(|e| ApplyError::io("verify", path, e))? {
            return Ok(());
        }
        rename_new(&dir, &intent.temp, &dir, path.file_name()).map_err(failed)?;
        Err(ApplyError::stale(path, Difference::Changed))
    }

    /// What is made, moved or changed takes its place.
    pub(super) fn place(&self, number: usize) -> Result<(), ApplyError> {
        let intent = &self.intents[number];
        match &intent.act {
            Act::Remove { .. } => Ok(()),
            Act::Replace { before, backup, .. } => self.replace(number, intent, before, backup),
            Act::Folder { .. } | Act::Create { .. } | Act::Move { .. } => {
                let path = &intent.path;
                let failed = |e| ApplyError::rename(path, path, e);
                let from = self.folders.open(intent.temp_folder().as_ref())?;
                let to = self.folders.above(path)?;
                self.at(Moment::Place(number)).map_err(failed)?;
                rename_new(&from, &intent.temp, &to, path.file_name()).map_err(failed)?;
                self.at(Moment::Placed(number)).map_err(failed)
            }
        }
    }

    fn replace(&self, number: usize, intent: &Intent, before: &Known, backup: &str) -> Result<(), ApplyError> {
        let path = &intent.path;
        let name = path.file_name();
        let dir = self.folders.above(path)?;
        match self
            .at(Moment::Exchange(number))
            .and_then(|()| sys::exchange(&dir, name, &intent.temp))
        {
            Ok(()) => {}
            Err(error) if is_unsupported(&error) => return self.replace_in_steps(number, intent, before, backup),
            Err(error) => return Err(ApplyError::rename(path, path, error)),
        }
        let failed = |e| ApplyError::io("verify", path, e);
        self.at(Moment::Placed(number)).map_err(failed)?;
        // What was displaced is what counts: between a look at it and the exchange it could have become another.
        if is_known(&dir, &intent.temp, before).map_err(failed)? {
            return Ok(());
        }
        sys::exchange(&dir, name, &intent.temp).map_err(failed)?;
        Err(ApplyError::stale(path, Difference::Changed))
    }

    /// Without an exchange the old file first gets a second name (or, where it can have only one, another), is verified by it, and the new one
    /// is renamed over the first. In the moment between the last look and the rename a change by somebody else would be lost.
    fn replace_in_steps(&self, number: usize, intent: &Intent, before: &Known, backup: &str) -> Result<(), ApplyError> {
        let path = &intent.path;
        let name = path.file_name();
        let dir = self.folders.above(path)?;
        let failed = |e| ApplyError::rename(path, path, e);
        let linked = self
            .at(Moment::KeepOld(number))
            .and_then(|()| dir.hard_link(name, &dir, backup));
        if let Err(error) = &linked {
            if error.kind() == std::io::ErrorKind::NotFound {
                return Err(ApplyError::stale(path, Difference::Gone));
            }
            rename_new(&dir, name, &dir, backup).map_err(failed)?;
        }
        self.at(Moment::OldKept(number)).map_err(failed)?;
        let as_it_was = is_known(&dir, backup, before).map_err(failed)?
            && (linked.is_err() || look(&dir, name).map_err(failed)?.is_some_and(|now| now.id == before.id));
        match (as_it_was, &linked) {
            (true, Ok(())) => dir.rename(&intent.temp, &dir, name).map_err(failed)?,
            (true, Err(_)) => rename_new(&dir, &intent.temp, &dir, name).map_err(failed)?,
            (false, Ok(())) => dir.remove_file(backup).map_err(failed)?,
            (false, Err(_)) => rename_new(&dir, backup, &dir, name).map_err(failed)?,
        }
        if !as_it_was {
            return Err(ApplyError::stale(path, Difference::Changed));
        }
        self.at(Moment::Placed(number)).map_err(failed)
    }

    /// Removes what was displaced, and folders that have nothing left in them since all they held was removed or moved away.
    /// For after the journal says that everything is in place. What is not what was displaced stays.
    pub(super) fn clean(&self) -> Result<Vec<WorkspacePath>, ApplyError> {
        self.clean_files()?;
        Ok(self.remove_emptied_folders())
    }

    /// The same, and leaves the folders.
    pub(super) fn clean_files(&self) -> Result<(), ApplyError> {
        let (root, intents, watch) = (self.folders.root(), self.intents, self.watch);
        in_ranges(intents.len(), |range, failed| {
            let own = Run::new(root, intents, watch);
            range
                .take_while(|_| !failed.is_so())
                .try_for_each(|number| own.remove_displaced(number))
        })?;
        Ok(())
    }

    fn remove_displaced(&self, number: usize) -> Result<(), ApplyError> {
        let intent = &self.intents[number];
        let (before, backup) = match &intent.act {
            Act::Replace { before, backup, .. } => (before, Some(backup)),
            Act::Remove { before } => (before, None),
            Act::Folder { .. } | Act::Create { .. } | Act::Move { .. } => return Ok(()),
        };
        // The folder may have been removed by an earlier attempt to clean.
        let Some(dir) = self.open(intent.path.parent().as_ref())? else {
            return Ok(());
        };
        let failed = |e| ApplyError::io("remove the earlier version of", &intent.path, e);
        self.at(Moment::Clean(number)).map_err(failed)?;
        // One of the two it is; mostly the first.
        for name in [Some(&intent.temp), backup].into_iter().flatten() {
            if look(&dir, name).map_err(failed)?.is_some_and(|now| now.id == before.id) {
                remove(&dir, name).map_err(failed)?;
                break;
            }
        }
        Ok(())
    }

    /// As git does. A folder with anything in it, an ignored file or another folder, cannot be removed and stays.
    fn remove_emptied_folders(&self) -> Vec<WorkspacePath> {
        let mut removed = Vec::new();
        for intent in self.intents.iter().rev() {
            let left = match &intent.act {
                Act::Remove { .. } => &intent.path,
                Act::Move { from, .. } => from,
                Act::Folder { .. } | Act::Create { .. } | Act::Replace { .. } => continue,
            };
            for folder in left.ancestors().rev() {
                let gone = self
                    .folders
                    .above(&folder)
                    .is_ok_and(|dir| dir.remove_dir(folder.file_name()).is_ok());
                if !gone {
                    break;
                }
                removed.push(folder);
            }
        }
        removed.sort();
        removed
    }
}

/// Removes a file or a link, never what a link leads to.
pub(super) fn remove(dir: &cap_std::fs::Dir, name: &str) -> std::io::Result<()> {
    use cap_fs_ext::DirExt as _;
    dir.remove_file_or_symlink(name)
}
