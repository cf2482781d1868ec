//! One operation of a call: the table in the module above, row by row.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::Names;
use super::state::{Draft, steps};
use super::{Entries, OverlayEntry};
use crate::base::{Base, BaseError, BaseFile};
use crate::capability::{EntryKind, IoFailure, Operation, SubmitRefusal};
use crate::handle::{self, ReachError};
use crate::limits::SubmitLimits;
use crate::path::WorkspacePath;

/// The paths that the operations of a call name, each with the index of its operation.
#[derive(Debug, Default)]
pub(super) struct Named(BTreeMap<WorkspacePath, u32>);

impl Named {
    fn add(&mut self, path: &WorkspacePath, index: u32) -> Result<(), SubmitRefusal> {
        match *self.0.entry(path.clone()).or_insert(index) {
            first if first == index => Ok(()),
            first => Err(SubmitRefusal::Duplicate {
                path: path.as_str().to_owned(),
                first,
                second: index,
            }),
        }
    }

    /// Those for which something was pending before the call.
    pub(super) fn superseded(&self, draft: &Draft<'_>) -> Vec<String> {
        let earlier = draft.pending_before();
        self.0
            .keys()
            .filter(|path| earlier(path))
            .map(|path| path.as_str().to_owned())
            .collect()
    }

    /// Those for which nothing is pending.
    pub(super) fn without_entry(&self, entries: &Entries) -> Vec<String> {
        self.0
            .keys()
            .filter(|path| !entries.contains_key(*path))
            .map(|path| path.as_str().to_owned())
            .collect()
    }
}

/// A file as it would be.
struct FileContent {
    bytes: Arc<[u8]>,
    executable: bool,
    renamed_from: Option<WorkspacePath>,
}

/// What stands at a path, base and pending together.
enum Standing {
    /// A pending file.
    Pending(FileContent),
    /// Nothing: the base's file (or link) is to go.
    Going,
    /// A folder, through a file pending in it.
    PendingFolder(WorkspacePath),
    /// What the base has.
    Base(EntryKind),
    /// Nothing.
    Nothing,
}

/// An operation being taken.
pub(super) struct Call<'a, 'state> {
    pub(super) base: &'a Base,
    pub(super) limits: &'a SubmitLimits,
    pub(super) draft: &'a mut Draft<'state>,
    pub(super) names: &'a mut Names,
}

impl Call<'_, '_> {
    pub(super) fn take(&mut self, index: u32, operation: Operation, named: &mut Named) -> Result<(), SubmitRefusal> {
        let mut name = |given: &str| -> Result<WorkspacePath, SubmitRefusal> {
            let path = WorkspacePath::parse(given)?;
            named.add(&path, index)?;
            self.base.rules().check_write(&path).map_err(SubmitRefusal::Refused)?;
            Ok(path)
        };
        match operation {
            Operation::Write {
                path,
                content,
                executable,
            } => {
                let path = name(&path)?;
                self.write(&path, content.into_bytes(), executable)
            }
            Operation::Delete { path } => {
                let path = name(&path)?;
                self.delete(&path)
            }
            Operation::Rename { from, to } => {
                let (from, to) = (name(&from)?, name(&to)?);
                self.rename(&from, &to)
            }
            Operation::SetExecutable { path, executable } => {
                let path = name(&path)?;
                self.set_executable(&path, executable)
            }
        }
    }

    fn write(&mut self, path: &WorkspacePath, bytes: Vec<u8>, executable: Option<bool>) -> Result<(), SubmitRefusal> {
        self.check_size(path, bytes.len() as u64)?;
        let standing = self.standing(path)?;
        let (kept, renamed_from) = match standing {
            Standing::Pending(file) => (Some(file.executable), file.renamed_from),
            Standing::Base(EntryKind::File) => (None, None),
            Standing::Going | Standing::Nothing => {
                self.check_room(path, None)?;
                (None, None)
            }
            Standing::PendingFolder(inside) => {
                return Err(conflict(
                    path,
                    inside.as_str(),
                    "a folder of submitted files stands there",
                ));
            }
            Standing::Base(kind) => return Err(other_kind(path, kind)),
        };
        let before = self.before(path)?;
        let executable = executable
            .or(kept)
            .unwrap_or_else(|| before.as_ref().is_some_and(|file| file.executable));
        let file = FileContent {
            bytes: bytes.into(),
            executable,
            renamed_from,
        };
        self.place(path, file, before.as_ref());
        Ok(())
    }

    fn delete(&mut self, path: &WorkspacePath) -> Result<(), SubmitRefusal> {
        match self.standing(path)? {
            Standing::Pending(_) => {
                let entry = self.before(path)?.map(|_| OverlayEntry::Deleted);
                self.draft.set(path, entry);
            }
            Standing::Base(EntryKind::File) => {
                self.base.read(path).map_err(|e| refusal(path, e))?;
                self.draft.set(path, Some(OverlayEntry::Deleted));
            }
            Standing::Base(EntryKind::Symlink) => {
                self.base.read_link(path).map_err(|e| refusal(path, e))?;
                self.draft.set(path, Some(OverlayEntry::Deleted));
            }
            Standing::PendingFolder(_) => return Err(other_kind(path, EntryKind::Directory)),
            Standing::Base(kind) => return Err(other_kind(path, kind)),
            Standing::Going | Standing::Nothing => return Err(not_found(path)),
        }
        Ok(())
    }

