//! System calls that no test and no coder needs, and by which others have got out.
//!
//! Two filters: one that says that `clone3` and `openat2` do not exist, so that `clone` and `openat` are used, whose arguments can be looked at; and one that
//! refuses. A filter looks at numbers only, so it also refuses the numbers by which x86-64 offers the same calls once more (x32). Calls of
//! another architecture (32 bit) end the program.

use std::collections::BTreeMap;

use rustix::process::Pid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use crate::layer::{Layer, Layers};
use crate::plan::{Plan, Sockets};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Answer<T> = Result<T, seccompiler::BackendError>;

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the filter of system calls is written for x86-64 and 64-bit ARM");

/// What the second set of numbers is offset by on x86-64.
#[cfg(target_arch = "x86_64")]
const TWIN: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const TWIN: Option<i64> = None;

/// Refused whatever the arguments.
const REFUSED: &[i64] = &[
    // Other processes' memory, registers and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    // The file system view.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // Parts of the kernel that have been ways in more often than others, and run no tests.
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Memory, queues and semaphores that processes find by a number or a name: refused where there is no namespace for them, since the machine's
/// would be found.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls by which a process is signalled, taken hold of in order to, or bounded, whose first argument is its number.
const SIGNALLING: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_prlimit64,
];

/// Calls by which a process is given less of the processors, with the argument that says which: 0 is the caller itself. Nothing restores what an
/// ordinary user's process has lost.
const SCHEDULING: &[(i64, u8)] = &[
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setaffinity, 0),
];

