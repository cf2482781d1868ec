//! The few system calls of the helper for which there is no safe wrapper. All `unsafe` of this crate is here.

#![expect(
    unsafe_code,
    reason = "fork, and calls that the safe wrappers do not have; each is sound for the reason beside it"
)]

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Proof that this process has one thread, so that a copy of it is whole.
#[derive(Debug)]
pub(super) struct Alone(());

impl Alone {
    /// Looks. Nothing in the helper starts a thread, so what was true at its start stays true.
    pub(super) fn check() -> io::Result<Self> {
        match std::fs::read_dir("/proc/self/task")?.count() {
            1 => Ok(Self(())),
            n => Err(io::Error::other(format!(
                "the helper has {n} threads, and must have one"
            ))),
        }
    }
}

/// Which of the two this is after [`fork`].
pub(super) enum Side {
    /// The one that called; the other's id.
    Parent(Pid),
    /// The copy.
    Child,
}

/// Makes a copy of this process.
pub(super) fn fork(_: &Alone) -> io::Result<Side> {
    // SAFETY: with one thread no lock is held by anybody else, so the copy may do all that the original may.
    let pid = unsafe { libc::fork() };
    match pid {
        0 => Ok(Side::Child),
        pid if pid > 0 => Pid::from_raw(pid)
            .map(Side::Parent)
            .ok_or_else(|| io::Error::other("fork answered no process id")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Leaves shared namespaces.
pub(super) fn unshare(_: &Alone, flags: UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(UnshareFlags::FILES), "descriptors stay as they are");
    // SAFETY: only the table of descriptors could be pulled away from under another thread; there is none, and it is not asked for.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(Into::into)
}

/// Closes every descriptor but the standard three and this one: those that came from whoever started the host. To be called before
/// anything else is opened.
pub(super) fn close_others(_: &Alone, keep: &OwnedFd) -> io::Result<()> {
    // Listed first, and closed then: the folder that is read is among them.
    let mut open = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        open.extend(entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    for number in open {
        if number > 2 && number != keep.as_raw_fd() {
            // SAFETY: nothing in this process owns one of these.
            unsafe { libc::close(number) };
        }
    }
    Ok(())
}

/// Gives every signal its default effect. One that the host, or its own parent, ignores would stay ignored in the program.
pub(super) fn default_signals() {
    // 9 and 19 cannot be changed, some numbers belong to the C library: those answers are errors, and of no interest.
    for signal in 1..=64 {
        // SAFETY: the default disposition runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Adds attributes to a mount, and with `all` to every one below it. Only adding is ever allowed on what came from outside.
pub(super) fn add_mount_attributes(mount: BorrowedFd<'_>, attributes: u64, all: bool) -> io::Result<()> {
    let request = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let recursive = if all { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is an empty C string, and the structure is as large as is said.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | recursive,
            &raw const request,
            size_of::<libc::mount_attr>(),
        )
    };
    answered(answer)
}

fn answered(answer: libc::c_long) -> io::Result<()> {
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
