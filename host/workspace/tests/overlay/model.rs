//! A model of the overlay: a map of files, changed in the plainest way. The overlay has to do what it does, over whatever
//! calls are brought: chance brings some (`chance`), and the fuzz target of the overlay includes this file to bring others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use snodo_workspace::capability::{Operation, Read as _, ReadError, Rejected, SubmitError, SubmitRefusal};
use snodo_workspace::limits::SubmitLimits;
use snodo_workspace::overlay::{Entries, Overlay, OverlayEntry};
use snodo_workspace::view::View;

use crate::world::{FIFO, FILES, FOLDERS, LINKS, base_of, make};

/// Paths that meet each other in every way.
pub(crate) const PATHS: &[&str] = &[
    "a",
    "A",
    "b",
    "B",
    "d",
    "d/x",
    "d/X",
    "D/x",
    "D",
    "d/x/y",
    "dir",
    "dir/k",
    "dir/sub",
    "dir/sub/n",
    "new",
    "new/n",
    "new/N",
    "NEW/n",
    "new/n/m",
    "link",
    "link/x",
    "LINK",
    "dangling",
    "dirlink/k",
    "pipe",
    "pipe/x",
    "dir/run.sh",
    "n",
    "m",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum No {
    NotFound,
    WrongKind,
    Symlink,
    Conflict,
    Duplicate,
}

type Files = BTreeMap<String, (Vec<u8>, bool)>;

/// Files and links as they would be; what the base has is constant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Model {
    files: Files,
    links: BTreeSet<&'static str>,
}

enum Stands {
    File,
    Folder,
    FolderOfFiles,
    Link,
    Pipe,
    Nothing,
}

fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn base_files() -> Files {
    FILES
        .iter()
        .map(|(path, content, bit)| ((*path).to_owned(), (content.as_bytes().to_vec(), *bit)))
        .collect()
}

impl Model {
    fn new() -> Self {
        Self {
            files: base_files(),
            links: LINKS.iter().map(|(path, _)| *path).collect(),
        }
    }

    fn behind_link(path: &str) -> bool {
        above(path).any(|folder| LINKS.iter().any(|(link, _)| *link == folder))
    }

    fn stands(&self, path: &str) -> Stands {
        if self.files.contains_key(path) {
            Stands::File
        } else if FOLDERS.contains(&path) {
            Stands::Folder
        } else if self.links.contains(path) {
            Stands::Link
        } else if path == FIFO {
            Stands::Pipe
        } else if self.files.keys().any(|file| above(file).any(|folder| folder == path)) {
            Stands::FolderOfFiles
        } else {
            Stands::Nothing
        }
    }

    /// Why no new file can stand at a path.
    fn no_room(&self, path: &str, leaving: Option<&str>) -> Vec<No> {
        let mut no = Vec::new();
        let base = base_files();
        if above(path).any(|folder| self.files.contains_key(folder) || base.contains_key(folder) || folder == FIFO) {
            no.push(No::Conflict);
        }
        if LINKS.iter().any(|(link, _)| *link == path) {
            no.push(No::Symlink);
        }
        let mut names: BTreeSet<&str> = FOLDERS
            .iter()
            .copied()
            .chain(self.links.iter().copied())
            .chain([FIFO])
            .collect();
        for file in self.files.keys().filter(|file| Some(file.as_str()) != leaving) {
            names.extend(above(file).chain([file.as_str()]));
        }
        let is_twin = |step: &str| {
            names
                .iter()
                .any(|name| *name != step && name.to_lowercase() == step.to_lowercase())
        };
        if above(path).chain([path]).any(is_twin) {
            no.push(No::Conflict);
        }
        no
    }

