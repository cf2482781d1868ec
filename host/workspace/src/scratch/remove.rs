//! Removing a scratch, whatever a program has made of it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, File};

use super::listing;

/// Removes a folder with all that is in it; fine when it is not there. No link is followed. Folders that may not be read or written are made
/// so first.
///
/// Works with two open folders however deep the tree is: a folder that is not empty is moved up to the top before its turn comes, so a program
/// that made ten thousand folders in one another costs no more than their number.
pub fn remove_tree(parent: &Dir, name: &str) -> io::Result<()> {
    let top = match parent.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => open(parent, Path::new(name))?,
        Ok(_) => return parent.remove_file_or_symlink(name),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut moved = 0;
    loop {
        let names = names(&top)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            let name = Path::new(&name);
            if remove_plain(&top, name)? {
                continue;
            }
            let folder = open(&top, name)?;
            for below in self::names(&folder)? {
                let below = Path::new(&below);
                if !remove_plain(&folder, below)? {
                    move_up(&folder, below, &top, &mut moved)?;
                }
            }
            top.remove_dir(name)?;
        }
    }
    drop(top);
    parent.remove_dir(name)
}

/// Removes a file, link or empty folder. False when it is a folder that is not empty.
fn remove_plain(dir: &Dir, name: &Path) -> io::Result<bool> {
    match dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => Ok(dir.remove_dir(name).is_ok()),
        Ok(_) => dir.remove_file_or_symlink(name).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn move_up(from: &Dir, name: &Path, top: &Dir, moved: &mut u64) -> io::Result<()> {
    // A folder that goes elsewhere has its own `..` written.
    drop(open(from, name)?);
    loop {
        let new = format!(".moved-{moved}");
        *moved += 1;
        if top.symlink_metadata(&new).is_err() {
            return from.rename(name, top, &new);
        }
    }
}

fn names(dir: &Dir) -> io::Result<Vec<OsString>> {
    dir.entries()?.map(|entry| entry.map(|e| e.file_name())).collect()
}

/// Opens a folder so that its entries can be read and removed.
fn open(parent: &Dir, name: &Path) -> io::Result<Dir> {
    allow(parent, name, 0o700)?;
    parent.open_dir_nofollow(name)
}

/// Opens a folder of a scratch so that its entries can be listed and looked at, whatever mode it was given.
pub(super) fn open_by_force(parent: &Dir, name: &OsStr) -> io::Result<Dir> {
    allow(parent, Path::new(name), 0o500)?;
    listing::open_folder(parent, name)
}

/// Opens a file of a scratch for reading, whatever mode it was given.
pub(super) fn open_file_by_force(parent: &Dir, name: &OsStr) -> io::Result<File> {
    match listing::open_file(parent, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow(parent, Path::new(name), 0o400)?;
            listing::open_file(parent, name)
        }
        opened => opened,
    }
}

/// Gives the owner these bits of the mode, if the entry lacks one, and takes none away. Not of a link: it has no mode.
fn allow(parent: &Dir, name: &Path, bits: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::{Permissions, PermissionsExt as _};
        let metadata = parent.symlink_metadata(name)?;
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & bits != bits && !metadata.is_symlink() {
            // By name, since there may be no other way; what takes its place in this moment is in the scratch, too.
            parent.set_permissions(name, Permissions::from_mode(mode | bits))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (parent, name, bits);
    Ok(())
}
