//! A scratch as it stood before a program ran in it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::ScratchError;
use super::listing::{self, HELD_OPEN, Look};
use crate::capability::{Cancel, EntryKind};
use crate::path::MAX_COMPONENTS;
use crate::seen::Stamp;
use crate::walk::pool::{Pool, threads};

/// The folder that a program was let write in.
#[derive(Debug, Clone, Copy)]
pub enum Scratch<'a> {
    /// The upper layer of an overlay over the workspace ([`super::prepare_upper`]), not mounted any more.
    Upper(&'a Dir),
    /// A copy of the workspace ([`super::materialise`]).
    Copy(&'a Dir),
}

impl<'a> Scratch<'a> {
    pub(super) fn dir(self) -> &'a Dir {
        match self {
            Self::Upper(dir) | Self::Copy(dir) => dir,
        }
    }

    pub(super) fn is_upper(self) -> bool {
        matches!(self, Self::Upper(_))
    }
}

/// What stood in a scratch: of every entry its inode, size, times and mode, but not its content.
#[derive(Debug)]
pub struct Snapshot {
    /// By folder; in each, sorted by name.
    folders: HashMap<OsString, Vec<(OsString, Look)>>,
    /// When the scratch's own folder was last changed: a moment shortly before, by the clock of the file system.
    at: Stamp,
    is_upper: bool,
}

impl Snapshot {
    /// Of an upper layer, after it was prepared and before it is mounted.
    pub fn of_upper(upper: &Dir, cancel: &Cancel) -> Result<Self, ScratchError> {
        Self::of(Scratch::Upper(upper), cancel)
    }

    /// Of a copy. Looks at every entry of it, on all threads that there are.
    pub fn of_copy(copy: &Dir, cancel: &Cancel) -> Result<Self, ScratchError> {
        Self::of(Scratch::Copy(copy), cancel)
    }

    /// Of a scratch of either kind.
    pub fn of(scratch: Scratch<'_>, cancel: &Cancel) -> Result<Self, ScratchError> {
        let root = scratch.dir();
        let io = |e| ScratchError::io(OsStr::new("."), e);
        let at = listing::look(root, OsStr::new(".")).map_err(io)?.map_or(
            Stamp {
                seconds: 0,
                nanoseconds: 0,
            },
            |look| look.stat.ctime,
        );
        let first = Arc::new(listing::reopen(root).map_err(io)?);
        let pool = Pool::new(Work::Open(first));
        let walk = Walk { root, cancel };
        let results = pool.run(
            threads(),
            || Ok(HashMap::new()),
            |work, own: &mut Result<HashMap<_, _>, ScratchError>| {
                if let Ok(folders) = own
                    && let Err(error) = walk.folder(work, folders, &pool)
                {
                    *own = Err(error);
                    pool.stop();
                }
            },
        );
        let mut folders = HashMap::new();
        for result in results {
            folders.extend(result?);
        }
        Ok(Self {
            folders,
            at,
            is_upper: scratch.is_upper(),
        })
    }

    /// What stood in a folder (empty for the root), by name.
    pub(super) fn children(&self, folder: &OsStr) -> &[(OsString, Look)] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    pub(super) fn at(&self) -> Stamp {
        self.at
    }

    pub(super) fn is_upper(&self) -> bool {
        self.is_upper
    }
}

enum Work {
    Open(Arc<Dir>),
    In(Arc<Dir>, OsString),
    ByPath(OsString),
}

struct Walk<'a> {
    root: &'a Dir,
    cancel: &'a Cancel,
}

type Folders = HashMap<OsString, Vec<(OsString, Look)>>;

impl Walk<'_> {
    fn folder(&self, work: Work, folders: &mut Folders, pool: &Pool<Work>) -> Result<(), ScratchError> {
        if self.cancel.is_cancelled() {
            return Err(ScratchError::Cancelled);
        }
        let (dir, path) = match work {
            Work::Open(dir) => (dir, OsString::new()),
            Work::In(parent, path) => {
                let name = Path::new(&path).file_name().unwrap_or_default();
                let dir = listing::open_folder(&parent, name).map_err(|e| ScratchError::io(&path, e))?;
                (Arc::new(dir), path)
            }
            Work::ByPath(path) => {
                let dir = listing::open_below(self.root, &path).map_err(|e| ScratchError::io(&path, e))?;
                (Arc::new(dir), path)
            }
        };
        let io = |e| ScratchError::io(&path, e);
        let mut names = Vec::new();
        listing::list(&dir, |name, _| {
            names.push(name.to_owned());
            true
        })
        .map_err(io)?;
        names.sort_unstable();
        let depth = Path::new(&path).iter().count();
        let mut entries = Vec::with_capacity(names.len());
        let mut below = Vec::new();
        for name in names {
            let Some(look) = listing::look(&dir, &name).map_err(io)? else {
                continue;
            };
            // Nothing of a workspace is that deep.
            if look.kind == EntryKind::Directory && depth + 1 < MAX_COMPONENTS {
                let path = listing::join(&path, &name);
                below.push(if depth < HELD_OPEN {
                    Work::In(Arc::clone(&dir), path)
                } else {
                    Work::ByPath(path)
                });
            }
            entries.push((name, look));
        }
        pool.add(below);
        folders.insert(path, entries);
        Ok(())
    }
}
