//! The objects: trees and commits that are read, within bounds, and what is written.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use gix_error::Result as GixResult;
use gix_hash::{ObjectId, oid};
use gix_object::{CommitRefIter, Data, Find, FindExt as _, Kind, TagRefIter, Tree, TreeRef, Write as _};
use gix_odb::Header as _;
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of;

use crate::error::{CommitError, said};
use crate::files;
use crate::place::{Folder, Place};

/// Bytes of a tree or a commit that is read.
const MAX_OBJECT_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes that a packed object, or one that it is a difference to, may claim to have.
const MAX_ALLOCATION_BYTES: usize = 512 * 1024 * 1024;

/// SHA-1 is what repositories have that are not refused. gix looks for attempted collisions in it.
pub(crate) const HASH: gix_hash::Kind = gix_hash::Kind::Sha1;

/// The objects of a repository, and those that are still to be written.
pub(crate) struct Objects<'a> {
    read: gix_odb::Handle,
    write: gix_odb::loose::Store,
    common: &'a Folder,
    pending: RefCell<HashMap<ObjectId, Vec<u8>>>,
}

impl<'a> Objects<'a> {
    pub(crate) fn open(place: &'a Place) -> Result<Self, CommitError> {
        let path = place.common.path.join("objects");
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: Some(MAX_ALLOCATION_BYTES),
            current_dir: Some(place.common.path.clone()),
            ..Default::default()
        };
        let read = gix_odb::at_opts(&path, HASH, None, options).map_err(crate::error::io_at(&path))?;
        Ok(Self {
            read,
            write: gix_odb::loose::Store::at(path, HASH),
            common: &place.common,
            pending: RefCell::default(),
        })
    }

    /// The tree of a commit.
    pub(crate) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, CommitError> {
        let mut buffer = Vec::new();
        let data = self
            .find(&commit, &mut buffer)
            .map_err(|error| CommitError::Objects(said(&error)))?;
        if data.kind != Kind::Commit {
            return Err(CommitError::Damaged(format!(
                "{commit} is a {}, not a commit",
                data.kind
            )));
        }
        CommitRefIter::from_bytes(data.data, HASH)
            .tree_id()
            .map_err(|error| CommitError::Damaged(format!("the commit {commit}: {}", said(&error))))
    }

    /// A whole tree. The empty one need not be there.
    pub(crate) fn tree(&self, id: ObjectId) -> Result<Tree, CommitError> {
        if id.is_empty_tree() {
            return Ok(Tree::default());
        }
        let mut buffer = Vec::new();
        let tree = self
            .find_tree(&id, &mut buffer)
            .map_err(|error| CommitError::Objects(said(&error)))?;
        Ok(tree.into())
    }

    /// The content of a file or link, as it is stored.
    pub(crate) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, CommitError> {
        let mut buffer = Vec::new();
        let data = self
            .find(&id, &mut buffer)
            .map_err(|error| CommitError::Objects(said(&error)))?;
        if data.kind != Kind::Blob {
            return Err(CommitError::Damaged(format!("{id} is a {}, not a file", data.kind)));
        }
        Ok(buffer)
    }

    /// The bytes that an object of this name says it has; `None` for one that is not there.
    pub(crate) fn size(&self, id: ObjectId) -> Result<Option<u64>, CommitError> {
        if !self.is_plain(&id) {
            return Err(CommitError::Objects(format!("the object {id} is not a plain file")));
        }
        let header = self.read.try_header(&id);
        header
            .map(|header| header.map(|header| header.size()))
            .map_err(|error| CommitError::Objects(said(&error)))
    }

    /// The commit that an object is, or that a tag names, in the end; `None` for anything else, and for what is not there.
    pub(crate) fn commit_of(&self, id: ObjectId) -> Result<Option<ObjectId>, CommitError> {
        // A tag may name a tag. Nobody has them deeper.
        const MAX_TAGS: usize = 10;
        let objects = |error: gix_error::Error| CommitError::Objects(said(&error));
        let mut at = id;
        for _ in 0..=MAX_TAGS {
            let mut buffer = Vec::new();
            let Some(data) = self.try_find(&at, &mut buffer).map_err(objects)? else {
                return Ok(None);
            };
            match data.kind {
                Kind::Commit => return Ok(Some(at)),
                Kind::Tag => {
                    at = TagRefIter::from_bytes(data.data, HASH)
                        .target_id()
                        .map_err(|error| CommitError::Damaged(format!("the tag {at}: {}", said(&error))))?;
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Every object whose name begins so: at least four hexadecimal digits.
    pub(crate) fn beginning_with(&self, digits: &str) -> Result<HashSet<ObjectId>, CommitError> {
        let objects = |error: gix_error::Error| CommitError::Objects(said(&error));
        let prefix = gix_hash::Prefix::from_hex(digits).map_err(objects)?;
        let mut found = HashSet::new();
        self.read.lookup_prefix(prefix, Some(&mut found)).map_err(objects)?;
        Ok(found)
    }

    /// What an object of this content is called.
    pub(crate) fn name(kind: Kind, bytes: &[u8]) -> Result<ObjectId, CommitError> {
        gix_object::compute_hash(HASH, kind, bytes).map_err(|error| CommitError::Objects(said(&error)))
    }

    /// Keeps a tree until [`Self::write_pending`]. From now on it is found.
    pub(crate) fn keep(&self, tree: &Tree) -> Result<ObjectId, CommitError> {
        let mut bytes = Vec::new();
        gix_object::WriteTo::write_to(tree, &mut bytes).map_err(|error| CommitError::Objects(error.to_string()))?;
        let id = Self::name(Kind::Tree, &bytes)?;
        self.pending.borrow_mut().insert(id, bytes);
        Ok(id)
    }

    /// Writes the trees that were kept.
    pub(crate) fn write_pending(
        &self,
        mut before_each: impl FnMut() -> Result<(), CommitError>,
    ) -> Result<(), CommitError> {
        for (id, bytes) in self.pending.take() {
            before_each()?;
            self.write(Kind::Tree, id, &bytes)?;
        }
        Ok(())
    }

    /// Writes an object, whether it is there or not: one that is there may be in the way of being pruned.
    pub(crate) fn write(&self, kind: Kind, id: ObjectId, bytes: &[u8]) -> Result<(), CommitError> {
        self.write
            .write_buf_with_known_id(kind, bytes, id)
            .map(drop)
            .map_err(|error| CommitError::Objects(said(&error)))
    }

    /// Whether the file that an object would be read from can be one: gix opens it by name.
    fn is_plain(&self, id: &oid) -> bool {
        let hex = id.to_string();
        let (folder, name) = hex.split_at(2);
        match files::look(&self.common.dir, &format!("objects/{folder}/{name}")) {
            Ok(None) => true,
            Ok(Some(metadata)) => kind_of(&metadata) == EntryKind::File,
            Err(_) => false,
        }
    }
}

impl Find for Objects<'_> {
    fn try_find<'b>(&self, id: &oid, buffer: &'b mut Vec<u8>) -> GixResult<Option<Data<'b>>> {
        if let Some(bytes) = self.pending.borrow().get(id) {
            buffer.clear();
            buffer.extend_from_slice(bytes);
            return Ok(Some(Data::new(buffer, Kind::Tree, HASH)));
        }
        if !self.is_plain(id) {
            gix_error::bail!(gix_error::message!("the object {id} is not a plain file"));
        }
        let Some(header) = self.read.try_header(id)? else {
            return Ok(None);
        };
        if header.size() > MAX_OBJECT_BYTES {
            gix_error::bail!(gix_error::message!(
                "the object {id} has {} bytes; at most {MAX_OBJECT_BYTES} are read",
                header.size()
            ));
        }
        let found = self.read.try_find(id, buffer)?;
        if let Some(data) = &found
            && data.kind == Kind::Tree
            && !is_in_order(data.data)
        {
            gix_error::bail!(gix_error::message!(
                "the tree {id} is not in order, or has names that are none"
            ));
        }
        Ok(found)
    }
}

/// git's order, each name once, and none that is none: editing a tree relies on it.
fn is_in_order(tree: &[u8]) -> bool {
    let Ok(tree) = TreeRef::from_bytes(tree, HASH) else {
        // Whoever wanted it says so.
        return true;
    };
    tree.entries.windows(2).all(|pair| pair[0] < pair[1])
        && tree
            .entries
            .iter()
            .all(|entry| !entry.filename.is_empty() && !entry.filename.contains(&b'/'))
}
