//! What the commit's tree will be, computed in memory and held against the change set before anything is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gix_hash::ObjectId;
use gix_object::Kind;
use gix_object::bstr::{BStr, ByteSlice as _};
use gix_object::tree::{Editor, EntryKind};
use snodo_workspace::change::{After, Before, ChangeSet};
use snodo_workspace::path::WorkspacePath;

use crate::error::{CommitError, said, shown};
use crate::files;
use crate::objects::{HASH, Objects};
use crate::place::Place;

/// Folders in each other, as deep as a workspace path can be, and as deep again for what leads to the workspace.
const MAX_DEPTH: usize = 256;

/// An entry of a tree that is not a tree: what it is, and its content's name.
type Leaf = (EntryKind, ObjectId);

/// What folders have, by their path and by name.
type Folders = HashMap<Vec<u8>, HashMap<Vec<u8>, Leaf>>;

/// What the commit does to each path, from the top of the working tree.
pub(crate) struct Plan<'c> {
    /// In the order of their bytes.
    pub(crate) paths: BTreeMap<Vec<u8>, PathChange<'c>>,
    /// The new tree.
    pub(crate) tree: ObjectId,
}

/// What happens to one path.
pub(crate) struct PathChange<'c> {
    pub(crate) old: Option<Leaf>,
    pub(crate) new: Option<New<'c>>,
}

/// A file as it will be.
pub(crate) struct New<'c> {
    pub(crate) kind: EntryKind,
    pub(crate) id: ObjectId,
    pub(crate) path: &'c WorkspacePath,
    pub(crate) after: &'c After,
}

impl<'c> Plan<'c> {
    /// Computes it. The new trees are kept in `objects`.
    pub(crate) fn make(
        place: &Place,
        objects: &Objects<'_>,
        head: Option<ObjectId>,
        change: &'c ChangeSet,
    ) -> Result<Self, CommitError> {
        if change.is_empty() {
            return Err(CommitError::NothingToCommit);
        }
        let paths = paths(&place.prefix, change)?;
        check_repositories(place, paths.keys())?;
        let old = head.map(|id| objects.tree_of(id)).transpose()?;
        let old = old.unwrap_or_else(|| ObjectId::empty_tree(HASH));
        check_old(objects, old, &paths)?;
        let tree = edit(objects, old, &paths)?;
        Comparison::new(objects, &paths).run(old, tree)?;
        Ok(Self { paths, tree })
    }
}

/// Each path once, with what it was and will be.
fn paths<'c>(prefix: &[u8], change: &'c ChangeSet) -> Result<BTreeMap<Vec<u8>, PathChange<'c>>, CommitError> {
    let mut paths = BTreeMap::new();
    let full = |path: &WorkspacePath| [prefix, path.as_str().as_bytes()].concat();
    let mut put = |path: Vec<u8>, change: PathChange<'c>| {
        check_path(&path)?;
        match paths.insert(path.clone(), change) {
            None => Ok(()),
            Some(_) => Err(CommitError::BadPath {
                path: shown(&path),
                why: "the change names it twice".to_owned(),
            }),
        }
    };
    for file in &change.files {
        let old = file.before.as_ref().map(leaf).transpose()?;
        let new = file.after.as_ref().map(|after| {
            Ok::<_, CommitError>(New {
                kind: kind(after.executable),
                id: Objects::name(Kind::Blob, &after.bytes)?,
                path: &file.path,
                after,
            })
        });
        let new = new.transpose()?;
        match &file.old_path {
            Some(from) => {
                put(full(from), PathChange { old, new: None })?;
                put(full(&file.path), PathChange { old: None, new })?;
            }
            None => put(full(&file.path), PathChange { old, new })?,
        }
    }
    Ok(paths)
}

fn kind(executable: bool) -> EntryKind {
    if executable {
        EntryKind::BlobExecutable
    } else {
        EntryKind::Blob
    }
}

fn leaf(before: &Before) -> Result<Leaf, CommitError> {
    let kind = if before.is_link() {
        EntryKind::Link
    } else {
        kind(before.is_executable())
    };
    Ok((kind, Objects::name(Kind::Blob, &before.bytes)?))
}

