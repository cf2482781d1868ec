//! The records in the user's state folder: which there are, which one is meant, and what it holds. Everything that is read is checked.

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use snodo_audit::Head;

use super::change::CHANGE;
use super::files;
use super::keep::{RECORD, REPORT, RUNS, StateFolder};
use super::seal::{Place, RECORD_SCHEMA, Seal};

/// The most that is read of a file with data about a record: more than a report can be.
pub(super) const MAX_META: u64 = 256 * 1024 * 1024;
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
