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

impl Stat {
    /// From metadata taken by handle.
    pub fn of(metadata: &Metadata) -> Self {
        let _ = metadata.dev();
        todo!()
    }

    /// Any executable bit is set. Never on systems that have none.
    pub fn is_executable(&self) -> bool {
        self.mode & 0o111 != 0
    }
}
