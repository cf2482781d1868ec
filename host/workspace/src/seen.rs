//! What this run saw of a path, so that it can be told later whether it still stands so.

use cap_fs_ext::MetadataExt as _;
use cap_std::fs::Metadata;

/// A moment by the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Since 1970; negative before.
    pub seconds: i64,
    /// Of the second.
    pub nanoseconds: u32,
}

/// What the system says of an open file or a link, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The device.
    pub device: u64,
    /// The inode on the device.
    pub inode: u64,
    /// In bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Stamp,
    /// Last change of content or attributes (on systems without it: of the content).
    pub ctime: Stamp,
    /// Type and permission bits as `st_mode` has them (on systems without: made up from what is known).
    pub mode: u32,
    /// Names of the inode.
    pub links: u64,
}

/// A file or link as this run first saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The device.
    pub device: u64,
    /// The inode on the device.
    pub inode: u64,
    /// In bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Stamp,
    /// Last change of content or attributes.
    pub ctime: Stamp,
    /// Type and permission bits as `st_mode` has them; tells a link (`S_IFLNK`) from a file.
    pub mode: u32,
    /// Of the content; of a link, of its target's text.
    pub hash: blake3::Hash,
}

/// What stood at a path when this run first touched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Nothing: a submission made a file of this name when there was none.
    Absent,
    /// A file, or a link.
    Present(Seen),
}

/// The bits of `st_mode` that say what it is.
const TYPE_BITS: u32 = 0o170_000;
/// Their value for a symbolic link.
const LINK: u32 = 0o120_000;

impl Stat {
    /// From metadata taken by handle.
    pub fn of(metadata: &Metadata) -> Self {
        let (mtime, ctime, mode) = system::times_and_mode(metadata);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            mtime,
            ctime,
            mode,
            links: metadata.nlink(),
        }
    }

    /// Any executable bit is set. Never on systems that have none.
    pub fn is_executable(&self) -> bool {
        self.mode & 0o111 != 0
    }

    /// The record of a file or link with this content.
    pub fn seen_with(&self, content: &[u8]) -> Seen {
        Seen {
            device: self.device,
            inode: self.inode,
            size: self.size,
            mtime: self.mtime,
            ctime: self.ctime,
            mode: self.mode,
            hash: blake3::hash(content),
        }
    }
}

impl Seen {
    /// What is known of a content that was kept: the stat of no file is the same, so that a look at it always reads it.
    pub fn by_content(content: &[u8], mode: u32) -> Self {
        let never = Stamp {
            seconds: i64::MIN,
            nanoseconds: u32::MAX,
        };
        Self {
            device: 0,
            inode: 0,
            size: content.len() as u64,
            mtime: never,
            ctime: never,
            mode,
            hash: blake3::hash(content),
        }
    }

    /// It is a symbolic link; its content is its target's text.
    pub fn is_link(&self) -> bool {
        self.mode & TYPE_BITS == LINK
    }

    /// Whether this is the same file or link by content. Inode, times and permissions may differ: whoever saved it again without
    /// a change, touched it, or changed its mode has not taken anything away from what was read.
    pub fn same_content(&self, now: &Self) -> bool {
        self.hash == now.hash && self.is_link() == now.is_link()
    }

    /// Whether the system says nothing of it that it did not say when it was recorded: then its content needs no second
    /// look. (Within one tick of the file system's clock a file could change unnoticed; where that matters, hash.)
    pub fn same_stat(&self, now: &Stat) -> bool {
        (self.device, self.inode, self.size, self.mtime, self.ctime)
            == (now.device, now.inode, now.size, now.mtime, now.ctime)
    }
}

#[cfg(unix)]
mod system {
    use cap_std::fs::{Metadata, MetadataExt as _};

    use super::Stamp;

    pub(super) fn times_and_mode(metadata: &Metadata) -> (Stamp, Stamp, u32) {
        let stamp = |seconds, nanoseconds| Stamp {
            seconds,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        };
        (
            stamp(metadata.mtime(), metadata.mtime_nsec()),
            stamp(metadata.ctime(), metadata.ctime_nsec()),
            metadata.mode(),
        )
    }
}

#[cfg(not(unix))]
mod system {
    use cap_std::fs::Metadata;

    use super::{LINK, Stamp};

    pub(super) fn times_and_mode(metadata: &Metadata) -> (Stamp, Stamp, u32) {
        let since = metadata
            .modified()
            .ok()
            .and_then(|t| t.into_std().duration_since(std::time::UNIX_EPOCH).ok())
            .unwrap_or_default();
        let changed = Stamp {
            seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            nanoseconds: since.subsec_nanos(),
        };
        let mode = if metadata.is_symlink() {
            LINK | 0o777
        } else if metadata.is_dir() {
            0o040_755
        } else if metadata.permissions().readonly() {
            0o100_444
        } else {
            0o100_644
        };
        (changed, changed, mode)
    }
}
