//! The commit.
//!
//! The order of things, each a point of no return for what comes before it:
//!
//! 1. `index.lock` is made. HEAD is what it was at the check, and the change still fits it: [`crate::check_change`] once more.
//! 2. The objects are written: contents, folders, the commit. The new index is written to the lock file. One sync of the file system.
//! 3. The branch (or a detached HEAD) moves, if it is what it was: compare and swap under its own lock, with an entry in the logs.
//! 4. The lock file becomes the index.
//!
//! An error before point 3 leaves nothing but objects that nothing refers to.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::{SystemTime, UNIX_EPOCH};

use gix_actor::Signature;
use gix_actor::date::Time;
use gix_hash::ObjectId;
use gix_object::{Commit, Kind};
use gix_ref::file::transaction::prepare::ReferenceOutOfDate;
use gix_ref::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix_ref::{FullName, Target};
use rustix::fs::{Mode, OFlags};
use snodo_workspace::change::ChangeSet;

use crate::check::{Committable, check_index, check_unmoved, with_index};
use crate::error::{CommitError, said};
use crate::files;
use crate::head::{Head, store};
use crate::identity::Person;
use crate::index::{self, IndexLock, Wanted};
use crate::message::Message;
use crate::objects::Objects;
use crate::place::{Folder, Place};
use crate::plan::Plan;
use crate::watch::{Moment, Unwatched, Watch};

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Its name, in hexadecimal.
    pub id: String,
    /// The branch that it is on, escaped; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// Its parent; `None` for the first commit of a branch.
    pub parent: Option<String>,
}

/// Commits a change that was applied. `now` becomes the time of author and committer, in UTC.
///
/// When it answers an error, nothing was committed, unless that is [`CommitError::IndexLeft`]. The workspace is not written to either way.
pub fn commit(
    committable: &Committable,
    change: &ChangeSet,
    message: &Message,
    now: SystemTime,
) -> Result<Committed, CommitError> {
    commit_watched(committable, change, message, now, &Unwatched)
}

pub(crate) fn commit_watched(
    committable: &Committable,
    change: &ChangeSet,
    message: &Message,
    now: SystemTime,
    watch: &dyn Watch,
) -> Result<Committed, CommitError> {
    let Committable { place, head, .. } = committable;
    place.check_still_there()?;
    let mut lock = IndexLock::take(&place.git_dir)?;
    watch.at(Moment::Locked)?;
    check_unmoved(place, head)?;
    let objects = Objects::open(place)?;
    let plan = Plan::make(place, &objects, head.id(), change)?;
    with_index(place, |index| check_index(&index, &plan))?;

    for new in plan.paths.values().filter_map(|change| change.new.as_ref()) {
        watch.at(Moment::Object)?;
        objects.write(Kind::Blob, new.id, &new.after.bytes)?;
    }
    objects.write_pending(|| watch.at(Moment::Object))?;
    watch.at(Moment::Object)?;
    let time = Time::new(seconds(now), 0);
    let id = write_commit(&objects, committable, plan.tree, message, time)?;
    write_index(committable, &plan, &mut lock)?;
    watch.at(Moment::Prepared)?;
    sync(&place.common)?;
    watch.at(Moment::Synced)?;

    move_head(place, head, id, &committable.people.committer, message, time, watch)?;
    watch.at(Moment::Moved)?;
    lock.put_in_place().map_err(|error| CommitError::IndexLeft {
        id: id.to_string(),
        error,
    })?;
    watch.at(Moment::InPlace)?;
    Ok(Committed {
        id: id.to_string(),
        branch: head.branch(),
        parent: head.commit(),
    })
}

fn seconds(now: SystemTime) -> i64 {
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        // Git has no times before 1970 that all of its versions read.
        Err(_) => 0,
    }
}

fn write_commit(
    objects: &Objects<'_>,
    committable: &Committable,
    tree: ObjectId,
    message: &Message,
    time: Time,
) -> Result<ObjectId, CommitError> {
    let commit = Commit {
        tree,
        parents: committable.head.id().into_iter().collect(),
        author: signature(&committable.people.author, time),
        committer: signature(&committable.people.committer, time),
        encoding: None,
        message: message.as_str().into(),
        extra_headers: Vec::new(),
    };
    let mut bytes = Vec::new();
    gix_object::WriteTo::write_to(&commit, &mut bytes).map_err(|error| CommitError::Objects(error.to_string()))?;
    let id = Objects::name(Kind::Commit, &bytes)?;
    objects.write(Kind::Commit, id, &bytes)?;
    Ok(id)
}

