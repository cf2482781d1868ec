//! The walk itself: one folder at a time, on several threads.

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::at::{self, Listed};
use super::pending::{Entry, Pending};
use super::pool::{Pool, threads};
use super::start::Begin;
use super::{Found, Place, Scope, Skips, Visitor};
use crate::base::Base;
use crate::capability::{Cancel, EntryKind, SkipReason};
use crate::handle::{self, ReachError};
use crate::ignore_rules;
use crate::path::WorkspacePath;

/// Entries of one folder that are worked on as one piece: a folder of thousands is shared by all threads, and never held in
/// memory as a whole.
const PIECE: usize = 64;

/// How far down a folder that waits keeps its parent open. Below it, it is found again from the root, so that a tree built like a
/// comb does not use up the handles of the process.
const HELD_OPEN: u32 = 24;

/// A folder that is being walked.
struct Open<'a> {
    /// `None`: only what is pending makes it a folder.
    dir: Option<Arc<Dir>>,
    /// `None` for the root.
    path: Option<WorkspacePath>,
    rules: Arc<ignore_rules::Folder>,
    pending: Option<&'a Pending>,
    /// Of its entries: 1 for those of the folder asked for.
    depth: u32,
    /// The selection took a folder above, and that holds for its entries.
    taken: bool,
}

/// A piece of work.
enum Work<'a> {
    Begin(Begin<'a>),
    Folder(Below<'a>),
    /// Look at some entries of a folder.
    Entries {
        folder: Arc<Open<'a>>,
        listed: Vec<Listed>,
    },
}

/// A folder to open and list.
struct Below<'a> {
    path: WorkspacePath,
    rules_above: Arc<ignore_rules::Folder>,
    /// Of itself.
    depth: u32,
    disk: OnDisk,
    pending: Option<&'a Pending>,
    taken: bool,
}

/// How to get at a folder of the base.
enum OnDisk {
    /// Not at all: it is pending only.
    No,
    /// From its parent.
    In(Arc<Dir>),
    /// From the root.
    ByPath,
}

/// A walk.
pub(super) struct Walker<'a> {
    base: &'a Base,
    scope: &'a Scope<'a>,
    cancel: &'a Cancel,
    /// Bytes of a path before the part that globs are held against.
    above: usize,
}

/// What one thread has at hand.
struct Hand<'p, 'a, V> {
    pool: &'p Pool<Work<'a>>,
    visitor: &'p mut V,
    skips: &'p mut Skips,
}

impl<'a> Walker<'a> {
    pub(super) fn new(base: &'a Base, scope: &'a Scope<'a>, cancel: &'a Cancel) -> Self {
        Self {
            base,
            scope,
            cancel,
            above: 0,
        }
    }

    /// Walks from where `find` found to begin.
    pub(super) fn run<V: Visitor>(mut self, begin: Begin<'a>, make: impl Fn() -> V + Sync) -> Vec<(V, Skips)> {
        self.above = match &begin {
            Begin::Folder { path, .. } => path.as_ref().map_or(0, |path| path.as_str().len() + 1),
            Begin::File { path, .. } => path.as_str().len() - path.file_name().len(),
        };
        let threads = if matches!(begin, Begin::File { .. }) {
            1
        } else {
            threads()
        };
        let pool = Pool::new(Work::Begin(begin));
        pool.run(
            threads,
            || (make(), Skips::default()),
            |work, (visitor, skips)| {
                let mut hand = Hand {
                    pool: &pool,
                    visitor,
                    skips,
                };
                match work {
                    Work::Begin(begin) => self.begin(begin, &mut hand),
                    Work::Folder(below) => self.folder(below, &mut hand),
                    Work::Entries { folder, listed } => self.entries(&folder, listed, &mut hand),
                }
            },
        )
    }

    fn begin<V: Visitor>(&self, begin: Begin<'a>, hand: &mut Hand<'_, 'a, V>) {
        match begin {
            Begin::Folder {
                dir,
                path,
                rules,
                pending,
            } => {
                self.list(
                    Open {
                        dir: dir.map(Arc::new),
                        path,
                        rules,
                        pending,
                        depth: 1,
                        taken: false,
                    },
                    hand,
                );
            }
            Begin::File {
                dir,
                path,
                ignored,
                pending,
            } => {
                let name = path.file_name();
                let place = match (pending, &dir) {
                    (Some(bytes), _) => Place::Pending(bytes),
                    (None, Some(folder)) => Place::Base { folder, name },
                    (None, None) => return,
                };
                if !self.scope.selection.leaves_out(name) && self.scope.selection.takes(name, false) {
                    let found = Found {
                        path: &path,
                        kind: EntryKind::File,
                        ignored,
                        place,
                    };
                    hand.visitor.visit(&found, hand.skips);
                }
            }
        }
    }

