//! The chain: what the next line must bear, and what can be wrong with it.
//!
//! What is **not** detectable from a log alone, since it holds no secret and has no anchor: events that were taken away from its end, and a
//! chain that was hashed anew from some event on. Both are found against a [`Head`] that was kept elsewhere (run records, in the user's
//! state). Blank lines, line ends of Windows, the order of keys and another spelling of the same values are no damage: the hash is over
//! values.

use crate::event::{Event, EventHash, Head};
use crate::parse::{Fault, Malformed};
use crate::value::Value;
use snodo_workspace::escape::one_line;

/// What is wrong with a log, at the first place where something is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Bytes that are no text.
    #[error("byte {column} is not UTF-8")]
    NotUtf8 {
        /// The first such byte; the first of the line is 1.
        column: usize,
    },
    /// No JSON.
    #[error("not JSON: {0}")]
    Malformed(#[from] Malformed),
    /// JSON, but no object. (snodo's own verifier dies of it.)
    #[error("an event is an object, and this is {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// Not the seven keys.
    #[error("not the keys of an event{}", keys(.missing, .extra.as_deref()))]
    Keys {
        /// Keys that are needed.
        missing: Vec<&'static str>,
        /// The first one that has no place there.
        extra: Option<String>,
    },
    /// Longer than [`crate::event::MAX_LINE_BYTES`].
    #[error("the line is longer than {} MiB and was not read", crate::event::MAX_LINE_BYTES / (1024 * 1024))]
    LineTooLong,
    /// Events are missing, were added, or stand in another order.
    #[error("sequence {found} where {expected} is due: events were taken out, put in or moved")]
    Sequence {
        /// What is due.
        expected: u64,
        /// What stands there.
        found: String,
    },
    /// The first event names another one before it.
    #[error("the first event's previous_hash is not 64 zeros: the beginning of the log was changed")]
    Genesis,
    /// The link to the event before is broken.
    #[error("previous_hash is not the hash of the event before: one of the two was changed")]
    Link,
    /// The event was changed after it was written.
    #[error("event_hash is not the hash of the event: it was changed after it was written")]
    Hash,
    /// The last line has no line feed and is no event: its writer did not come to the end of it.
    #[error("the last line ends after {bytes} bytes, without being an event: writing it was cut off ({what})")]
    Torn {
        /// How many bytes there are.
        bytes: u64,
        /// What is wrong with them.
        what: Box<Damage>,
    },
    /// The log ends before an event that is known to have been in it.
    #[error("the log has {events} events, and event {} is known from a run: events were taken away from the end", .known.sequence)]
    TailRemoved {
        /// What is known.
        known: Head,
        /// What there is.
        events: u64,
    },
    /// Another event stands in the place of one that is known: the log was written anew from there or from before.
    #[error("event {} is not the one that is known from a run: the log was replaced or written anew", .known.sequence)]
    HeadDiffers {
        /// What is known.
        known: Head,
    },
}

impl Damage {
    /// snodo's reason code where it has one; `torn_tail` and `line_too_long` are ours.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } | Self::Malformed(_) | Self::NotAnObject { .. } | Self::Keys { .. } => {
                "file_malformed"
            }
            Self::LineTooLong => "line_too_long",
            Self::Sequence { .. } => "sequence_gap",
            Self::Genesis => "genesis_hash",
            Self::Link => "link_break",
            Self::Hash => "event_hash_mismatch",
            Self::Torn { .. } => "torn_tail",
            Self::TailRemoved { .. } => "file_length_mismatch",
            Self::HeadDiffers { .. } => "file_hash_mismatch",
        }
    }

    /// The same of a last line without a line feed.
    pub(crate) fn torn(self, line: &[u8]) -> Self {
        Self::Torn {
            bytes: line.len() as u64,
            what: Box::new(self),
        }
    }

    /// Whether a line that its writer did not finish looks like this.
    pub(crate) fn may_be_torn(&self) -> bool {
        match self {
            Self::NotUtf8 { .. } => true,
            Self::Malformed(Malformed { what, .. }) => *what != Fault::ByteOrderMark,
            _ => false,
        }
    }
}

fn keys(missing: &[&str], extra: Option<&str>) -> String {
    let mut text = String::new();
    if !missing.is_empty() {
        text = format!(": missing {}", missing.join(", "));
    }
    if let Some(extra) = extra {
        let and = if text.is_empty() { ": " } else { "; " };
        text = format!("{text}{and}unknown `{}`", one_line(extra, 40));
    }
    text
}

/// How far a chain has been followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    next: u64,
    previous: EventHash,
}

impl Chain {
    /// Before the first event.
    pub const START: Self = Self {
        next: 0,
        previous: EventHash::GENESIS,
    };

    /// Behind an event that is known to be good.
    pub fn after(head: Head) -> Self {
        Self {
            next: head.sequence + 1,
            previous: head.hash,
        }
    }

    /// How many events it has, which is also the next one's sequence.
    pub fn events(&self) -> u64 {
        self.next
    }

    /// What the next event bears as `previous_hash`.
    pub fn previous(&self) -> EventHash {
        self.previous
    }

    /// The last event; none before the first.
    pub fn head(&self) -> Option<Head> {
        self.next.checked_sub(1).map(|sequence| Head {
            sequence,
            hash: self.previous,
        })
    }

    /// Goes on by one line (without its line feed), if it is the next event. Looked at in snodo's order: form, sequence, link, hash.
    ///
    /// One thing is stricter than in snodo, to whom `1.0` and `true` are 1: a sequence is an integer.
    pub fn follow(&mut self, line: &[u8]) -> Result<Event, Damage> {
        let event = Event::parse(line)?;
        if event.sequence.as_u64() != Some(self.next) {
            let found = match &event.sequence {
                Value::Int(number) => one_line(number.as_str(), 40),
                other => other.describe().to_owned(),
            };
            return Err(Damage::Sequence {
                expected: self.next,
                found,
            });
        }
        let is = |value: &Value, hash: EventHash| value.as_str().and_then(|text| text.parse().ok()) == Some(hash);
        if !is(&event.previous_hash, self.previous) {
            return Err(if self.next == 0 { Damage::Genesis } else { Damage::Link });
        }
        let hash = event.hash();
        if !is(&event.event_hash, hash) {
            return Err(Damage::Hash);
        }
        *self = Self::after(Head {
            sequence: self.next,
            hash,
        });
        Ok(event)
    }
}
