//! One event: one line with seven keys, and its hash.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::canonical;
use crate::chain::{Chain, Damage};
use crate::parse::{Fault, Malformed, parse};
use crate::time;
use crate::value::{Object, Text, Value};

/// The keys of a line, in the order in which they are written. `project_id` may be missing: an event of a time before there was one.
pub const KEYS: [&str; 7] = [
    "sequence",
    "timestamp",
    "event_type",
    "project_id",
    "data",
    "previous_hash",
    "event_hash",
];

/// The longest line that is read: 64 times what an event may hold. A longer one is damage, since nothing is checked that was not read.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A SHA-256 of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventHash([u8; 32]);

impl EventHash {
    /// What the first event of a chain names as the hash before it.
    pub const GENESIS: Self = Self([0; 32]);

    pub(crate) fn of(text: &[u8]) -> Self {
        Self(Sha256::digest(text).into())
    }
}

impl fmt::Debug for EventHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Display for EventHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Bytes in hexadecimal, in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// A hash is 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash of an event is 64 hexadecimal digits in lower case")]
pub struct BadHash;

impl FromStr for EventHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        let digits = text.as_bytes();
        if digits.len() != 64 || digits.iter().any(|d| !matches!(d, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(BadHash);
        }
        let mut bytes = [0; 32];
        for (byte, two) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let two = std::str::from_utf8(two).map_err(|_| BadHash)?;
            *byte = u8::from_str_radix(two, 16).map_err(|_| BadHash)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for EventHash {
    type Error = BadHash;

    fn try_from(text: String) -> Result<Self, BadHash> {
        text.parse()
    }
}

impl From<EventHash> for String {
    fn from(hash: EventHash) -> Self {
        hash.to_string()
    }
}

/// The end of a chain: kept in run records, it tells later that events were taken away from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Head {
    /// Of the last event; the first event has 0.
    pub sequence: u64,
    /// Of the last event.
    pub hash: EventHash,
}

/// An event as it stands in a line. Types are not checked where snodo's verifier does not check them: whoever wrote `"timestamp": 5` and
/// hashed it has written a valid log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `sequence`.
    pub sequence: Value,
    /// `timestamp`: text, if a snodo wrote it. It is hashed as it is.
    pub timestamp: Value,
    /// `event_type`.
    pub event_type: Value,
    /// `project_id`; none in an event of a time before there was one.
    pub project_id: Option<Value>,
    /// `data`.
    pub data: Value,
    /// `previous_hash`.
    pub previous_hash: Value,
    /// `event_hash`, as it stands there: whether it is right says [`Event::hash`].
    pub event_hash: Value,
}

impl Event {
    /// Reads a line, without its line feed.
    pub fn parse(line: &[u8]) -> Result<Self, Damage> {
        if line.len() > MAX_LINE_BYTES {
            return Err(Damage::LineTooLong);
        }
        let text = std::str::from_utf8(line).map_err(|error| Damage::NotUtf8 {
            column: error.valid_up_to() + 1,
        })?;
        let line = text.trim_end_matches('\r');
        if let Some(at) = line.find('\r') {
            let (column, what) = (at + 1, Fault::CarriageReturn);
            return Err(Malformed { column, what }.into());
        }
        let mut members = match parse(line)? {
            Value::Object(members) => members,
            other => {
                return Err(Damage::NotAnObject {
                    found: other.describe(),
                });
            }
        };
        let mut take = |key: &str| members.remove(&Text::from(key));
        let taken = KEYS.map(&mut take);
        let missing: Vec<_> = std::iter::zip(KEYS, &taken)
            .filter(|(key, value)| value.is_none() && *key != "project_id")
            .map(|(key, _)| key)
            .collect();
        match taken {
            [
                Some(sequence),
                Some(timestamp),
                Some(event_type),
                project_id,
                Some(data),
                Some(previous_hash),
                Some(event_hash),
            ] if members.is_empty() => Ok(Self {
                sequence,
                timestamp,
                event_type,
                project_id,
                data,
                previous_hash,
                event_hash,
            }),
            _ => Err(Damage::Keys {
                missing,
                extra: members.first_key_value().map(|(key, _)| key.lossy().into_owned()),
            }),
        }
    }

    /// The event that comes next in a chain, with its hash.
    pub(crate) fn next(chain: Chain, micros: i64, event_type: &str, project_id: &str, data: Value) -> Self {
        let mut event = Self {
            sequence: chain.events().into(),
            timestamp: time::format(micros).into(),
            event_type: event_type.into(),
            project_id: Some(project_id.into()),
            data,
            previous_hash: chain.previous().to_string().into(),
            event_hash: Value::Null,
        };
        event.event_hash = event.hash().to_string().into();
        event
    }

    /// The hash that the event should bear.
    pub fn hash(&self) -> EventHash {
        // The keys in the order of their code points; `data` is large, so that it is not copied into an object.
        let mut text = String::with_capacity(512);
        let members = [
            ("data", Some(&self.data)),
            ("event_type", Some(&self.event_type)),
            ("previous_hash", Some(&self.previous_hash)),
            ("project_id", self.project_id.as_ref()),
            ("sequence", Some(&self.sequence)),
            ("timestamp", Some(&self.timestamp)),
        ];
        write_members(&mut text, members);
        EventHash::of(text.as_bytes())
    }

    /// The line, with its line feed.
    pub(crate) fn line(&self) -> String {
        let mut text = String::with_capacity(1024);
        let members = [
            Some(&self.sequence),
            Some(&self.timestamp),
            Some(&self.event_type),
            self.project_id.as_ref(),
            Some(&self.data),
            Some(&self.previous_hash),
            Some(&self.event_hash),
        ];
        write_members(&mut text, std::iter::zip(KEYS, members));
        text.push('\n');
        text
    }
}

fn write_members<'a>(out: &mut String, members: impl IntoIterator<Item = (&'a str, Option<&'a Value>)>) {
    let given = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    for (index, (key, value)) in given.enumerate() {
        out.push_str(if index == 0 { "{\"" } else { ", \"" });
        out.push_str(key);
        out.push_str("\": ");
        canonical::write(out, value);
    }
    out.push('}');
}

/// What is to be recorded: the type of an event and its data. The log gives the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// `event_type`: see [`crate::vocabulary`].
    pub event_type: &'static str,
    /// `data`.
    pub data: Object,
}
