//! In which folder the index of the workspace's repository stands.
//!
//! As git looks for it: `.git` in the root, else in the folders above, up to the border of the file system. The first that is there
//! decides, whatever it is.
//!
//! A `.git` that is a *folder* in the root is read by handle, whoever made it: who could forge its index could as well leave the
//! line out of the `.gitignore` beside it.
//!
//! A `.git` that is a *file* names a folder by path, and whoever packed the workspace may have written it. It is followed when
//!
//! * the folder it names lies outside the folder that the file stands in, so that it did not come along with it,
//! * it belongs to the user, or to the system's administrator, and
//! * it points back: the file `gitdir` in it (a linked worktree's), or `core.worktree` in its `config` (a submodule's), leads to the
//!   folder that the `.git` file stands in.
//!
//! A repository *above* the root is used when its folder and its `.git` belong to the user or the administrator, as git's
//! `safe.directory` has it; so nobody else can put one above a shared folder.
//!
//! Not followed: `.git` as a link, what `git init --separate-git-dir` makes (it points back nowhere), environment variables, and
//! `safe.directory` of git's configuration. Outside the root nothing is looked at on systems other than Unix, where the owner is
//! not known. All that is learned from what is read here is whether a path is tracked; only regular files are read, each up to a
//! bound, through no link within the folder, and nothing that could block.
#![cfg_attr(
    unix,
    expect(
        clippy::disallowed_methods,
        reason = "git keeps the index of a worktree, and of a repository that the workspace is a part of, outside the root"
    )
)]

use std::io::Read as _;

use cap_std::fs::Dir;

use crate::capability::EntryKind;
use crate::handle;
use crate::path::WorkspacePath;
use crate::root::Root;

/// Where an index stands.
pub(super) struct IndexFolder {
    pub(super) dir: Dir,
    /// What the paths in the index start with, down to the workspace: empty, or with a `/` at its end.
    pub(super) prefix: Vec<u8>,
}

/// `None` where there is no repository, or none that can be relied on.
pub(super) fn find(root: &Root) -> Option<IndexFolder> {
    let name = WorkspacePath::parse(".git").ok()?;
    let dir = match handle::stat(root.dir(), &name).map(|found| handle::kind_of(&found)) {
        Ok(EntryKind::Directory) => handle::open_folder(root.dir(), Some(&name)).ok()?,
        #[cfg(unix)]
        Ok(EntryKind::File) => outside::named_by_file(root.dir(), root.resolved())?,
        #[cfg(unix)]
        Err(handle::ReachError::NotFound(_)) => return outside::above(root),
        _ => return None,
    };
    Some(IndexFolder {
        dir,
        prefix: Vec::new(),
    })
}

