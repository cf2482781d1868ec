//! Whether a commit can be made: asked before a run, so that nothing is applied that could then not be committed.

use cap_std::fs::Dir;
use snodo_workspace::change::ChangeSet;
use snodo_workspace::root::Root;

use crate::config::RepositoryConfig;
use crate::error::{CommitError, io_at};
use crate::files;
use crate::head::Head;
use crate::identity::{People, UserConfig};
use crate::index::{self, Index, IndexLock};
use crate::layout;
use crate::objects::Objects;
use crate::place::Place;
use crate::plan::Plan;

/// Bytes of an index: some millions of files.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// A repository that a commit can be made in, as it was at the check.
#[derive(Debug)]
pub struct Committable {
    pub(crate) place: Place,
    pub(crate) head: Head,
    pub(crate) people: People,
    pub(crate) workspace: Dir,
}

impl Committable {
    /// What the commit will be made on. Worth saying when it is detached.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// `Name <address>` of the author.
    pub fn author(&self) -> String {
        format!("{} <{}>", self.people.author.name, self.people.author.email)
    }

    /// The top of the working tree, which the workspace is or is in.
    pub fn top(&self) -> &std::path::Path {
        &self.place.top.path
    }
}

/// Checks that the workspace is in a repository that a commit can be made in: that it is the user's own and of a format that is known, that
/// nothing else is going on in it, that HEAD is a branch or a commit, that its index can be read and is not locked, that it can be
/// written to, and that the author is known. Nothing is written.
pub fn check(root: &Root, user: &UserConfig) -> Result<Committable, CommitError> {
    let place = Place::find(root)?;
    let config = RepositoryConfig::read(&place)?;
    let head = look(&place)?;
    IndexLock::check_free(&place.git_dir)?;
    with_index(&place, |_| Ok(()))?;
    if let Some(id) = head.id() {
        Objects::open(&place)?.tree_of(id)?;
    }
    let people = People::find(user, &config, &place, &head)?;
    let workspace = root.dir().try_clone().map_err(io_at(root.given()))?;
    Ok(Committable {
        place,
        head,
        people,
        workspace,
    })
}

/// Checks, before the change is applied, that a commit of it would be it and nothing else: that every file that it touches is in HEAD as
/// the run found it, every new one is not, none stands in another repository, and the index has none in conflict and nothing in
/// their way. Nothing is written.
pub fn check_change(committable: &Committable, change: &ChangeSet) -> Result<(), CommitError> {
    let Committable { place, head, .. } = committable;
    check_unmoved(place, head)?;
    IndexLock::check_free(&place.git_dir)?;
    let objects = Objects::open(place)?;
    let plan = Plan::make(place, &objects, head.id(), change)?;
    with_index(place, |index| check_index(&index, &plan))
}

/// Checks that the repository is where it was and HEAD is what it was.
pub(crate) fn check_unmoved(place: &Place, before: &Head) -> Result<(), CommitError> {
    place.check_still_there()?;
    let now = look(place)?;
    if now == *before {
        Ok(())
    } else {
        Err(CommitError::HeadMoved {
            before: before.describe(),
            now: now.describe(),
        })
    }
}

fn look(place: &Place) -> Result<Head, CommitError> {
    layout::check(place)?;
    layout::check_idle(place)?;
    Head::read(place)
}

/// Reads the index, or takes it for empty if there is none.
pub(crate) fn with_index<T>(
    place: &Place,
    f: impl FnOnce(Index<'_>) -> Result<T, CommitError>,
) -> Result<T, CommitError> {
    match files::read(&place.git_dir, "index", MAX_INDEX_BYTES)? {
        Some(bytes) => f(index::parse(&bytes)?),
        None => f(Index::empty()),
    }
}

pub(crate) fn check_index(index: &Index<'_>, plan: &Plan<'_>) -> Result<(), CommitError> {
    index::check(
        index,
        plan.paths.iter().map(|(path, change)| (path, change.new.is_some())),
    )
}
