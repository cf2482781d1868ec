//! The only place of this crate that opens by name: what the user named, and nothing that a plugin or a repository did.
//!
//! Everywhere else files are reached through the handles that are made here. A list of the functions that open by name stands in
//! the crate's `clippy.toml`, which denies them.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room where paths of the user become handles"
)]

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::capability::EntryKind;
use crate::handle::{kind_of, kind_of_type};
use crate::root::{Identity, Root};
use crate::seen::Stat;

/// Why something named by the user could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing there.
    #[error("`{}` is not there", .path.display())]
    Missing {
        /// As named.
        path: PathBuf,
    },
    /// A folder is needed.
    #[error("`{}` is {}, not a folder", .path.display(), .kind.describe())]
    NotAFolder {
        /// As named.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// A regular file is needed.
    #[error("`{}` is {}, not a file", .path.display(), .kind.describe())]
    NotAFile {
        /// As named.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// `.snodo`, or something in it, is not what the host itself would have made there.
    #[error(
        "`{}` in the workspace is {}: what the host keeps there could end up elsewhere. Remove it, or move it away, and start again",
        .path.display(), .kind.describe()
    )]
    StateFolder {
        /// From the root of the workspace.
        path: PathBuf,
        /// What it is.
        kind: EntryKind,
    },
    /// A file in `.snodo` that the host appends to has a second name, perhaps outside the workspace.
    #[error(
        "`{}` in the workspace has a second name (it is a hard link): what the host appends would end up there too. Put a copy in its place and start again",
        .path.display()
    )]
    StateFileShared {
        /// From the root of the workspace.
        path: PathBuf,
    },
    /// A private folder belongs to somebody else.
    #[error(
        "`{}` belongs to user {owner}, not to the user {user} who runs this: nothing private is kept there",
        .path.display()
    )]
    NotOurs {
        /// As named.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who runs this.
        user: u32,
    },
    /// A file over the size that is taken.
    #[error("`{}` has {size} bytes or more; at most {limit} are taken", .path.display())]
    TooLarge {
        /// As named.
        path: PathBuf,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// The system would not.
    #[error("`{}`: {error}", .path.display())]
    Io {
        /// As named.
        path: PathBuf,
        /// Its reason.
        error: io::Error,
    },
}

/// Opens the root of a workspace. A root that is named through a link is the folder that the link leads to.
///
/// What the host itself keeps in the workspace is checked before anything is written there: `.snodo` has to be a folder
/// or missing, no entry of it may be a link, and its audit log has to be a file of one name.
pub fn open_root(path: &Path) -> Result<Root, OpenError> {
    let dir = open_folder(path)?;
    let io = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    let identity = identity_of(&dir).map_err(io)?;
    let resolved = std::fs::canonicalize(path).map_err(io)?;
    if identity_by_name(&resolved) != Some(identity) {
        return Err(io(io::Error::other("it was replaced while it was being opened")));
    }
    check_state_folder(&dir)?;
    Ok(Root::new(dir, path.to_owned(), resolved, identity))
}

/// Where a path of the user's leads: links resolved as far as it exists, the rest as it is spelled.
pub fn resolve(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(resolved), Ok(rest)) = (std::fs::canonicalize(ancestor), path.strip_prefix(ancestor)) {
            return resolved.join(rest);
        }
    }
    path.to_owned()
}

/// Opens a folder that only its owner can enter, and makes it (with the parents that are missing) when it is not there: state, cache. A
/// folder of ours that others could enter is closed to them.
pub fn open_private_dir(path: &Path) -> Result<Dir, OpenError> {
    let io = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => {}
        // A dangling link, or a file: opening it says which.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(io(error)),
    }
    let dir = open_folder(path)?;
    close_to_others(&dir, path)?;
    Ok(dir)
}

