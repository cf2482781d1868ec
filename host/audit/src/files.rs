//! The log's files: their names, and opening them by handle.
//!
//! Nothing is followed and nothing blocks: what is no regular file (a link, a FIFO, a folder, a device) is refused by its type before it
//! is opened, and again on the handle.

use std::fs::File;
use std::io;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags, openat};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::escape::one_line;
use snodo_workspace::handle::kind_of;

/// The log.
pub const LOG: &str = "audit.log";
/// The file that every writer locks first; it is never renamed, and stays empty.
pub const SIDECAR: &str = "audit.log.lock";

/// What was to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Open it or make it.
    Open,
    /// Look at it.
    Stat,
    /// Read it.
    Read,
    /// Write it.
    Write,
    /// Cut back what was written.
    CutBack,
    /// Bring it to the disk.
    Sync,
    /// Lock it.
    Lock,
    /// Give it another name.
    Rename,
    /// List the folder.
    List,
}

impl Act {
    fn verb(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stat => "look at",
            Self::Read => "read",
            Self::Write => "write",
            Self::CutBack => "cut back",
            Self::Sync => "sync",
            Self::Lock => "lock",
            Self::Rename => "rename",
            Self::List => "list",
        }
    }
}

/// Why a file of the log could not be used.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// Something else stands there.
    #[error("`.snodo/{}` is {}, and must be a regular file: look at what it is, and move it away", one_line(.file, 200), .kind.describe())]
    WrongKind {
        /// The name in `.snodo`.
        file: String,
        /// What it is.
        kind: EntryKind,
    },
    /// No right to it, or a file system that is read-only.
    #[error("cannot {} `.snodo/{}`: {error}; the audit log must be writable for a run", .act.verb(), one_line(.file, 200))]
    Denied {
        /// The name in `.snodo`.
        file: String,
        /// What was to be done.
        act: Act,
        /// The system's words.
        error: io::Error,
    },
    /// No room.
    #[error("cannot {} `.snodo/{}`: {error}; make room on the disk, and start again", .act.verb(), one_line(.file, 200))]
    Full {
        /// The name in `.snodo`.
        file: String,
        /// What was to be done.
        act: Act,
        /// The system's words.
        error: io::Error,
    },
    /// The system would not.
    #[error("cannot {} `.snodo/{}`: {error}", .act.verb(), one_line(.file, 200))]
    Io {
        /// The name in `.snodo`.
        file: String,
        /// What was to be done.
        act: Act,
        /// The system's words.
        error: io::Error,
    },
}

impl FileFault {
    pub(crate) fn new(file: &str, act: Act, error: impl Into<io::Error>) -> Self {
        let (file, error) = (file.to_owned(), error.into());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Denied { file, act, error },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { file, act, error },
            _ => Self::Io { file, act, error },
        }
    }
}

/// Tells a file from one that was put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(crate) fn of(file: &File, name: &str) -> Result<Self, FileFault> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = file
            .metadata()
            .map_err(|error| FileFault::new(name, Act::Stat, error))?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
}

