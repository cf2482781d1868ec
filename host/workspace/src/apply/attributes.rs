//! What a file keeps when another inode takes its name: mode, owner, access list, the user's attributes.

use std::io;

use cap_std::fs::{Dir, File, Metadata};

use super::sys::{self, permission_bits};

/// Of the file that is replaced, or moved with another content.
pub(super) struct Attributes {
    /// Permission bits.
    pub(super) mode: u32,
    #[cfg_attr(not(unix), expect(dead_code, reason = "owners and exact times are Unix's"))]
    metadata: Metadata,
    #[cfg(target_os = "linux")]
    extended: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    pub(super) fn of(dir: &Dir, name: &str) -> io::Result<Self> {
        let file = sys::open(dir, name)?;
        let metadata = file.metadata()?;
        Ok(Self {
            mode: permission_bits(&metadata),
            #[cfg(target_os = "linux")]
            extended: extended(&file)?,
            metadata,
        })
    }
}

/// Gives a new file, of which `now` tells, the owner and the attributes; the mode comes after, since changing the owner clears some of its bits.
#[cfg(unix)]
pub(super) fn take_over(file: &File, now: &Metadata, from: &Attributes) -> io::Result<()> {
    use cap_std::fs::MetadataExt as _;
    use rustix::fs::{Gid, Uid, fchown};

    let owner = (now.uid() != from.metadata.uid()).then(|| Uid::from_raw(from.metadata.uid()));
    let group = (now.gid() != from.metadata.gid()).then(|| Gid::from_raw(from.metadata.gid()));
    if group.is_some() {
        // May be refused where the user is not in the group; the file is the user's own then.
        ignore_refusal(fchown(file, None, group))?;
    }
    if owner.is_some() {
        ignore_refusal(fchown(file, owner, None))?;
    }
    set_extended(file, from)
}

#[cfg(not(unix))]
pub(super) fn take_over(_: &File, _: &Metadata, _: &Attributes) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn ignore_refusal(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Err(rustix::io::Errno::PERM) => Ok(()),
        other => Ok(other?),
    }
}

/// A change of the mode alone is none of the content: the file keeps its times.
#[cfg(unix)]
pub(super) fn keep_times(file: &File, from: &Attributes) -> io::Result<()> {
    use cap_std::fs::MetadataExt as _;
    use rustix::fs::{Timespec, Timestamps, futimens};

    let m = &from.metadata;
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: m.atime(),
            tv_nsec: m.atime_nsec(),
        },
        last_modification: Timespec {
            tv_sec: m.mtime(),
            tv_nsec: m.mtime_nsec(),
        },
    };
    Ok(futimens(file, &times)?)
}

#[cfg(not(unix))]
pub(super) fn keep_times(_: &File, _: &Attributes) -> io::Result<()> {
    Ok(())
}

/// The access list and the user's own attributes. Not the system's: a security label belongs to the new inode, and a capability of a
/// program is lost by any write to it.
#[cfg(target_os = "linux")]
fn extended(file: &File) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    use rustix::fs::{fgetxattr, flistxattr};
    use rustix::io::Errno;

    let mut names = Vec::with_capacity(1024);
    loop {
        names.clear();
        match flistxattr(file, rustix::buffer::spare_capacity(&mut names)) {
            Ok(_) => break,
            Err(Errno::RANGE) => names.reserve(names.capacity() * 2),
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
    }
    let mut found = Vec::new();
    let kept = |name: &[u8]| name.starts_with(b"user.") || name == ACCESS_LIST;
    for name in names.split(|b| *b == 0).filter(|name| kept(name)) {
        let mut value = Vec::with_capacity(4096);
        loop {
            value.clear();
            match fgetxattr(file, name, rustix::buffer::spare_capacity(&mut value)) {
                Ok(_) => {
                    found.push((name.to_vec(), value));
                    break;
                }
                Err(Errno::RANGE) => value.reserve(value.capacity() * 2),
                // Taken away in this moment.
                Err(Errno::NODATA) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(found)
}

#[cfg(target_os = "linux")]
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

#[cfg(target_os = "linux")]
fn set_extended(file: &File, from: &Attributes) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fsetxattr};

    if from.extended.iter().any(|(name, _)| name != ACCESS_LIST) && from.mode & 0o200 == 0 {
        // The user's attributes are set by who may write.
        sys::set_mode(file, 0o600)?;
    }
    for (name, value) in &from.extended {
        fsetxattr(file, name.as_slice(), value, XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn set_extended(_: &File, _: &Attributes) -> io::Result<()> {
    Ok(())
}
