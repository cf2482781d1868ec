//! An install record: what the user agreed to when a plugin was installed.
//!
//! It stands in the user's configuration folder, `plugins/<name>.toml`; `snodo-host plugin add` writes it and `plugin remove` removes
//! it. It is text that a person can read, and it is read as strictly as everything that grants: an unknown key, a missing one or a
//! damaged value is a fault, and the plugin is not used.

mod moment;
mod text;

use serde::Serialize;
use snodo_admission::{Digest, Grants, PluginName, Role};

pub use moment::Moment;

use crate::fault::FaultKind;
use crate::node::{Node, Value};
use crate::plugin_value::{digest, grants, imports, plugin_name, role, unusable};
use crate::record::value::{nonblank, one_of, strict_number, wrong};
use crate::record::{Extra, Record};
use crate::report::{FileError, Log};
use crate::source::{decodable, decode};
use crate::toml_tree;

/// The largest record that is read, in bytes. One with the most imports of the longest names has less.
pub const INSTALL_RECORD_BYTES: usize = 64 << 10;

/// The longest text of a source that is kept, in bytes. It is there to be read by a person.
pub const SOURCE_BYTES: usize = 1024;

/// The form of a record that this host writes and reads.
const FORMAT: i64 = 1;

/// Where a plugin came from, as the user named it. For people only: nothing is ever fetched or read from there again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// What kind of place.
    pub kind: SourceKind,
    /// The place; at most [`SOURCE_BYTES`] of it.
    pub text: String,
}

impl Source {
    /// A file, as it was named.
    pub fn file(path: &str) -> Self {
        Self::new(SourceKind::File, path)
    }

    /// An address, as the user told it.
    pub fn url(url: &str) -> Self {
        Self::new(SourceKind::Url, url)
    }

    fn new(kind: SourceKind, text: &str) -> Self {
        let end = (0..=text.len().min(SOURCE_BYTES))
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let text = if text.trim().is_empty() { "-" } else { &text[..end] };
        Self {
            kind,
            text: text.to_owned(),
        }
    }
}

/// What kind of place a plugin came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// A file.
    File,
    /// An address.
    Url,
}

impl SourceKind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Url => "url",
        }
    }
}

/// What the user agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstallRecord {
    /// By which the plugin is called.
    pub name: PluginName,
    /// What it is for.
    pub role: Role,
    /// Its bytes.
    pub digest: Digest,
    /// How many, at least 1.
    pub size: u64,
    /// What it imports, with versions, sorted.
    pub imports: Vec<String>,
    /// What it was granted beyond the role's base set; each stands on an import.
    pub grants: Grants,
    /// The version of the contract of the host that installed it.
    pub contract: String,
    /// When that was.
    pub installed: Moment,
    /// Where it came from.
    pub source: Source,
}

impl InstallRecord {
    /// The record as a file.
    pub fn text(&self) -> String {
        text::record(self)
    }
}

/// Reads a record. `name` is the file's, for messages only.
pub fn load_install_record(name: &str, bytes: &[u8]) -> Result<InstallRecord, FileError> {
    const WHAT: &str = "install record";
    let mut log = Log::default();
    let text = match decode(bytes, INSTALL_RECORD_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            return Err(log.into_error(WHAT, name, decodable(bytes, INSTALL_RECORD_BYTES)));
        }
    };
    let record = toml_tree::parse(text, &mut log).and_then(|root| file(&root, &mut log));
    match record {
        Some(record) if !log.is_faulty() => Ok(record),
        _ => Err(log.into_error(WHAT, name, text)),
    }
}

fn file(root: &Node, log: &mut Log) -> Option<InstallRecord> {
    let mut record = Record::open(root, "", "the record", log)?;
    let format = record.required("format", strict_number(FORMAT, Some(FORMAT)));
    let name = record.required("name", plugin_name);
    let role = record.required("role", role);
    let digest = record.required("digest", digest);
    let size = record.required("size", strict_number(1, None));
    let imports = record.required("imports", imports);
    let grants = record.required("grants", grants);
    let contract = record.required("contract", contract);
    let installed = record.required("installed", moment);
    let source = record.required("source", source);
    record.close(Extra::Refused);
    format?;
    Some(InstallRecord {
        name: name?,
        role: role?,
        digest: digest?,
        size: size?.unsigned_abs(),
        imports: imports?,
        grants: grants?,
        contract: contract?,
        installed: installed?,
        source: source?,
    })
}

fn source(node: &Node, path: &str, log: &mut Log) -> Option<Source> {
    let mut record = Record::table(node, path, log)?;
    let kind = record.required("kind", one_of(&["file", "url"], &[SourceKind::File, SourceKind::Url]));
    let text = record.required("text", nonblank);
    let place = record.place_of("text");
    record.close(Extra::Refused);
    let text = text?;
    if text.len() > SOURCE_BYTES {
        let field = format!("{path}.text");
        log.fault(place, || FaultKind::Unusable {
            field,
            found: text,
            why: "it may have 1024 bytes",
        });
        return None;
    }
    Some(Source { kind: kind?, text })
}

fn contract(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let given = nonblank(node, path, log)?;
    let fits = given.len() <= 64 && given.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+".contains(&b));
    if !fits {
        unusable(node.place, path, &given, "a version is written as `0.1.0`", log);
        return None;
    }
    Some(given)
}

fn moment(node: &Node, path: &str, log: &mut Log) -> Option<Moment> {
    let Value::Timestamp(given) = &node.value else {
        wrong(node, path, "a time", log);
        return None;
    };
    let moment = Moment::parse(given);
    if moment.is_none() {
        unusable(
            node.place,
            path,
            given,
            "a time is written as `2026-11-30T12:00:00Z`",
            log,
        );
    }
    moment
}
