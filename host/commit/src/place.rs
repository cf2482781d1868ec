//! Where the repository is: the nearest folder with a `.git`, from the workspace upwards.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _};
use snodo_workspace::capability::EntryKind;
use snodo_workspace::handle::kind_of;
use snodo_workspace::root::{Identity, Root};

use crate::error::{CommitError, io_at};
use crate::files;

/// Bytes of a `.git` file, of `gitdir` and of `commondir`: a path, and a word before it.
const MAX_POINTER_BYTES: u64 = 8 * 1024;

/// A folder, by handle and, for gix, by name.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) dir: Dir,
    identity: Identity,
}

/// The repository of a workspace.
#[derive(Debug)]
pub(crate) struct Place {
    /// The top of the working tree.
    pub(crate) top: Folder,
    /// HEAD and the index are in here.
    pub(crate) git_dir: Folder,
    /// Objects, branches and the configuration are in here; in a linked working tree, not the same.
    pub(crate) common: Folder,
    /// From the top to the workspace: empty, or with a `/` at its end.
    pub(crate) prefix: Vec<u8>,
}

impl Folder {
    fn open(path: PathBuf) -> Result<Self, CommitError> {
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(io_at(&path))?;
        let identity = identity(&dir).map_err(io_at(&path))?;
        Ok(Self { path, dir, identity })
    }

    /// The same folder once more.
    fn again(&self) -> Result<Self, CommitError> {
        Ok(Self {
            path: self.path.clone(),
            dir: self.dir.try_clone().map_err(io_at(&self.path))?,
            identity: self.identity,
        })
    }

    /// Whether it belongs to the user who runs this. As git has it: the administrator's folders are not ours, unless we are.
    fn check_ours(&self) -> Result<(), CommitError> {
        let metadata = self.dir.dir_metadata().map_err(io_at(&self.path))?;
        let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
        if owner == user {
            Ok(())
        } else {
            Err(CommitError::NotOurs {
                at: self.path.clone(),
                owner,
                user,
            })
        }
    }

    /// Whether its name still leads to it: gix goes by name.
    fn check_still_there(&self) -> Result<(), CommitError> {
        let now = Dir::open_ambient_dir(&self.path, ambient_authority()).and_then(|dir| identity(&dir));
        match now {
            Ok(now) if now == self.identity => Ok(()),
            Ok(_) => Err(not_one(&self.path, "it was replaced by another folder during the run")),
            Err(error) => Err(CommitError::Io {
                at: self.path.clone(),
                error,
            }),
        }
    }
}

impl Place {
    /// Finds it, and checks whose it is.
    pub(crate) fn find(root: &Root) -> Result<Self, CommitError> {
        for top_path in root.resolved().ancestors() {
            let top = Folder::open(top_path.to_owned())?;
            if top.identity.device != root.identity().device {
                // As git: what is mounted in a repository is not part of it.
                break;
            }
            let dot_git = top_path.join(".git");
            let Some(metadata) = files::look(&top.dir, ".git").map_err(io_at(&dot_git))? else {
                continue;
            };
            top.check_ours()?;
            let git_dir = match kind_of(&metadata) {
                EntryKind::Directory => {
                    let dir = files::enter(&top.dir, Path::new(".git")).map_err(io_at(&dot_git))?;
                    let identity = identity(&dir).map_err(io_at(&dot_git))?;
                    Folder {
                        path: dot_git,
                        dir,
                        identity,
                    }
                }
                EntryKind::File => named_by_file(&top, &dot_git)?,
                other => {
                    return Err(CommitError::OddFile {
                        at: dot_git,
                        what: other.describe(),
                    });
                }
            };
            git_dir.check_ours()?;
            let common = common(&git_dir)?;
            common.check_ours()?;
            let below = root
                .resolved()
                .strip_prefix(top_path)
                .map_err(|_| not_one(top_path, "the workspace is not below it"))?;
            let mut prefix = below.as_os_str().as_bytes().to_vec();
            if !prefix.is_empty() {
                prefix.push(b'/');
            }
            // The names above are the root's only while it stands where it stood.
            if !root.still_there() {
                return Err(not_one(root.resolved(), "the workspace was moved or replaced"));
            }
            return Ok(Self {
                top,
                git_dir,
                common,
                prefix,
            });
        }
        Err(CommitError::NoRepository {
            workspace: root.given().to_owned(),
        })
    }

