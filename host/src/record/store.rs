//! The records in the user's state folder: which there are, which one is meant, and what it holds. Everything that is read is checked.

use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use snodo_audit::Head;
use snodo_workspace::change::ChangeSet;

use super::change::{BLOBS, CHANGE};
use super::files;
use super::keep::{LOGS, PATCH, RECORD, REPORT, RUNS, StateFolder, read_state};
use super::seal::{CHANGE_SCHEMA, ChangeData, Place, RECORD_SCHEMA, RecordState, Seal, SealedFile};

/// The most that is read of a file with data about a record: more than a report can be.
pub(super) const MAX_META: u64 = 256 * 1024 * 1024;
/// A patch, or a content.
const MAX_CONTENT: u64 = 4 * 1024 * 1024 * 1024;
/// Of what a person types.
const MAX_NAME: usize = 64;

/// Why a record cannot be used. The text names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// What was given is no name of a run.
    #[error("`{0}` is no run: a run is named by its id (`run_…`), by the beginning of one, or by `last`")]
    NoName(String),
    /// There is none.
    #[error("there is no run `{0}`: `snodo-host runs list` shows those that are kept")]
    Missing(String),
    /// There is none of this workspace.
    #[error("no run of this workspace is kept")]
    NoLast,
    /// Several.
    #[error("`{given}` is the beginning of {count} runs, among them `{first}` and `{second}`: give more of the id")]
    Ambiguous {
        /// As given.
        given: String,
        /// How many.
        count: usize,
        /// One.
        first: String,
        /// Another.
        second: String,
    },
    /// It is not what was kept.
    #[error("the record of `{run}` is damaged or was tampered with: {why}")]
    Damaged {
        /// Its id.
        run: String,
        /// What is wrong, and where.
        why: String,
    },
    /// The state folder.
    #[error("the runs in the state folder cannot be read: {0}")]
    Folder(String),
}

/// A run's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(String);

impl RunId {
    /// `run_`, seconds since the Unix epoch, `_`, and eight hexadecimal digits: one safe name of a folder.
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, rest) = text.strip_prefix("run_")?.split_once('_')?;
        let is_number = !seconds.is_empty() && seconds.len() <= 20 && seconds.bytes().all(|b| b.is_ascii_digit());
        let is_hex = rest.len() == 8 && rest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        (is_number && is_hex).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When the run started, in seconds since the Unix epoch.
    pub fn started_at(&self) -> u64 {
        let seconds = self.0.split('_').nth(1).and_then(|seconds| seconds.parse().ok());
        seconds.unwrap_or(0)
    }
}

/// How complete a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Whole.
    Sealed(Box<Seal>),
    /// From before records held their change as data: its report can be looked at.
    Old,
    /// The run is going on, or its process died.
    Unfinished,
    /// It cannot be read, for this reason.
    Damaged(String),
}

/// One record.
#[derive(Debug)]
pub struct Record {
    /// The run's id.
    pub id: RunId,
    pub(super) dir: Option<Dir>,
    /// How complete it is.
    pub form: Form,
    /// By the file system's clock: tells runs of one second apart.
    order: Option<std::time::SystemTime>,
}

/// All records.
pub struct Runs {
    pub(super) dir: Option<Dir>,
}

impl Runs {
    /// Opens the folder; where there is none, there are no records.
    ///
    /// # Errors
    /// It is a link, or cannot be read.
    pub fn open(state: &StateFolder) -> Result<Self, StoreError> {
        match state.dir.open_dir_nofollow(RUNS) {
            Ok(dir) => Ok(Self { dir: Some(dir) }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self { dir: None }),
            Err(error) => {
                let link = state.dir.symlink_metadata(RUNS).is_ok_and(|m| m.is_symlink());
                let why = if link {
                    "`runs` is a link".to_owned()
                } else {
                    error.to_string()
                };
                Err(StoreError::Folder(why))
            }
        }
    }