    fn apply(&mut self, operation: &Operation) -> Result<(), Vec<No>> {
        match operation {
            Operation::Write {
                path,
                content,
                executable,
            } => {
                let kept = match self.stands(path) {
                    _ if Self::behind_link(path) => return Err(vec![No::Symlink]),
                    Stands::File => self.files[path].1,
                    Stands::Folder | Stands::Pipe => return Err(vec![No::WrongKind]),
                    Stands::FolderOfFiles => return Err(vec![No::Conflict]),
                    Stands::Link => return Err(vec![No::Symlink]),
                    Stands::Nothing => {
                        let no = self.no_room(path, None);
                        if !no.is_empty() {
                            return Err(no);
                        }
                        base_files().get(path).is_some_and(|(_, bit)| *bit)
                    }
                };
                self.files
                    .insert(path.clone(), (content.as_bytes().to_vec(), executable.unwrap_or(kept)));
            }
            Operation::Delete { path } => match self.stands(path) {
                _ if Self::behind_link(path) => return Err(vec![No::Symlink]),
                Stands::File => drop(self.files.remove(path)),
                Stands::Link => drop(self.links.remove(path.as_str())),
                Stands::Nothing => return Err(vec![No::NotFound]),
                Stands::Folder | Stands::FolderOfFiles | Stands::Pipe => return Err(vec![No::WrongKind]),
            },
            Operation::Rename { from, to } => {
                let mut no = Vec::new();
                if from == to {
                    no.push(No::Conflict);
                }
                no.extend(self.not_a_file(from));
                match self.stands(to) {
                    _ if Self::behind_link(to) => no.push(No::Symlink),
                    Stands::Nothing => no.extend(self.no_room(to, Some(from))),
                    Stands::Link => no.push(No::Symlink),
                    Stands::File | Stands::Folder | Stands::FolderOfFiles | Stands::Pipe => no.push(No::Conflict),
                }
                if !no.is_empty() {
                    return Err(no);
                }
                let file = self.files.remove(from).unwrap();
                self.files.insert(to.clone(), file);
            }
            Operation::SetExecutable { path, executable } => match self.not_a_file(path) {
                Some(no) => return Err(vec![no]),
                None => self.files.get_mut(path).unwrap().1 = *executable,
            },
        }
        Ok(())
    }

    fn not_a_file(&self, path: &str) -> Option<No> {
        match self.stands(path) {
            _ if Self::behind_link(path) => Some(No::Symlink),
            Stands::File => None,
            Stands::Link => Some(No::Symlink),
            Stands::Nothing => Some(No::NotFound),
            Stands::Folder | Stands::FolderOfFiles | Stands::Pipe => Some(No::WrongKind),
        }
    }

    /// A whole call: taken, or the index of the refused operation with the reasons there are.
    fn call(&mut self, operations: &[Operation]) -> Result<(), (u32, Vec<No>)> {
        let mut next = self.clone();
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, operation) in operations.iter().enumerate() {
            let refuse = |no| Err((u32::try_from(index).unwrap(), no));
            for path in names_of(operation) {
                if *named.entry(path).or_insert(index) != index {
                    return refuse(vec![No::Duplicate]);
                }
            }
            if let Err(no) = next.apply(operation) {
                return refuse(no);
            }
        }
        *self = next;
        Ok(())
    }
}

fn names_of(operation: &Operation) -> Vec<&str> {
    match operation {
        Operation::Write { path, .. } | Operation::Delete { path } | Operation::SetExecutable { path, .. } => {
            vec![path]
        }
        Operation::Rename { from, to } => vec![from, to],
    }
}

fn reason_of(reason: &SubmitRefusal) -> No {
    match reason {
        SubmitRefusal::NotFound(_) => No::NotFound,
        SubmitRefusal::WrongKind { .. } => No::WrongKind,
        SubmitRefusal::Symlink(_) => No::Symlink,
        SubmitRefusal::Conflict { .. } => No::Conflict,
        SubmitRefusal::Duplicate { .. } => No::Duplicate,
        other => panic!("no rule of the model: {other}"),
    }
}

/// What the workspace would be with these entries applied.
fn applied(entries: &Entries) -> Model {
    let mut model = Model::new();
    for (path, entry) in entries {
        match entry {
            OverlayEntry::File { bytes, executable, .. } => {
                model
                    .files
                    .insert(path.as_str().to_owned(), (bytes.to_vec(), *executable));
            }
            OverlayEntry::Deleted => {
                let was_file = model.files.remove(path.as_str()).is_some();
                assert!(
                    was_file || model.links.remove(path.as_str()),
                    "{path} is deleted and was not there"
                );
            }
        }
    }
    model
}

/// What every set of entries promises.
fn check_promises(entries: &Entries) {
    let base = base_files();
    let mut origins = BTreeSet::new();
    for (path, entry) in entries {
        if let OverlayEntry::File {
            bytes,
            executable,
            renamed_from,
        } = entry
        {
            let before = base.get(path.as_str());
            assert_ne!(before, Some(&(bytes.to_vec(), *executable)), "{path} is as in the base");
            if let Some(from) = renamed_from {
                assert!(before.is_none(), "{path} was there");
                assert!(
                    base.contains_key(from.as_str()),
                    "{path} was moved from {from}, where nothing was"
                );
                assert_eq!(entries.get(from), Some(&OverlayEntry::Deleted));
                assert!(origins.insert(from.clone()), "{from} was moved twice");
            }
        }
    }
}

/// One call.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Submit(Vec<Operation>),
    Withdraw(Vec<String>),
}

fn root() -> &'static std::path::Path {
    static ROOT: OnceLock<tempfile::TempDir> = OnceLock::new();
    ROOT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        folder
    })
    .path()
}

