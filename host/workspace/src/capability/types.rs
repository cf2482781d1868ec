//! The types that several interfaces share (`wit/types.wit`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

/// The whole content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Valid UTF-8 without a NUL.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Content {
    /// Chooses the variant by the contract's rule: text exactly when the bytes are valid UTF-8 and hold no NUL.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        if bytes.contains(&0) {
            return Self::Bytes(bytes);
        }
        String::from_utf8(bytes).map_or_else(|e| Self::Bytes(e.into_bytes()), Self::Text)
    }

    /// The bytes as they are on disk.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(t) => t.as_bytes(),
            Self::Bytes(b) => b,
        }
    }

    /// The bytes as they are on disk.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(t) => t.into_bytes(),
            Self::Bytes(b) => b,
        }
    }
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharDevice,
    /// Something the system has no name for.
    Unknown,
}

impl EntryKind {
    /// The kind in words, with its article: "a folder", "a named pipe (FIFO)".
    pub fn describe(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe (FIFO)",
            Self::Socket => "a socket",
            Self::BlockDevice => "a block device",
            Self::CharDevice => "a character device",
            Self::Unknown => "something that is neither file nor folder",
        }
    }
}

/// A refusal by a rule that somebody set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The path as asked for.
    pub path: String,
    /// The rule, with where it stands, in one line.
    pub rule: String,
}

/// The operating system would not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IoFailure {
    /// The path as asked for.
    pub path: String,
    /// The system's own words.
    pub reason: String,
}

/// A bound that was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitReached {
    /// Its name, as in the report's limits.
    pub name: &'static str,
    /// How much is allowed.
    pub allowed: u64,
}

/// A parameter with a value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadParameter {
    /// The field, by its name in the contract.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Counted to the end.
    Exact(u64),
    /// Only so far did the search go.
    AtLeast(u64),
}

/// What was passed over for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The reason.
    pub reason: SkipReason,
    /// How many files (an ignored or hidden folder counts as one).
    pub files: u64,
}

/// Why a file was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// An ignore file of the workspace names it.
    Ignored,
    /// A dot file, or below a dot folder.
    Hidden,
    /// Not text.
    Binary,
    /// Over the size that is searched.
    TooLarge,
    /// A link.
    Symlink,
    /// A FIFO, socket or device.
    Special,
    /// Cannot be opened, or its name is not UTF-8.
    Unreadable,
    /// Refused by a rule.
    Refused,
    /// A language without rules for symbols.
    NotCovered,
}

/// A flag that long work looks at, so that a search can be abandoned when the plugin that asked is gone.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks whoever holds a clone to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
