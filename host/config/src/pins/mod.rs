//! `.snodo/plugins.toml`: which plugins a repository wants to be used, byte for byte.
//!
//! ```toml
//! [[plugin]]
//! name = "reviewer"
//! digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//! role = "validator"                         # may be left out
//! imports = ["snodo:plugin/read@0.1.0"]      # may be left out
//! ```
//!
//! The file comes with a repository, so it can only tighten: a pin says which bytes must be used under a name, and gives nothing.
//! A key that would grant is a fault that says so.

mod text;

use serde::Serialize;
use snodo_admission::{Digest, PluginName, Role};

pub use text::{pin_text, pins_text};

use crate::fault::FaultKind;
use crate::node::{Node, Placed, Value};
use crate::plugin_value::{digest, imports, plugin_name, role, unusable};
use crate::record::value::{list, placed, wrong};
use crate::record::{Extra, Record};
use crate::report::{FileError, Log};
use crate::source::{Place, decodable, decode};
use crate::toml_tree;

/// Where the pins of a workspace stand, from its root.
pub const PINS_FILE: &str = ".snodo/plugins.toml";

/// The largest file of pins that is read, in bytes: a hundred plugins with all their imports. It comes with a repository, and what a
/// hostile one costs to read grows faster than its size.
pub const PINS_BYTES: usize = 64 << 10;

/// The most plugins of a file.
pub const MOST_PINS: usize = 128;

/// Keys by which somebody might hope to grant. They are faults as every unknown key is; the message says why there is none.
const GRANTING: [&str; 6] = ["grants", "grant", "allow", "permissions", "capabilities", "trust"];

/// What must be used under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// Under which.
    pub name: PluginName,
    /// Exactly these bytes.
    pub digest: Digest,
    /// Exactly these imports, sorted; none when the file does not say. The digest settles them already: they are there so that a
    /// reviewer of the repository sees what the plugin may ask for, and so that a refusal can say what has changed.
    pub imports: Option<Vec<String>>,
    /// What it is for; none when the file does not say.
    pub role: Option<Role>,
    /// Where the pin begins in the file.
    #[serde(skip)]
    pub place: Place,
}

/// The pins of a repository, in the file's order; no two of names that fold alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pins {
    pins: Vec<Pin>,
}

impl Pins {
    /// Of a repository without the file.
    pub fn none() -> Self {
        Self::default()
    }

    /// The pin that holds for a name. Letter case does not count, so that no other spelling gets around a pin.
    pub fn get(&self, name: &PluginName) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.name.folds_like() == name.folds_like())
    }

    /// All of them, in the file's order.
    pub fn iter(&self) -> std::slice::Iter<'_, Pin> {
        self.pins.iter()
    }

    /// Whether nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.pins.is_empty()
    }

    /// The same with one pin set: in the place of the one that held for its name, or at the end.
    #[must_use]
    pub fn with(mut self, pin: Pin) -> Self {
        match self
            .pins
            .iter_mut()
            .find(|old| old.name.folds_like() == pin.name.folds_like())
        {
            Some(old) => *old = pin,
            None => self.pins.push(pin),
        }
        self
    }

    /// The same without the pin of a name.
    #[must_use]
    pub fn without(mut self, name: &PluginName) -> Self {
        self.pins.retain(|pin| pin.name.folds_like() != name.folds_like());
        self
    }
}

impl<'a> IntoIterator for &'a Pins {
    type Item = &'a Pin;
    type IntoIter = std::slice::Iter<'a, Pin>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Reads a repository's pins. `name` is for messages only.
pub fn load_pins(name: &str, bytes: &[u8]) -> Result<Pins, FileError> {
    const WHAT: &str = "list of pinned plugins";
    let mut log = Log::default();
    let text = match decode(bytes, PINS_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            return Err(log.into_error(WHAT, name, decodable(bytes, PINS_BYTES)));
        }
    };
    let pins = toml_tree::parse(text, &mut log).and_then(|root| file(&root, &mut log));
    match pins {
        Some(pins) if !log.is_faulty() => Ok(pins),
        _ => Err(log.into_error(WHAT, name, text)),
    }
}

fn file(root: &Node, log: &mut Log) -> Option<Pins> {
    let root = without_granting(root, "the file", log);
    let mut record = Record::open(&root, "", "the file", log)?;
    let pins = record.or("plugin", Vec::new(), all);
    record.close(Extra::Refused);
    Some(Pins { pins: pins? })
}

fn all(node: &Node, path: &str, log: &mut Log) -> Option<Vec<Pin>> {
    if matches!(node.value, Value::Map(_)) {
        // `[plugin]` for `[[plugin]]`.
        wrong(node, path, "a list", log);
        return None;
    }
    let pins: Vec<Placed<Pin>> = list(placed(one))(node, path, log)?;
    if let Some(beyond) = pins.get(MOST_PINS) {
        unusable(
            beyond.place,
            path,
            beyond.value.name.as_str(),
            "a file may pin 128 plugins",
            log,
        );
        return None;
    }
    let mut pinned: Vec<Pin> = Vec::new();
    let mut faulty = false;
    for Placed { value: pin, .. } in pins {
        let twin = pinned
            .iter()
            .find(|before| before.name.folds_like() == pin.name.folds_like());
        match twin {
            None => pinned.push(pin),
            Some(first) => {
                faulty = true;
                if first.name == pin.name {
                    log.fault(pin.place, || FaultKind::Duplicate {
                        what: "plugin",
                        id: pin.name.to_string(),
                        first: first.place.line,
                    });
                } else {
                    let why = "another one differs from it in letter case only";
                    unusable(pin.place, &format!("{path}.name"), pin.name.as_str(), why, log);
                }
            }
        }
    }
    (!faulty).then_some(pinned)
}

fn one(node: &Node, path: &str, log: &mut Log) -> Option<Pin> {
    let node = without_granting(node, &format!("the table (`{path}`)"), log);
    let mut record = Record::table(&node, path, log)?;
    let name = record.required("name", placed(plugin_name));
    let digest = record.required("digest", digest);
    let role = record.or("role", None, |node, path, log| role(node, path, log).map(Some));
    let imports = record.or("imports", None, |node, path, log| imports(node, path, log).map(Some));
    record.close(Extra::Refused);
    let name = name?;
    Some(Pin {
        place: name.place,
        name: name.value,
        digest: digest?,
        imports: imports?,
        role: role?,
    })
}

/// Makes a fault of each key by which somebody hopes to grant, and takes it away: it is not unknown, but refused.
fn without_granting(node: &Node, record: &str, log: &mut Log) -> Node {
    let Value::Map(entries) = &node.value else {
        return node.clone();
    };
    let (granting, other) = entries.iter().cloned().partition::<Vec<_>, _>(|entry| {
        entry
            .key
            .as_text()
            .is_some_and(|key| GRANTING.contains(&key.to_ascii_lowercase().as_str()))
    });
    for entry in granting {
        log.fault(entry.key.place, || FaultKind::CannotGrant {
            key: entry.key.as_text().unwrap_or_default().to_owned(),
            record: record.to_owned(),
        });
    }
    Node {
        place: node.place,
        value: Value::Map(other),
    }
}
