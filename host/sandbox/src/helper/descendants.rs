//! Processes that came from one process, found and ended.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

/// Scans at most this often for processes that were started while others were being stopped.
const ROUNDS: u32 = 50;

/// All that came from `root` and still run, from `/proc`. Orphans count when `root` is their heir.
pub(crate) fn of(root: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Some(parent) = fs::read(entry.path().join("stat")).ok().and_then(|stat| parent(&stat)) else {
            continue;
        };
        children.entry(parent).or_default().push(pid);
    }
    let (mut found, mut next) = (Vec::new(), vec![root.as_raw_pid()]);
    while let Some(pid) = next.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            next.push(child);
            found.extend(Pid::from_raw(child));
        }
    }
    found
}

/// The parent in a line of `/proc/<pid>/stat`; none for a process that has ended. The name before it may hold anything, `)` too.
fn parent(stat: &[u8]) -> Option<i32> {
    let end = stat.iter().rposition(|b| *b == b')')?;
    let mut fields = str::from_utf8(&stat[end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}

/// Whether a process still runs.
pub(crate) fn runs(pid: Pid) -> bool {
    fs::read(format!("/proc/{pid}/stat", pid = pid.as_raw_pid())).is_ok_and(|stat| parent(&stat).is_some())
}

/// Ends all descendants of this process, which is their heir, and buries them. What is left at `until` is the answer.
pub(super) fn end(own: Pid, until: Instant) -> Vec<Pid> {
    let mut pause = Duration::from_micros(100);
    loop {
        // The usual case: what was left has been killed with its namespace already, and only has to be buried.
        if bury() {
            return Vec::new();
        }
        if pause > Duration::from_millis(1) {
            stop(own);
            for pid in of(own) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
        if Instant::now() >= until {
            return of(own);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Stops all, again and again until nothing new is found: what is stopped starts nothing, so what is killed next is all.
fn stop(own: Pid) {
    let mut known = 0;
    for _ in 0..ROUNDS {
        let found = of(own);
        for pid in &found {
            let _ = rustix::process::kill_process(*pid, Signal::STOP);
        }
        if found.len() == known {
            return;
        }
        known = found.len();
    }
}

/// Buries children that have ended; whether there are no others.
fn bury() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent(b"12 (a) R 1 2) S 7 12 12 0"), Some(7));
        assert_eq!(parent(b"12 (sh) Z 7 12"), None);
        assert_eq!(parent(b"12 (sh"), None);
    }

    #[test]
    fn a_child_is_found_while_it_runs() {
        let own = rustix::process::getpid();
        let Ok(mut child) = std::process::Command::new("sleep").arg("60").spawn() else {
            return;
        };
        let seen = of(own);
        let _ = child.kill();
        let _ = child.wait();
        assert!(seen.iter().any(|pid| pid.as_raw_pid().cast_unsigned() == child.id()));
    }
}
