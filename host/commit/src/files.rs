//! Reading files of the repository by handle: never through a link, never what blocks, never without a bound.

use std::io::{self, Read as _};
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, Metadata, OpenOptions};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of;

use crate::error::{CommitError, io_at};
use crate::place::Folder;

/// What stands at a name; `None` for nothing.
pub(crate) fn look(dir: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that a file stands there, or nothing.
pub(crate) fn file_or_nothing(folder: &Folder, name: &str) -> Result<Option<Metadata>, CommitError> {
    of_kind(folder, name, EntryKind::File)
}

/// Checks that a folder stands there, or nothing.
pub(crate) fn folder_or_nothing(folder: &Folder, name: &str) -> Result<Option<Metadata>, CommitError> {
    of_kind(folder, name, EntryKind::Directory)
}

fn of_kind(folder: &Folder, name: &str, kind: EntryKind) -> Result<Option<Metadata>, CommitError> {
    let at = folder.path.join(name);
    let Some(metadata) = look(&folder.dir, name).map_err(io_at(&at))? else {
        return Ok(None);
    };
    let found = kind_of(&metadata);
    if found == kind {
        Ok(Some(metadata))
    } else {
        Err(CommitError::OddFile {
            at,
            what: found.describe(),
        })
    }
}

/// A whole file of the repository, `None` when there is none.
pub(crate) fn read(folder: &Folder, name: &str, limit: u64) -> Result<Option<Vec<u8>>, CommitError> {
    let at = folder.path.join(name);
    if file_or_nothing(folder, name)?.is_none() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = match folder.dir.open_with(name, &options) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CommitError::Io { at, error }),
    };
    let metadata = file.metadata().map_err(io_at(&at))?;
    if kind_of(&metadata) != EntryKind::File {
        return Err(CommitError::OddFile {
            at,
            what: kind_of(&metadata).describe(),
        });
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(io_at(&at))?;
    if bytes.len() as u64 > limit {
        return Err(CommitError::TooLarge { at, limit });
    }
    Ok(Some(bytes))
}

/// A folder below, entered through no link.
pub(crate) fn enter(dir: &Dir, name: &Path) -> io::Result<Dir> {
    dir.open_dir_nofollow(name)
}