    fn ids(&self) -> Result<Vec<RunId>, StoreError> {
        let Some(dir) = &self.dir else { return Ok(Vec::new()) };
        let failed = |error: std::io::Error| StoreError::Folder(error.to_string());
        let mut ids = Vec::new();
        for entry in dir.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            ids.extend(name.to_str().and_then(RunId::parse));
        }
        Ok(ids)
    }

    /// Every record, the newest first.
    ///
    /// # Errors
    /// The folder cannot be read. A record that cannot be read is in the list as one.
    pub fn all(&self) -> Result<Vec<Record>, StoreError> {
        let mut records: Vec<Record> = self.ids()?.into_iter().map(|id| self.record(id)).collect();
        records.sort_by(|a, b| {
            let key = |r: &Record| (r.id.started_at(), r.order, r.id.clone());
            key(b).cmp(&key(a))
        });
        Ok(records)
    }

    /// The record that is meant: by its id, by the beginning of one, or by `last`, which is the newest of the workspace.
    ///
    /// # Errors
    /// None, or several.
    pub fn find(&self, given: &str, workspace: Option<&Place>) -> Result<Record, StoreError> {
        if given == "last" {
            let of_workspace = |record: &Record| workspace.is_some_and(|place| record.is_of(place));
            return self.all()?.into_iter().find(of_workspace).ok_or(StoreError::NoLast);
        }
        let shown = || crate::text::one_line(given, MAX_NAME);
        let is_name = given.len() <= MAX_NAME
            && given.starts_with("run_")
            && given
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_name {
            return Err(StoreError::NoName(shown()));
        }
        let mut found: Vec<RunId> = self.ids()?.into_iter().filter(|id| id.0.starts_with(given)).collect();
        found.sort();
        match found.as_slice() {
            [] => Err(StoreError::Missing(shown())),
            [only] => Ok(self.record(only.clone())),
            [first, second, ..] => Err(StoreError::Ambiguous {
                given: shown(),
                count: found.len(),
                first: first.0.clone(),
                second: second.0.clone(),
            }),
        }
    }

    fn record(&self, id: RunId) -> Record {
        let opened = match &self.dir {
            Some(dir) => dir
                .open_dir_nofollow(id.as_str())
                .map_err(|_| "it is no folder".to_owned()),
            None => Err("it is gone".to_owned()),
        };
        match opened {
            Ok(dir) => {
                let form = form(&dir, &id).unwrap_or_else(Form::Damaged);
                let at = |name| dir.symlink_metadata(name).and_then(|m| m.modified()).ok();
                let order = at(RECORD)
                    .or_else(|| at(REPORT))
                    .map(cap_std::time::SystemTime::into_std);
                Record {
                    id,
                    dir: Some(dir),
                    form,
                    order,
                }
            }
            Err(why) => Record {
                id,
                dir: None,
                form: Form::Damaged(why),
                order: None,
            },
        }
    }

    /// The ends of the audit log that are known from the runs of a workspace.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn heads(&self, workspace: &Place) -> Result<Vec<Head>, StoreError> {
        let sealed = self.all()?.into_iter().filter_map(|record| match record.form {
            Form::Sealed(seal) if seal.workspace == *workspace => seal.audit?.head(),
            _ => None,
        });
        Ok(sealed.collect())
    }
}

fn form(dir: &Dir, id: &RunId) -> Result<Form, String> {
    let failed = |name: &'static str| move |error: std::io::Error| format!("`{name}`: {error}");
    let Some(bytes) = files::read(dir, RECORD, MAX_META).map_err(failed(RECORD))? else {
        let there = |name: &'static str| files::read(dir, name, MAX_META).map_err(failed(name));
        return Ok(if there(CHANGE)?.is_none() && there(REPORT)?.is_some() {
            Form::Old
        } else {
            Form::Unfinished
        });
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| format!("`{RECORD}` is no JSON: {e}"))?;
    let schema = value
        .get("schema")
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default();
    if schema != RECORD_SCHEMA {
        let schema = crate::text::one_line(schema, 60);
        return Err(format!(
            "`{RECORD}` has the schema `{schema}`, which this version does not know"
        ));
    }
    let seal: Seal = serde_json::from_value(value).map_err(|e| format!("`{RECORD}`: {e}"))?;
    if seal.run_id != id.0 {
        return Err(format!("`{RECORD}` is that of another run"));
    }
    Ok(Form::Sealed(Box::new(seal)))
}

impl Record {
    fn damaged(&self, why: impl Into<String>) -> StoreError {
        StoreError::Damaged {
            run: self.id.0.clone(),
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
        if data.run_id != self.id.0 {
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