/// Git's own rules: no component that some file system takes for `.git`.
fn check_path(path: &[u8]) -> Result<(), CommitError> {
    let rules = gix_validate::path::component::Options {
        // Names that Windows does not take are the workspace's business; they harm no repository.
        protect_windows: false,
        protect_hfs: true,
        protect_ntfs: true,
    };
    for component in path.split(|byte| *byte == b'/') {
        if let Err(error) = gix_validate::path::component(component.as_bstr(), None, rules) {
            return Err(CommitError::BadPath {
                path: shown(path),
                why: error.to_string(),
            });
        }
    }
    Ok(())
}

/// No folder on the way may be a repository of its own.
fn check_repositories<'p>(place: &Place, paths: impl Iterator<Item = &'p Vec<u8>>) -> Result<(), CommitError> {
    let mut looked_at = BTreeSet::new();
    for path in paths {
        for at in (0..path.len()).filter(|at| path[*at] == b'/') {
            // Up to the workspace nothing is in the way: the nearest repository is the one that was found.
            if at < place.prefix.len() || !looked_at.insert(&path[..at]) {
                continue;
            }
            let Ok(folder) = std::str::from_utf8(&path[..at]) else {
                continue;
            };
            if matches!(files::look(&place.top.dir, &format!("{folder}/.git")), Ok(Some(_))) {
                return Err(CommitError::OtherRepository {
                    path: shown(path),
                    repository: shown(&path[..at]),
                });
            }
        }
    }
    Ok(())
}

/// Every path is in HEAD what the change takes it to have been.
fn check_old(
    objects: &Objects<'_>,
    root: ObjectId,
    paths: &BTreeMap<Vec<u8>, PathChange<'_>>,
) -> Result<(), CommitError> {
    let mut trees = HashMap::new();
    for (path, change) in paths {
        let found = look_up(objects, &mut trees, root, path)?;
        let differs = |how| Err(CommitError::DiffersFromHead { path: shown(path), how });
        match (change.old, found) {
            // Whether everything in a folder that is there goes away is what the comparison of the trees tells.
            (None, None | Some((EntryKind::Tree, _))) => {}
            (Some(old), Some(found)) if old == found => {}
            (None, Some(_)) => {
                return differs(
                    "is new in this change, but is a file in HEAD (it was deleted, and that is not committed)",
                );
            }
            (Some(_), None) => {
                return differs("is not in HEAD (it was made or staged before the run, and never committed)");
            }
            (Some((kind, _)), Some((found, _))) if kind != found => {
                return differs("is another kind of file in HEAD, or differs from it in its executable bit");
            }
            (Some(_), Some(_)) => {
                return differs(
                    "has not the content that it has in HEAD (it was edited before the run, or a filter or line ending conversion of git's changes it)",
                );
            }
        }
    }
    Ok(())
}

/// What a tree has at a path.
fn look_up(
    objects: &Objects<'_>,
    trees: &mut Folders,
    root: ObjectId,
    path: &[u8],
) -> Result<Option<Leaf>, CommitError> {
    let mut at = (EntryKind::Tree, root);
    let mut folder = 0;
    for component in path.split(|byte| *byte == b'/') {
        let here = &path[..folder.max(1) - 1];
        match at.0 {
            EntryKind::Tree => {}
            EntryKind::Commit => {
                return Err(CommitError::OtherRepository {
                    path: shown(path),
                    repository: shown(here),
                });
            }
            _ => return Ok(None),
        }
        if !trees.contains_key(here) {
            let entries = objects.tree(at.1)?.entries.into_iter();
            let entries = entries.map(|entry| (entry.filename.into(), (entry.mode.kind(), entry.oid)));
            trees.insert(here.to_vec(), entries.collect());
        }
        let Some(entry) = trees[here].get(component) else {
            return Ok(None);
        };
        at = *entry;
        folder += component.len() + 1;
    }
    Ok(Some(at))
}

fn edit(
    objects: &Objects<'_>,
    root: ObjectId,
    paths: &BTreeMap<Vec<u8>, PathChange<'_>>,
) -> Result<ObjectId, CommitError> {
    let gix = |error: &gix_error::Error| CommitError::Objects(said(error));
    let components =
        |path: &'_ Vec<u8>| -> Vec<Vec<u8>> { path.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect() };
    let mut editor = Editor::new(objects.tree(root)?, objects, HASH);
    // What goes away first: a file may take the place of a folder, and the other way round.
    for (path, _) in paths.iter().filter(|(_, change)| change.new.is_none()) {
        editor
            .remove(components(path).iter().map(BStr::new))
            .map_err(|error| gix(&error))?;
    }
    for (path, new) in paths
        .iter()
        .filter_map(|(path, change)| Some((path, change.new.as_ref()?)))
    {
        editor
            .upsert(components(path).iter().map(BStr::new), new.kind, new.id)
            .map_err(|error| gix(&error))?;
    }
    editor.write(|tree| objects.keep(tree))
}

