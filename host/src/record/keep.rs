//! Where a run's report is kept: with authority in the user's state folder, and for reading in the workspace's `.snodo/` if there is
//! one. A repository without `.snodo/` gets no new folder.

use std::io::Write as _;
use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, OpenOptions, OpenOptionsExt as _};
use snodo_workspace::root::Root;

use super::RunReport;

/// Why a report was not kept.
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

fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> RecordError {
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
    let runs = folder(&state.dir, "runs").map_err(io("opening the state folder's `runs`"))?;
    let own = folder(&runs, &report.run_id).map_err(io("making a folder for the run"))?;
    let path = state.path.join("runs").join(&report.run_id).join("report.json");
    report.report_path = Some(path.display().to_string());
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    write(&own, "report.json", &text).map_err(io("writing the report"))?;
    if let Some(patch) = patch.filter(|patch| !patch.is_empty()) {
        write(&own, "change.patch", patch).map_err(io("writing the change"))?;
    }
    copy_for_reading(root, &report.run_id, &text).map_err(io("writing the copy in `.snodo/runs`"))
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
    let runs = folder(&snodo, "runs")?;
    write(&folder(&runs, run_id)?, "report.json", text)
}

/// A folder that is made if it is not there, and never reached through a link.
fn folder(parent: &Dir, name: &str) -> std::io::Result<Dir> {
    match parent.create_dir_with(name, DirBuilder::new().mode(0o700)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    parent.open_dir_nofollow(name)
}

fn write(dir: &Dir, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = dir.open_with(name, &options)?;
    file.write_all(bytes)
}
