//! The first process of the namespaces: it builds what the program sees, starts it, and waits for it. When it ends, the kernel
//! ends all others of its PID namespace.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus};

use super::calls::{self, Alone, Side};
use super::fault::{Fault, OrFault, Voice};
use super::place::Place;
use super::{mounts, start};
use crate::layer::{Layer, Layers};
use crate::plan::{Plan, Said};

/// What has come about on the way to the program.
pub(super) struct State {
    /// Layers that are in force.
    pub(super) force: Layers,
    /// What a person should know.
    pub(super) notes: Vec<String>,
    /// Processes that the program must not end: the host, and those of the helper.
    pub(super) guards: Vec<Pid>,
}

/// All of it. The answer is the exit code, which nobody reads.
pub(super) fn run(alone: &Alone, plan: &Plan, voice: &Voice, state: State, go: OwnedFd) -> i32 {
    match live(alone, plan, voice, state, go) {
        Ok(()) => 0,
        Err(fault) => {
            voice.fault(fault);
            1
        }
    }
}

fn live(alone: &Alone, plan: &Plan, voice: &Voice, mut state: State, go: OwnedFd) -> Result<(), Fault> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).own("binding to the supervisor's life")?;
    // Had the supervisor died before that, its end of the pipe would be closed now.
    if rustix::io::read(&go, &mut [0; 1]) != Ok(1) {
        return Ok(());
    }
    drop(go);
    let place = match &plan.root {
        Some(root) if plan.layers.has(Layer::MountNamespace) => {
            mounts::build(alone, plan, root, &mut state.force, &mut state.notes)?
        }
        _ => Place::machine(plan),
    };
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).own("closing the helper to others")?;
    state.guards.push(rustix::process::getpid());
    let (fate, failed) = pipe_with(PipeFlags::CLOEXEC).own("making a pipe")?;
    match calls::fork(alone).own("making the program's process")? {
        Side::Child => {
            drop(fate);
            let Some(fault) = start::run(plan, voice, &place, state) else {
                std::process::exit(0);
            };
            voice.fault(fault);
            // Said before this end of the pipe is closed without a word, which means that the program runs.
            let _ = rustix::io::write(&failed, b"f");
            std::process::exit(1);
        }
        Side::Parent(program) => {
            drop(failed);
            let failed = loop {
                match rustix::io::read(&fate, &mut [0; 1]) {
                    Err(Errno::INTR) => {}
                    answer => break answer == Ok(1),
                }
            };
            let status = reap_until(program)?;
            if !failed {
                voice.say(&Said::Ended {
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                });
            }
            Ok(())
        }
    }
}

/// Buries whatever ends, until the program has.
fn reap_until(program: Pid) -> Result<WaitStatus, Fault> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => return Ok(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::own(format!("waiting for the program: {error}"))),
        }
    }
}
