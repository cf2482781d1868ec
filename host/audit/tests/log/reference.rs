//! Lines written by hand: the hash of an event without any code of the crate. The caller gives values in their canonical spelling.

use sha2::{Digest as _, Sha256};

pub(crate) const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
pub(crate) const STAMP: &str = "\"2026-11-18T09:00:00+00:00\"";

/// An event whose spelling is the canonical one, and its hash.
pub(crate) fn sealed(
    sequence: u64,
    stamp: &str,
    project: Option<&str>,
    data: &str,
    previous: &str,
) -> (String, String) {
    let project = project.map_or(String::new(), |id| format!("\"project_id\": \"{id}\", "));
    let hashed = format!(
        "{{\"data\": {data}, \"event_type\": \"note\", \"previous_hash\": \"{previous}\", {project}\"sequence\": {sequence}, \"timestamp\": {stamp}}}"
    );
    let hash: String = Sha256::digest(hashed.as_bytes())
        .iter()
        .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let line = format!("{}, \"event_hash\": \"{hash}\"}}", &hashed[..hashed.len() - 1]);
    (line, hash)
}

/// A chain of such events.
pub(crate) fn chain(from: u64, previous: &str, project: Option<&str>, data: &[&str]) -> (Vec<String>, String) {
    let mut previous = previous.to_owned();
    let mut lines = Vec::new();
    for (sequence, data) in (from..).zip(data) {
        let (line, hash) = sealed(sequence, STAMP, project, data, &previous);
        lines.push(line);
        previous = hash;
    }
    (lines, previous)
}
