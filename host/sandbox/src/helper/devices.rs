//! `/dev` and `/proc` of a new root.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::place::DEVICES;
use super::{calls, limits, mounts};
use crate::layer::Layer;
use crate::plan::Plan;

const QUIET: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;

/// A device is written to also where it is mounted read-only; its mode, owner and times, which are the machine's, are not.
const DEVICE: u64 = QUIET | libc::MOUNT_ATTR_RDONLY;

/// Links in `/dev`, and what they say. `/dev/tty` is not there: there is no terminal, and nothing shall wait at one.
const LINKS: [(&str, &str); 5] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
    ("/dev/ptmx", "pts/ptmx"),
];

/// Devices of the machine, taken before its file system is left.
pub(super) fn take() -> io::Result<Vec<(PathBuf, OwnedFd)>> {
    DEVICES
        .iter()
        .map(|name| {
            let path = Path::new("/dev").join(name);
            let device = rustix::fs::open(&path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
            if FileType::from_raw_mode(rustix::fs::fstat(&device)?.st_mode) != FileType::CharacterDevice {
                return Err(io::Error::other(format!("`{}` is no device", path.display())));
            }
            Ok((path, mounts::clone_tree(&device, DEVICE)?))
        })
        .collect()
}

/// Where a program may read and write what is there, in `/dev`.
pub(super) fn paths() -> impl Iterator<Item = PathBuf> {
    DEVICES
        .iter()
        .copied()
        .chain(["pts"])
        .map(|name| Path::new("/dev").join(name))
}

/// `/dev` with those devices, terminals of its own, and shared memory of its own.
pub(super) fn dev(top: &OwnedFd, devices: Vec<(PathBuf, OwnedFd)>) -> io::Result<()> {
    let folder = mounts::new_file_system("tmpfs", &[("size", "64k"), ("mode", "755")], QUIET)?;
    mounts::put(top, folder.as_fd(), Path::new("/dev"), true)?;
    for (path, device) in devices {
        mounts::put(top, device.as_fd(), &path, false)?;
    }
    let terminals = mounts::new_file_system(
        "devpts",
        &[("newinstance", ""), ("ptmxmode", "0666"), ("mode", "0620")],
        QUIET,
    )?;
    mounts::put(top, terminals.as_fd(), Path::new("/dev/pts"), true)?;
    let shared = mounts::new_file_system(
        "tmpfs",
        &[("size", "1g"), ("mode", "1777")],
        QUIET | libc::MOUNT_ATTR_NODEV,
    )?;
    mounts::put(top, shared.as_fd(), Path::new("/dev/shm"), true)?;
    for (at, target) in LINKS {
        mounts::link(top, Path::new(at), Path::new(target))?;
    }
    calls::add_mount_attributes(folder.as_fd(), libc::MOUNT_ATTR_RDONLY, false)
}

/// `/proc` of the PID namespace. It is read-only: to the machine's root, which a program of root's still is to the file system, files like
/// `/proc/sysrq-trigger` are open.
pub(super) fn proc(top: &OwnedFd, root: &Path, plan: &Plan, notes: &mut Vec<String>) -> io::Result<()> {
    let attributes = QUIET | libc::MOUNT_ATTR_NODEV;
    let folder = mounts::new_file_system("proc", &[], attributes)?;
    let at = Path::new("/proc");
    mounts::put(top, folder.as_fd(), at, true)?;
    if plan.layers.has(Layer::ResourceLimits) {
        let bounded = limits::bound_ids(&mounts::before_entering(root, at), plan.processes);
        if !bounded && rustix::process::geteuid().is_root() && !plan.layers.has(Layer::Cgroup) {
            notes.push(
                "the number of processes is not bounded: the kernel does not count root's, and offers no bound for a PID \
                 namespace (Linux 6.14)"
                    .to_owned(),
            );
        }
    }
    calls::add_mount_attributes(folder.as_fd(), libc::MOUNT_ATTR_RDONLY, false)
}