/// Takes back in the plainest way. `None` when a file of the base would stand beside a twin.
fn withdrawn(entries: &Entries, paths: &[String]) -> Option<(Entries, BTreeSet<String>)> {
    let mut left = entries.clone();
    let mut taken = BTreeSet::new();
    for path in paths {
        let ends: Vec<_> = match left.get(path.as_str()) {
            None => continue,
            Some(OverlayEntry::File { renamed_from, .. }) => renamed_from
                .iter()
                .map(|p| p.as_str().to_owned())
                .chain([path.clone()])
                .collect(),
            Some(OverlayEntry::Deleted) => {
                let to = left.iter().find(|(_, entry)| matches!(entry, OverlayEntry::File { renamed_from: Some(from), .. } if from.as_str() == path));
                to.map(|(to, _)| to.as_str().to_owned())
                    .into_iter()
                    .chain([path.clone()])
                    .collect()
            }
        };
        for end in ends {
            left.remove(end.as_str());
            taken.insert(end);
        }
    }
    let pending: Vec<&str> = left
        .iter()
        .filter(|(_, e)| **e != OverlayEntry::Deleted)
        .map(|(p, _)| p.as_str())
        .collect();
    let restored = taken
        .iter()
        .filter(|path| entries.get(path.as_str()) == Some(&OverlayEntry::Deleted));
    let has_twin = |path: &str| {
        above(path).chain([path]).any(|step| {
            pending.iter().any(|file| {
                above(file)
                    .chain([*file])
                    .any(|other| other != step && other.to_lowercase() == step.to_lowercase())
            })
        })
    };
    for path in restored {
        if has_twin(path) {
            return None;
        }
    }
    Some((left, taken))
}

/// Makes the calls on an overlay and on the model, and holds the one against the other: after each call, and at the end what the view shows.
pub(crate) fn replay(steps: Vec<Step>) {
    let base = base_of(root());
    let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
    let view = View::with_overlay(base, Arc::clone(&overlay));
    let mut model = Model::new();
    let mut used = BTreeSet::new();
    for step in steps {
        let before = overlay.entries();
        match step {
            Step::Submit(operations) => {
                let named: BTreeSet<String> = operations.iter().flat_map(names_of).map(str::to_owned).collect();
                used.extend(named.iter().cloned());
                let expected = model.call(&operations);
                match (overlay.submit(operations.clone()), expected) {
                    (Ok(submission), Ok(())) => {
                        let entries = overlay.entries();
                        assert_eq!(submission.accepted as usize, operations.len());
                        assert_eq!(submission.pending as usize, entries.len());
                        let of_named = |set: &Entries, is: bool| {
                            named
                                .iter()
                                .filter(|p| set.contains_key(p.as_str()) == is)
                                .cloned()
                                .collect::<Vec<_>>()
                        };
                        assert_eq!(submission.superseded, of_named(&before, true));
                        assert_eq!(submission.unchanged, of_named(&entries, false));
                    }
                    (Err(SubmitError::Rejected(Rejected { index, reason })), Err((expected, reasons))) => {
                        assert_eq!(index, expected, "{reason}");
                        assert!(
                            reasons.contains(&reason_of(&reason)),
                            "{reason:?} is not one of {reasons:?}"
                        );
                        assert_eq!(overlay.entries(), before);
                    }
                    (found, expected) => panic!("{operations:?}: {found:?}, and the model says {expected:?}"),
                }
            }
            Step::Withdraw(paths) => match (overlay.withdraw(&paths), withdrawn(&before, &paths)) {
                (Ok(found), Some((left, taken))) => {
                    assert_eq!(&*overlay.entries(), &left);
                    assert_eq!(found, taken.into_iter().collect::<Vec<_>>());
                    model = applied(&left);
                }
                (Err(SubmitError::Rejected(_)), None) => assert_eq!(overlay.entries(), before),
                (found, expected) => panic!("{paths:?}: {found:?}, and the model says {expected:?}"),
            },
        }
        let entries = overlay.entries();
        check_promises(&entries);
        assert_eq!(&applied(&entries), &model);
    }
    // And the view shows it.
    for path in PATHS.iter().copied().chain(used.iter().map(String::as_str)) {
        let found = view.read_file(path);
        match model.files.get(path) {
            Some((bytes, bit)) => {
                let found = found.unwrap();
                assert_eq!((found.content.as_bytes(), found.executable), (bytes.as_slice(), *bit));
            }
            None => assert!(
                matches!(
                    found,
                    Err(ReadError::NotFound(_) | ReadError::WrongKind { .. } | ReadError::Symlink(_))
                ),
                "{path}: {found:?}"
            ),
        }
    }
}
