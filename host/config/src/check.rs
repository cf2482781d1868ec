//! The answer of `protocol check`: everything that can be said of a protocol without a run.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::fault::Fault;
use crate::protocol::{digest, examine};
use crate::report::FileError;
use crate::resolve::{Effect, effects, unknown_types};
use crate::warning::Warning;

/// The schema of [`CheckReport`] as JSON; it stands in `docs/schema`.
pub const CHECK_SCHEMA: &str = "snodo.protocol-check.v1";

/// What there is to say of a protocol.
#[derive(Debug)]
pub struct CheckReport {
    /// The file's name, as given.
    pub file: String,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub digest: String,
    /// Its id; none if it cannot be used.
    pub protocol_id: Option<String>,
    /// Why it cannot be used, with the excerpt for people; none if it can.
    pub error: Option<FileError>,
    /// What is probably not meant, in the file's order; also of a file that cannot be used, as far as it was read.
    pub warnings: Vec<Warning>,
    /// What of it is not acted upon here, in the file's order; empty if it cannot be used.
    pub effects: Vec<Effect>,
    /// Effects that are only counted.
    pub more_effects: usize,
}

impl CheckReport {
    /// Whether it can be used. A run may still be refused: see the effects.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    /// Every fault, in the file's order; of very many the first.
    pub fn faults(&self) -> &[Fault] {
        self.error.as_ref().map_or(&[], FileError::faults)
    }
}

/// Checks a protocol. `name` is for messages only; `known_types` are the validator types that something here answers for.
pub fn check_protocol(name: &str, bytes: &[u8], known_types: &[&str]) -> CheckReport {
    let (protocol, mut warnings) = examine(name, bytes);
    let mut report = CheckReport {
        file: name.to_owned(),
        digest: digest(bytes),
        protocol_id: None,
        error: None,
        warnings: Vec::new(),
        effects: Vec::new(),
        more_effects: 0,
    };
    match protocol {
        Ok(protocol) => {
            warnings.extend(unknown_types(&protocol, known_types));
            // The count of those that are left out stays at the end.
            let last = warnings.iter().map(|w| w.place.offset).max();
            warnings.sort_by_key(|w| if w.is_count() { last } else { Some(w.place.offset) });
            (report.effects, report.more_effects) = effects(&protocol, known_types);
            report.protocol_id = Some(protocol.protocol_id);
        }
        Err(error) => report.error = Some(error),
    }
    report.warnings = warnings;
    report
}

impl Serialize for CheckReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut report = to.serialize_struct("CheckReport", 10)?;
        report.serialize_field("schema", CHECK_SCHEMA)?;
        report.serialize_field("file", &self.file)?;
        report.serialize_field("digest", &self.digest)?;
        report.serialize_field("ok", &self.is_ok())?;
        report.serialize_field("protocol_id", &self.protocol_id)?;
        report.serialize_field("faults", self.faults())?;
        report.serialize_field("more_faults", &self.error.as_ref().map_or(0, FileError::more))?;
        report.serialize_field("warnings", &self.warnings)?;
        report.serialize_field("effects", &self.effects)?;
        report.serialize_field("more_effects", &self.more_effects)?;
        report.end()
    }
}
