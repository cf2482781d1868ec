//! The upper layer of an overlay whose lower layer is the workspace.
//!
//! It holds what differs: the files of the pending change, the folders above them (a folder in both layers is merged, with the attributes of the
//! upper one, so they are given those of the workspace's), and *whiteouts*, character devices 0:0, in place of what is not to be seen: what the
//! change takes away, and what is [`hidden`](super::hidden()). Making a whiteout needs no privilege since Linux 5.8. A hidden folder that the change
//! puts a file into is made *opaque*, by the attribute that a mount with `userxattr` reads; nothing here is to be mounted without that option.
//!
//! The kernel does not say what happens when a lower layer changes while it is mounted; in practice a file of the workspace that somebody saves
//! meanwhile is seen as saved.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::copy::{Copier, finish_folder};
use super::pending::{Child, Pending};
use super::{Hidden, ScratchError, listing};
use crate::capability::Cancel;
use crate::limits::ScratchLimits;
use crate::overlay::OverlayEntry;
use crate::view::View;

/// What an upper layer holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpperReport {
    /// Files of the pending change.
    pub files: u64,
    /// Folders.
    pub folders: u64,
    /// Paths of the workspace that are not to be seen.
    pub whiteouts: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Writes into an empty folder the upper layer that shows the view over its workspace, without what is hidden. Long work: call it where blocking
/// is allowed.
///
/// `NoWhiteout` where the system refuses one: then the workspace has to be copied ([`super::materialise`]).
pub fn prepare_upper(
    view: &View,
    hidden: &Hidden,
    upper: &Dir,
    limits: ScratchLimits,
    cancel: &Cancel,
) -> Result<UpperReport, ScratchError> {
    let entries = view.entries();
    let root = view.base().root().dir();
    let pending = Pending::new(&entries);
    let gone = pending.gone(root, cancel)?;
    let mut tree = Node::default();
    for entry in hidden.entries() {
        tree.at(entry.path.as_os_str()).hidden = true;
    }
    tree.add_pending(&pending, &gone, "");
    let mut writer = Writer {
        copier: Copier::new(root, limits, cancel),
        whiteouts: 0,
    };
    let base = listing::reopen(root).map_err(|e| ScratchError::io(OsStr::new("."), e))?;
    writer.folder(&tree, Some(&base), upper, OsStr::new(""))?;
    let like = root.dir_metadata().map_err(|e| ScratchError::io(OsStr::new("."), e))?;
    finish_folder(upper, &like, OsStr::new("."))?;
    let report = writer.copier.report;
    Ok(UpperReport {
        files: report.files,
        folders: report.folders,
        whiteouts: writer.whiteouts,
        bytes: report.bytes,
    })
}

/// What an upper layer has to say of a path.
#[derive(Default)]
struct Node<'a> {
    /// The workspace's entry is hidden, with all below it.
    hidden: bool,
    /// The change takes away what stands there.
    deleted: bool,
    /// The change has a file here, and where it came from: `renamed_from`.
    file: Option<&'a OverlayEntry>,
    /// A file of the change lies below.
    gains: bool,
    below: BTreeMap<OsString, Self>,
}

impl<'a> Node<'a> {
    fn at(&mut self, path: &OsStr) -> &mut Self {
        let names = Path::new(path).iter();
        names.fold(self, |node, name| node.below.entry(name.to_owned()).or_default())
    }

    fn add_pending(&mut self, pending: &Pending<'a>, gone: &BTreeSet<String>, folder: &str) {
        for (name, child) in pending.children(folder) {
            let path = super::join(folder, name);
            let node = self.below.entry(name.into()).or_default();
            match child {
                Child::Entry(OverlayEntry::Deleted) => node.deleted = true,
                Child::Entry(file @ OverlayEntry::File { .. }) => node.file = Some(*file),
                Child::Folder { .. } if gone.contains(&path) => node.deleted = true,
                Child::Folder { replaces } => {
                    node.deleted = *replaces;
                    node.gains = pending.gains_something(&path);
                    node.add_pending(pending, gone, &path);
                }
            }
        }
    }
}

struct Writer<'a> {
    copier: Copier<'a>,
    whiteouts: u64,
}