/// A file of a git folder: a regular one of at most `limit` bytes.
pub(super) fn read(dir: &Dir, name: &str, limit: u64) -> Option<Vec<u8>> {
    let (file, metadata) = handle::open_file(dir, &WorkspacePath::parse(name).ok()?).ok()?;
    if metadata.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

#[cfg(unix)]
mod outside {
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use cap_fs_ext::DirExt as _;
    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, MetadataExt as _};

    use super::{EntryKind, IndexFolder, read};
    use crate::ambient::identity_by_name;
    use crate::handle;
    use crate::root::{Identity, Root};

    /// Bytes of a `.git` file or of a `gitdir` file: a path, and a word before it.
    const MAX_POINTER_BYTES: u64 = 8 * 1024;
    /// Bytes of a repository's `config`.
    const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

    /// The nearest folder above the root that has a `.git`.
    pub(super) fn above(root: &Root) -> Option<IndexFolder> {
        for top_path in root.resolved().ancestors().skip(1) {
            let top = Dir::open_ambient_dir(top_path, ambient_authority()).ok()?;
            if identity(&top)?.device != root.identity().device {
                return None;
            }
            let kind = match top.symlink_metadata(".git") {
                Ok(metadata) => handle::kind_of(&metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => return None,
            };
            if !is_ours(&top) {
                return None;
            }
            let dir = match kind {
                EntryKind::Directory => top.open_dir_nofollow(".git").ok().filter(is_ours)?,
                EntryKind::File => named_by_file(&top, top_path)?,
                _ => return None,
            };
            let below = root.resolved().strip_prefix(top_path).ok()?;
            let mut prefix = below.as_os_str().as_bytes().to_vec();
            prefix.push(b'/');
            // The names above are the root's only while it stands where it stood.
            return root.still_there().then_some(IndexFolder { dir, prefix });
        }
        None
    }

    /// The folder that the file `.git` in `top` names, when it may be followed.
    pub(super) fn named_by_file(top: &Dir, top_path: &Path) -> Option<Dir> {
        let file = read(top, ".git", MAX_POINTER_BYTES)?;
        let named = path_in(file.strip_prefix(b"gitdir: ")?)?;
        let path = std::fs::canonicalize(top_path.join(named)).ok()?;
        if path.starts_with(top_path) {
            return None;
        }
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).ok()?;
        (is_ours(&dir) && points_back(&dir, &path, identity(top)?)).then_some(dir)
    }

    fn points_back(dir: &Dir, path: &Path, top: Identity) -> bool {
        let leads_to_top = |named: &Path| identity_by_name(&path.join(named)) == Some(top);
        if let Some(file) = read(dir, "gitdir", MAX_POINTER_BYTES) {
            return path_in(&file)
                .filter(|named| named.file_name() == Some(OsStr::new(".git")))
                .and_then(Path::parent)
                .is_some_and(leads_to_top);
        }
        let config = read(dir, "config", MAX_CONFIG_BYTES);
        config.is_some_and(|config| worktree(&config).is_some_and(leads_to_top))
    }

    /// A path on a line of its own.
    fn path_in(line: &[u8]) -> Option<&Path> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let plain = !line.is_empty() && !line.contains(&0) && !line.contains(&b'\n');
        plain.then(|| Path::new(OsStr::from_bytes(line)))
    }

    /// `core.worktree`, as git itself writes it for a submodule: once, and without anything to be unquoted.
    pub(super) fn worktree(config: &[u8]) -> Option<&Path> {
        let mut in_core = false;
        let mut found = None;
        for line in config.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
            if line.starts_with(b"[") {
                in_core = line.eq_ignore_ascii_case(b"[core]");
                continue;
            }
            let Some(equals) = line.iter().position(|byte| *byte == b'=') else {
                continue;
            };
            let (key, value) = (line[..equals].trim_ascii_end(), line[equals + 1..].trim_ascii_start());
            if !in_core || !key.eq_ignore_ascii_case(b"worktree") {
                continue;
            }
            if found.is_some() || value.iter().any(|byte| b"\"\\#;".contains(byte)) {
                return None;
            }
            found = Some(path_in(value)?);
        }
        found
    }

    fn identity(dir: &Dir) -> Option<Identity> {
        let metadata = dir.dir_metadata().ok()?;
        Some(Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    /// It belongs to the user who runs this, or to the administrator.
    fn is_ours(dir: &Dir) -> bool {
        const ADMINISTRATOR: u32 = 0;
        dir.dir_metadata().is_ok_and(|metadata| {
            let owner = metadata.uid();
            owner == ADMINISTRATOR || owner == rustix::process::geteuid().as_raw()
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use super::outside::worktree;

    #[test]
    fn the_worktree_is_read_as_git_writes_it() {
        let found = |config: &str| worktree(config.as_bytes()).map(Path::to_owned);
        let plain = "[core]\n\tbare = false\n\tworktree = ../../../sub folder\n[remote \"x\"]\n\tworktree = y\n";
        assert_eq!(found(plain).as_deref(), Some(Path::new("../../../sub folder")));
        assert_eq!(
            found("[CORE]\r\n\tWorkTree=../x\r\n").as_deref(),
            Some(Path::new("../x"))
        );
        for none in [
            "",
            "worktree = ../x",
            "[other]\nworktree = ../x\n",
            "[core \"x\"]\nworktree = ../x\n",
            "[core]\nworktree = ../x\nworktree = ../y\n",
            "[core]\nworktree = \"../x\"\n",
            "[core]\nworktree = ../x # here\n",
            "[core]\nworktree = ../x\\ny\n",
            "[core]\nworktree =\n",
            "[core]\nworktree\n",
        ] {
            assert_eq!(found(none), None, "{none:?}");
        }
    }
}
