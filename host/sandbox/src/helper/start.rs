//! The program's own process: it gives up its rights, one layer after the other, and becomes the program.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::Mode;
use rustix::process::{DumpableBehavior, Signal};

use super::fault::{Fault, OrFault, Voice};
use super::init::State;
use super::place::Place;
use super::{calls, identity, landlock, limits, seccomp};
use crate::layer::Layer;
use crate::plan::{NotStarted, Plan, Said};
use crate::program::{ProgramFault, find_program};

/// Becomes the program, and then does not return. Nothing is returned where there was none to become.
pub(super) fn run(plan: &Plan, voice: &Voice, place: &Place, state: State) -> Option<Fault> {
    become_program(plan, voice, place, state).err()
}

fn become_program(plan: &Plan, voice: &Voice, place: &Place, state: State) -> Result<(), Fault> {
    let State {
        mut force,
        mut notes,
        guards,
    } = state;
    let wants = |layer| plan.layers.has(layer);
    // A session of its own: a signal to its whole group reaches none of the helper.
    rustix::process::setsid().own("making a session for the program")?;
    rustix::process::umask(Mode::WGRP | Mode::WOTH);
    calls::default_signals();
    if wants(Layer::ResourceLimits) {
        limits::set(plan, &mut notes).layer(Layer::ResourceLimits, "setting limits")?;
        force.add(Layer::ResourceLimits);
    }
    identity::take(plan, &mut force, &mut notes)?;
    // Asked for after the identity has changed, which forgets it.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).own("binding to the helper's life")?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).own("closing the helper to others")?;
    rustix::process::chdir(&plan.folder).own("entering the folder in which the program starts")?;
    if wants(Layer::NoNewPrivileges) {
        rustix::thread::set_no_new_privs(true).layer(Layer::NoNewPrivileges, "renouncing new privileges")?;
        force.add(Layer::NoNewPrivileges);
    }
    check_absent(plan)?;
    let program = plan.argv.first().map(|name| find(plan, name)).transpose()?;
    let mut abi = None;
    tell_gaps(plan, &mut notes);
    if wants(Layer::Landlock) {
        abi = landlock::restrict(plan, place, &mut force)?;
    }
    if wants(Layer::Seccomp) {
        seccomp::filter(plan, &guards).layer(Layer::Seccomp, "filtering system calls")?;
        force.add(Layer::Seccomp);
    }
    // What was asked for and is in force are made in different places; this is where they are held against each other.
    if let Some(missing) = plan.layers.iter().find(|layer| !force.has(*layer)) {
        return Err(Fault::Layer(
            Some(missing),
            "the plan asks for it without what it needs".to_owned(),
        ));
    }
    voice.say(&Said::Ready {
        layers: force,
        landlock_abi: abi,
        notes,
    });
    let (Some(program), [name, arguments @ ..]) = (program, &plan.argv[..]) else {
        return Ok(());
    };
    let error = Command::new(&program)
        .arg0(name)
        .args(arguments)
        .env_clear()
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .exec();
    Err(not_started(&program, &error))
}

/// What the layers that are asked for do not hold.
fn tell_gaps(plan: &Plan, notes: &mut Vec<String>) {
    let wants = |layer| plan.layers.has(layer);
    if wants(Layer::MountNamespace) || !wants(Layer::Landlock) {
        return;
    }
    if !wants(Layer::Identity) {
        notes.push(
            "modes, owners and times of files that belong to the user can be changed everywhere: Landlock does not hold that".to_owned(),
        );
        if !wants(Layer::LandlockScope) {
            notes.push(
                "other processes of the user can be sent signals, but for those of snodo-host: Landlock holds that from its sixth \
                 version on (Linux 6.12)"
                    .to_owned(),
            );
        }
    }
    notes.push("names and sizes of files can be seen everywhere: Landlock holds what is in them".to_owned());
    notes.push(
        "there are no terminals, no shared memory in `/dev/shm` and no sockets by name: the machine's would be reached"
            .to_owned(),
    );
}

fn find(plan: &Plan, name: &str) -> Result<std::path::PathBuf, Fault> {
    let path = plan.environment.iter().find(|(name, _)| name == "PATH");
    find_program(name, path.map(|(_, value)| value.as_os_str()), &plan.folder).map_err(|fault| {
        let kind = match &fault {
            ProgramFault::NotFound(_) => NotStarted::NotFound,
            ProgramFault::NotExecutable(_) => NotStarted::NotExecutable,
        };
        Fault::Program(kind, fault.to_string())
    })
}

/// What is hidden is really not there, or nothing is executed.
fn check_absent(plan: &Plan) -> Result<(), Fault> {
    let layer = plan
        .layers
        .iter()
        .find(|l| matches!(l, Layer::Overlay | Layer::MountNamespace));
    match plan.absent.iter().find(|path| path.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(path) => Err(Fault::Layer(
            layer,
            format!("`{}` has to be hidden, and is there", path.display()),
        )),
    }
}

/// Why it is no program after all. That it is there and may be executed was seen before.
fn not_started(program: &Path, error: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    let (kind, reason) = match error.kind() {
        ErrorKind::NotFound => (
            NotStarted::MissingInterpreter,
            match interpreter(program) {
                Some(name) => format!("its interpreter `{name}` is not there"),
                None => "its interpreter or its loader is not there".to_owned(),
            },
        ),
        ErrorKind::PermissionDenied => (NotStarted::NotExecutable, error.to_string()),
        _ => (NotStarted::Io, error.to_string()),
    };
    Fault::Program(kind, format!("`{}`: {reason}", program.display()))
}

/// The interpreter that a script names.
fn interpreter(program: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(program).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
    let name = String::from_utf8_lossy(line);
    name.split_whitespace()
        .next()
        .map(|name| snodo_workspace::escape::one_line(name, 200))
}
