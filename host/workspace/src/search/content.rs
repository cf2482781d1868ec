//! Reading files to search them: by handle, into one buffer, and no further than it takes to see that they are not text.

use std::io::{self, Read as _};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};

use crate::capability::{Cancel, SkipReason};

/// Read before anything is decided: most binary files show a NUL in it.
const FIRST_BYTES: usize = 64 * 1024;

/// Read at once after that, so that giving up is noticed.
const NEXT_BYTES: usize = 1024 * 1024;

/// A buffer for one file at a time, used again for the next.
pub(super) struct Reader {
    options: OpenOptions,
    max_bytes: usize,
    /// As long as the longest file so far; only the beginning belongs to the present one.
    buffer: Vec<u8>,
}

/// Why there is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoText {
    Skip(SkipReason),
    /// Not there any more, or given up.
    Gone,
}

impl Reader {
    /// For files of at most `max_bytes`.
    pub(super) fn new(max_bytes: u64) -> Self {
        let mut options = OpenOptions::new();
        // Not blocking: what was a file in the listing can be a FIFO by now.
        options.read(true).follow(FollowSymlinks::No).nonblock(cfg!(unix));
        Self {
            options,
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX - 1),
            buffer: Vec::new(),
        }
    }

    /// The text of a file: valid UTF-8 without a NUL, all of it, or why not.
    pub(super) fn read(&mut self, folder: &Dir, name: &str, cancel: &Cancel) -> Result<&str, NoText> {
        let mut file = folder.open_with(name, &self.options).map_err(|error| failure(&error))?;
        let metadata = file.metadata().map_err(|error| failure(&error))?;
        if !metadata.is_file() {
            return Err(NoText::Skip(SkipReason::Special));
        }
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if size > self.max_bytes {
            return Err(NoText::Skip(SkipReason::TooLarge));
        }
        let mut length = 0;
        loop {
            // One byte more than the file should have, so that its end shows by a short read and costs no call of its own.
            let want = if length == 0 {
                (size + 1).min(FIRST_BYTES)
            } else {
                (size + 1).saturating_sub(length).clamp(1, NEXT_BYTES)
            };
            if self.buffer.len() < length + want {
                self.buffer.resize(length + want, 0);
            }
            let space = &mut self.buffer[length..length + want];
            let read = match file.read(space) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failure(&error)),
            };
            let new = &space[..read];
            if memchr::memchr(0, new).is_some() {
                return Err(NoText::Skip(SkipReason::Binary));
            }
            length += read;
            if length > self.max_bytes {
                return Err(NoText::Skip(SkipReason::TooLarge));
            }
            // A regular file gives less than asked for only at its end.
            if read == 0 || (read < want && length >= size) {
                break;
            }
            if cancel.is_cancelled() {
                return Err(NoText::Gone);
            }
        }
        let bytes = &self.buffer[..length];
        std::str::from_utf8(bytes).map_err(|_| NoText::Skip(SkipReason::Binary))
    }
}

/// The text of a pending file, or why there is none.
pub(super) fn pending(bytes: &[u8], max_bytes: u64) -> Result<&str, NoText> {
    if bytes.len() as u64 > max_bytes {
        return Err(NoText::Skip(SkipReason::TooLarge));
    }
    if memchr::memchr(0, bytes).is_some() {
        return Err(NoText::Skip(SkipReason::Binary));
    }
    std::str::from_utf8(bytes).map_err(|_| NoText::Skip(SkipReason::Binary))
}

fn failure(error: &io::Error) -> NoText {
    match error.kind() {
        io::ErrorKind::NotFound => NoText::Gone,
        _ => NoText::Skip(SkipReason::Unreadable),
    }
}
