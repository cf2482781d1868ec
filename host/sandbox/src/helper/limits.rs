//! Bounds that the kernel holds for each process, and the number of processes.

use std::fs;
use std::io;

use rustix::process::{Resource, Rlimit};

use crate::layer::Layer;
use crate::plan::{NOBODY, Plan};

/// Process ids that the kernel does not give again once it has counted to the end; what `pid_max` allows beside the wanted ones.
const RESERVED: u64 = 300;

/// Sets them for this process and all that it starts.
pub(super) fn set(plan: &Plan, notes: &mut Vec<String>) -> io::Result<()> {
    // Of one byte, not of none: by that the kernel also leaves out the program to which many systems hand cores over.
    lower(Resource::Core, 1)?;
    lower(Resource::Fsize, plan.file_bytes)?;
    lower(Resource::Nofile, plan.open_files)?;
    let mut processes = plan.processes;
    if !plan.layers.has(Layer::UserNamespace) {
        // Outside of a user namespace the kernel counts all that the user runs on the machine.
        let uid = if plan.layers.has(Layer::Identity) {
            NOBODY
        } else {
            rustix::process::getuid().as_raw()
        };
        let running = running_of(uid);
        if running > 0 {
            notes.push(format!(
                "processes are counted together with the {running} that the same user runs already"
            ));
        }
        processes = processes.saturating_add(running);
    }
    lower(Resource::Nproc, processes)
}

fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum;
    let to = Some(hard.map_or(to, |hard| to.min(hard)));
    rustix::process::setrlimit(
        resource,
        Rlimit {
            current: to,
            maximum: to,
        },
    )
    .map_err(|error| io::Error::other(format!("{resource:?}: {error}")))
}

/// Processes and threads of a user, from `/proc`.
fn running_of(uid: u32) -> u64 {
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
        .filter_map(|entry| threads(&fs::read_to_string(entry.path().join("status")).ok()?, uid))
        .sum()
}

fn threads(status: &str, uid: u32) -> Option<u64> {
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line[name.len()..].split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    (field("Uid:")? == u64::from(uid)).then(|| field("Threads:"))?
}

/// Bounds the processes of a PID namespace by the largest id in it, through its own fresh `/proc`; false where the kernel cannot. Root is
/// bound by this alone, or by a control group: the kernel does not count root's processes against a resource limit.
pub(super) fn bound_ids(proc: &std::path::Path, processes: u64) -> bool {
    // Before 6.14 the number is the machine's, and root would change it for all.
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    at_least(&release, 6, 14)
        && fs::write(
            proc.join("sys/kernel/pid_max"),
            processes.saturating_add(RESERVED).to_string(),
        )
        .is_ok()
}

/// Whether a kernel's release is that version or a later one.
fn at_least(release: &str, major: u32, minor: u32) -> bool {
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (major, minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_number() {
        for (release, answer) in [
            ("6.18.44-fc-v857", true),
            ("6.14", true),
            ("6.9.1", false),
            ("6", false),
            ("7.0-rc1", true),
            ("x", false),
        ] {
            assert_eq!(at_least(release, 6, 14), answer, "{release}");
        }
    }

    #[test]
    fn threads_are_counted_for_their_user() {
        let status = "Name:\ta\nUid:\t7\t7\t7\t7\nThreads:\t3\n";
        assert_eq!((threads(status, 7), threads(status, 8)), (Some(3), None));
    }
}
