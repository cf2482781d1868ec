//! What the index keeps of a file on the disk, so that git need not read it again.

use std::io::Read as _;

use cap_std::fs::{Dir, MetadataExt as _};
use snodo_workspace::change::After;
use snodo_workspace::handle;
use snodo_workspace::path::WorkspacePath;
use snodo_workspace::seen::Stat;

/// Changed, times and nanoseconds; device, inode, mode, user, group, size: four bytes each.
const STAT_BYTES: usize = 40;

/// The kind and mode of an ordinary file, and of an executable one, as the index has them.
const FILE: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;

/// Of the file at `path`, if it has the content that is committed. If it has another one by now, or cannot be read, nothing is
/// vouched for: git looks at it and finds what it is.
pub(crate) fn of_file(workspace: &Dir, path: &WorkspacePath, after: &After) -> [u8; STAT_BYTES] {
    let mode = if after.executable { EXECUTABLE } else { FILE };
    let mut words = [0_u32; 10];
    words[6] = mode;
    if let Some(found) = look(workspace, path, &after.bytes) {
        words = found;
        words[6] = mode;
    }
    let mut bytes = [0; STAT_BYTES];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

fn look(workspace: &Dir, path: &WorkspacePath, content: &[u8]) -> Option<[u32; 10]> {
    let (file, before) = handle::open_file(workspace, path).ok()?;
    if before.len() != content.len() as u64 {
        return None;
    }
    let mut bytes = Vec::with_capacity(content.len());
    (&file).take(content.len() as u64 + 1).read_to_end(&mut bytes).ok()?;
    let metadata = file.metadata().ok()?;
    let (stat, was) = (Stat::of(&metadata), Stat::of(&before));
    if bytes != content || (stat.mtime, stat.ctime) != (was.mtime, was.ctime) {
        return None;
    }
    Some([
        low(stat.ctime.seconds.cast_unsigned()),
        stat.ctime.nanoseconds,
        low(stat.mtime.seconds.cast_unsigned()),
        stat.mtime.nanoseconds,
        low(stat.device),
        low(stat.inode),
        0,
        metadata.uid(),
        metadata.gid(),
        low(stat.size),
    ])
}

/// As git: the lower half of what does not fit.
#[expect(clippy::cast_possible_truncation, reason = "this is what the format has")]
fn low(value: u64) -> u32 {
    value as u32
}
