//! What a plugin sees: the base, with what was submitted on top. Rules are asked here.

use std::sync::Arc;

use cap_std::fs::File;

use crate::base::{Base, BaseError, BaseFile};
use crate::capability::{EntryKind, IoFailure, ReadError};
use crate::handle;
use crate::overlay::{Entries, Overlay, OverlayEntry};
use crate::path::WorkspacePath;

/// A file as a plugin sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewFile {
    /// All of it.
    pub bytes: Arc<[u8]>,
    /// The executable bit.
    pub executable: bool,
    /// It comes from what was submitted, not from the base.
    pub pending: bool,
}

/// A file as it was found.
pub(crate) enum Loaded {
    /// In what was submitted.
    Pending { bytes: Arc<[u8]>, executable: bool },
    /// In the base.
    Base(BaseFile),
}

impl Loaded {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Pending { bytes, .. } => bytes,
            Self::Base(file) => &file.bytes,
        }
    }

    /// The bytes as one's own, and the executable bit.
    pub(crate) fn into_parts(self) -> (Vec<u8>, bool) {
        match self {
            Self::Pending { bytes, executable } => (bytes.to_vec(), executable),
            Self::Base(file) => (file.bytes, file.executable),
        }
    }
}

/// What a plugin sees.
#[derive(Debug, Clone)]
pub struct View {
    base: Arc<Base>,
    top: Top,
}

#[derive(Debug, Clone)]
enum Top {
    Nothing,
    Live(Arc<Overlay>),
    Frozen(Arc<Entries>),
}

impl View {
    /// The base alone.
    pub fn of_base(base: Arc<Base>) -> Self {
        Self {
            base,
            top: Top::Nothing,
        }
    }

    /// The base with an overlay that still grows: what a coder sees.
    pub fn with_overlay(base: Arc<Base>, overlay: Arc<Overlay>) -> Self {
        Self {
            base,
            top: Top::Live(overlay),
        }
    }

    /// The base with what had been submitted at a moment: what is judged.
    pub fn frozen(base: Arc<Base>, entries: Arc<Entries>) -> Self {
        Self {
            base,
            top: Top::Frozen(entries),
        }
    }

    /// The base below.
    pub fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// What is pending, as this view sees it now.
    pub fn entries(&self) -> Arc<Entries> {
        match &self.top {
            Top::Nothing => Arc::default(),
            Top::Live(overlay) => overlay.entries(),
            Top::Frozen(entries) => Arc::clone(entries),
        }
    }

    /// A whole file, rules asked.
    pub fn read(&self, path: &WorkspacePath) -> Result<ViewFile, ReadError> {
        Ok(match self.load(path)? {
            Loaded::Pending { bytes, executable } => ViewFile {
                bytes,
                executable,
                pending: true,
            },
            Loaded::Base(file) => ViewFile {
                bytes: file.bytes.into(),
                executable: file.executable,
                pending: false,
            },
        })
    }

    /// The same without a copy of what the base has.
    pub(crate) fn load(&self, path: &WorkspacePath) -> Result<Loaded, ReadError> {
        self.base.rules().check_read(path).map_err(ReadError::Refused)?;
        let entries = self.entries();
        match entries.get(path) {
            // Whether an ignore file names it is no question for what the coder itself wrote.
            Some(OverlayEntry::File { bytes, executable, .. }) => Ok(Loaded::Pending {
                bytes: Arc::clone(bytes),
                executable: *executable,
            }),
            Some(OverlayEntry::Deleted) => Err(ReadError::NotFound(path.as_str().to_owned())),
            None => {
                self.base.check_not_ignored(path).map_err(ReadError::Refused)?;
                self.base.read(path).map(Loaded::Base).map_err(|error| match error {
                    BaseError::NotFound(_) if has_file_below(&entries, path) => wrong_kind(path, EntryKind::Directory),
                    error => read_error(path, error),
                })
            }
        }
    }

    /// What stands at a path in this view; a link is a link. `None` when nothing does.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, ReadError> {
        let entries = self.entries();
        match entries.get(path) {
            Some(OverlayEntry::File { .. }) => Ok(Some(EntryKind::File)),
            Some(OverlayEntry::Deleted) => Ok(None),
            None => {
                let kind = self.base.kind(path).map_err(|error| read_error(path, error))?;
                Ok(kind.or_else(|| has_file_below(&entries, path).then_some(EntryKind::Directory)))
            }
        }
    }

    /// A file of the base that is too large to be read whole, after [`Self::read`] said so.
    pub(crate) fn open_large(&self, path: &WorkspacePath) -> Result<File, ReadError> {
        let opened = handle::open_file(self.base.root().dir(), path);
        opened
            .map(|(file, _)| file)
            .map_err(|error| read_error(path, error.into()))
    }
}

fn has_file_below(entries: &Entries, path: &WorkspacePath) -> bool {
    let below = format!("{}/", path.as_str());
    entries
        .range::<str, _>((std::ops::Bound::Included(below.as_str()), std::ops::Bound::Unbounded))
        .take_while(|(path, _)| path.as_str().starts_with(&below))
        .any(|(_, entry)| matches!(entry, OverlayEntry::File { .. }))
}

fn wrong_kind(path: &WorkspacePath, kind: EntryKind) -> ReadError {
    ReadError::WrongKind {
        path: path.as_str().to_owned(),
        kind,
    }
}

/// The base's answer in the words of the contract. Below something that is no folder there is nothing.
pub(crate) fn read_error(path: &WorkspacePath, error: BaseError) -> ReadError {
    let asked = path.as_str().to_owned();
    match error {
        BaseError::Symlink { .. } => ReadError::Symlink(asked),
        BaseError::WrongKind { at, kind } if at == *path => wrong_kind(path, kind),
        BaseError::NotFound(_) | BaseError::WrongKind { .. } => ReadError::NotFound(asked),
        BaseError::TooLarge { size, limit, .. } => ReadError::TooLarge {
            path: asked,
            size,
            limit,
        },
        BaseError::ChangedDuringRun(_) => ReadError::ChangedDuringRun(asked),
        BaseError::Io { error, .. } => ReadError::Io(IoFailure {
            path: asked,
            reason: error.to_string(),
        }),
    }
}