    fn folder<V: Visitor>(&self, below: Below<'a>, hand: &mut Hand<'_, 'a, V>) {
        let opened = match &below.disk {
            OnDisk::No => Ok(None),
            OnDisk::In(parent) => at::open_folder(parent, below.path.file_name()).map(Some),
            OnDisk::ByPath => match handle::open_folder(self.base.root().dir(), Some(&below.path)) {
                Ok(dir) => at::reopen(&dir).map(Some),
                Err(ReachError::NotFound(_)) => Err(io::ErrorKind::NotFound.into()),
                Err(error) => Err(io::Error::other(error)),
            },
        };
        let dir = opened.unwrap_or_else(|error| {
            // What is gone meanwhile is not there; what became a link, or may not be read, is passed over.
            if error.kind() != io::ErrorKind::NotFound {
                hand.skips.add(SkipReason::Unreadable);
            }
            None
        });
        if dir.is_none() && !below.pending.is_some_and(|pending| pending.has_file) {
            return;
        }
        let rules = self.base.ignore_rules();
        let rules = rules.enter(&below.rules_above, below.path.as_str(), dir.as_ref());
        let open = Open {
            dir: dir.map(Arc::new),
            path: Some(below.path),
            rules,
            pending: below.pending,
            depth: below.depth + 1,
            taken: below.taken,
        };
        self.list(open, hand);
    }

    /// Goes through a folder: first what is pending in it, then what the system lists.
    fn list<V: Visitor>(&self, folder: Open<'a>, hand: &mut Hand<'_, 'a, V>) {
        let folder = Arc::new(folder);
        if let Some(pending) = folder.pending {
            self.pending_entries(&folder, pending, hand);
        }
        let Some(dir) = &folder.dir else { return };
        let mut piece = Vec::new();
        let listed = at::list(dir, |entry| {
            piece.push(entry);
            if piece.len() < PIECE {
                return true;
            }
            if self.stopped(hand) {
                return false;
            }
            let listed = std::mem::take(&mut piece);
            if hand.pool.has_waiting(threads()) {
                self.entries(&folder, listed, hand);
            } else {
                hand.pool.add(vec![Work::Entries {
                    folder: Arc::clone(&folder),
                    listed,
                }]);
            }
            true
        });
        if listed.is_err() {
            // The folder, or the rest of it, is unknown.
            hand.skips.add(SkipReason::Unreadable);
        }
        if !self.stopped(hand) {
            self.entries(&folder, piece, hand);
        }
    }

    /// What the overlay holds directly in a folder. The listing leaves these names out.
    fn pending_entries<V: Visitor>(&self, folder: &Arc<Open<'a>>, pending: &'a Pending, hand: &mut Hand<'_, 'a, V>) {
        let mut folders = Vec::new();
        for (name, below) in &pending.below {
            let Ok(path) = WorkspacePath::in_folder(folder.path.as_ref(), name) else {
                continue;
            };
            match &below.entry {
                Some(Entry::File(bytes)) => self.found(folder, &path, EntryKind::File, Place::Pending(bytes), hand),
                Some(Entry::Deleted) if below.has_file => {
                    folders.extend(self.found_folder(folder, path, false, Some(below), hand));
                }
                Some(Entry::Deleted) => {}
                None => {
                    let on_disk = folder.dir.as_ref().and_then(|dir| dir.symlink_metadata(name).ok());
                    match (on_disk.map(|m| handle::kind_of(&m)), &folder.dir) {
                        (Some(EntryKind::Directory), _) => {
                            folders.extend(self.found_folder(folder, path, true, Some(below), hand));
                        }
                        _ if below.has_file => {
                            folders.extend(self.found_folder(folder, path, false, Some(below), hand));
                        }
                        (Some(kind), Some(dir)) => {
                            self.found(folder, &path, kind, Place::Base { folder: dir, name }, hand);
                        }
                        _ => {}
                    }
                }
            }
        }
        hand.pool.add(folders);
    }

