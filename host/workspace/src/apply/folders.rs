//! The folders that an apply works in, held open while it works there.

use std::cell::RefCell;
use std::rc::Rc;

use cap_std::fs::Dir;

use crate::handle::{self, ReachError};
use crate::path::WorkspacePath;

/// Handles kept at a time. Steps go in the order of paths, so that the folder of one step is mostly that of the last.
const KEPT: usize = 8;

/// Opens folders below the root, through no link.
pub(super) struct Folders<'a> {
    root: &'a Dir,
    last_used_last: RefCell<Vec<(Option<WorkspacePath>, Rc<Dir>)>>,
}

impl<'a> Folders<'a> {
    pub(super) fn new(root: &'a Dir) -> Self {
        Self {
            root,
            last_used_last: RefCell::default(),
        }
    }

    pub(super) fn root(&self) -> &'a Dir {
        self.root
    }

    /// `None` is the root.
    pub(super) fn open(&self, folder: Option<&WorkspacePath>) -> Result<Rc<Dir>, ReachError> {
        let mut kept = self.last_used_last.borrow_mut();
        let entry = match kept.iter().position(|(path, _)| path.as_ref() == folder) {
            Some(at) => kept.remove(at),
            None => (folder.cloned(), Rc::new(handle::open_folder(self.root, folder)?)),
        };
        let dir = Rc::clone(&entry.1);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(entry);
        Ok(dir)
    }

    /// The folder that a path stands in.
    pub(super) fn above(&self, path: &WorkspacePath) -> Result<Rc<Dir>, ReachError> {
        self.open(path.parent().as_ref())
    }
}
