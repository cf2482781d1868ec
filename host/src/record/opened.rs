//! What one record holds. Each file is held against the seal before anything of it is used.

use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use snodo_workspace::change::ChangeSet;

use super::change::{BLOBS, CHANGE};
use super::files;
use super::keep::{LOGS, PATCH, REPORT, read_state};
use super::seal::{CHANGE_SCHEMA, ChangeData, Place, RecordState, Seal, SealedFile};
use super::store::{Form, MAX_META, Record, StoreError};

/// The most that is read of a patch, or of a content.
const MAX_CONTENT: u64 = 4 * 1024 * 1024 * 1024;

impl Record {
    fn damaged(&self, why: impl Into<String>) -> StoreError {
        StoreError::Damaged {
            run: self.id.as_str().to_owned(),
            why: why.into(),
        }
    }

    /// The seal, of a record that has one.
    pub fn seal(&self) -> Option<&Seal> {
        match &self.form {
            Form::Sealed(seal) => Some(seal),
            _ => None,
        }
    }

    /// The folder, of a record that can be read.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn opened(&self) -> Result<&Dir, StoreError> {
        match (&self.form, &self.dir) {
            (Form::Damaged(why), _) => Err(self.damaged(why.clone())),
            (_, None) => Err(self.damaged("it is no folder")),
            (_, Some(dir)) => Ok(dir),
        }
    }

    /// Whether the run was in this workspace.
    pub fn is_of(&self, place: &Place) -> bool {
        match &self.form {
            Form::Sealed(seal) => seal.workspace.key == place.key,
            Form::Unfinished => self.change_data().is_ok_and(|data| data.workspace.key == place.key),
            Form::Old => self
                .report()
                .is_ok_and(|report| report["workspace"]["root"].as_str() == Some(place.path.as_str())),
            Form::Damaged(_) => false,
        }
    }

    /// Where the run was, as far as that is known.
    pub fn place(&self) -> Option<Place> {
        match &self.form {
            Form::Sealed(seal) => Some(seal.workspace.clone()),
            Form::Unfinished => self.change_data().ok().map(|data| data.workspace),
            Form::Old | Form::Damaged(_) => None,
        }
    }

    /// A file of the record, held against the seal where there is one; none when there is none.
    fn file(&self, name: &'static str, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let read = files::read(self.opened()?, name, limit).map_err(|e| self.damaged(format!("`{name}`: {e}")))?;
        let Some(seal) = self.seal() else { return Ok(read) };
        let sealed = seal.files.iter().find(|file| file.name == name);
        match (sealed, read) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(self.damaged(format!("`{name}` was put there later"))),
            (Some(_), None) => Err(self.damaged(format!("`{name}` is missing"))),
            (Some(sealed), Some(bytes)) => {
                let same = sealed.size == bytes.len() as u64 && blake3::hash(&bytes).to_hex().as_str() == sealed.hash;
                if same {
                    Ok(Some(bytes))
                } else {
                    Err(self.damaged(format!("`{name}` is not what was kept: it has another hash")))
                }
            }
        }
    }

    /// The report, as it was kept.
    ///
    /// # Errors
    /// It is not there, or not what was kept.
    pub fn report(&self) -> Result<serde_json::Value, StoreError> {
        match self.file(REPORT, MAX_META)? {
            Some(bytes) => {
                serde_json::from_slice(&bytes).map_err(|e| self.damaged(format!("`{REPORT}` is no JSON: {e}")))
            }
            None => Err(self.damaged(format!("`{REPORT}` is missing"))),
        }
    }

    /// The change for people, as a patch; none where there was no change.
    ///
    /// # Errors
    /// It is not what was kept.
    pub fn patch(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.file(PATCH, MAX_CONTENT)
    }

    /// What became of the change. A record that is sealed as applied was.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn state(&self) -> Result<RecordState, StoreError> {
        let read = read_state(self.opened()?).map_err(|e| self.damaged(format!("`state.json`: {e}")))?;
        Ok(read.unwrap_or_else(|| RecordState {
            applied_at: self.seal().filter(|seal| seal.applied).map(|seal| seal.started_at),
            ..RecordState::new()
        }))
    }

    /// Looks at everything that the record holds, as far as it is sealed.
    ///
    /// # Errors
    /// The first thing that is not what was kept.
    pub fn check(&self) -> Result<(), StoreError> {
        self.state()?;
        if self.seal().is_none() {
            return Ok(());
        }
        self.report()?;
        self.patch()?;
        self.check_logs()?;
        if self.has_change() {
            self.change()?;
        }
        Ok(())
    }

    fn check_logs(&self) -> Result<(), StoreError> {
        let Some(seal) = self.seal() else { return Ok(()) };
        for file in &seal.files {
            let Some(name) = file.name.strip_prefix(LOGS).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let is_name = !name.starts_with('.') && !name.contains('/');
            let read = match self.opened()?.open_dir_nofollow(LOGS) {
                Ok(logs) if is_name => files::read(&logs, name, MAX_META).unwrap_or(None),
                _ => None,
            };
            if read.as_deref().map(|bytes| SealedFile::of(&file.name, bytes)).as_ref() != Some(file) {
                let name = crate::text::one_line(&file.name, 100);
                return Err(self.damaged(format!("`{name}` is not what was kept")));
            }
        }
        Ok(())
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.dir.as_ref().map_or(0, files::size_of)
    }

    /// Whether there is a change that could be applied or undone.
    pub fn has_change(&self) -> bool {
        self.seal()
            .is_some_and(|seal| seal.files.iter().any(|file| file.name == CHANGE))
    }

    /// What plugins said, by file.
    pub fn logs(&self) -> Vec<String> {
        let files = self.seal().map(|seal| seal.files.as_slice()).unwrap_or_default();
        let logs = files.iter().filter(|file| file.name.starts_with(&format!("{LOGS}/")));
        logs.map(|file| file.name.clone()).collect()
    }

    pub(super) fn change_data(&self) -> Result<ChangeData, StoreError> {
        let bytes = self.file(CHANGE, MAX_META)?;
        let bytes = bytes.ok_or_else(|| self.damaged(format!("`{CHANGE}` is missing")))?;
        let data: ChangeData = serde_json::from_slice(&bytes).map_err(|e| self.damaged(format!("`{CHANGE}`: {e}")))?;
        if data.schema != CHANGE_SCHEMA {
            let schema = crate::text::one_line(&data.schema, 60);
            return Err(self.damaged(format!(
                "`{CHANGE}` has the schema `{schema}`, which this version does not know"
            )));
        }
        if data.run_id != self.id.as_str() {
            return Err(self.damaged(format!("`{CHANGE}` is that of another run")));
        }
        if let Some(seal) = self.seal()
            && (seal.change_digest.as_ref() != Some(&data.digest) || seal.workspace != data.workspace)
        {
            return Err(self.damaged(format!("`{CHANGE}` is not the change that was judged")));
        }
        Ok(data)
    }

    /// The change itself, with everything about it checked.
    ///
    /// # Errors
    /// It is not what was kept.
    pub(super) fn change(&self) -> Result<ChangeSet, StoreError> {
        let data = self.change_data()?;
        let blobs = self
            .opened()?
            .open_dir_nofollow(BLOBS)
            .map_err(|_| self.damaged(format!("`{BLOBS}` is missing, or no folder")))?;
        let content = |hash: &str, size: u64| match files::read(&blobs, hash, size.min(MAX_CONTENT)) {
            Ok(Some(bytes)) => Ok(Arc::from(bytes)),
            Ok(None) => Err("is missing".to_owned()),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        ChangeSet::from_kept(&data.files, &data.digest, content).map_err(|error| self.damaged(error.to_string()))
    }
}
