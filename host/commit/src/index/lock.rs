//! git's way of having the index for oneself: the file `index.lock`, which becomes the new index.

use std::io::{self, Write as _};

use cap_std::fs::{Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{Mode, Timespec, Timestamps};

use crate::error::{CommitError, io_at};
use crate::place::Folder;

const LOCK: &str = "index.lock";

/// The lock, held. Dropping it gives it up; the index is as before.
pub(crate) struct IndexLock<'a> {
    folder: &'a Folder,
    file: File,
    in_place: bool,
}

impl<'a> IndexLock<'a> {
    /// Takes it, at once or not at all. One that is there is never removed: its owner may be at work.
    pub(crate) fn take(folder: &'a Folder) -> Result<Self, CommitError> {
        let at = folder.path.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o666);
        match folder.dir.open_with(LOCK, &options) {
            Ok(file) => Ok(Self {
                folder,
                file,
                in_place: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(CommitError::Locked { at }),
            Err(error) => Err(CommitError::Io { at, error }),
        }
    }

    /// Whether somebody holds it.
    pub(crate) fn check_free(folder: &Folder) -> Result<(), CommitError> {
        let at = folder.path.join(LOCK);
        match crate::files::look(&folder.dir, LOCK).map_err(io_at(&at))? {
            None => Ok(()),
            Some(_) => Err(CommitError::Locked { at }),
        }
    }

    /// Writes the new index, down to the disk. It gets the old one's mode, which may be wider or narrower than the user's own
    /// (`core.sharedRepository`), and its modification time.
    pub(crate) fn write(&mut self, bytes: &[u8], old: Option<&Metadata>) -> Result<(), CommitError> {
        let mut write = || {
            self.file.write_all(bytes)?;
            if let Some(old) = old {
                rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.mode() & 0o777))?;
                let modified = Timespec {
                    tv_sec: old.mtime(),
                    tv_nsec: old.mtime_nsec(),
                };
                rustix::fs::futimens(
                    &self.file,
                    &Timestamps {
                        last_access: modified,
                        last_modification: modified,
                    },
                )?;
            }
            self.file.sync_all()
        };
        write().map_err(io_at(self.folder.path.join(LOCK)))
    }

    /// Makes it the index.
    pub(crate) fn put_in_place(mut self) -> io::Result<()> {
        let dir: &Dir = &self.folder.dir;
        dir.rename(LOCK, dir, "index")?;
        self.in_place = true;
        Ok(())
    }
}

impl Drop for IndexLock<'_> {
    fn drop(&mut self) {
        if !self.in_place {
            // It is ours: it was made by `create_new`. If it cannot be removed, git names it to whoever comes next.
            let _ = self.folder.dir.remove_file(LOCK);
        }
    }
}