/// Opens for reading; none when there is nothing.
pub(crate) fn open_to_read(dir: &Dir, name: &str) -> Result<Option<File>, FileFault> {
    match open(dir, name, OFlags::RDONLY) {
        Err(FileFault::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Opens for reading and for writing at the end, and makes it when it is missing: then the second value is true.
pub(crate) fn open_to_append(dir: &Dir, name: &str) -> Result<(File, bool), FileFault> {
    let flags = OFlags::RDWR | OFlags::APPEND;
    match open(dir, name, flags) {
        Err(FileFault::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other.map(|file| (file, false)),
    }
    match open(dir, name, flags | OFlags::CREATE | OFlags::EXCL) {
        // Somebody made it in this moment.
        Err(FileFault::Io { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists => {
            open(dir, name, flags).map(|file| (file, false))
        }
        other => other.map(|file| (file, true)),
    }
}

/// Makes a file that is not there.
pub(crate) fn make_new(dir: &Dir, name: &str) -> Result<File, FileFault> {
    open(dir, name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL)
}

fn open(dir: &Dir, name: &str, flags: OFlags) -> Result<File, FileFault> {
    let wrong_kind = |kind| FileFault::WrongKind {
        file: name.to_owned(),
        kind,
    };
    match dir.symlink_metadata(name).map(|metadata| kind_of(&metadata)) {
        Ok(EntryKind::File) => {}
        Ok(kind) => return Err(wrong_kind(kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FileFault::new(name, Act::Stat, error)),
    }
    // What a snodo gives its files: the umask decides.
    let mode = Mode::from_raw_mode(0o666);
    let always = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(dir, name, flags | always, mode)
        .map(File::from)
        .map_err(|error| match error {
            rustix::io::Errno::LOOP => wrong_kind(EntryKind::Symlink),
            other => FileFault::new(name, Act::Open, other),
        })?;
    let metadata = file
        .metadata()
        .map_err(|error| FileFault::new(name, Act::Stat, error))?;
    if !metadata.is_file() {
        return Err(wrong_kind(EntryKind::Unknown));
    }
    Ok(file)
}

/// Brings the folder's names to the disk.
pub(crate) fn sync_folder(dir: &Dir) -> Result<(), FileFault> {
    let fault = |act| move |error: rustix::io::Errno| FileFault::new("", act, error);
    // A handle that only leads on cannot be synced.
    let folder = openat(
        dir,
        ".",
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(fault(Act::Open))?;
    rustix::fs::fsync(folder).map_err(fault(Act::Sync))
}

/// The name of an archive: `audit.log.2026-w47`, `audit.log.2026-w47.2`. Their order is that of year, week and suffix as numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArchiveName {
    year: u16,
    week: u8,
    suffix: u64,
    name: String,
}

impl ArchiveName {
    /// The name for a week; suffix 0 is none.
    pub(crate) fn new(year: u16, week: u8, suffix: u64) -> Self {
        let mut name = format!("{LOG}.{year:04}-w{week:02}");
        if suffix > 0 {
            name = format!("{name}.{suffix}");
        }
        Self {
            year,
            week,
            suffix,
            name,
        }
    }

    /// Reads a name as snodo does; none for any other file. (A suffix of more than 18 digits is none of an archive here.)
    pub fn parse(name: &str) -> Option<Self> {
        fn number(digits: &str, length: std::ops::RangeInclusive<usize>) -> Option<u64> {
            let all = length.contains(&digits.len()) && digits.bytes().all(|d| d.is_ascii_digit());
            all.then(|| digits.parse().ok()).flatten()
        }
        let rest = name.strip_prefix(LOG)?.strip_prefix('.')?;
        let (week, suffix) = rest.split_once('.').map_or((rest, None), |(w, s)| (w, Some(s)));
        let (year, week) = week.split_once("-w")?;
        Some(Self {
            year: number(year, 4..=4)?.try_into().ok()?,
            week: number(week, 2..=2)?.try_into().ok()?,
            suffix: suffix.map_or(Some(0), |suffix| number(suffix, 1..=18))?,
            name: name.to_owned(),
        })
    }

    /// Year and week, as ISO 8601 counts them.
    pub fn week(&self) -> (u16, u8) {
        (self.year, self.week)
    }

    /// The number at the end; 0 when there is none.
    pub fn suffix(&self) -> u64 {
        self.suffix
    }

    /// The file's name.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

/// The archives, oldest first.
pub(crate) fn archives(dir: &Dir) -> Result<Vec<ArchiveName>, FileFault> {
    let fault = |error| FileFault::new("", Act::List, error);
    let mut found = Vec::new();
    for entry in dir.entries().map_err(fault)? {
        let name = entry.map_err(fault)?.file_name();
        found.extend(name.to_str().and_then(ArchiveName::parse));
    }
    found.sort();
    Ok(found)
}
