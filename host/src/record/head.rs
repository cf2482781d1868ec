//! The head of a workspace's audit log as a run left it, kept in the user's state: by it a log of which the end was taken away is known.

use std::io::{ErrorKind, Read as _, Write as _};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use serde::{Deserialize, Serialize};
use snodo_audit::Head;

/// Beside the workspace's lock and journal.
const FILE: &str = "audit-head.json";

/// A head is two short fields.
const MOST_BYTES: u64 = 4096;

/// As it is written down, in reports too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditReport {
    /// The number of the last event.
    pub sequence: u64,
    /// Its hash.
    pub event_hash: String,
}

impl From<Head> for AuditReport {
    fn from(head: Head) -> Self {
        Self {
            sequence: head.sequence,
            event_hash: head.hash.to_string(),
        }
    }
}

impl AuditReport {
    /// As the log knows it; none when it is not one.
    pub fn head(&self) -> Option<Head> {
        Some(Head {
            sequence: self.sequence,
            hash: self.event_hash.parse().ok()?,
        })
    }
}

/// The head that the last run left; none when there was no run. `state` is the workspace's folder in the user's state.
///
/// # Errors
/// One was kept, and cannot be read: then nobody knows whether the log still has its end, and it is not taken for one that does.
pub fn known_heads(state: &Dir) -> std::io::Result<Vec<Head>> {
    let mut text = String::new();
    match state.open(FILE) {
        Ok(file) => file.take(MOST_BYTES).read_to_string(&mut text)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let kept: Option<AuditReport> = serde_json::from_str(&text).ok();
    let head = kept.as_ref().and_then(AuditReport::head).ok_or_else(|| {
        let why = format!("`{FILE}` in the workspace's folder of the state does not hold the end of an audit log");
        std::io::Error::new(ErrorKind::InvalidData, why)
    })?;
    Ok(vec![head])
}

/// Keeps it, in place of what was kept before.
///
/// # Errors
/// The system would not.
pub fn keep_head(state: &Dir, head: &AuditReport) -> std::io::Result<()> {
    let new = format!("{FILE}.new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = state.open_with(&new, &options)?;
    file.write_all(&serde_json::to_vec(head)?)?;
    file.sync_all()?;
    state.rename(&new, state, FILE)
}
