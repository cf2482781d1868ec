//! What a program made of a scratch: the tree as it was shown to it, beside the tree as it left it.
//!
//! The tree was left by hostile code: names of any bytes, folders that may not be read, FIFOs, links to anywhere, folders in one another
//! without end, millions of entries. No link is followed and nothing but folders and regular files opened; nothing deeper than a path may be is looked
//! at; and after a bound of entries the comparison ends and says so.
//!
//! Of a copy, both trees stand in the scratch: before ([`Snapshot`]) and now. Of an upper layer, the tree before is the workspace, with the
//! snapshot over it and without what is hidden, and the tree now has the layer over the workspace: a whiteout takes away, an opaque folder
//! hides what was in it, a file replaces. What was only copied up, since something below it was written or since it was opened for writing,
//! is as it was.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};

use cap_std::fs::Dir;

use super::listing::{self, Look};
use super::remove::open_by_force;
use super::snapshot::{Scratch, Snapshot};
use super::{Hidden, ScratchError};
use crate::capability::{Cancel, EntryKind};
use crate::path::{MAX_COMPONENTS, MAX_PATH_BYTES};

/// Entries that are looked at; some seconds of work.
const MAX_ENTRIES: u64 = 2_000_000;

/// Bytes of a file that is held against the workspace's, byte by byte, when size and time say that it is the same. A larger one counts as changed.
const MAX_COMPARED: u64 = 64 * 1024 * 1024;

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Created,
    Changed,
    ModeOnly,
    Deleted,
    /// Something of another kind stands there.
    Replaced,
}

/// One entry that is not as it was.
pub(super) struct Change<'c> {
    pub(super) path: &'c OsStr,
    pub(super) what: What,
    pub(super) before: Option<&'c Look>,
    pub(super) after: Option<&'c Look>,
    /// The folder of the scratch that it stands in now, and its name there.
    pub(super) place: Option<(&'c Dir, &'c OsStr)>,
}

impl Change<'_> {
    /// What stands there now, or stood there.
    pub(super) fn kind(&self) -> EntryKind {
        self.after.or(self.before).map_or(EntryKind::Unknown, |look| look.kind)
    }
}

/// Who is told.
pub(super) trait Visitor {
    /// Whether to look into a folder that was there and is.
    fn enters(&mut self, path: &OsStr) -> bool;
    /// One change, in no order that matters. Of a folder that was made or went: whether to tell of what is, or was, in it.
    fn change(&mut self, change: &Change<'_>) -> Result<bool, ScratchError>;
}

/// Tells the visitor of every change. False: not all was looked at.
pub(super) fn compare(
    base: &Dir,
    hidden: &Hidden,
    scratch: Scratch<'_>,
    before: &Snapshot,
    cancel: &Cancel,
    visitor: &mut impl Visitor,
) -> Result<bool, ScratchError> {
    let io = |e| ScratchError::io(OsStr::new("."), e);
    if before.is_upper() != scratch.is_upper() {
        return Err(io(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the snapshot is of a scratch of another kind",
        )));
    }
    let disk = open_by_force(scratch.dir(), OsStr::new(".")).map_err(io)?;
    let base = if scratch.is_upper() {
        Some(listing::reopen(base).map_err(io)?)
    } else {
        None
    };
    let mut comparison = Comparison {
        hidden,
        before,
        is_upper: scratch.is_upper(),
        cancel,
        visitor,
        entries: 0,
        complete: true,
    };
    comparison.folder(OsStr::new(""), &disk, base.as_ref(), 0)?;
    Ok(comparison.complete)
}

struct Comparison<'a, V> {
    hidden: &'a Hidden,
    before: &'a Snapshot,
    is_upper: bool,
    cancel: &'a Cancel,
    visitor: &'a mut V,
    entries: u64,
    complete: bool,
}

/// An entry before: how it looked, and the workspace's folder if it is a folder of the workspace's that was seen.
struct Before {
    look: Look,
    /// It is the workspace's own, and not in the snapshot.
    from_base: bool,
    merged: bool,
}