    fn rename(&mut self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), SubmitRefusal> {
        if from == to {
            return Err(conflict(to, from.as_str(), "it is the same path"));
        }
        let file = self.content_of(from)?;
        match self.standing(to)? {
            Standing::Going | Standing::Nothing => {}
            Standing::Base(EntryKind::Symlink) => {
                return Err(SubmitRefusal::Symlink(to.as_str().to_owned()));
            }
            Standing::Pending(_) => {
                return Err(conflict(
                    to,
                    to.as_str(),
                    "a submitted file stands there: delete it first",
                ));
            }
            Standing::PendingFolder(inside) => {
                return Err(conflict(
                    to,
                    inside.as_str(),
                    "a folder of submitted files stands there",
                ));
            }
            Standing::Base(EntryKind::File) => {
                return Err(conflict(to, to.as_str(), "a file stands there: delete it first"));
            }
            Standing::Base(kind) => {
                return Err(conflict(to, to.as_str(), &format!("{} stands there", kind.describe())));
            }
        }
        self.check_room(to, Some(from))?;
        let from_before = self.before(from)?;
        let to_before = self.before(to)?;
        let renamed_from = match (&from_before, &to_before) {
            // Where the base has a file, that file is replaced, whatever came there.
            (_, Some(_)) => None,
            (Some(_), None) => Some(from.clone()),
            (None, None) => file.renamed_from.clone(),
        };
        self.draft.set(from, from_before.map(|_| OverlayEntry::Deleted));
        self.place(to, FileContent { renamed_from, ..file }, to_before.as_ref());
        Ok(())
    }

    fn set_executable(&mut self, path: &WorkspacePath, executable: bool) -> Result<(), SubmitRefusal> {
        let file = self.content_of(path)?;
        let before = self.before(path)?;
        self.place(path, FileContent { executable, ..file }, before.as_ref());
        Ok(())
    }

    /// The content of a file that an operation takes up: only what the plugin could read.
    fn content_of(&mut self, path: &WorkspacePath) -> Result<FileContent, SubmitRefusal> {
        self.base.rules().check_read(path).map_err(SubmitRefusal::Refused)?;
        match self.standing(path)? {
            Standing::Pending(file) => Ok(file),
            Standing::Base(EntryKind::File) => {
                self.base.check_readable(path).map_err(SubmitRefusal::Refused)?;
                let file = self.base.read(path).map_err(|e| refusal(path, e))?;
                self.check_size(path, file.bytes.len() as u64)?;
                Ok(FileContent {
                    bytes: file.bytes.into(),
                    executable: file.executable,
                    renamed_from: None,
                })
            }
            Standing::Base(kind) => Err(other_kind(path, kind)),
            Standing::PendingFolder(_) => Err(other_kind(path, EntryKind::Directory)),
            Standing::Going | Standing::Nothing => Err(not_found(path)),
        }
    }

    fn standing(&self, path: &WorkspacePath) -> Result<Standing, SubmitRefusal> {
        match self.draft.get(path) {
            Some(OverlayEntry::File {
                bytes,
                executable,
                renamed_from,
            }) => {
                return Ok(Standing::Pending(FileContent {
                    bytes: Arc::clone(bytes),
                    executable: *executable,
                    renamed_from: renamed_from.clone(),
                }));
            }
            Some(OverlayEntry::Deleted) => return Ok(Standing::Going),
            None => {}
        }
        if let Some(kind) = self.base.kind(path).map_err(|e| refusal(path, e))? {
            return Ok(Standing::Base(kind));
        }
        Ok(match self.draft.file_below(path) {
            Some(inside) => Standing::PendingFolder(inside.clone()),
            None => Standing::Nothing,
        })
    }

    /// The base's file at a path where one will be submitted; it, or its absence, is recorded. A link stays a link.
    fn before(&self, path: &WorkspacePath) -> Result<Option<BaseFile>, SubmitRefusal> {
        let found = match self.base.kind(path).map_err(|e| refusal(path, e))? {
            Some(_) => self.base.read(path).map(Some),
            None => self.base.record_absent(path).map(|()| None),
        };
        found.map_err(|e| refusal(path, e))
    }

    /// Makes a file pending, unless it is what the base has.
    fn place(&mut self, path: &WorkspacePath, file: FileContent, before: Option<&BaseFile>) {
        let is_as_before =
            before.is_some_and(|before| before.bytes[..] == file.bytes[..] && before.executable == file.executable);
        let entry = (!is_as_before).then_some(OverlayEntry::File {
            bytes: file.bytes,
            executable: file.executable,
            renamed_from: file.renamed_from,
        });
        self.draft.set(path, entry);
    }