fn signature(person: &Person, time: Time) -> Signature {
    Signature {
        name: person.name.clone(),
        email: person.email.clone(),
        time,
    }
}

/// The new index, into the lock file.
fn write_index(committable: &Committable, plan: &Plan<'_>, lock: &mut IndexLock<'_>) -> Result<(), CommitError> {
    let place = &committable.place;
    let mut wanted = BTreeMap::new();
    for (path, change) in &plan.paths {
        let entry = match &change.new {
            Some(new) => Wanted::File(index::of_file(&committable.workspace, new.path, new.after), new.id),
            None => Wanted::Gone,
        };
        wanted.insert(path.clone(), entry);
    }
    let bytes = with_index(place, |index| index::apply(index, &wanted).to_bytes())?;
    let old = files::file_or_nothing(&place.git_dir, "index")?;
    lock.write(&bytes, old.as_ref())
}

/// What was written has to be on the disk before the branch refers to it.
fn sync(common: &Folder) -> Result<(), CommitError> {
    // The handle that is held may be one that cannot be synced.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(&common.dir, ".", flags, Mode::empty())
        .and_then(|folder| sync_around(&folder))
        .map_err(|error| CommitError::Io {
            at: common.path.clone(),
            error: error.into(),
        })
}

#[cfg(target_os = "linux")]
fn sync_around(folder: &OwnedFd) -> rustix::io::Result<()> {
    rustix::fs::syncfs(folder)
}

#[cfg(not(target_os = "linux"))]
fn sync_around(_: &OwnedFd) -> rustix::io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

/// HEAD's log gets an entry, and so does the branch's.
fn move_head(
    place: &Place,
    head: &Head,
    id: ObjectId,
    committer: &Person,
    message: &Message,
    time: Time,
    watch: &dyn Watch,
) -> Result<(), CommitError> {
    let name = || {
        head.branch()
            .map_or_else(|| "HEAD".to_owned(), |branch| format!("the branch `{branch}`"))
    };
    let failed = |error: &gix_error::Error| match error.downcast_any_ref::<ReferenceOutOfDate>() {
        Some(ReferenceOutOfDate { actual, .. }) => CommitError::HeadMoved {
            before: head.describe(),
            now: actual.to_string(),
        },
        None => CommitError::Reference {
            name: name(),
            why: said(error),
        },
    };
    let initial = if head.is_unborn() { " (initial)" } else { "" };
    let edit = RefEdit {
        change: Change::Update {
            log: LogChange {
                mode: RefLog::AndReference,
                force_create_reflog: false,
                message: format!("commit{initial}: {}", message.subject()).into(),
            },
            expected: head.id().map_or(PreviousValue::MustNotExist, |id| {
                PreviousValue::MustExistAndMatch(Target::Object(id))
            }),
            new: Target::Object(id),
        },
        name: FullName::try_from("HEAD").map_err(|error| CommitError::Damaged(error.to_string()))?,
        // Through HEAD to the branch.
        deref: true,
    };
    let store = store(place);
    let locked = store
        .transaction()
        .prepare(
            Some(edit),
            gix_lock::acquire::Fail::Immediately,
            gix_lock::acquire::Fail::Immediately,
        )
        .map_err(|error| failed(&error))?;
    // HEAD and the branch are locked. That it is this branch was true some moments ago; from now on it stays so.
    let now = Head::read(place)?;
    if now != *head {
        return Err(CommitError::HeadMoved {
            before: head.describe(),
            now: now.describe(),
        });
    }
    watch.at(Moment::ReferencesLocked)?;
    let signature = signature(committer, time);
    let mut buffer = gix_actor::date::parse::TimeBuf::default();
    locked
        .commit(signature.to_ref(&mut buffer))
        .map(drop)
        .map_err(|error| failed(&error))
}
