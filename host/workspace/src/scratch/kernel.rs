//! What Linux does for a copy. Elsewhere everything goes through memory.

#[cfg(target_os = "linux")]
pub(super) use self::linux::{copy_piece, has_holes, next_data, share_blocks};
#[cfg(not(target_os = "linux"))]
pub(super) use self::none::{copy_piece, has_holes, next_data, share_blocks};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::ops::Range;

    use cap_std::fs::{Metadata, MetadataExt as _};
    use rustix::fs::{SeekFrom, copy_file_range, ioctl_ficlone, seek};
    use rustix::io::Errno;

    /// Bytes that are copied between two looks at the cancel flag.
    const PIECE: usize = 16 * 1024 * 1024;
    /// The unit in which the system counts blocks.
    const BLOCK: u64 = 512;

    /// Makes the copy share the blocks of the original, until either is written to.
    pub(in super::super) fn share_blocks(source: &File, copy: &File) -> io::Result<()> {
        Ok(ioctl_ficlone(copy, source)?)
    }

    /// Whether the file takes less room than its size.
    pub(in super::super) fn has_holes(metadata: &Metadata) -> bool {
        metadata.blocks().saturating_mul(BLOCK) < metadata.size()
    }

    /// The next stretch that is no hole, from `at` on; none when there is none.
    pub(in super::super) fn next_data(source: &File, at: u64) -> io::Result<Option<Range<u64>>> {
        match seek(source, SeekFrom::Data(at)) {
            Ok(start) => Ok(Some(start..seek(source, SeekFrom::Hole(start))?)),
            Err(Errno::NXIO) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies some of what follows; 0 at the end.
    pub(in super::super) fn copy_piece(source: &File, copy: &File) -> io::Result<u64> {
        Ok(copy_file_range(source, None, copy, None, PIECE)? as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use std::fs::File;
    use std::io;
    use std::ops::Range;

    use cap_std::fs::Metadata;

    pub(in super::super) fn share_blocks(_: &File, _: &File) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in super::super) fn has_holes(_: &Metadata) -> bool {
        false
    }

    pub(in super::super) fn next_data(_: &File, _: u64) -> io::Result<Option<Range<u64>>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in super::super) fn copy_piece(_: &File, _: &File) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
