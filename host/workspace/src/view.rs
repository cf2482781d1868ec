//! What a plugin sees: the base, with what was submitted on top.

use std::sync::Arc;

use crate::base::Base;
use crate::capability::{EntryKind, ReadError};
use crate::overlay::{Entries, Overlay};
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

/// What a plugin sees. Rules are asked here.
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
        let _ = path;
        todo!()
    }

    /// What stands at a path in this view; a link is a link.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, ReadError> {
        let _ = path;
        todo!()
    }
}
