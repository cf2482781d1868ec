//! Folders of the host's own in which programs run: made for one purpose, private, and removed with everything in them.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_workspace::scratch;

/// A folder that goes when this goes.
#[derive(Debug)]
pub struct OwnFolder {
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
                    return Ok(Self {
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
