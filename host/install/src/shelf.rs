//! A folder `plugins` of the user's own, and the files in it: the records, or the bytes.
//!
//! What stands in it is permission or code, so it is looked at before it is believed: a folder or file that somebody else owns, or could
//! have written, is refused and not put right, since putting right would vouch for what is in it.

use std::fs::TryLockError;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cap_std::fs::{Dir, Metadata};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of;

use crate::sys;

/// The folder's name.
pub(crate) const FOLDER: &str = "plugins";
/// Taken by whoever changes something in the folder.
const LOCK: &str = ".lock";
/// What is written before it gets its name. One is enough: whoever writes holds the lock.
pub(crate) const INCOMING: &str = ".incoming";

const RETRY: Duration = Duration::from_millis(10);
/// 30 s: a change writes and syncs some megabytes, and several may wait for each other. Tries are counted: a clock would be one more
/// thing to come in.
const TRIES: u32 = 3000;

/// Permission bits by which others can write.
const OTHERS_WRITE: u32 = 0o022;

/// Why a folder or file of installed plugins cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Something else stands there.
    #[error(
        "`{}` is {}, and has to be {}: look at what it is, and move it away", .path.display(), .kind.describe(), .needed.describe()
    )]
    WrongKind {
        /// Where.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
        /// What it has to be.
        needed: EntryKind,
    },
    /// It belongs to another user.
    #[error(
        "`{}` belongs to user {owner}, not to the user {user} who runs this: what somebody else put there is not used", .path.display()
    )]
    NotOurs {
        /// Where.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who runs this.
        user: u32,
    },
    /// Others can write to it.
    #[error(
        "others can write to `{path}` (its mode is {mode:04o}): see that all in it is yours, then take their right away: `chmod go-w {path}`",
        path = .path.display()
    )]
    OthersWrite {
        /// Where.
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// Larger than anything that is kept there.
    #[error("`{}` has more than {limit} bytes, and is not what was written there", .path.display())]
    TooLarge {
        /// Where.
        path: PathBuf,
        /// In bytes.
        limit: u64,
    },
    /// No room; nothing was installed or changed.
    #[error("there is no room to write `{}`: {error}; nothing was changed. Make room, and start again", .path.display())]
    Full {
        /// Where.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// No right to write; nothing was installed or changed.
    #[error(
        "`{}` cannot be written: {error}; nothing was changed. It has to be in a folder that the user who runs this can write", .path.display()
    )]
    Denied {
        /// Where.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// Another process holds the lock.
    #[error(
        "another `snodo-host plugin` command is at work in `{}` for more than 30 s: wait for its end, or stop it", .path.display()
    )]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The system would not.
    #[error("`{}`: {error}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
}

/// Where the folder is to be.
#[derive(Debug)]
pub(crate) struct Place {
    parent: Dir,
    path: PathBuf,
}

impl Place {
    /// `parent` as `shown` to people.
    pub(crate) fn new(parent: &Dir, shown: &std::path::Path) -> Result<Self, Trouble> {
        let path = shown.join(FOLDER);
        match parent.try_clone() {
            Ok(parent) => Ok(Self { parent, path }),
            Err(error) => Err(Trouble::Io { path, error }),
        }
    }

    /// The folder; none when it is not there.
    pub(crate) fn open(&self) -> Result<Option<Shelf>, Trouble> {
        let io = |error| Trouble::Io {
            path: self.path.clone(),
            error,
        };
        let Some(standing) = sys::look(&self.parent, FOLDER).map_err(io)? else {
            return Ok(None);
        };
        self.check(&standing)?;
        let dir = sys::open_folder(&self.parent, FOLDER).map_err(io)?;
        // Again on the handle: that is what is used.
        self.check(&dir.dir_metadata().map_err(io)?)?;
        Ok(Some(Shelf {
            dir,
            path: self.path.clone(),
        }))
    }

    fn check(&self, metadata: &Metadata) -> Result<(), Trouble> {
        check(&self.path, metadata, EntryKind::Directory)
    }

    /// The folder, made when it is not there.
    pub(crate) fn make(&self) -> Result<Shelf, Trouble> {
        let failed = |error| write_failed(self.path.clone(), error);
        sys::make_folder(&self.parent, FOLDER).map_err(failed)?;
        let gone = || failed(io::ErrorKind::NotFound.into());
        self.open()?.ok_or_else(gone)
    }
}

fn check(path: &std::path::Path, metadata: &Metadata, needed: EntryKind) -> Result<(), Trouble> {
    let path = path.to_owned();
    let kind = kind_of(metadata);
    if kind != needed {
        return Err(Trouble::WrongKind { path, kind, needed });
    }
    let user = sys::user();
    match sys::owner_and_mode(metadata) {
        Some((owner, _)) if owner != user => Err(Trouble::NotOurs { path, owner, user }),
        Some((_, mode)) if mode & OTHERS_WRITE != 0 => Err(Trouble::OthersWrite { path, mode }),
        _ => Ok(()),
    }
}

fn write_failed(path: PathBuf, error: io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Trouble::Full { path, error }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Trouble::Denied { path, error },
        _ => Trouble::Io { path, error },
    }
}

/// The folder, open.
#[derive(Debug)]
pub(crate) struct Shelf {
    dir: Dir,
    path: PathBuf,
}