/// Calls that give a file its mode, with the argument that holds it: a program that runs with its owner's rights, left in a folder that the user
/// opened for writing, would give the rights of whoever ran the host to anybody on the machine.
const MODES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
    (libc::SYS_openat, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// Flags of `clone` that make a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// `TIOCSTI` and `TIOCLINUX`: input put into a terminal as if typed, and commands to the console.
const TERMINAL: [u64; 2] = [0x5412, 0x541c];

/// Filters the system calls of this process for ever, and of all that it starts. It needs that new privileges were renounced. `guards` are
/// processes that must not be signalled.
pub(super) fn filter(plan: &Plan, guards: &[Pid]) -> Result<(), String> {
    for program in programs(plan.sockets, &plan.layers, guards).map_err(|error| error.to_string())? {
        apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn programs(sockets: Sockets, layers: &Layers, guards: &[Pid]) -> Answer<[BpfProgram; 2]> {
    let compile = |rules: Rules, errno: i32| -> Answer<BpfProgram> {
        let refuse = SeccompAction::Errno(errno.cast_unsigned());
        SeccompFilter::new(twins(rules), SeccompAction::Allow, refuse, ARCH)?.try_into()
    };
    // Whose arguments stand in memory, where a filter does not look.
    let unknown = Rules::from([(libc::SYS_clone3, Vec::new()), (libc::SYS_openat2, Vec::new())]);
    let refused = refused(sockets, layers, guards)?;
    Ok([compile(unknown, libc::ENOSYS)?, compile(refused, libc::EPERM)?])
}

fn refused(sockets: Sockets, layers: &Layers, guards: &[Pid]) -> Answer<Rules> {
    let mut rules: Rules = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let clone = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        rule([condition(0, Len::Qword, Op::MaskedEq(flag), flag)])
    });
    rules.insert(libc::SYS_clone, clone.collect::<Answer<_>>()?);
    let ioctl = TERMINAL
        .iter()
        .map(|request| rule([condition(1, Len::Dword, Op::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, ioctl.collect::<Answer<_>>()?);
    let (socket, pair) = socket_rules(sockets)?;
    rules.insert(libc::SYS_socket, socket);
    rules.insert(libc::SYS_socketpair, pair);
    for (number, argument) in MODES {
        let bits = [libc::S_ISUID, libc::S_ISGID].map(u64::from);
        let chain = bits.map(|bit| rule([condition(*argument, Len::Dword, Op::MaskedEq(bit), bit)]));
        rules.insert(*number, chain.into_iter().collect::<Answer<_>>()?);
    }
    if !layers.has(Layer::IpcNamespace) {
        rules.extend(SHARED.iter().map(|number| (*number, Vec::new())));
    }
    if !layers.has(Layer::PidNamespace) {
        for number in SIGNALLING {
            rules.insert(*number, guarding(guards)?);
        }
        for (number, argument) in SCHEDULING {
            let others = rule([condition(*argument, Len::Dword, Op::Ne, 0)])?;
            rules.insert(*number, vec![others]);
        }
        // Its own priority, and no group's, no user's.
        rules
            .entry(libc::SYS_setpriority)
            .or_default()
            .push(rule([condition(0, Len::Dword, Op::Ne, 0)])?);
        rules
            .entry(libc::SYS_ioprio_set)
            .or_default()
            .push(rule([condition(0, Len::Dword, Op::Ne, 1)])?);
    }
    Ok(rules)
}

/// Refuses these processes, their groups, and all processes at once, as the argument that says which.
fn guarding(guards: &[Pid]) -> Answer<Vec<SeccompRule>> {
    let groups = guards.iter().map(|pid| -pid.as_raw_pid());
    guards
        .iter()
        .map(|pid| pid.as_raw_pid())
        .chain(groups)
        .chain([-1])
        .map(|number| rule([condition(0, Len::Dword, Op::Eq, u64::from(number.cast_unsigned()))]))
        .collect()
}

/// When `socket` and `socketpair` are refused; no rule means always.
fn socket_rules(sockets: Sockets) -> Answer<(Vec<SeccompRule>, Vec<SeccompRule>)> {
    let family = |op: Op, family: i32| condition(0, Len::Dword, op, u64::from(family.cast_unsigned()));
    let others = || rule([family(Op::Ne, libc::AF_UNIX)]).map(|rule| vec![rule]);
    Ok(match sockets {
        Sockets::Pairs => (Vec::new(), others()?),
        Sockets::Local => (others()?, others()?),
        Sockets::Network | Sockets::Any => {
            let foreign = rule([
                family(Op::Ne, libc::AF_UNIX),
                family(Op::Ne, libc::AF_INET),
                family(Op::Ne, libc::AF_INET6),
                family(Op::Ne, libc::AF_NETLINK),
            ])?;
            // Of the kernel's own only routing, by which the C library learns which addresses there are.
            let kernel = rule([
                family(Op::Eq, libc::AF_NETLINK),
                condition(2, Len::Dword, Op::Ne, u64::from(libc::NETLINK_ROUTE.cast_unsigned())),
            ])?;
            let mut rules = vec![foreign, kernel];
            if sockets == Sockets::Network {
                // The network was opened, not whatever listens at some path, such as a daemon that runs containers.
                rules.push(rule([family(Op::Eq, libc::AF_UNIX)])?);
            }
            (rules, others()?)
        }
    })
}

fn condition(argument: u8, len: Len, op: Op, value: u64) -> Answer<SeccompCondition> {
    SeccompCondition::new(argument, len, op, value)
}

fn rule<const N: usize>(conditions: [Answer<SeccompCondition>; N]) -> Answer<SeccompRule> {
    SeccompRule::new(conditions.into_iter().collect::<Answer<_>>()?)
}

/// The same for the second set of numbers.
fn twins(mut rules: Rules) -> Rules {
    if let Some(offset) = TWIN {
        let twins: Vec<_> = rules
            .iter()
            .map(|(number, chain)| (number | offset, chain.clone()))
            .collect();
        rules.extend(twins);
    }
    rules
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn filters_compile_for_every_choice() {
        let guards: Vec<_> = (2..6).filter_map(Pid::from_raw).collect();
        for sockets in [Sockets::Pairs, Sockets::Local, Sockets::Network, Sockets::Any] {
            for layers in [Layers::default(), Layer::ALL.into_iter().collect()] {
                let [unknown, refused] = programs(sockets, &layers, &guards).unwrap();
                // What the kernel takes at most.
                assert!(!unknown.is_empty() && refused.len() < 4096, "{}", refused.len());
            }
        }
    }
}