impl Writer<'_> {
    /// Puts into a folder of the upper layer what is to be in it. `base` is the workspace's folder, as far as it is to be seen.
    fn folder(&mut self, node: &Node<'_>, base: Option<&Dir>, upper: &Dir, path: &OsStr) -> Result<(), ScratchError> {
        for (name, child) in &node.below {
            let below = listing::join(path, name);
            let there = match base {
                Some(base) => listing::look(base, name).map_err(|e| ScratchError::io(&below, e))?,
                None => None,
            };
            if let Some(OverlayEntry::File {
                bytes,
                executable,
                renamed_from,
            }) = child.file
            {
                self.copier.count_entry()?;
                let like = self.copier.like(&below, renamed_from.as_ref());
                // Of an overlay's path, so it is text.
                let name = name.to_str().unwrap_or_default();
                self.copier
                    .write_pending(upper, name, bytes, *executable, like.as_ref(), &below)?;
                continue;
            }
            let Some(there) = there else {
                if child.gains {
                    self.make(child, None, upper, name, &below, false)?;
                }
                continue;
            };
            let is_kept_file = !there.is_folder() && !child.deleted && !child.hidden;
            if child.gains && !is_kept_file {
                let base = base.filter(|_| there.is_folder() && !child.hidden);
                self.make(child, base, upper, name, &below, there.is_folder() && child.hidden)?;
            } else if child.hidden || child.deleted {
                self.whiteout(upper, name, &below)?;
            } else if there.is_folder() {
                self.make(child, base, upper, name, &below, false)?;
            }
        }
        Ok(())
    }

    /// Makes the folder `name` in the upper layer, with what is to be in it.
    fn make(
        &mut self,
        node: &Node<'_>,
        base_above: Option<&Dir>,
        upper: &Dir,
        name: &OsStr,
        path: &OsStr,
        opaque: bool,
    ) -> Result<(), ScratchError> {
        self.copier.count_entry()?;
        let base = match base_above {
            Some(above) => match listing::open_folder(above, name) {
                Ok(dir) => Some(dir),
                // Gone, or no folder any more.
                Err(error) if listing::is_no_folder(&error) => None,
                Err(error) => return Err(ScratchError::io(path, error)),
            },
            None => None,
        };
        let made = self.copier.make_folder(upper, Path::new(name), path)?;
        self.folder(node, base.as_ref(), &made, path)?;
        if opaque {
            make_opaque(&made, path)?;
        }
        let like = match &base {
            Some(base) => Some(base.dir_metadata().map_err(|e| ScratchError::io(path, e))?),
            None => self.copier.folder_like(path),
        };
        match like {
            Some(like) => finish_folder(&made, &like, path),
            None => Ok(()),
        }
    }

    fn whiteout(&mut self, upper: &Dir, name: &OsStr, path: &OsStr) -> Result<(), ScratchError> {
        self.copier.count_entry()?;
        self.whiteouts += 1;
        match make_whiteout(upper, name) {
            Ok(()) => Ok(()),
            Err(error) => match ScratchError::io(path, error) {
                ScratchError::Io { path, error } => Err(ScratchError::NoWhiteout { path, error }),
                other => Err(other),
            },
        }
    }
}

#[cfg(target_os = "linux")]
fn make_whiteout(upper: &Dir, name: &OsStr) -> io::Result<()> {
    use rustix::fs::{FileType, Mode, makedev, mknodat};
    Ok(mknodat(
        upper,
        name,
        FileType::CharacterDevice,
        Mode::empty(),
        makedev(0, 0),
    )?)
}

#[cfg(not(target_os = "linux"))]
fn make_whiteout(_: &Dir, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn make_opaque(folder: &Dir, path: &OsStr) -> Result<(), ScratchError> {
    let refused = |error| ScratchError::NoWhiteout {
        path: super::shown(path),
        error,
    };
    // A handle to go on from is not one to change the folder by.
    let folder = listing::reopen(folder).map_err(refused)?;
    rustix::fs::fsetxattr(&folder, listing::OPAQUE, b"y", rustix::fs::XattrFlags::empty())
        .map_err(|error| refused(error.into()))
}

#[cfg(not(target_os = "linux"))]
fn make_opaque(_: &Dir, path: &OsStr) -> Result<(), ScratchError> {
    Err(ScratchError::NoWhiteout {
        path: super::shown(path),
        error: io::ErrorKind::Unsupported.into(),
    })
}
