//! Where a run's record is kept: with authority in the user's state folder, and the report for reading in the workspace's `.snodo/` if there is
//! one. A repository without `.snodo/` gets no new folder.
//!
//! ```text
//! <state>/runs/<run-id>/
//!   change.json, blobs/   the change that passed both gates, as data      super::change
//!   report.json           the report, credentials masked
//!   change.patch          the change for people
//!   logs/                 what each plugin said, credentials masked
//!   state.json            what became of the change
//!   record.json           written last: names all of the above with their hashes
//! ```

use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use snodo_workspace::root::Root;
use snodo_workspace::title::title;

use super::change::{CHANGE, STATE};
use super::files::{self, folder, write_new};
use super::seal::{Place, RECORD_SCHEMA, RecordState, Seal, SealedFile};
use super::store::MAX_META;
use super::{PluginReport, RunReport};

/// Where records lie in the state folder, and in `.snodo`.
pub(super) const RUNS: &str = "runs";
pub(super) const REPORT: &str = "report.json";
pub(super) const PATCH: &str = "change.patch";
pub(super) const LOGS: &str = "logs";
pub(super) const RECORD: &str = "record.json";

/// Why a record was not kept.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system would not.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The system's words.
        source: std::io::Error,
    },
    /// A report that is no JSON: a bug of ours.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

pub(super) fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> RecordError {
    move |source| RecordError::Io { what, source }
}

/// Keeps the report, and the change as a patch, under the run's id. Masks the report's texts and fills in `report_path`.
pub fn keep_run(
    state: &StateFolder,
    root: &Root,
    report: &mut RunReport,
    patch: Option<&[u8]>,
) -> Result<(), RecordError> {
    super::mask::mask_report(report);
    let runs = folder(&state.dir, RUNS).map_err(io("opening the state folder's `runs`"))?;
    let own = folder(&runs, &report.run_id).map_err(io("making a folder for the run"))?;
    let path = state.path.join(RUNS).join(&report.run_id).join(REPORT);
    report.report_path = Some(path.display().to_string());
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    write_new(&own, REPORT, &text).map_err(io("writing the report"))?;
    let mut sealed = vec![SealedFile::of(REPORT, &text)];
    if let Some(patch) = patch.filter(|patch| !patch.is_empty()) {
        write_new(&own, PATCH, patch).map_err(io("writing the change"))?;
        sealed.push(SealedFile::of(PATCH, patch));
    }
    if let Some(change) = files::read(&own, CHANGE, MAX_META).map_err(io("reading the change again"))? {
        sealed.push(SealedFile::of(CHANGE, &change));
    }
    keep_logs(&own, &report.plugins, &mut sealed).map_err(io("writing what the plugins said"))?;
    if report.applied {
        let ended = report.started_at + report.durations.total_ms / 1000;
        let begun = read_state(&own).map_err(io("reading the run's state"))?;
        let applied = RecordState {
            applied_at: Some(ended),
            begun: None,
            ..begun.unwrap_or_else(RecordState::new)
        };
        files::replace(&own, STATE, &serde_json::to_vec(&applied)?).map_err(io("keeping the run's state"))?;
    } else {
        match own.remove_file(STATE) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io("removing the run's state")(error));
            }
            _ => {}
        }
    }
    let seal = seal(root, report, sealed)?;
    files::replace(&own, RECORD, &serde_json::to_vec_pretty(&seal)?).map_err(io("sealing the record"))?;
    copy_for_reading(root, &report.run_id, &text).map_err(io("writing the copy in `.snodo/runs`"))
}

fn seal(root: &Root, report: &RunReport, files: Vec<SealedFile>) -> Result<Seal, serde_json::Error> {
    let word = |value: serde_json::Value| value.as_str().map(ToOwned::to_owned);
    Ok(Seal {
        schema: RECORD_SCHEMA.to_owned(),
        run_id: report.run_id.clone(),
        started_at: report.started_at,
        task: crate::text::one_line(&title(&report.task.spec), 200),
        outcome: word(serde_json::to_value(report.outcome)?).unwrap_or_default(),
        halt_type: word(serde_json::to_value(report.halt_type)?),
        dry_run: report.dry_run,
        applied: report.applied,
        workspace: Place::of(root),
        change_digest: report.change_digest.clone(),
        changed_files: report.changes.len(),
        audit: report.audit.clone(),
        files,
    })
}

/// One file for each stream of each plugin that said something.
fn keep_logs(own: &Dir, plugins: &[PluginReport], sealed: &mut Vec<SealedFile>) -> std::io::Result<()> {
    for (number, plugin) in plugins.iter().enumerate() {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = plugin.name.chars().map(safe).take(60).collect();
        for (stream, text) in [("out", &plugin.log.stdout), ("err", &plugin.log.stderr)] {
            if text.is_empty() {
                continue;
            }
            let logs = folder(own, LOGS)?;
            let file = format!("{number:02}-{name}.{stream}");
            write_new(&logs, &file, text.as_bytes())?;
            sealed.push(SealedFile::of(&format!("{LOGS}/{file}"), text.as_bytes()));
        }
    }
    Ok(())
}

/// None where there is none.
pub(super) fn read_state(own: &Dir) -> std::io::Result<Option<RecordState>> {
    let Some(bytes) = files::read(own, STATE, MAX_META)? else {
        return Ok(None);
    };
    let state: RecordState = serde_json::from_slice(&bytes)?;
    if state.schema == super::seal::STATE_SCHEMA {
        Ok(Some(state))
    } else {
        Err(std::io::Error::other(format!(
            "its schema is `{}`",
            crate::text::one_line(&state.schema, 60)
        )))
    }
}

/// The state folder with its path, which the report names.
pub struct StateFolder {
    /// Opened.
    pub dir: Dir,
    /// Where it is.
    pub path: std::path::PathBuf,
}

impl StateFolder {
    /// Both in one.
    pub fn new(dir: Dir, path: &Path) -> Self {
        Self {
            dir,
            path: path.to_owned(),
        }
    }
}

fn copy_for_reading(root: &Root, run_id: &str, text: &[u8]) -> std::io::Result<()> {
    let snodo = match root.dir().open_dir_nofollow(".snodo") {
        Ok(dir) => dir,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let runs = folder(&snodo, RUNS)?;
    write_new(&folder(&runs, run_id)?, REPORT, text)
}
