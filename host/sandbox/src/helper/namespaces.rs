//! Namespaces, one by one, so that the one that cannot be had is known.

use std::fmt::Write as _;
use std::fs;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::WaitOptions;
use rustix::thread::UnshareFlags;

use super::calls::{self, Alone, Side};
use super::fault::{Fault, OrFault};
use crate::layer::{Layer, Layers};
use crate::plan::Plan;

/// Enters those of the plan that the supervisor enters for all: not the mount namespace, since it keeps the machine's own view.
pub(super) fn enter(alone: &Alone, plan: &Plan, force: &mut Layers) -> Result<(), Fault> {
    if plan.layers.has(Layer::UserNamespace) {
        user(alone).layer(Layer::UserNamespace, "entering a user namespace")?;
        force.add(Layer::UserNamespace);
    }
    for (layer, flag, tried) in [
        (Layer::PidNamespace, UnshareFlags::NEWPID, "entering a PID namespace"),
        (Layer::IpcNamespace, UnshareFlags::NEWIPC, "entering an IPC namespace"),
        (
            Layer::NetworkNamespace,
            UnshareFlags::NEWNET,
            "entering a network namespace",
        ),
    ] {
        if plan.layers.has(layer) {
            calls::unshare(alone, flag).layer(layer, tried)?;
            force.add(layer);
        }
    }
    Ok(())
}

/// A user namespace in which everybody is who he is outside: an ordinary user alone, root with all ids, since files of others would
/// otherwise belong to nobody, and root could not even read them.
fn user(alone: &Alone) -> std::io::Result<()> {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    if uid != 0 {
        calls::unshare(alone, UnshareFlags::NEWUSER)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        return fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"));
    }
    // More than one's own id can only be mapped from outside, so a copy of this process stays there and does it.
    let own = rustix::process::getpid().as_raw_pid();
    let (entered, enter) = pipe_with(PipeFlags::CLOEXEC)?;
    match calls::fork(alone)? {
        Side::Child => {
            drop(enter);
            let told = rustix::io::read(&entered, &mut [0; 1]) == Ok(1);
            let mapped = told && ["uid_map", "gid_map"].iter().all(|map| map_the_same(own, map).is_ok());
            std::process::exit(i32::from(!mapped));
        }
        Side::Parent(mapper) => {
            drop(entered);
            let unshared = calls::unshare(alone, UnshareFlags::NEWUSER);
            if unshared.is_ok() {
                rustix::io::write(&enter, b"e")?;
            }
            drop(enter);
            let status = loop {
                match rustix::process::waitpid(Some(mapper), WaitOptions::empty()) {
                    Err(rustix::io::Errno::INTR) => {}
                    other => break other?,
                }
            };
            unshared?;
            match status.and_then(|(_, status)| status.exit_status()) {
                Some(0) => Ok(()),
                _ => Err(std::io::Error::other("its ids could not be mapped")),
            }
        }
    }
}

/// Maps for `pid` every id that exists here (all of them, or, in a container, its share) to itself.
fn map_the_same(pid: i32, map: &str) -> std::io::Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(format!("/proc/self/{map}"))?.lines() {
        let mut fields = line.split_ascii_whitespace();
        if let (Some(first), Some(_outside), Some(count)) = (fields.next(), fields.next(), fields.next()) {
            let _ = writeln!(lines, "{first} {first} {count}");
        }
    }
    fs::write(format!("/proc/{pid}/{map}"), lines)
}