impl<V: Visitor> Comparison<'_, V> {
    /// One folder that stands in the scratch now. `base` is the workspace's, where that was seen through the scratch.
    fn folder(&mut self, path: &OsStr, disk: &Dir, base: Option<&Dir>, depth: usize) -> Result<(), ScratchError> {
        let mut names = self.names(disk, path)?;
        names.extend(self.before.children(path).iter().map(|(name, _)| name.clone()));
        if let Some(base) = base
            && listing::is_opaque(disk)
        {
            let again = listing::reopen(base).map_err(|e| ScratchError::io(path, e))?;
            names.append(&mut self.names(&again, path)?);
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            if !self.goes_on()? {
                return Ok(());
            }
            self.entry(path, &name, disk, base, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &OsStr,
        name: &OsStr,
        disk: &Dir,
        base: Option<&Dir>,
        depth: usize,
    ) -> Result<(), ScratchError> {
        let path = &listing::join(folder, name);
        let io = |e| ScratchError::io(path, e);
        let before = self.find_before(folder, name, base).map_err(io)?;
        let after = listing::look(disk, name).map_err(io)?;
        let after = after.filter(|look| !(self.is_upper && look.whiteout));
        let change = |what| Change {
            path,
            what,
            before: before.as_ref().map(|b| &b.look),
            after: after.as_ref(),
            place: after.as_ref().map(|_| (disk, name)),
        };
        match (&before, &after) {
            (None, None) => {}
            (None, Some(now)) => {
                let enter = self.visitor.change(&change(What::Created))?;
                if enter && now.is_folder() {
                    self.below(path, name, disk, None, depth)?;
                }
            }
            (Some(was), None) => {
                let tell = self.visitor.change(&change(What::Deleted))?;
                if tell && was.look.is_folder() {
                    self.gone(path, name, base.filter(|_| was.merged))?;
                }
            }
            (Some(was), Some(now)) if was.look.is_folder() && now.is_folder() => {
                if was.look.mode() != now.mode() {
                    self.visitor.change(&change(What::ModeOnly))?;
                }
                if self.visitor.enters(path) {
                    self.below(path, name, disk, base.filter(|_| was.merged), depth)?;
                }
            }
            (Some(was), Some(now)) if was.look.kind != now.kind => {
                let tell = self.visitor.change(&change(What::Replaced))?;
                if tell && was.look.is_folder() {
                    self.gone(path, name, base.filter(|_| was.merged))?;
                } else if tell && now.is_folder() {
                    self.below(path, name, disk, None, depth)?;
                }
            }
            (Some(was), Some(now)) => {
                if let Some(what) = self.difference(was, now, name, disk, base).map_err(io)? {
                    self.visitor.change(&change(what))?;
                }
            }
        }
        Ok(())
    }

    fn find_before(&self, folder: &OsStr, name: &OsStr, base: Option<&Dir>) -> io::Result<Option<Before>> {
        let known = self.before.children(folder);
        if let Ok(index) = known.binary_search_by(|(known, _)| known.as_os_str().cmp(name)) {
            let look = known[index].1;
            if self.is_upper && look.whiteout {
                return Ok(None);
            }
            let merged = look.is_folder()
                && self.hidden.at(listing::join(folder, name).as_ref()).is_none()
                && match base {
                    Some(base) => listing::look(base, name)?.is_some_and(|look| look.is_folder()),
                    None => false,
                };
            return Ok(Some(Before {
                look,
                from_base: false,
                merged,
            }));
        }
        let Some(base) = base else { return Ok(None) };
        if self.hidden.at(listing::join(folder, name).as_ref()).is_some() {
            return Ok(None);
        }
        Ok(listing::look(base, name)?.map(|look| Before {
            look,
            from_base: true,
            merged: look.is_folder(),
        }))
    }

    /// Goes down into a folder of the scratch.
    fn below(
        &mut self,
        path: &OsStr,
        name: &OsStr,
        disk: &Dir,
        base: Option<&Dir>,
        depth: usize,
    ) -> Result<(), ScratchError> {
        if depth + 1 >= MAX_COMPONENTS || path.len() > MAX_PATH_BYTES {
            self.complete = false;
            return Ok(());
        }
        let io = |e| ScratchError::io(path, e);
        let folder = open_by_force(disk, name).map_err(io)?;
        let base = match base {
            Some(base) => in_base(base, name).map_err(io)?,
            None => None,
        };
        self.folder(path, &folder, base.as_ref(), depth + 1)
    }

    /// Tells of everything that was in a folder that went. `base_above` is the folder of the workspace that it stands in.
    fn gone(&mut self, path: &OsStr, name: &OsStr, base_above: Option<&Dir>) -> Result<(), ScratchError> {
        let io = |e| ScratchError::io(path, e);
        let mut names: Vec<OsString> = self
            .before
            .children(path)
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let base = match base_above {
            Some(above) => in_base(above, name).map_err(io)?,
            None => None,
        };
        if let Some(base) = &base {
            names.append(&mut self.names(base, path)?);
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            if !self.goes_on()? {
                return Ok(());
            }
            let Some(was) = self.find_before(path, &name, base.as_ref()).map_err(io)? else {
                continue;
            };
            let below = &listing::join(path, &name);
            let tell = self.visitor.change(&Change {
                path: below,
                what: What::Deleted,
                before: Some(&was.look),
                after: None,
                place: None,
            })?;
            if tell && was.look.is_folder() {
                self.gone(below, &name, base.as_ref().filter(|_| was.merged))?;
            }
        }
        Ok(())
    }

    /// How an entry that is of the kind that it was differs.
    fn difference(
        &self,
        was: &Before,
        now: &Look,
        name: &OsStr,
        disk: &Dir,
        base: Option<&Dir>,
    ) -> io::Result<Option<What>> {
        let (old, new) = (&was.look.stat, &now.stat);
        let same_mode = (was.look.mode() != now.mode()).then_some(What::ModeOnly);
        if let Some(base) = base.filter(|_| was.from_base) {
            // Copied up: another inode, and the time of the change of its attributes is now.
            let same = match now.kind {
                EntryKind::File => {
                    (old.size, old.mtime) == (new.size, new.mtime)
                        && new.size <= MAX_COMPARED
                        && self.same_bytes(base, disk, name)?
                }
                EntryKind::Symlink => listing::link_text(base, name)? == listing::link_text(disk, name)?,
                _ => true,
            };
            return Ok(if same { same_mode } else { Some(What::Changed) });
        }
        let same_content = (old.inode, old.size, old.mtime) == (new.inode, new.size, new.mtime);
        Ok(match (same_content, old.ctime == new.ctime) {
            (true, true) => None,
            // Somebody who sets the time back after writing leaves the same traces as one who writes nothing: what is not plainly a
            // change of the mode counts as a change of the content.
            (true, false) => same_mode.or(Some(What::Changed)),
            (false, _) => Some(What::Changed),
        })
    }

    fn same_bytes(&self, base: &Dir, disk: &Dir, name: &OsStr) -> io::Result<bool> {
        const PIECE: usize = 64 * 1024;
        let mut of_base = listing::open_file(base, name)?;
        let Ok(mut of_disk) = listing::open_file(disk, name) else {
            // Its mode was taken away, by whoever was there.
            return Ok(false);
        };
        if !of_base.metadata()?.is_file() || !of_disk.metadata()?.is_file() {
            return Ok(false);
        }
        let (mut one, mut other) = (vec![0; PIECE], vec![0; PIECE]);
        loop {
            let (a, b) = (fill(&mut of_base, &mut one)?, fill(&mut of_disk, &mut other)?);
            if a != b || one[..a] != other[..b] {
                return Ok(false);
            }
            if a == 0 || self.cancel.is_cancelled() {
                return Ok(true);
            }
        }
    }

    fn names(&mut self, folder: &Dir, path: &OsStr) -> Result<Vec<OsString>, ScratchError> {
        let mut names = Vec::new();
        let mut left = MAX_ENTRIES.saturating_sub(self.entries);
        let listed = listing::list(folder, |name, _| {
            if left == 0 || self.cancel.is_cancelled() {
                self.complete = false;
                return false;
            }
            left -= 1;
            names.push(name.to_owned());
            true
        });
        listed.map_err(|e| ScratchError::io(path, e))?;
        Ok(names)
    }

    fn goes_on(&mut self) -> Result<bool, ScratchError> {
        if self.cancel.is_cancelled() {
            return Err(ScratchError::Cancelled);
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            self.complete = false;
        }
        Ok(self.entries <= MAX_ENTRIES)
    }
}

/// A folder of the workspace; none when it is no folder any more.
fn in_base(above: &Dir, name: &OsStr) -> io::Result<Option<Dir>> {
    match listing::open_folder(above, name) {
        Ok(dir) => Ok(Some(dir)),
        Err(error) if listing::is_no_folder(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn fill(file: &mut cap_std::fs::File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
