//! A control group for one program: its processes are counted in it, and can all be ended by it, however they hide.
//!
//! A group is made below the helper's own where the system lets it be made: of version 2, or of version 1's `pids`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// A group of the helper's own making.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: PathBuf,
    bounded: bool,
}

/// What a group's folder is called, by the supervisor that made it.
fn name(supervisor: Pid) -> String {
    format!("snodo-{}", supervisor.as_raw_pid())
}

impl Cgroup {
    /// Makes one, bounded to so many processes where that can be had, and else one by which all can at least be ended. The reason of a
    /// failure is the last that was met.
    pub(super) fn make(processes: u64) -> io::Result<Self> {
        Self::make_below_one_of(&parents()?, processes)
    }

    fn make_below_one_of(parents: &[PathBuf], processes: u64) -> io::Result<Self> {
        let mut reason = io::Error::new(io::ErrorKind::NotFound, "no control group's file system is mounted");
        for bounded in [true, false] {
            for parent in parents {
                match Self::make_below(parent, bounded.then_some(processes)) {
                    Ok(group) => return Ok(group),
                    Err(error) => reason = io::Error::new(error.kind(), format!("{}: {error}", parent.display())),
                }
            }
        }
        Err(reason)
    }

    fn make_below(parent: &Path, processes: Option<u64>) -> io::Result<Self> {
        let path = parent.join(name(rustix::process::getpid()));
        // One of the same name can only be what a killed supervisor left, and is empty.
        if let Err(error) = fs::create_dir(&path)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let fit = match processes {
            Some(processes) => fs::write(path.join("pids.max"), processes.to_string()),
            // Version 2, Linux 5.14.
            None => fs::metadata(path.join("cgroup.kill")).map(drop),
        };
        match fit {
            Ok(()) => Ok(Self {
                path,
                bounded: processes.is_some(),
            }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// What it does not do.
    pub(super) fn note(&self) -> Option<&'static str> {
        (!self.bounded).then_some(
            "the control group ends processes, and does not bound their number: its `pids` controller is off",
        )
    }

    /// Puts a process into it.
    pub(super) fn admit(&self, process: Pid) -> io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), process.as_raw_pid().to_string())
    }

    /// Ends all in it.
    pub(super) fn kill(&self) {
        if fs::write(self.path.join("cgroup.kill"), "1").is_ok() {
            return;
        }
        // Of version 1: nothing can be started any more, so what is there now is all.
        let _ = fs::write(self.path.join("pids.max"), "0");
        let Ok(list) = fs::read_to_string(self.path.join("cgroup.procs")) else {
            return;
        };
        for pid in list
            .lines()
            .filter_map(|line| line.parse().ok())
            .filter_map(Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }

    /// Removes it, as soon as it is empty.
    pub(super) fn remove(self, until: Instant) {
        while let Err(error) = fs::remove_dir(&self.path) {
            if error.kind() == io::ErrorKind::NotFound || Instant::now() >= until {
                return;
            }
            self.kill();
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Removes what a supervisor that was killed has left.
pub(crate) fn remove_left_behind(supervisor: Pid) {
    for parent in parents().unwrap_or_default() {
        let path = parent.join(name(supervisor));
        if path.exists() {
            let group = Cgroup { path, bounded: false };
            group.remove(Instant::now() + Duration::from_millis(200));
        }
    }
}

/// Folders below which a group could be made: of version 2 first, which ends all at once.
fn parents() -> io::Result<Vec<PathBuf>> {
    let own = fs::read_to_string("/proc/self/cgroup")?;
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let found = |version: &str| {
        let path = own_path(&own, version)?;
        mounts.lines().find_map(|line| below_mount(line, version, path))
    };
    Ok([found(""), found("pids")].into_iter().flatten().collect())
}

/// This process's path in the hierarchy that holds the controller (none: version 2), from `/proc/self/cgroup`.
fn own_path<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let right = if controller.is_empty() {
            number == "0" && controllers.is_empty()
        } else {
            controllers.split(',').any(|name| name == controller)
        };
        right.then_some(path)
    })
}

/// Where that path is, if a line of `/proc/self/mountinfo` is the mount of that hierarchy.
fn below_mount(line: &str, controller: &str, path: &str) -> Option<PathBuf> {
    let (mount, file_system) = line.split_once(" - ")?;
    let (mut mount, mut file_system) = (mount.split(' '), file_system.split(' '));
    let (root, point) = (mount.nth(3)?, mount.next()?);
    let (kind, _source, options) = (file_system.next()?, file_system.next()?, file_system.next()?);
    let right = if controller.is_empty() {
        kind == "cgroup2"
    } else {
        kind == "cgroup" && options.split(',').any(|name| name == controller)
    };
    let rest = if root == "/" { path } else { path.strip_prefix(root)? };
    right.then(|| Path::new(point).join(rest.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn a_group_without_a_bound_still_ends_all() {
        let unbounded: Vec<_> = parents()
            .unwrap()
            .into_iter()
            .filter(|parent| {
                // Those of version 2 alone have this file.
                fs::read_to_string(parent.join("cgroup.subtree_control")).is_ok_and(|on| !on.contains("pids"))
            })
            .collect();
        let Ok(group) = Cgroup::make_below_one_of(&unbounded, 10) else {
            // Not root, or no second version beside the first.
            return;
        };
        assert!(group.note().is_some());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        group.admit(Pid::from_child(&child)).unwrap();
        group.kill();
        assert!(!child.wait().unwrap().success());
        let path = group.path.clone();
        group.remove(Instant::now() + Duration::from_secs(2));
        assert!(!path.exists());
    }

    #[test]
    fn the_own_group_is_found_in_both_versions() {
        let own = "8:pids,cpu:/a/b\n0::/user.slice/x\n";
        assert_eq!(own_path(own, ""), Some("/user.slice/x"));
        assert_eq!(own_path(own, "pids"), Some("/a/b"));
        assert_eq!(own_path(own, "memory"), None);
        let v2 = "38 31 0:31 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw";
        assert_eq!(
            below_mount(v2, "", "/user.slice/x"),
            Some("/sys/fs/cgroup/user.slice/x".into())
        );
        let v1 = "39 31 0:36 /a /sys/fs/cgroup/pids rw shared:3 - cgroup cgroup rw,pids";
        assert_eq!(below_mount(v1, "pids", "/a/b"), Some("/sys/fs/cgroup/pids/b".into()));
        assert_eq!(below_mount(v1, "", "/a/b"), None);
    }
}