    fn check_size(&self, path: &WorkspacePath, size: u64) -> Result<(), SubmitRefusal> {
        let limit = self.limits.file_bytes;
        if size > limit {
            return Err(SubmitRefusal::TooLarge {
                path: path.as_str().to_owned(),
                size,
                limit,
            });
        }
        Ok(())
    }

    /// Whether a file can be made at a path where none stands: the way there consists of folders, and no other name, of the file or of a
    /// folder on the way, differs from it in letter case only. The file at `leaving` does not count as a name.
    fn check_room(&mut self, path: &WorkspacePath, leaving: Option<&WorkspacePath>) -> Result<(), SubmitRefusal> {
        if let Some(file) = self.draft.file_above(path) {
            return Err(conflict(
                path,
                file.as_str(),
                "a submitted file stands where a folder is needed",
            ));
        }
        if let Some(parent) = path.parent() {
            match handle::open_folder(self.base.root().dir(), Some(&parent)) {
                Ok(_) | Err(ReachError::NotFound(_)) => {}
                Err(ReachError::WrongKind { at, kind }) => {
                    return Err(conflict(path, at.as_str(), &in_the_way(kind)));
                }
                Err(error) => return Err(refusal(path, error.into())),
            }
        }
        if let Some(twin) = self.draft.pending_twin(path, leaving) {
            return Err(conflict(path, &twin, TWIN));
        }
        match self.base_twin(path, leaving)? {
            Some(twin) => Err(conflict(path, twin.as_str(), TWIN)),
            None => Ok(()),
        }
    }

    /// An entry of the base whose path differs from this one, or from a folder above it, in letter case only.
    fn base_twin(
        &mut self,
        path: &WorkspacePath,
        leaving: Option<&WorkspacePath>,
    ) -> Result<Option<WorkspacePath>, SubmitRefusal> {
        let mut folder: Option<WorkspacePath> = None;
        for (step, name) in steps(path).zip(path.components()) {
            let step = WorkspacePath::parse(step)?;
            match self.base.kind(&step).map_err(|e| refusal(path, e))? {
                Some(EntryKind::Directory) => {}
                // The file itself, whose deletion is pending.
                Some(_) => return Ok(None),
                // The first component that the base does not have; below it, it has none.
                None => {
                    let twins = self
                        .names
                        .twins(self.base, folder.as_ref(), name)
                        .map_err(|e| refusal(path, e.into()))?;
                    let stays = |twin: &WorkspacePath| {
                        Some(twin) != leaving && self.draft.get(twin) != Some(&OverlayEntry::Deleted)
                    };
                    return Ok(twins
                        .iter()
                        .filter_map(|twin| WorkspacePath::in_folder(folder.as_ref(), twin).ok())
                        .find(stays));
                }
            }
            folder = Some(step);
        }
        Ok(None)
    }
}

const TWIN: &str = "the names differ in letter case only and would be one file on some systems";

fn in_the_way(kind: EntryKind) -> String {
    match kind {
        EntryKind::File => "a file of the workspace stands where a folder is needed; even when it is deleted, its name can become a folder only in a later run".to_owned(),
        kind => format!("{} stands where a folder is needed", kind.describe()),
    }
}

fn conflict(path: &WorkspacePath, with: &str, reason: &str) -> SubmitRefusal {
    SubmitRefusal::Conflict {
        path: path.as_str().to_owned(),
        with: with.to_owned(),
        reason: reason.to_owned(),
    }
}

fn not_found(path: &WorkspacePath) -> SubmitRefusal {
    SubmitRefusal::NotFound(path.as_str().to_owned())
}

fn other_kind(path: &WorkspacePath, kind: EntryKind) -> SubmitRefusal {
    match kind {
        EntryKind::Symlink => SubmitRefusal::Symlink(path.as_str().to_owned()),
        kind => SubmitRefusal::WrongKind {
            path: path.as_str().to_owned(),
            kind,
        },
    }
}

fn refusal(path: &WorkspacePath, error: BaseError) -> SubmitRefusal {
    let asked = path.as_str().to_owned();
    match error {
        BaseError::NotFound(_) => SubmitRefusal::NotFound(asked),
        BaseError::Symlink { .. } => SubmitRefusal::Symlink(asked),
        BaseError::WrongKind { at, kind } if at == *path => other_kind(path, kind),
        BaseError::WrongKind { at, kind } => conflict(path, at.as_str(), &in_the_way(kind)),
        BaseError::TooLarge { size, limit, .. } => SubmitRefusal::TooLarge {
            path: asked,
            size,
            limit,
        },
        BaseError::ChangedDuringRun(_) => SubmitRefusal::ChangedDuringRun(asked),
        BaseError::Io { error, .. } => SubmitRefusal::Io(IoFailure {
            path: asked,
            reason: error.to_string(),
        }),
    }
}