/// Holds the difference of two trees against the change.
struct Comparison<'p, 'o> {
    objects: &'o Objects<'o>,
    paths: &'p BTreeMap<Vec<u8>, PathChange<'p>>,
    found: usize,
    /// How many more may be looked at. Trees that differ are folders of changed paths, or the first thing in them shows that they should not
    /// differ; but a stranger's trees may hold each other many times over and nothing else.
    trees_left: usize,
}

/// Entries by name, with the mode as it is written.
type Entries = BTreeMap<Vec<u8>, (u16, EntryKind, ObjectId)>;

impl<'p, 'o> Comparison<'p, 'o> {
    fn new(objects: &'o Objects<'o>, paths: &'p BTreeMap<Vec<u8>, PathChange<'p>>) -> Self {
        let folders: usize = paths.keys().map(|path| path.split(|byte| *byte == b'/').count()).sum();
        Self {
            objects,
            paths,
            found: 0,
            trees_left: 2 * (folders + MAX_DEPTH),
        }
    }

    fn run(mut self, old: ObjectId, new: ObjectId) -> Result<(), CommitError> {
        self.folder(&[], Some(old), Some(new), 0)?;
        let expected = |change: &&PathChange<'_>| change.old != change.new.as_ref().map(|new| (new.kind, new.id));
        let expected = self.paths.values().filter(expected).count();
        match expected {
            0 => Err(CommitError::NothingToCommit),
            expected if expected == self.found => Ok(()),
            _ => Err(CommitError::Damaged(
                "the tree of HEAD is not in order, and does not take this change".to_owned(),
            )),
        }
    }

    fn folder(
        &mut self,
        at: &[u8],
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        depth: usize,
    ) -> Result<(), CommitError> {
        let mut old = self.entries(old, depth)?;
        for (name, new) in self.entries(new, depth)? {
            let was = old.remove(&name);
            if was != Some(new) {
                self.entry(&join(at, &name), was, Some(new), depth)?;
            }
        }
        for (name, was) in old {
            self.entry(&join(at, &name), Some(was), None, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        path: &[u8],
        old: Option<(u16, EntryKind, ObjectId)>,
        new: Option<(u16, EntryKind, ObjectId)>,
        depth: usize,
    ) -> Result<(), CommitError> {
        let split = |entry: Option<(u16, EntryKind, ObjectId)>| match entry {
            Some((_, EntryKind::Tree, id)) => (Some(id), None),
            Some((_, kind, id)) => (None, Some((kind, id))),
            None => (None, None),
        };
        let ((old_tree, old), (new_tree, new)) = (split(old), split(new));
        if old_tree.is_some() || new_tree.is_some() {
            self.folder(path, old_tree, new_tree, depth + 1)?;
        }
        if old.is_none() && new.is_none() {
            return Ok(());
        }
        let change = self.paths.get(path);
        let as_planned =
            change.is_some_and(|change| change.old == old && change.new.as_ref().map(|new| (new.kind, new.id)) == new);
        if !as_planned {
            return Err(CommitError::WouldChangeMore { path: shown(path) });
        }
        self.found += 1;
        Ok(())
    }

    fn entries(&mut self, id: Option<ObjectId>, depth: usize) -> Result<Entries, CommitError> {
        let Some(id) = id else {
            return Ok(Entries::new());
        };
        if self.trees_left == 0 || depth > MAX_DEPTH {
            return Err(CommitError::Damaged(
                "its folders hold each other too often, or too deep".to_owned(),
            ));
        }
        self.trees_left -= 1;
        let mut entries = Entries::new();
        for entry in self.objects.tree(id)?.entries {
            let value = (entry.mode.value(), entry.mode.kind(), entry.oid);
            if entries.insert(entry.filename.into(), value).is_some() {
                return Err(CommitError::Damaged(format!(
                    "the tree {id} has two entries of one name"
                )));
            }
        }
        Ok(entries)
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        name.to_vec()
    } else {
        [folder, b"/", name].concat()
    }
}
