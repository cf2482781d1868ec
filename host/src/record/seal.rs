//! What a record says of itself, as data: the seal over a finished run, the change that can be applied or undone, and what became of it.

use serde::{Deserialize, Serialize};
use snodo_workspace::change::KeptFile;
use snodo_workspace::root::Root;
use snodo_workspace::state;

use super::AuditReport;

/// The schema of [`Seal`]; another layout gets another name.
pub const RECORD_SCHEMA: &str = "snodo.record.v1";
/// The schema of [`ChangeData`].
pub(super) const CHANGE_SCHEMA: &str = "snodo.change.v1";
/// The schema of [`RecordState`].
pub(super) const STATE_SCHEMA: &str = "snodo.record-state.v1";

/// Which folder a run worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its path, with links resolved.
    pub path: String,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// All three in one, exactly: see [`state::key`].
    pub key: String,
}

impl Place {
    /// Of an open workspace.
    pub fn of(root: &Root) -> Self {
        let identity = root.identity();
        Self {
            path: root.resolved().display().to_string(),
            device: identity.device,
            inode: identity.inode,
            key: state::key(root),
        }
    }
}

/// A file of the record, and what it has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SealedFile {
    pub(super) name: String,
    pub(super) size: u64,
    /// BLAKE3, in hexadecimal.
    pub(super) hash: String,
}

impl SealedFile {
    pub(super) fn of(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            size: bytes.len() as u64,
            hash: blake3::hash(bytes).to_hex().to_string(),
        }
    }
}

/// `record.json`: written last, so that a record that has it is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// [`RECORD_SCHEMA`].
    pub(super) schema: String,
    /// The name of the folder that it lies in.
    pub run_id: String,
    /// Seconds since the Unix epoch.
    pub started_at: u64,
    /// The task's first line, credentials masked.
    pub task: String,
    /// How the run ended, in the words of the report.
    pub outcome: String,
    /// Why, in the words of the report; none when it completed.
    pub halt_type: Option<String>,
    /// It was not to change the workspace.
    pub dry_run: bool,
    /// The run itself changed the workspace.
    pub applied: bool,
    /// Where.
    pub workspace: Place,
    /// Names the change.
    pub change_digest: Option<String>,
    /// How many files the change has.
    pub changed_files: usize,
    /// The end of the audit log as the run left it.
    pub audit: Option<AuditReport>,
    /// The other files of the record.
    pub(super) files: Vec<SealedFile>,
}

/// `change.json`: the change that passed both gates. Its contents lie in `blobs`, each under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeData {
    pub(super) schema: String,
    pub(super) run_id: String,
    pub(super) workspace: Place,
    pub(super) digest: String,
    pub(super) files: Vec<KeptFile>,
}

/// An apply or an undoing that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    Apply,
    Undo,
}

/// A step, and when it began, in seconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begun {
    pub(super) step: Step,
    pub(super) at: u64,
}

/// `state.json`: what became of the change. Replaced whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordState {
    pub(super) schema: String,
    /// When it was applied, in seconds since the Unix epoch; none if it never was.
    pub applied_at: Option<u64>,
    /// When it was undone after that.
    pub undone_at: Option<u64>,
    /// Said before the workspace is touched. Where it still stands, the process died: what stands in the workspace decides.
    pub(super) begun: Option<Begun>,
    /// Folders that the apply had to make.
    pub(super) folders: Vec<String>,
}

impl RecordState {
    pub(super) fn new() -> Self {
        Self {
            schema: STATE_SCHEMA.to_owned(),
            applied_at: None,
            undone_at: None,
            begun: None,
            folders: Vec::new(),
        }
    }
}
