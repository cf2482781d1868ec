//! Taking an apply back, from what stands in the workspace; also half-way, also twice.

use std::io::{self, Read as _, Write as _};

use cap_std::fs::Dir;

use super::advance::remove;
use super::error::{ApplyError, Left};
use super::examine::is;
use super::intent::{Act, Intent, Known};
use super::journal::Progress;
use super::run::Run;
use super::sys::{self, is_unsupported, rename_new};
use super::watch::Moment;
use crate::capability::EntryKind;
use crate::path::WorkspacePath;

impl Run<'_> {
    /// Takes everything back that can be. What somebody else has changed in the meantime is theirs and stays; the earlier
    /// content is kept in the journal's folder then, and the answer says so.
    pub(super) fn undo(&self, progress: Progress, journal: &Dir) -> Result<Vec<Left>, ApplyError> {
        let mut left = Vec::new();
        let backwards = || (0..self.intents.len()).rev();
        if progress == Progress::Applying {
            for number in backwards() {
                self.moment(Moment::Undo(number))?;
                left.extend(self.take_out(number, journal)?);
                self.moment(Moment::Undone(number))?;
            }
            for number in backwards() {
                left.extend(self.put_back(number, journal)?);
            }
        }
        for number in backwards() {
            self.moment(Moment::Undo(number))?;
            self.unstage(number, progress)?;
        }
        left.reverse();
        Ok(left)
    }

    /// What took a place leaves it.
    fn take_out(&self, number: usize, journal: &Dir) -> Result<Option<Left>, ApplyError> {
        let intent = &self.intents[number];
        let new = self.staged[number];
        let path = &intent.path;
        let failed = |e| ApplyError::io("take back", path, e);
        let here = self.at_path(path)?;
        match &intent.act {
            Act::Folder { .. } if is(here, new) => {
                let dir = self.folders.above(path)?;
                match dir.remove_dir(path.file_name()) {
                    Ok(()) => Ok(None),
                    Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                        Ok(Some(left_as_it_is(path, "holds what somebody else put there", None)))
                    }
                    Err(error) => Err(failed(error)),
                }
            }
            Act::Create { after, link, .. } if is(here, new) => {
                if !self.holds(path, after, *link)? {
                    return Ok(Some(left_as_it_is(path, "was changed", None)));
                }
                self.to_temp(intent, failed)
            }
            Act::Move { before, .. } if is(here, Some(before.id)) => self.to_temp(intent, failed),
            Act::Replace { before, after, backup } => {
                self.exchange_back(number, intent, before, after, backup, journal)
            }
            _ => Ok(None),
        }
    }

    fn to_temp(&self, intent: &Intent, failed: impl Fn(io::Error) -> ApplyError) -> Result<Option<Left>, ApplyError> {
        let from = self.folders.above(&intent.path)?;
        let to = self.folders.open(intent.temp_folder().as_ref())?;
        rename_new(&from, intent.path.file_name(), &to, &intent.temp).map_err(failed)?;
        Ok(None)
    }

    fn exchange_back(
        &self,
        number: usize,
        intent: &Intent,
        before: &Known,
        after: &blake3::Hash,
        backup: &str,
        journal: &Dir,
    ) -> Result<Option<Left>, ApplyError> {
        let path = &intent.path;
        let name = path.file_name();
        let failed = |e| ApplyError::io("take back", path, e);
        let Some(dir) = self.open(path.parent().as_ref())? else {
            return Ok(None);
        };
        let (new, old) = (self.staged[number], Some(before.id));
        let here = self.at_path(path)?;
        let temp = self.at_name(path.parent().as_ref(), &intent.temp)?;
        let kept = self.at_name(path.parent().as_ref(), backup)?;
        let ours = is(here, new) && self.holds(path, after, false)?;
        if is(temp, old) {
            if !ours {
                return self.keep(number, path, &dir, &intent.temp, journal).map(Some);
            }
            match sys::exchange(&dir, name, &intent.temp) {
                // Made where it worked, taken back where it does not: the file system was mounted elsewhere in between.
                Err(error) if is_unsupported(&error) => dir.rename(&intent.temp, &dir, name).map_err(failed)?,
                done => done.map_err(failed)?,
            }
            return Ok(None);
        }
        if !is(kept, old) {
            return Ok(None);
        }
        if is(here, old) {
            // Only the second name was given.
            remove(&dir, backup).map_err(failed)?;
        } else if here.is_none() {
            rename_new(&dir, backup, &dir, name).map_err(failed)?;
        } else if ours {
            self.moment(Moment::UndoHalf(number))?;
            dir.rename(backup, &dir, name).map_err(failed)?;
        } else {
            return self.keep(number, path, &dir, backup, journal).map(Some);
        }
        Ok(None)
    }

    /// What left its place goes back.
    fn put_back(&self, number: usize, journal: &Dir) -> Result<Option<Left>, ApplyError> {
        let intent = &self.intents[number];
        let (path, before) = match &intent.act {
            Act::Remove { before } => (&intent.path, before),
            Act::Move { from, before } => (from, before),
            Act::Folder { .. } | Act::Create { .. } | Act::Replace { .. } => return Ok(None),
        };
        if !is(self.at_name(path.parent().as_ref(), &intent.temp)?, Some(before.id)) {
            return Ok(None);
        }
        let dir = self.folders.above(path)?;
        self.moment(Moment::UndoHalf(number))?;
        match rename_new(&dir, &intent.temp, &dir, path.file_name()) {
            Ok(()) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.keep(number, path, &dir, &intent.temp, journal).map(Some)
            }
            Err(error) => Err(ApplyError::io("take back", path, error)),
        }
    }

    /// What was made under a temporary name goes. Before the journal says what was made, the name itself has to do: it was free
    /// when it was chosen.
    fn unstage(&self, number: usize, progress: Progress) -> Result<(), ApplyError> {
        let intent = &self.intents[number];
        if !intent.is_staged() {
            return Ok(());
        }
        let folder = intent.temp_folder();
        let Some(standing) = self.at_name(folder.as_ref(), &intent.temp)? else {
            return Ok(());
        };
        if progress == Progress::Applying && !is(Some(standing), self.staged[number]) {
            return Ok(());
        }
        let dir = self.folders.open(folder.as_ref())?;
        let removed = match (&intent.act, standing.kind) {
            (Act::Folder { .. }, EntryKind::Directory) => dir.remove_dir(&intent.temp),
            (Act::Create { link: true, .. }, EntryKind::Symlink)
            | (Act::Create { link: false, .. } | Act::Replace { .. }, EntryKind::File) => remove(&dir, &intent.temp),
            _ => Ok(()),
        };
        removed.map_err(|e| ApplyError::io("remove", &intent.temp, e))
    }

    /// The earlier content of a file that somebody else has changed in the meantime goes into the journal's folder.
    fn keep(
        &self,
        number: usize,
        path: &WorkspacePath,
        dir: &Dir,
        name: &str,
        journal: &Dir,
    ) -> Result<Left, ApplyError> {
        let failed = |e| ApplyError::io("keep the earlier version of", path, e);
        let content = match self.at_name(path.parent().as_ref(), name)?.map(|s| s.kind) {
            Some(EntryKind::Symlink) => dir
                .read_link_contents(name)
                .map(|t| t.into_os_string().into_encoded_bytes()),
            _ => sys::open(dir, name).and_then(|mut file| {
                let mut content = Vec::new();
                file.read_to_end(&mut content).map(|_| content)
            }),
        }
        .map_err(failed)?;
        let kept = (0_u32..)
            .map(|attempt| format!("kept-{number}-{attempt}"))
            .find_map(|kept| match sys::create(journal, &kept, 0o600) {
                Ok(file) => Some(Ok((kept, file))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                Err(error) => Some(Err(error)),
            })
            .transpose()
            .map_err(failed)?;
        let kept = match kept {
            None => None,
            Some((kept, mut file)) => {
                file.write_all(&content)
                    .and_then(|()| file.sync_all())
                    .map_err(failed)?;
                Some(kept)
            }
        };
        remove(dir, name).map_err(failed)?;
        Ok(left_as_it_is(path, "was changed", kept))
    }

    fn moment(&self, moment: Moment) -> Result<(), ApplyError> {
        self.at(moment)
            .map_err(|e| ApplyError::io("take back", "the change", e))
    }
}

fn left_as_it_is(path: &WorkspacePath, reason: &str, kept: Option<String>) -> Left {
    Left {
        path: path.as_str().to_owned(),
        reason: reason.to_owned(),
        kept,
    }
}
