//! Folders of the host's own in which programs run: made for one purpose, private, and removed with everything in them.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_workspace::scratch;

/// A folder that goes when this goes.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    path: PathBuf,
    dir: Dir,
    keep: bool,
}

impl OwnFolder {
    /// Makes a folder that was not there before, under a parent that is made when it is missing.
    pub(crate) fn make(parent: &Path, name: &str) -> std::io::Result<Self> {
        let private = |path: &Path, parents: bool| {
            std::fs::DirBuilder::new().mode(0o700).recursive(parents).create(path)
        };
        private(parent, true)?;
        for attempt in 0..1_000_u32 {
            let path = if attempt == 0 { parent.join(name) } else { parent.join(format!("{name}-{attempt}")) };
            match private(&path, false) {
                Ok(()) => {
                    let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
                    return Ok(Self { path, dir, keep: false });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opened.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Leaves it where it is.
    pub(crate) fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        let emptied = scratch::empty(&self.dir);
        if let Err(error) = emptied.and_then(|()| std::fs::remove_dir(&self.path)) {
            tracing::warn!("`{}` could not be removed: {error}", self.path.display());
        }
    }
}
