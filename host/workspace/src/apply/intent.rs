//! What an apply is going to do, step by step, as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::sys::Id;
use crate::path::WorkspacePath;

/// One step of an apply: what is to stand where, and what stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Intent {
    /// What is made, replaced, removed, or moved to here.
    #[serde(with = "as_text")]
    pub(super) path: WorkspacePath,
    /// The temporary name.
    pub(super) temp: String,
    pub(super) act: Act,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Act {
    /// A folder that is not there.
    Folder {
        /// Where the temporary name stands: the nearest folder above that is there from the start.
        #[serde(with = "as_text::option")]
        within: Option<WorkspacePath>,
    },
    /// A file where there is none.
    Create {
        #[serde(with = "as_text::option")]
        within: Option<WorkspacePath>,
        /// Of the new content; of a link, of its target's text.
        #[serde(with = "as_hex")]
        after: blake3::Hash,
        /// It is a link: only ever one that is put back.
        #[serde(default)]
        link: bool,
    },
    /// Another inode for a file; the temporary name stands beside it.
    Replace {
        before: Known,
        #[serde(with = "as_hex")]
        after: blake3::Hash,
        /// The name that the old file gets where names cannot be exchanged.
        backup: String,
    },
    /// A file or link goes; the temporary name stands beside it.
    Remove { before: Known },
    /// A file goes to `path` as it is; the temporary name stands beside `from`.
    Move {
        #[serde(with = "as_text")]
        from: WorkspacePath,
        before: Known,
    },
}

/// A file or link of the workspace before the apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) id: Id,
    /// Permission bits.
    pub(super) mode: u32,
    pub(super) size: u64,
    /// A link: `hash` is that of its target's text.
    pub(super) link: bool,
    #[serde(with = "as_hex")]
    pub(super) hash: blake3::Hash,
}

impl Intent {
    /// Something new is made under the temporary name.
    pub(super) fn is_staged(&self) -> bool {
        matches!(self.act, Act::Folder { .. } | Act::Create { .. } | Act::Replace { .. })
    }

    /// The folder in which the temporary name stands; `None` is the root.
    pub(super) fn temp_folder(&self) -> Option<WorkspacePath> {
        match &self.act {
            Act::Folder { within } | Act::Create { within, .. } => within.clone(),
            Act::Replace { .. } | Act::Remove { .. } => self.path.parent(),
            Act::Move { from, .. } => from.parent(),
        }
    }
}

mod as_hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(hash: &blake3::Hash, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hash.to_hex())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<blake3::Hash, D::Error> {
        blake3::Hash::from_hex(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::path::WorkspacePath;

    pub(super) fn serialize<S: Serializer>(path: &WorkspacePath, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(path.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<WorkspacePath, D::Error> {
        WorkspacePath::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }

    /// The root is the empty text.
    pub(super) mod option {
        use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

        use crate::path::WorkspacePath;

        #[expect(clippy::ref_option, reason = "serde calls it so")]
        pub(in super::super) fn serialize<S: Serializer>(
            path: &Option<WorkspacePath>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.serialize_str(path.as_ref().map_or("", |p| p.as_str()))
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<WorkspacePath>, D::Error> {
            WorkspacePath::parse_folder(&String::deserialize(from)?).map_err(D::Error::custom)
        }
    }
}