/// Opens a folder of the user's; none when it is not there. Nothing is made and nothing about it is changed: the configuration.
pub fn open_dir_if_there(path: &Path) -> Result<Option<Dir>, OpenError> {
    match open_folder(path) {
        Ok(dir) => Ok(Some(dir)),
        Err(OpenError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file that the user named on the command line or in the configuration: a regular file of at most `limit` bytes.
pub fn read_user_file(path: &Path, limit: u64) -> Result<Vec<u8>, OpenError> {
    let file = open_user_file(path)?;
    let io = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    let too_large = |size| OpenError::TooLarge {
        path: path.to_owned(),
        size,
        limit,
    };
    let size = file.metadata().map_err(io)?.len();
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // One more than is taken, so that a file that grows, or does not tell its size, is noticed.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    let size = bytes.len() as u64;
    if size > limit { Err(too_large(size)) } else { Ok(bytes) }
}

/// Opens a regular file that the user named, for reading. Links are followed: the user may name a file through one. Does not
/// block, whatever it is.
pub fn open_user_file(path: &Path) -> Result<std::fs::File, OpenError> {
    let io = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    // Looked at before it is opened, since a device may act on being opened; and again on the handle.
    refuse_other_than_file(
        path,
        &std::fs::metadata(path).map_err(|error| missing_or_io(path, error))?,
    )?;
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY)
            .bits()
            .cast_signed(),
    );
    let file = options.open(path).map_err(|error| missing_or_io(path, error))?;
    refuse_other_than_file(path, &file.metadata().map_err(io)?)?;
    Ok(file)
}

/// Which folder a name leads to now. Asked of a handle, since not every system tells by name.
pub(crate) fn identity_by_name(path: &Path) -> Option<Identity> {
    let dir = Dir::open_ambient_dir(path, ambient_authority()).ok()?;
    identity_of(&dir).ok()
}

fn identity_of(dir: &Dir) -> io::Result<Identity> {
    let metadata = dir.dir_metadata()?;
    Ok(Identity {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

fn open_folder(path: &Path) -> Result<Dir, OpenError> {
    let kind = kind_by_name(path)?;
    if kind != EntryKind::Directory {
        return Err(OpenError::NotAFolder {
            path: path.to_owned(),
            kind,
        });
    }
    Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| missing_or_io(path, error))
}

fn kind_by_name(path: &Path) -> Result<EntryKind, OpenError> {
    let metadata = std::fs::metadata(path).map_err(|error| missing_or_io(path, error))?;
    Ok(kind_of(&cap_std::fs::Metadata::from_just_metadata(metadata)))
}

fn refuse_other_than_file(path: &Path, metadata: &std::fs::Metadata) -> Result<(), OpenError> {
    match kind_of(&cap_std::fs::Metadata::from_just_metadata(metadata.clone())) {
        EntryKind::File => Ok(()),
        kind => Err(OpenError::NotAFile {
            path: path.to_owned(),
            kind,
        }),
    }
}

fn missing_or_io(path: &Path, error: io::Error) -> OpenError {
    match error.kind() {
        io::ErrorKind::NotFound => OpenError::Missing { path: path.to_owned() },
        _ => OpenError::Io {
            path: path.to_owned(),
            error,
        },
    }
}

/// The folder of the host's state in the workspace, and the log in it that the host appends to.
const STATE_FOLDER: &str = ".snodo";
const AUDIT_LOG: &str = "audit.log";

fn check_state_folder(root: &Dir) -> Result<(), OpenError> {
    let io = |error| OpenError::Io {
        path: STATE_FOLDER.into(),
        error,
    };
    let metadata = match root.symlink_metadata(STATE_FOLDER) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io(error)),
    };
    let kind = kind_of(&metadata);
    if kind != EntryKind::Directory {
        return Err(OpenError::StateFolder {
            path: STATE_FOLDER.into(),
            kind,
        });
    }
    let folder = cap_fs_ext::DirExt::open_dir_nofollow(root, STATE_FOLDER).map_err(io)?;
    for entry in folder.entries().map_err(io)? {
        let entry = entry.map_err(io)?;
        let path = Path::new(STATE_FOLDER).join(entry.file_name());
        let mut kind = kind_of_type(entry.file_type().map_err(io)?);
        if kind == EntryKind::Unknown {
            kind = kind_of(&folder.symlink_metadata(entry.file_name()).map_err(io)?);
        }
        if kind == EntryKind::Symlink {
            return Err(OpenError::StateFolder { path, kind });
        }
        // The log and what stands beside it (its lock, what was rotated away).
        if entry.file_name().to_string_lossy().starts_with(AUDIT_LOG) {
            if kind != EntryKind::File {
                return Err(OpenError::StateFolder { path, kind });
            }
            let metadata = folder.symlink_metadata(entry.file_name()).map_err(io)?;
            if Stat::of(&metadata).links > 1 {
                return Err(OpenError::StateFileShared { path });
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn close_to_others(dir: &Dir, path: &Path) -> Result<(), OpenError> {
    use cap_std::fs::MetadataExt as _;

    let io = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    let metadata = dir.dir_metadata().map_err(io)?;
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != user {
        return Err(OpenError::NotOurs {
            path: path.to_owned(),
            owner,
            user,
        });
    }
    if metadata.mode() & 0o077 != 0 {
        let private = rustix::fs::Mode::RWXU;
        rustix::fs::chmodat(dir, ".", private, rustix::fs::AtFlags::empty()).map_err(|error| io(error.into()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn close_to_others(_: &Dir, _: &Path) -> Result<(), OpenError> {
    // The folders of a user's profile are closed to other users by inheritance.
    Ok(())
}