    /// Entries of a folder of the base: folders first, so that other threads have them while this one looks at the files.
    fn entries<V: Visitor>(&self, folder: &Arc<Open<'a>>, listed: Vec<Listed>, hand: &mut Hand<'_, 'a, V>) {
        let Some(dir) = &folder.dir else { return };
        let mut files = Vec::with_capacity(listed.len());
        let mut folders = Vec::new();
        for Listed { name, mut kind } in listed {
            let Some(name) = name else {
                hand.skips.add(SkipReason::Unreadable);
                continue;
            };
            let name = name.as_str();
            if folder.pending.is_some_and(|pending| pending.below.contains_key(name)) {
                continue;
            }
            let Ok(path) = WorkspacePath::in_folder(folder.path.as_ref(), name) else {
                hand.skips.add(SkipReason::Unreadable);
                continue;
            };
            if kind == EntryKind::Unknown {
                // Some file systems list names without kinds.
                kind = dir.symlink_metadata(name).map_or(kind, |m| handle::kind_of(&m));
            }
            match kind {
                EntryKind::Directory => folders.extend(self.found_folder(folder, path, true, None, hand)),
                _ => files.push((path, kind)),
            }
        }
        hand.pool.add(folders);
        for (path, kind) in files {
            if self.stopped(hand) {
                return;
            }
            self.found(
                folder,
                &path,
                kind,
                Place::Base {
                    folder: dir,
                    name: path.file_name(),
                },
                hand,
            );
        }
    }

    fn found<V: Visitor>(
        &self,
        folder: &Open<'a>,
        path: &WorkspacePath,
        kind: EntryKind,
        place: Place<'_>,
        hand: &mut Hand<'_, 'a, V>,
    ) {
        let relative = &path.as_str()[self.above..];
        if self.scope.selection.leaves_out(relative) || !self.scope.selection.takes(relative, folder.taken) {
            return;
        }
        let refused = self.base.rules().check_read_in_entered(path).is_err();
        match self.judge(folder, path, false, refused) {
            Err(reason) => hand.skips.add(reason),
            Ok(ignored) => hand.visitor.visit(
                &Found {
                    path,
                    kind,
                    ignored,
                    place,
                },
                hand.skips,
            ),
        }
    }

    fn found_folder<V: Visitor>(
        &self,
        folder: &Arc<Open<'a>>,
        path: WorkspacePath,
        on_disk: bool,
        pending: Option<&'a Pending>,
        hand: &mut Hand<'_, 'a, V>,
    ) -> Option<Work<'a>> {
        let relative = &path.as_str()[self.above..];
        if self.scope.selection.leaves_out(relative) {
            return None;
        }
        let refused = self.base.rules().check_enter(&path).is_err();
        let ignored = match self.judge(folder, &path, true, refused) {
            Err(reason) => {
                hand.skips.add(reason);
                return None;
            }
            Ok(ignored) => ignored,
        };
        let takes = self.scope.selection.takes(relative, folder.taken);
        if takes {
            let place = match (&folder.dir, on_disk) {
                (Some(dir), true) => Place::Base {
                    folder: dir,
                    name: path.file_name(),
                },
                _ => Place::PendingFolder,
            };
            hand.visitor.visit(
                &Found {
                    path: &path,
                    kind: EntryKind::Directory,
                    ignored,
                    place,
                },
                hand.skips,
            );
        }
        let taken = takes && self.scope.selection.folders_hold_below();
        let deeper = self.scope.depth.is_none_or(|depth| folder.depth < depth);
        deeper.then(|| {
            Work::Folder(Below {
                path,
                rules_above: Arc::clone(&folder.rules),
                depth: folder.depth,
                disk: match (&folder.dir, on_disk) {
                    (Some(dir), true) if folder.depth < HELD_OPEN => OnDisk::In(Arc::clone(dir)),
                    (Some(_), true) => OnDisk::ByPath,
                    _ => OnDisk::No,
                },
                pending,
                taken,
            })
        })
    }

    /// Whether an entry is passed over, and why; else whether it is ignored.
    fn judge(&self, folder: &Open<'a>, path: &WorkspacePath, is_dir: bool, refused: bool) -> Result<bool, SkipReason> {
        if refused {
            return Err(SkipReason::Refused);
        }
        if !self.scope.hidden && path.file_name().starts_with('.') {
            return Err(SkipReason::Hidden);
        }
        if folder.rules.why_ignored(path.as_str(), is_dir).is_none() {
            return Ok(false);
        }
        match is_dir {
            // What git tracks it does not ignore, whatever the patterns say.
            false if self.base.tracks(path) => Ok(false),
            _ if self.scope.ignored => Ok(true),
            true if self.base.tracks_below(path) => Ok(true),
            _ => Err(SkipReason::Ignored),
        }
    }

    fn stopped<V>(&self, hand: &Hand<'_, 'a, V>) -> bool {
        let stop = self.cancel.is_cancelled();
        if stop {
            hand.pool.stop();
        }
        stop
    }
}
