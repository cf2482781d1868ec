//! What a workspace brings along in `.snodo`: read by handle, through no link, and bounded.

use std::io;

use cap_fs_ext::DirExt as _;
use snodo_workspace::root::Root;

use crate::record::read_file;

/// A file of `.snodo`; none when it, or the folder, is not there. One byte more than `limit` is read, so that whoever parses it can say
/// that it is too large.
pub(super) fn read(root: &Root, name: &str, limit: usize) -> io::Result<Option<Vec<u8>>> {
    match root.dir().open_dir_nofollow(".snodo") {
        Ok(folder) => read_file(&folder, name, limit as u64 + 1),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
