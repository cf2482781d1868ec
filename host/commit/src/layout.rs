//! Whether what would be read or written in the repository is a plain file or folder, and nothing else is going on there.
//!
//! A repository can come from a stranger (an archive holds a `.git` as well as anything else). A link in it would lead what is written
//! elsewhere: the log of HEAD, for one, takes a line with the subject of the commit. A FIFO would make a reader wait for ever.

use std::path::Path;

use rustix::fs::{Access, AtFlags};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of_type;

use crate::error::{CommitError, io_at, shown};
use crate::files::{self, file_or_nothing, folder_or_nothing};
use crate::place::{Folder, Place};

/// Bytes of `packed-refs`: some millions of references.
const MAX_PACKED_REFS_BYTES: u64 = 512 * 1024 * 1024;
/// Bytes of `objects/info/alternates`.
const MAX_ALTERNATES_BYTES: u64 = 1024 * 1024;

/// What says that something is going on, and what it is.
const MARKERS: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase, or `git am`,"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a sequence of cherry-picks or reverts"),
    ("BISECT_LOG", "a bisection"),
];

/// Everything but the references of HEAD and its branch.
pub(crate) fn check(place: &Place) -> Result<(), CommitError> {
    check_to_read(place)?;
    check_writable(&place.git_dir, ".")?;
    check_writable(&place.common, "objects")?;
    check_writable(&place.common, "refs")
}

/// The same where nothing will be written.
pub(crate) fn check_to_read(place: &Place) -> Result<(), CommitError> {
    file_or_nothing(&place.git_dir, "index")?;
    folder_or_nothing(&place.common, "logs")?;
    folder_or_nothing(&place.git_dir, "logs")?;
    bounded(&place.common, "packed-refs", MAX_PACKED_REFS_BYTES)?;
    for name in ["objects", "refs"] {
        if folder_or_nothing(&place.common, name)?.is_none() {
            return Err(CommitError::NotARepository {
                at: place.common.path.clone(),
                why: format!("it has no `{name}`"),
            });
        }
    }
    check_objects(&place.common)
}

/// Whether a merge or its like is going on.
pub(crate) fn check_idle(place: &Place) -> Result<(), CommitError> {
    for (marker, what) in MARKERS {
        let at = place.git_dir.path.join(marker);
        if files::look(&place.git_dir.dir, marker).map_err(io_at(at))?.is_some() {
            return Err(CommitError::InProgress { what, marker });
        }
    }
    Ok(())
}

/// A reference and its log: no link on the way to either. An empty folder may stand where the file would be; git removes it, and gix too.
pub(crate) fn check_reference(folder: &Folder, name: &str, limit: u64) -> Result<(), CommitError> {
    for base in ["", "logs/"] {
        let full = format!("{base}{name}");
        for (at, _) in full.match_indices('/') {
            folder_or_nothing(folder, &full[..at])?;
        }
        let is_folder = files::look(&folder.dir, &full)
            .map_err(io_at(folder.path.join(&full)))?
            .is_some_and(|metadata| metadata.is_dir());
        if is_folder {
            continue;
        }
        let metadata = file_or_nothing(folder, &full)?;
        if base.is_empty() && metadata.is_some_and(|metadata| metadata.len() > limit) {
            return Err(CommitError::TooLarge {
                at: folder.path.join(full),
                limit,
            });
        }
    }
    Ok(())
}

fn bounded(folder: &Folder, name: &str, limit: u64) -> Result<(), CommitError> {
    match file_or_nothing(folder, name)? {
        Some(metadata) if metadata.len() > limit => Err(CommitError::TooLarge {
            at: folder.path.join(name),
            limit,
        }),
        _ => Ok(()),
    }
}

/// The folders that objects are written to, and the packs that are read.
fn check_objects(common: &Folder) -> Result<(), CommitError> {
    folder_or_nothing(common, "objects/info")?;
    bounded(common, "objects/info/alternates", MAX_ALTERNATES_BYTES)?;
    // Each is a folder: the two first digits of objects' names, `pack`, `info`.
    each_is(common, "objects", |name| match name {
        name if name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) => Some(EntryKind::Directory),
        "pack" => Some(EntryKind::Directory),
        _ => None,
    })?;
    if folder_or_nothing(common, "objects/pack")?.is_some() {
        each_is(common, "objects/pack", |name| {
            (name != "multi-pack-index.d").then_some(EntryKind::File)
        })?;
    }
    Ok(())
}

fn each_is(common: &Folder, folder: &str, kind: impl Fn(&str) -> Option<EntryKind>) -> Result<(), CommitError> {
    let path = common.path.join(folder);
    let dir = files::enter(&common.dir, Path::new(folder)).map_err(io_at(&path))?;
    for entry in dir.entries().map_err(io_at(&path))? {
        let entry = entry.map_err(io_at(&path))?;
        let name = entry.file_name();
        let Some(expected) = name.to_str().and_then(&kind) else {
            continue;
        };
        let found = kind_of_type(entry.file_type().map_err(io_at(&path))?);
        if found != expected && found != EntryKind::Unknown {
            return Err(CommitError::OddFile {
                at: path.join(shown(name.as_encoded_bytes())),
                what: found.describe(),
            });
        }
    }
    Ok(())
}

fn check_writable(folder: &Folder, name: &str) -> Result<(), CommitError> {
    rustix::fs::accessat(&folder.dir, name, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).map_err(|error| {
        CommitError::ReadOnly {
            at: folder.path.join(name),
            error: error.into(),
        }
    })
}
