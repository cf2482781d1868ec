//! Where the user's state keeps what belongs to one workspace.
//!
//! ```text
//! <state>/workspaces/<key>/lock        who is at work there: crate::lock
//! <state>/workspaces/<key>/journal/    an apply under way, and what a recovery kept: crate::apply
//! ```
//!
//! The key is the `blake3` of device, inode and resolved path: a folder that is moved, or put in the place of another, is another
//! workspace. Nothing of this stands in the workspace itself, where a repository could bring its own. All of it is for the owner only.

use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, DirBuilder};

use crate::root::Root;

/// One workspace's folder in the user's state.
#[derive(Debug)]
pub struct WorkspaceState {
    dir: Dir,
}

impl WorkspaceState {
    /// Opens the folder of a workspace, and makes it when it is missing. `state` is the user's state folder
    /// ([`crate::ambient::open_private_dir`]).
    pub fn open(state: &Dir, root: &Root) -> io::Result<Self> {
        let all = open_or_make(state, "workspaces")?;
        Ok(Self {
            dir: open_or_make(&all, &key(root))?,
        })
    }

    /// Opens the folder of a workspace that may be gone, by its [`key`]; none when there is none.
    pub fn open_by_key(state: &Dir, key: &str) -> io::Result<Option<Self>> {
        let is_key = key.len() == 64 && key.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_key {
            return Err(io::Error::other("that is no workspace's key"));
        }
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match state
            .open_dir_nofollow("workspaces")
            .and_then(|all| all.open_dir_nofollow(key))
        {
            Ok(dir) => Ok(Some(Self { dir })),
            Err(error) if missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The folder itself: for the lock.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The folder for the journal.
    pub fn journal(&self) -> io::Result<Dir> {
        open_or_make(&self.dir, "journal")
    }
}

/// Tells workspaces apart, in hexadecimal.
pub fn key(root: &Root) -> String {
    let identity = root.identity();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&identity.device.to_le_bytes());
    hasher.update(&identity.inode.to_le_bytes());
    hasher.update(root.resolved().as_os_str().as_encoded_bytes());
    hasher.finalize().to_hex().to_string()
}

/// A folder for the owner only, never through a link.
fn open_or_make(parent: &Dir, name: &str) -> io::Result<Dir> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are Unix's"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match parent.create_dir_with(name, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => parent.open_dir_nofollow(name),
    }
}
