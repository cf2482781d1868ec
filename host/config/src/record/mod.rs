//! Reading a record (a map with known fields) out of a tree of nodes.
//!
//! A field is there or missing, a key known or unknown; what its value may be is said by a reader out of [`value`].
//! Every function gives none after a fault went to the log.

#![expect(clippy::option_option, reason = "faulty, absent, given: the three are told apart")]

pub(crate) mod value;

use crate::fault::FaultKind;
use crate::nearest::nearest;
use crate::node::{Entry, Node, Value};
use crate::report::Log;
use crate::source::Place;
use crate::warning::WarningKind;

/// Where a record and the fields that are given in it stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    record: Place,
    given: Vec<(&'static str, Place)>,
}

impl Places {
    /// Of a record that the file does not have.
    pub(crate) fn none(record: Place) -> Self {
        Self {
            record,
            given: Vec::new(),
        }
    }

    /// Where a field stands; where the record begins if the field is not given.
    pub fn of(&self, field: &str) -> Place {
        self.given
            .iter()
            .find(|(name, _)| *name == field)
            .map_or(self.record, |(_, place)| *place)
    }

    /// Whether the file says anything of the field.
    pub fn is_given(&self, field: &str) -> bool {
        self.given.iter().any(|(name, _)| *name == field)
    }
}

/// What becomes of keys that a record does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Ignored, with a warning.
    Ignored,
    /// A fault.
    Refused,
    /// A fault whose way out names every key that there is.
    Listed,
}

/// A record while it is read.
pub(crate) struct Record<'n, 'l> {
    /// For messages: "the mode".
    what: &'static str,
    /// For field names: `modes[0]`, or empty for the root.
    path: String,
    entries: &'n [Entry],
    known: Vec<&'static str>,
    places: Places,
    pub(crate) log: &'l mut Log,
}

impl<'n, 'l> Record<'n, 'l> {
    /// Begins to read; a fault and none if the node is no map.
    pub(crate) fn open(node: &'n Node, path: &str, what: &'static str, log: &'l mut Log) -> Option<Self> {
        Self::begin(node, path, what, "a map of fields", log)
    }

    /// The same of a table of a TOML file, which is what its readers call a map.
    pub(crate) fn table(node: &'n Node, path: &str, log: &'l mut Log) -> Option<Self> {
        Self::begin(node, path, "the table", "a table", log)
    }

    fn begin(node: &'n Node, path: &str, what: &'static str, expected: &'static str, log: &'l mut Log) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            value::wrong(node, path, expected, log);
            return None;
        };
        Some(Self {
            what,
            path: path.to_owned(),
            entries,
            known: Vec::new(),
            places: Places {
                record: node.place,
                given: Vec::new(),
            },
            log,
        })
    }

    fn find(&mut self, field: &'static str) -> Option<&'n Node> {
        self.known.push(field);
        let entry = self.entries.iter().find(|entry| entry.key.as_text() == Some(field))?;
        self.places.given.push((field, entry.key.place));
        Some(&entry.value)
    }

    fn path_of(&self, field: &str) -> String {
        if self.path.is_empty() {
            field.to_owned()
        } else {
            format!("{}.{field}", self.path)
        }
    }

    /// A field that must be there.
    pub(crate) fn required<T>(
        &mut self,
        field: &'static str,
        read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
    ) -> Option<T> {
        let Some(node) = self.find(field) else {
            let record = self.name();
            self.log
                .fault(self.places.record, || FaultKind::Missing { field, record });
            return None;
        };
        read(node, &self.path_of(field), self.log)
    }

    /// A field with a default; `null` is a fault.
    pub(crate) fn or<T>(
        &mut self,
        field: &'static str,
        default: T,
        read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
    ) -> Option<T> {
        match self.find(field) {
            Some(node) => read(node, &self.path_of(field), self.log),
            None => Some(default),
        }
    }

    /// A field that may be absent or `null`.
    pub(crate) fn optional<T>(
        &mut self,
        field: &'static str,
        read: impl Fn(&Node, &str, &mut Log) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.find(field) {
            None => Some(None),
            Some(node) if node.value == Value::Null => Some(None),
            Some(node) => read(node, &self.path_of(field), self.log).map(Some),
        }
    }

    fn name(&self) -> String {
        if self.path.is_empty() {
            self.what.to_owned()
        } else {
            format!("{} (`{}`)", self.what, self.path)
        }
    }

    /// Whether the file says anything of a field.
    pub(crate) fn is_given(&self, field: &str) -> bool {
        self.places.is_given(field)
    }

    /// Where a field stands so far.
    pub(crate) fn place_of(&self, field: &str) -> Place {
        self.places.of(field)
    }

    /// Ends the reading: what is left over is unknown.
    pub(crate) fn close(self, extra: Extra) -> Places {
        let name = self.name();
        let at_root = self.path.is_empty();
        for entry in self.entries {
            let Some(key) = entry.key.as_text() else {
                let kind = || FaultKind::KeyNotText {
                    record: name.clone(),
                    found: entry.key.value.kind(),
                };
                if extra != Extra::Ignored || at_root {
                    // snodo cannot take such a key at the root either, whatever it ignores elsewhere.
                    self.log.fault(entry.key.place, kind);
                } else {
                    self.log.warn(entry.key.place, || {
                        unknown_warning(&entry.key.as_key(), &name, &self.known)
                    });
                }
                continue;
            };
            if self.known.contains(&key) {
                continue;
            }
            match extra {
                Extra::Refused => self.log.fault(entry.key.place, || FaultKind::UnknownKey {
                    key: key.to_owned(),
                    record: name.clone(),
                    known: self.known.clone(),
                    nearest: near(key, &self.known),
                }),
                Extra::Listed => self.log.fault(entry.key.place, || FaultKind::UnknownSetting {
                    key: key.to_owned(),
                    section: self.path.clone(),
                    known: self.known.clone(),
                    nearest: near(key, &self.known),
                }),
                Extra::Ignored => self
                    .log
                    .warn(entry.key.place, || unknown_warning(key, &name, &self.known)),
            }
        }
        self.places
    }
}

fn unknown_warning(key: &str, record: &str, known: &[&'static str]) -> WarningKind {
    WarningKind::UnknownKey {
        key: key.to_owned(),
        record: record.to_owned(),
        known: known.to_vec(),
        nearest: near(key, known),
    }
}

pub(crate) fn near(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let found = nearest(key, known.iter().copied())?;
    known.iter().find(|k| **k == found).copied()
}
