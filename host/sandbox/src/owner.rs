//! Gives a scratch to another user: root's programs run as nobody where there are no namespaces, and change modes and times of their own files only.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Gid, Uid, chownat};

/// Makes `user` the owner of a folder and of all that is in it; no link is followed. For a tree that nobody else works in yet, and that is no
/// deeper than a path may be: it recurses.
pub(crate) fn give(folder: &Dir, user: u32) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    // Not `fchown`, which takes no handle that was opened to be looked through only.
    chownat(folder, "", Some(uid), Some(gid), AtFlags::EMPTY_PATH)?;
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            give(&folder.open_dir(Path::new(&name))?, user)?;
        } else {
            chownat(folder, &name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use std::os::unix::fs::MetadataExt as _;

    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn everything_is_given_and_nothing_that_a_link_leads_to() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let base = tempfile::tempdir().unwrap();
        let at = |path: &str| base.path().join(path);
        std::fs::create_dir_all(at("tree/a/b")).unwrap();
        std::fs::create_dir_all(at("beside")).unwrap();
        for file in ["tree/a/b/file", "beside/file"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink(at("beside"), at("tree/a/folder")).unwrap();
        std::os::unix::fs::symlink(at("beside/file"), at("tree/a/link")).unwrap();
        give(&Dir::open_ambient_dir(at("tree"), ambient_authority()).unwrap(), 65_534).unwrap();
        let owner = |path: &str| at(path).symlink_metadata().unwrap().uid();
        for given in [
            "tree",
            "tree/a",
            "tree/a/b",
            "tree/a/b/file",
            "tree/a/folder",
            "tree/a/link",
        ] {
            assert_eq!(owner(given), 65_534, "{given}");
        }
        assert_eq!((owner("beside"), owner("beside/file")), (0, 0));
    }
}
