//! HEAD: a branch, a branch that is not born yet, or a commit.

use gix_hash::ObjectId;
use gix_ref::file::Store;
use gix_ref::store::WriteReflog;
use gix_ref::store::init::Options;
use gix_ref::{FullName, FullNameRef, Target};

use crate::error::{CommitError, said, shown};
use crate::layout;
use crate::place::Place;

/// Bytes of HEAD and of a branch's file: a name, or an object's.
pub(crate) const MAX_REFERENCE_BYTES: u64 = 8 * 1024;

/// What a commit will be made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    branch: Option<FullName>,
    commit: Option<ObjectId>,
}

impl Head {
    /// Reads it.
    pub(crate) fn read(place: &Place) -> Result<Self, CommitError> {
        layout::check_reference(&place.git_dir, "HEAD", MAX_REFERENCE_BYTES)?;
        let store = store(place);
        let head = store
            .find_loose("HEAD")
            .map_err(|error| CommitError::Damaged(format!("HEAD cannot be read: {}", said(&error))))?;
        let name = match head.target {
            Target::Object(id) => {
                return Ok(Self {
                    branch: None,
                    commit: Some(id),
                });
            }
            Target::Symbolic(name) => name,
        };
        let full = name.as_bstr().to_string();
        if !full.starts_with("refs/heads/") {
            return Err(CommitError::OddHead(shown(full.as_bytes())));
        }
        layout::check_reference(&place.common, &full, MAX_REFERENCE_BYTES)?;
        let found = store.try_find(name.as_ref()).map_err(|error| {
            CommitError::Damaged(format!("`{}` cannot be read: {}", shown(full.as_bytes()), said(&error)))
        })?;
        let commit = match found.map(|reference| reference.target) {
            None => None,
            Some(Target::Object(id)) => Some(id),
            Some(Target::Symbolic(_)) => {
                return Err(CommitError::OddHead(format!(
                    "{}, which itself names another reference",
                    shown(full.as_bytes())
                )));
            }
        };
        Ok(Self {
            branch: Some(name),
            commit,
        })
    }

    /// The branch without `refs/heads/`, escaped; `None` when HEAD is detached.
    pub fn branch(&self) -> Option<String> {
        let name = self.branch.as_ref()?.as_bstr();
        Some(shown(name.strip_prefix(b"refs/heads/").unwrap_or(name)))
    }

    /// The commit, in hexadecimal; `None` for a branch without commits.
    pub fn commit(&self) -> Option<String> {
        self.commit.map(|id| id.to_string())
    }

    /// Whether HEAD is on no branch: a commit is then reachable by its name and the reflog only, which is worth saying.
    pub fn is_detached(&self) -> bool {
        self.branch.is_none()
    }

    /// Whether the branch has no commit yet.
    pub fn is_unborn(&self) -> bool {
        self.commit.is_none()
    }

    /// For people: ``the branch `main` at 0123abc``.
    pub fn describe(&self) -> String {
        let short = |id: ObjectId| id.to_hex_with_len(10).to_string();
        match (self.branch(), self.commit) {
            (Some(branch), Some(id)) => format!("the branch `{branch}` at {}", short(id)),
            (Some(branch), None) => format!("the branch `{branch}`, which has no commit yet"),
            (None, Some(id)) => format!("detached at {}", short(id)),
            (None, None) => "nothing".to_owned(),
        }
    }

    pub(crate) fn id(&self) -> Option<ObjectId> {
        self.commit
    }

    pub(crate) fn branch_reference(&self) -> Option<&FullNameRef> {
        self.branch.as_ref().map(FullName::as_ref)
    }
}

/// The references of the working tree that the workspace is in.
pub(crate) fn store(place: &Place) -> Store {
    let options = Options {
        // Whatever `core.logAllRefUpdates` says: the log is what a commit on a detached HEAD is found by.
        write_reflog: WriteReflog::Normal,
        ..Options::default()
    };
    let kind = gix_hash::Kind::Sha1;
    if place.is_linked() {
        Store::for_linked_worktree_opts(place.git_dir.path.clone(), place.common.path.clone(), kind, options)
    } else {
        Store::at_opts(place.git_dir.path.clone(), kind, options)
    }
}
