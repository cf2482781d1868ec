//! Which project an event belongs to: snodo's `project_id`.
//!
//! | `.snodo/project.json` | remote of the repository | project id |
//! |---|---|---|
//! | `scope` is `override` | – | what stands there |
//! | an id that does not begin with `local:` | – | what stands there (another remote is only worth a word) |
//! | an id that begins with `local:`, or none | there is one | the remote's address, normalised; not written down |
//! | an id that begins with `local:` | none | what stands there |
//! | none | none | `local:` and a random UUID, anew each time |
//!
//! The id is in `project.id`, else in `id`; an empty one is none. A file that cannot be read is none to snodo, and here too, but said.

use std::io::Read as _;

use cap_std::fs::Dir;
use snodo_workspace::escape::one_line;

use crate::event::hex;
use crate::files::{Act, FileFault, open_to_read};
use crate::parse::parse;
use crate::value::Value;

/// The file in `.snodo`.
pub const FILE: &str = "project.json";
/// No such file is larger.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// No id is longer: it stands in each event.
const MAX_ID_BYTES: usize = 4096;

/// What `project.json` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cached {
    id: String,
    overrides: bool,
}

impl Cached {
    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Why `project.json` says nothing, though it is there.
#[derive(Debug, thiserror::Error)]
pub enum ProjectFault {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// It says something else.
    #[error("`.snodo/{FILE}` {0}: it is passed over, and the project is named after the repository's remote")]
    Content(String),
}

/// Reads `project.json`; none when there is none, or no id in it.
pub fn cached(dir: &Dir) -> Result<Option<Cached>, ProjectFault> {
    let Some(file) = open_to_read(dir, FILE)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| FileFault::new(FILE, Act::Read, error))?;
    let wrong = |what: String| ProjectFault::Content(what);
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(wrong("is larger than 1 MiB".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8".to_owned()))?;
    let value = parse(&text).map_err(|error| wrong(format!("is not JSON ({error})")))?;
    if !matches!(value, Value::Object(_)) {
        return Err(wrong(format!("holds {} and no object", value.describe())));
    }
    let id = ["project.id", "id"]
        .iter()
        .filter_map(|key| value.get(key))
        .find(|id| !is_false(id));
    match id.map(|id| (id, id.as_str())) {
        None => Ok(None),
        Some((_, Some(id))) if id.len() <= MAX_ID_BYTES => Ok(Some(Cached {
            id: id.to_owned(),
            overrides: value.get("scope").and_then(Value::as_str) == Some("override"),
        })),
        Some((_, Some(id))) => Err(wrong(format!("has an id of {} bytes", id.len()))),
        Some((other, None)) => Err(wrong(format!("has {} as id", other.describe()))),
    }
}

/// What Python's `or` passes over.
fn is_false(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Text(text) => text.bytes().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Int(number) => number.as_str() == "0",
        Value::Float(number) => number.0 == 0.0,
        Value::Bool(true) => false,
    }
}

/// What a project is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Stands in each event.
    pub id: String,
    /// The repository's remote, normalised, when it is not what `project.json` says: worth a word to the user.
    pub other_remote: Option<String>,
}

/// Decides it. `remote` is the address of the repository's remote `origin`, else of its first one; `fresh` are random bytes, used when there
/// is nothing to name the project after.
pub fn resolve(cached: Option<&Cached>, remote: Option<&str>, fresh: [u8; 16]) -> Project {
    let remote = remote.map(normalised).filter(|id| !id.is_empty());
    match (cached, remote) {
        (Some(cached), remote) if cached.overrides || !cached.id.starts_with("local:") => Project {
            id: cached.id.clone(),
            other_remote: remote.filter(|remote| !cached.overrides && *remote != cached.id),
        },
        (_, Some(remote)) => Project {
            id: remote,
            other_remote: None,
        },
        (Some(cached), None) => Project {
            id: cached.id.clone(),
            other_remote: None,
        },
        (None, None) => Project {
            id: fresh_id(fresh),
            other_remote: None,
        },
    }
}

/// `local:` and a random UUID (version 4), without hyphens.
fn fresh_id(mut random: [u8; 16]) -> String {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    format!("local:{}", hex(&random))
}

/// A remote's address as a project id: in lower case, without scheme, user, the ports 22 and 443, slashes and one `.git` at the end; `host:path`
/// becomes `host/path` unless a port follows the colon.
///
/// A user is whatever stands before the first `@`, also in a path, as in snodo.
pub fn normalised(address: &str) -> String {
    let lower = address.trim().to_lowercase();
    let mut rest = lower.as_str();
    if let Some((scheme, after)) = rest.split_once("://")
        && !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_lowercase())
    {
        rest = after;
    }
    if let Some((user, after)) = rest.split_once('@')
        && !user.is_empty()
    {
        rest = after;
    }
    let mut text = without_default_ports(rest);
    if let Some((host, path)) = text.split_once(':') {
        let is_host = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-');
        let is_port = path
            .split_once('/')
            .is_some_and(|(port, _)| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
        if !host.is_empty() && host.bytes().all(is_host) && !is_port {
            text = format!("{host}/{path}");
        }
    }
    let text = text.trim_end_matches('/');
    text.strip_suffix(".git")
        .unwrap_or(text)
        .trim_end_matches('/')
        .to_owned()
}

fn without_default_ports(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        let (before, from_colon) = rest.split_at(at);
        out.push_str(before);
        let after_port = [":22", ":443"]
            .iter()
            .filter_map(|port| from_colon.strip_prefix(port))
            .find(|after| after.is_empty() || after.starts_with('/'));
        rest = after_port.unwrap_or_else(|| {
            out.push(':');
            &from_colon[1..]
        });
    }
    out.push_str(rest);
    out
}

impl std::fmt::Display for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&one_line(&self.id, 200))
    }
}
