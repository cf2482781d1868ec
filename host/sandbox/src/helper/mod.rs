//! The helper: this same binary, started anew by the host for one program, which puts the layers in force and starts it.
//!
//! Three processes. The *supervisor* is the host's child; it stays outside of all that it sets up, hears when the host wants an
//! end or is gone, and leaves no process behind. The *first process* is the first of the new namespaces; it builds what the
//! program sees, starts it and waits for it. The *program* begins as a copy of the first process, takes away its own rights, says
//! that it is ready, and becomes the program. A layer that the plan names is in force then, or nothing is executed.

mod calls;
mod cgroup;
pub(crate) mod descendants;
mod devices;
mod entries;
mod fault;
mod identity;
mod init;
mod landlock;
mod limits;
mod mounts;
mod namespaces;
mod place;
mod seccomp;
mod start;
mod supervise;

pub(crate) use cgroup::remove_left_behind;

/// What the binary does when its first argument is [`crate::HELPER_COMMAND`]: the whole life of a helper, told what to do by the
/// socket that is its standard input. It must be called before any thread is started. The answer is the exit code.
pub fn helper_main() -> u8 {
    supervise::run()
}
