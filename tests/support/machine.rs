//! What this machine offers to contain programs, and machines that offer less.

#![expect(
    unsafe_code,
    reason = "a machine that offers less is made by a filter of system calls, which only a child before its start can put on itself"
)]

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use serde_json::Value;

use super::{Finished, Sandbox, skips};

/// A machine without something that this one may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// No namespace can be made and nothing mounted, as in many a container.
    Namespaces,
    /// Nor is there Landlock, as with an older kernel.
    NamespacesAndLandlock,
    /// Nor may system calls be filtered.
    NamespacesAndFilters,
}

/// System calls that always fail, with this error.
fn refused(calls: &[i64], errno: i32) -> BpfProgram {
    filter(calls.iter().map(|call| (*call, Vec::new())).collect(), errno)
}

fn filter(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> BpfProgram {
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let action = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).unwrap();
    filter.try_into().unwrap()
}

/// `clone` with any of the flags that make a namespace.
fn clone_with_namespaces() -> BpfProgram {
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let rules = flags.map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        let has_it = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag).unwrap();
        SeccompRule::new(vec![has_it]).unwrap()
    });
    filter([(libc::SYS_clone, rules.to_vec())].into(), libc::EPERM)
}

impl Without {
    fn filters(self) -> Vec<BpfProgram> {
        let mut filters = vec![
            // Not EPERM: the C library then starts threads by `clone`, whose flags can be looked at.
            refused(&[libc::SYS_clone3], libc::ENOSYS),
            clone_with_namespaces(),
            refused(
                &[
                    libc::SYS_unshare,
                    libc::SYS_setns,
                    libc::SYS_mount,
                    libc::SYS_fsopen,
                    libc::SYS_open_tree,
                ],
                libc::EPERM,
            ),
        ];
        match self {
            Self::Namespaces => {}
            Self::NamespacesAndLandlock => filters.push(refused(
                &[
                    libc::SYS_landlock_create_ruleset,
                    libc::SYS_landlock_add_rule,
                    libc::SYS_landlock_restrict_self,
                ],
                libc::ENOSYS,
            )),
            // The last: after it none can be added.
            Self::NamespacesAndFilters => filters.push(refused(&[libc::SYS_seccomp], libc::EPERM)),
        }
        filters
    }

    /// From its start on, this command runs on such a machine, with all that it starts.
    pub fn apply(self, command: &mut Command) {
        let filters = self.filters();
        let put_on = move || {
            for filter in &filters {
                apply_filter(filter).map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec only system calls are made, over memory that was prepared before.
        unsafe { command.pre_exec(put_on) };
    }
}

impl Sandbox {
    /// `run --json` in the workspace, on a machine that offers less.
    pub fn run_without(&self, without: Without, arguments: &[&str]) -> Finished {
        let before = self.tree();
        let mut command = self.command(&[&["run", "--json"], arguments].concat());
        without.apply(&mut command);
        let finished = Finished::of(&command.output().unwrap());
        finished.check_against_the_schema();
        if finished.json()["applied"] != true {
            assert_eq!(before.differences(&self.tree()), [] as [&str; 0], "{finished:#?}");
        }
        finished
    }

    /// What `doctor --json` says, of this machine or of one that offers less.
    pub fn doctor(&self, without: Option<Without>) -> (i32, Value) {
        let mut command = self.command(&["doctor", "--json"]);
        if let Some(without) = without {
            without.apply(&mut command);
        }
        let finished = Finished::of(&command.output().unwrap());
        (finished.code, finished.json())
    }

    /// Whether programs can be contained in this mode (`view` or `plain`); says why not.
    #[track_caller]
    pub fn contains_in(&self, mode: &str, without: Option<Without>) -> bool {
        let (_, doctor) = self.doctor(without);
        let is_so = doctor["mode"] == mode;
        if !is_so {
            skips::layers(needed(mode, &doctor), &doctor);
        }
        is_so
    }

    /// Nothing that a program left is still there: no scratch, no mount, no process.
    #[track_caller]
    pub fn assert_nothing_is_left(&self) {
        let scratches = std::fs::read_dir(self.state().join("scratch")).map_or(0, Iterator::count);
        assert_eq!(scratches, 0, "a scratch is left in {}", self.state().display());
        let own = self.path().to_str().unwrap().to_owned();
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&own), "a mount is left: {mounts}");
        let left = processes_naming(&own);
        assert!(left.is_empty(), "processes are left: {left:?}");
    }
}

/// The layers without which programs are not contained so.
fn needed(mode: &str, doctor: &Value) -> &'static [&'static str] {
    match mode {
        "view" => &["user-namespace", "mount-namespace", "pid-namespace", "private-proc"],
        _ if doctor["machine"]["root"] == true => &["landlock", "seccomp", "identity"],
        _ => &["landlock", "seccomp"],
    }
}

/// All processes of the machine, of those that have not ended, in whose command line or working folder a text stands.
pub fn processes_naming(text: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let folder = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            Some(format!("{line}in {}", folder.display()))
        })
        .filter(|line| line.contains(text))
        .collect()
}

/// Whether a program is there; says so when it is not.
pub fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !there {
        skips::program(name, "it is not installed");
    }
    there
}
