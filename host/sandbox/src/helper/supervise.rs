//! The supervisor: outside of the namespaces, it hears the host, and ends what has to end.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, Signal};

use super::calls::{self, Alone, Side};
use super::cgroup::Cgroup;
use super::fault::{Fault, OrFault, Voice};
use super::init::State;
use super::{descendants, init, namespaces};
use crate::layer::{Layer, Layers};
use crate::plan::{Plan, Said};

/// Bytes of the longest plan.
const PLAN_BYTES: usize = 16 << 20;

/// How long what a program left running is hunted down: the host waits a little longer than this.
const HUNT: Duration = Duration::from_millis(1_500);

/// All of it.
pub(super) fn run() -> u8 {
    let Ok(Some((plan, rest))) = read_plan() else {
        // Without a plan there is nobody to talk to.
        return 2;
    };
    let Ok(socket) = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3) else {
        return 2;
    };
    let voice = Voice(socket);
    let outcome = match serde_json::from_slice::<Plan>(&plan) {
        Ok(plan) => supervise(&plan, &voice, rest),
        Err(error) => Err(Fault::own(format!("the plan cannot be read: {error}"))),
    };
    match outcome {
        Ok(()) => 0,
        Err(fault) => {
            voice.fault(fault);
            1
        }
    }
}

/// The first line of standard input, and whether more came with it: a host that wants an end at once.
fn read_plan() -> rustix::io::Result<Option<(Vec<u8>, bool)>> {
    let (stdin, mut line) = (std::io::stdin(), Vec::new());
    let mut buffer = vec![0; 64 << 10];
    loop {
        let n = match rustix::io::read(&stdin, &mut buffer) {
            Ok(0) => return Ok(None),
            Ok(n) => n,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        if let Some(end) = buffer[..n].iter().position(|b| *b == b'\n') {
            line.extend_from_slice(&buffer[..end]);
            return Ok(Some((line, end + 1 < n)));
        }
        line.extend_from_slice(&buffer[..n]);
        if line.len() > PLAN_BYTES {
            return Ok(None);
        }
    }
}

fn supervise(plan: &Plan, voice: &Voice, stop: bool) -> Result<(), Fault> {
    let alone = Alone::check().own("looking at the helper's own threads")?;
    calls::close_others(&alone, &voice.0).own("closing inherited descriptors")?;
    let input = input(plan.input.as_deref())?;
    rustix::stdio::dup2_stdin(input).own("giving the program its standard input")?;
    rustix::process::umask(Mode::WGRP | Mode::WOTH);
    // Whatever a program leaves running becomes a child of this process, and is found.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).own("becoming the heir of orphans")?;
    let cgroup = if plan.layers.has(Layer::Cgroup) {
        Some(Cgroup::make(plan.processes).layer(Layer::Cgroup, "making a control group")?)
    } else {
        None
    };
    let (mut force, mut notes) = (Layers::default(), Vec::new());
    let guards = [rustix::process::getppid(), Some(rustix::process::getpid())]
        .into_iter()
        .flatten()
        .collect();
    namespaces::enter(&alone, plan, &mut force)?;
    // From here on nobody of the same user may look into this process or write into it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).own("closing the helper to others")?;
    let (wait, go) = pipe_with(PipeFlags::CLOEXEC).own("making a pipe")?;
    // Only the first process holds the other end of this, until it ends.
    let (alive, lives) = pipe_with(PipeFlags::CLOEXEC).own("making a pipe")?;
    let first = match calls::fork(&alone).own("starting the first process")? {
        Side::Child => {
            drop((go, alive));
            if let Some(group) = &cgroup {
                force.add(Layer::Cgroup);
                notes.extend(group.note().map(ToOwned::to_owned));
            }
            let state = State { force, notes, guards };
            let code = init::run(&alone, plan, voice, state, wait);
            drop(lives);
            std::process::exit(code);
        }
        Side::Parent(pid) => pid,
    };
    drop((wait, lives));
    let outcome = (|| {
        if let Some(group) = &cgroup {
            group
                .admit(first)
                .layer(Layer::Cgroup, "putting a process into the control group")?;
        }
        rustix::io::write(&go, b"g").own("letting the first process go on")?;
        if !stop {
            watch(voice, &alive)?;
        }
        Ok(())
    })();
    // The first process may live on (a stop, or a fault): with it all of its namespace goes.
    let _ = rustix::process::kill_process(first, Signal::KILL);
    end_all(voice, cgroup);
    outcome
}

/// Waits until the first process has ended, or the host wants an end, or is gone.
fn watch(voice: &Voice, alive: &OwnedFd) -> Result<(), Fault> {
    loop {
        let mut watched = [
            PollFd::new(&voice.0, PollFlags::IN | PollFlags::RDHUP),
            PollFd::new(alive, PollFlags::IN),
        ];
        match poll(&mut watched, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::own(format!("waiting: {error}"))),
        }
        if watched.iter().any(|fd| !fd.revents().is_empty()) {
            // Whatever the host says after its plan is that it wants an end.
            return Ok(());
        }
    }
}

/// Ends and buries every process that came from here, and removes the control group.
fn end_all(voice: &Voice, cgroup: Option<Cgroup>) {
    let until = Instant::now() + HUNT;
    if let Some(group) = &cgroup {
        group.kill();
    }
    let left = descendants::end(rustix::process::getpid(), until);
    if !left.is_empty() {
        voice.say(&Said::Left {
            processes: left.into_iter().map(Pid::as_raw_pid).collect(),
        });
    }
    if let Some(group) = cgroup {
        group.remove(until);
    }
}

/// What becomes standard input: empty, or what a file holds. The file itself is not handed over, since a program that has it open could
/// open it anew by `/proc/self/fd/0`, to write.
fn input(path: Option<&Path>) -> Result<OwnedFd, Fault> {
    let Some(path) = path else {
        return rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).own("opening /dev/null");
    };
    let mut source = File::open(path).own("opening the program's input")?;
    let memory = rustix::fs::memfd_create("input", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)
        .own("making room for the program's input")?;
    let mut memory = File::from(memory);
    std::io::copy(&mut source, &mut memory).own("reading the program's input")?;
    memory.flush().own("reading the program's input")?;
    rustix::fs::seek(&memory, rustix::fs::SeekFrom::Start(0)).own("reading the program's input")?;
    rustix::fs::fcntl_add_seals(
        memory.as_fd(),
        SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE,
    )
    .own("sealing the program's input")?;
    Ok(memory.into())
}
