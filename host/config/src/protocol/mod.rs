//! `.snodo/protocol.yml`: a team's rules for a task, as snodo 0.26 defines them.
//!
//! [`load_protocol`] takes bytes and a name and opens nothing. In order: the file (size, encoding), YAML, the root,
//! fields (SCHEMA), then WF1–WF5 and modules. Each stage lists every fault that it finds; the next one needs the one
//! before.

pub mod model;
pub(crate) mod protected;
mod read;
mod wellformed;

pub use model::{
    Constraint, Delivery, EvaluationPhase, Execution, JudgeTool, Mode, Module, Protocol, Queue, Role, Scope,
    Transitions, Validator, ValidatorTool,
};

use snodo_workspace::constraint;

use crate::node::Value;
use crate::report::{FileError, Log};
use crate::source::{Place, decodable, decode};
use crate::warning::Warning;
use crate::yaml;

/// The largest protocol that is read, in bytes. snodo's own templates have some ten thousand; everything that a
/// protocol can say fits many times over.
pub const PROTOCOL_BYTES: usize = 1 << 20;

/// The predicates that constraints may name.
pub const PREDICATES: [&str; 3] = [
    constraint::FILES_IN_SCOPE,
    constraint::TESTS_EXIST,
    constraint::NO_SECRETS,
];

/// The capability names of modes that snodo knows.
pub const MODE_TOOLS: [&str; 14] = [
    "edit", "write", "decide", "dispatch", "test", "validate", "review", "approve", "commit", "merge", "pr", "plan",
    "queue", "read",
];

/// A protocol that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// It.
    pub protocol: Protocol,
    /// What is probably not meant, in the file's order.
    pub warnings: Vec<Warning>,
    /// BLAKE3 of the bytes, in hexadecimal: which protocol a run was under.
    pub digest: String,
}

/// Reads a protocol. `name` is for messages only.
pub fn load_protocol(name: &str, bytes: &[u8]) -> Result<Loaded, FileError> {
    let (protocol, warnings) = examine(name, bytes);
    protocol.map(|protocol| Loaded {
        protocol,
        warnings,
        digest: digest(bytes),
    })
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The same with the warnings also of a file that cannot be used: of the stages that were come to.
pub(crate) fn examine(name: &str, bytes: &[u8]) -> (Result<Protocol, FileError>, Vec<Warning>) {
    const WHAT: &str = "protocol";
    let mut log = Log::default();
    let text = match decode(bytes, PROTOCOL_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            let error = log.into_error(WHAT, name, decodable(bytes, PROTOCOL_BYTES));
            return (Err(error), Vec::new());
        }
    };
    let protocol = yaml::parse(text, &mut log).and_then(|root| {
        let place = if matches!(root.value, Value::Null) {
            Place::START
        } else {
            root.place
        };
        read::protocol(&crate::node::Node { place, ..root }, &mut log)
    });
    // Well-formedness is a question about fields that are there and right.
    let protocol = protocol.filter(|_| !log.is_faulty());
    if let Some(protocol) = &protocol {
        wellformed::check(protocol, &mut log);
    }
    let warnings = log.take_warnings();
    match protocol.filter(|_| !log.is_faulty()) {
        Some(protocol) => (Ok(protocol), warnings),
        None => (Err(log.into_error(WHAT, name, text)), warnings),
    }
}