impl Shelf {
    /// A file in it, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn io(&self, name: &str) -> impl Fn(io::Error) -> Trouble + use<> {
        let path = self.path_of(name);
        move |error| Trouble::Io {
            path: path.clone(),
            error,
        }
    }

    /// The names in it that are texts, sorted; of others an escaped form.
    pub(crate) fn names(&self) -> Result<Vec<Result<String, String>>, Trouble> {
        let io = self.io("");
        let mut names = Vec::new();
        for entry in self.dir.entries().map_err(&io)? {
            let name = entry.map_err(&io)?.file_name();
            names.push(
                name.into_string()
                    .map_err(|name| name.to_string_lossy().escape_debug().to_string()),
            );
        }
        names.sort();
        Ok(names)
    }

    /// A regular file of our own of at most `limit` bytes; none when nothing stands there.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Trouble> {
        let io = self.io(name);
        let path = self.path_of(name);
        let Some(standing) = sys::look(&self.dir, name).map_err(&io)? else {
            return Ok(None);
        };
        // Before it is opened, since a device may act on that; and again on the handle.
        check(&path, &standing, EntryKind::File)?;
        let file = match sys::open(&self.dir, name) {
            Ok(file) => file,
            // It was removed a moment ago.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(error)),
        };
        check(&path, &file.metadata().map_err(&io)?, EntryKind::File)?;
        let bytes = sys::read(&file, limit).map_err(&io)?;
        if bytes.len() as u64 > limit {
            return Err(Trouble::TooLarge { path, limit });
        }
        Ok(Some(bytes))
    }

    /// Takes the lock; waits 30 s at most.
    pub(crate) fn lock(&self) -> Result<Locked<'_>, Trouble> {
        let failed = |error| write_failed(self.path_of(LOCK), error);
        if let Some(standing) = sys::look(&self.dir, LOCK).map_err(failed)? {
            check(&self.path_of(LOCK), &standing, EntryKind::File)?;
        }
        let lock = sys::open_lock(&self.dir, LOCK).map_err(failed)?;
        check(&self.path_of(LOCK), &lock.metadata().map_err(failed)?, EntryKind::File)?;
        let lock = lock.into_std();
        for _ in 0..TRIES {
            match lock.try_lock() {
                Ok(()) => {
                    return Ok(Locked {
                        shelf: self,
                        _lock: lock,
                    });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(Trouble::Busy {
            path: self.path.clone(),
        })
    }
}

/// The folder while it may be changed. The lock ends with it, and with the process.
#[derive(Debug)]
pub(crate) struct Locked<'s> {
    shelf: &'s Shelf,
    _lock: std::fs::File,
}

impl std::ops::Deref for Locked<'_> {
    type Target = Shelf;

    fn deref(&self) -> &Shelf {
        self.shelf
    }
}

impl Locked<'_> {
    /// Writes a file whole, or not at all: under another name first, and to the disk. `replace` says whether something may stand there.
    pub(crate) fn write(&self, name: &str, bytes: &[u8], replace: bool) -> Result<(), Trouble> {
        let dir = &self.shelf.dir;
        let written = || -> io::Result<()> {
            self.clear_incoming()?;
            sys::write_new(dir, INCOMING, bytes)?;
            if replace {
                sys::rename_over(dir, INCOMING, name)?;
            } else {
                sys::rename_new(dir, INCOMING, name)?;
            }
            sys::sync_folder(dir)
        };
        written().map_err(|error| {
            // What is left of it would be cleared away by the next change; sooner is better where there is no room.
            let _ = self.clear_incoming();
            write_failed(self.shelf.path_of(name), error)
        })
    }

    /// What an interrupted write left.
    fn clear_incoming(&self) -> io::Result<()> {
        match sys::look(&self.shelf.dir, INCOMING)? {
            Some(_) => self.shelf.dir.remove_file(INCOMING),
            None => Ok(()),
        }
    }

    /// Removes a file, a link, or whatever stands there that is no folder. Says whether something did.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, Trouble> {
        match self.shelf.dir.remove_file(name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => match sys::look(&self.shelf.dir, name).ok().flatten().map(|m| kind_of(&m)) {
                Some(kind @ EntryKind::Directory) => Err(Trouble::WrongKind {
                    path: self.shelf.path_of(name),
                    kind,
                    needed: EntryKind::File,
                }),
                _ => Err(write_failed(self.shelf.path_of(name), error)),
            },
        }
    }

    /// Size of a file, for telling what a removal frees; 0 of what cannot be looked at.
    pub(crate) fn size(&self, name: &str) -> u64 {
        sys::look(&self.shelf.dir, name).ok().flatten().map_or(0, |m| m.len())
    }

    /// Brings removals to the disk.
    pub(crate) fn sync(&self) -> Result<(), Trouble> {
        sys::sync_folder(&self.shelf.dir).map_err(|error| write_failed(self.shelf.path_of(""), error))
    }

    /// Clears away what an interrupted write left.
    pub(crate) fn clear(&self) -> Result<bool, Trouble> {
        let standing = sys::look(&self.shelf.dir, INCOMING).map_err(self.shelf.io(INCOMING))?;
        match standing {
            Some(_) => self.remove(INCOMING),
            None => Ok(false),
        }
    }
}
