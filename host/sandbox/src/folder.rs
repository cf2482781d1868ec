//! Folders of the host's own in which programs run: made for one purpose, private, and removed with everything in them.

use std::fs::File;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{FlockOperation, flock};
use snodo_workspace::scratch;

/// How old a folder is, at the least, before it can be one that its owner left: by then it is locked.
const SETTLED: Duration = Duration::from_mins(1);

/// A folder that goes when this goes. It is locked as long as it is used, so that one that a killed process left is known ([`sweep`]).
#[derive(Debug)]
pub struct OwnFolder {
    _lock: File,
    path: PathBuf,
    parent: Dir,
    name: String,
    dir: Dir,
    keep: bool,
}

impl OwnFolder {
    /// Makes a folder that was not there before, under a parent that is made when it is missing.
    pub fn make(parent: &Path, name: &str) -> std::io::Result<Self> {
        let private =
            |path: &Path, parents: bool| std::fs::DirBuilder::new().mode(0o700).recursive(parents).create(path);
        private(parent, true)?;
        let above = Dir::open_ambient_dir(parent, ambient_authority())?;
        for attempt in 0..1_000_u32 {
            let name = if attempt == 0 {
                name.to_owned()
            } else {
                format!("{name}-{attempt}")
            };
            let path = parent.join(&name);
            match private(&path, false) {
                Ok(()) => {
                    let dir = above.open_dir(&name)?;
                    let lock = dir.open(".")?.into_std();
                    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
                    return Ok(Self {
                        _lock: lock,
                        path,
                        parent: above,
                        name,
                        dir,
                        keep: false,
                    });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opened.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Leaves it where it is.
    pub fn keep(&mut self) {
        self.keep = true;
    }
}

/// Removes what processes that were killed left under `parent`: folders that nobody holds locked. What cannot be removed stays for the next time.
pub(crate) fn sweep(parent: &Path) {
    let Ok(above) = Dir::open_ambient_dir(parent, ambient_authority()) else {
        return;
    };
    let Ok(entries) = above.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let settled = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|at| at.into_std().elapsed().is_ok_and(|age| age >= SETTLED));
        let free = || -> std::io::Result<File> {
            let folder = above.open_dir_nofollow(name)?.open(".")?.into_std();
            flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
            Ok(folder)
        };
        if settled && let Ok(_locked) = free() {
            match scratch::remove_tree(&above, name) {
                Ok(()) => tracing::info!("removed `{name}`, which a run that was killed had left"),
                Err(error) => {
                    tracing::warn!("`{name}`, which a run that was killed left, could not be removed: {error}");
                }
            }
        }
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Err(error) = scratch::remove_tree(&self.parent, &self.name) {
            tracing::warn!("`{}` could not be removed: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_nobody_holds_is_swept_and_what_is_used_or_new_stays() {
        let place = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - SETTLED * 2;
        let age = |path: &Path| File::open(path).unwrap().set_modified(long_ago).unwrap();
        let used = OwnFolder::make(place.path(), "used").unwrap();
        for name in ["left", "new"] {
            std::fs::create_dir(place.path().join(name)).unwrap();
            std::fs::write(place.path().join(name).join("file"), "x").unwrap();
        }
        age(used.path());
        age(&place.path().join("left"));
        sweep(place.path());
        let there = |name: &str| place.path().join(name).exists();
        assert_eq!((there("used"), there("left"), there("new")), (true, false, true));
    }
}
