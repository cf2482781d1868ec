//! Writing new files and folders under their temporary names.

use std::io::Write as _;

use super::attributes::{self, Attributes};
use super::error::ApplyError;
use super::intent::{Act, Intent};
use super::plan::Fresh;
use super::run::Run;
use super::sys::{self, Id, Standing, permission_bits};
use super::watch::Moment;

/// What a new file is made with before the umask.
const NEW_FILE: u32 = 0o666;
/// What a file that takes over another's mode may at most be until it has it: nobody but its owner is let in.
const UNFINISHED: u32 = 0o600;

impl Run<'_> {
    /// Makes what the intent needs under its temporary name. A staged file is never open to more than its target will be.
    pub(super) fn stage(&self, number: usize, fresh: Option<&Fresh<'_>>) -> Result<Option<Id>, ApplyError> {
        let intent = &self.intents[number];
        match (&intent.act, fresh) {
            (Act::Folder { .. }, _) => self.stage_folder(number, intent).map(Some),
            (Act::Create { link: true, .. }, Some(fresh)) => self.stage_link(number, intent, fresh).map(Some),
            (Act::Create { .. } | Act::Replace { .. }, Some(fresh)) => self.stage_file(number, intent, fresh).map(Some),
            _ => Ok(None),
        }
    }

    fn stage_folder(&self, number: usize, intent: &Intent) -> Result<Id, ApplyError> {
        let failed = |e| ApplyError::io("make the folder", &intent.path, e);
        let dir = self.folders.open(intent.temp_folder().as_ref())?;
        self.at(Moment::Stage(number)).map_err(failed)?;
        dir.create_dir(&intent.temp).map_err(failed)?;
        self.at(Moment::Made(number)).map_err(failed)?;
        let made = dir.symlink_metadata(&intent.temp).map_err(failed)?;
        Ok(Standing::of(&made).id)
    }

    fn stage_link(&self, number: usize, intent: &Intent, fresh: &Fresh<'_>) -> Result<Id, ApplyError> {
        let failed = |e| ApplyError::io("make the link", &intent.path, e);
        let dir = self.folders.open(intent.temp_folder().as_ref())?;
        self.at(Moment::Stage(number)).map_err(failed)?;
        sys::make_link(&dir, &intent.temp, fresh.bytes).map_err(failed)?;
        self.at(Moment::Made(number)).map_err(failed)?;
        let made = dir.symlink_metadata(&intent.temp).map_err(failed)?;
        self.at(Moment::Staged(number)).map_err(failed)?;
        Ok(Standing::of(&made).id)
    }

    fn stage_file(&self, number: usize, intent: &Intent, fresh: &Fresh<'_>) -> Result<Id, ApplyError> {
        let failed = |e| ApplyError::io("write", &intent.path, e);
        let attributes = match &fresh.like {
            Some(like) => Some(Attributes::of(&*self.folders.above(like)?, like.file_name()).map_err(failed)?),
            None => None,
        };
        let dir = self.folders.open(intent.temp_folder().as_ref())?;
        self.at(Moment::Stage(number)).map_err(failed)?;
        let first_mode = match (&attributes, fresh.mode) {
            (Some(attributes), _) => attributes.mode & UNFINISHED,
            (None, Some(mode)) => mode & UNFINISHED,
            (None, None) => NEW_FILE,
        };
        let mut file = sys::create(&dir, &intent.temp, first_mode).map_err(failed)?;
        self.at(Moment::Made(number)).map_err(failed)?;
        let made = file.metadata().map_err(failed)?;
        file.write_all(fresh.bytes).map_err(failed)?;
        // Of a new file: whatever umask or default access list left is how new files are made here.
        let now = permission_bits(&made);
        let mode = attributes.as_ref().map_or(now, |a| a.mode);
        if let Some(attributes) = &attributes {
            attributes::take_over(&file, &made, attributes).map_err(failed)?;
        }
        let wanted = fresh.mode.unwrap_or_else(|| with_executable(mode, fresh.executable));
        if attributes.is_some() || wanted != now {
            sys::set_mode(&file, wanted).map_err(failed)?;
        }
        if let (Some(attributes), true) = (&attributes, fresh.keep_times) {
            attributes::keep_times(&file, attributes).map_err(failed)?;
        }
        sys::sync_file(&file).map_err(failed)?;
        self.at(Moment::Staged(number)).map_err(failed)?;
        Ok(Standing::of(&made).id)
    }
}

/// Executable for whoever may read; or for nobody.
fn with_executable(mode: u32, executable: Option<bool>) -> u32 {
    match executable {
        None => mode,
        Some(true) => mode | (mode & 0o444) >> 2,
        Some(false) => mode & !0o111,
    }
}