    /// Whether this is a linked working tree (`git worktree add`).
    pub(crate) fn is_linked(&self) -> bool {
        self.git_dir.identity != self.common.identity
    }

    /// Whether every folder still is where it was.
    pub(crate) fn check_still_there(&self) -> Result<(), CommitError> {
        [&self.top, &self.git_dir, &self.common]
            .into_iter()
            .try_for_each(Folder::check_still_there)
    }

    /// Whether `path`, relative to the git folder, is the top of the working tree.
    pub(crate) fn leads_to_top(&self, path: &Path) -> bool {
        leads_to(&self.git_dir.path.join(path), self.top.identity)
    }
}

fn not_one(at: &Path, why: &str) -> CommitError {
    CommitError::NotARepository {
        at: at.to_owned(),
        why: why.to_owned(),
    }
}

/// The folder that the file `.git` names: of a linked working tree, or of a submodule.
///
/// It has to name this working tree in turn. Otherwise a file in a folder of a stranger's could make any repository of the user's the one
/// that is committed to.
fn named_by_file(top: &Folder, dot_git: &Path) -> Result<Folder, CommitError> {
    let text = files::read(top, ".git", MAX_POINTER_BYTES)?.unwrap_or_default();
    let named = text
        .strip_prefix(b"gitdir: ")
        .and_then(path_in)
        .ok_or_else(|| not_one(dot_git, "it is a file that names no folder"))?;
    let path = std::fs::canonicalize(top.path.join(named)).map_err(io_at(top.path.join(named)))?;
    let folder = Folder::open(path)?;
    folder.check_ours()?;
    let back = match files::read(&folder, "gitdir", MAX_POINTER_BYTES)? {
        // A linked working tree: `gitdir` names its `.git`.
        Some(text) => path_in(&text)
            .filter(|named| named.file_name() == Some(OsStr::new(".git")))
            .and_then(Path::parent)
            .is_some_and(|named| leads_to(&folder.path.join(named), top.identity)),
        // A submodule: `core.worktree`.
        None => crate::config::worktree(&folder)?.is_some_and(|named| leads_to(&folder.path.join(named), top.identity)),
    };
    if back {
        Ok(folder)
    } else {
        Err(not_one(
            dot_git,
            "it names a folder that does not name this working tree in turn (as a linked working tree and a submodule do)",
        ))
    }
}

fn common(git_dir: &Folder) -> Result<Folder, CommitError> {
    let Some(text) = files::read(git_dir, "commondir", MAX_POINTER_BYTES)? else {
        return git_dir.again();
    };
    let at = || git_dir.path.join("commondir");
    let named = path_in(&text).ok_or_else(|| not_one(&at(), "it names no folder"))?;
    let path = std::fs::canonicalize(git_dir.path.join(named)).map_err(io_at(at()))?;
    let folder = Folder::open(path)?;
    if git_dir.path.parent() == Some(folder.path.join("worktrees").as_path()) {
        Ok(folder)
    } else {
        Err(not_one(&at(), "it names a folder that this working tree is not one of"))
    }
}

fn leads_to(path: &Path, identity_of_top: Identity) -> bool {
    Dir::open_ambient_dir(path, ambient_authority())
        .and_then(|dir| identity(&dir))
        .is_ok_and(|found| found == identity_of_top)
}

/// A path on a line of its own.
fn path_in(line: &[u8]) -> Option<&Path> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let plain = !line.is_empty() && !line.contains(&0) && !line.contains(&b'\n');
    plain.then(|| Path::new(OsStr::from_bytes(line)))
}

fn identity(dir: &Dir) -> io::Result<Identity> {
    let metadata = dir.dir_metadata()?;
    Ok(Identity {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}
