//! A run that is still going on.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::finished::Finished;

/// A started binary; killed if the test gives up.
pub struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Running {
    pub fn of(mut child: Child) -> Self {
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self {
            child,
            stderr,
            said: String::new(),
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads its standard error up to the line that holds these words.
    pub fn wait_for(&mut self, words: &str) {
        loop {
            let mut line = String::new();
            let read = self.stderr.read_line(&mut line).unwrap();
            self.said.push_str(&line);
            assert!(read > 0, "it ended and never said `{words}`: {}", self.said);
            if line.contains(words) {
                return;
            }
        }
    }

    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
    }

    /// Waits for the end; also says how long that took.
    pub fn finish(mut self) -> (Finished, Duration) {
        let started = Instant::now();
        let mut stdout = Vec::new();
        self.child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        let status = self.child.wait().unwrap();
        let took = started.elapsed();
        self.stderr.read_to_string(&mut self.said).unwrap();
        let output = Output {
            status,
            stdout,
            stderr: std::mem::take(&mut self.said).into_bytes(),
        };
        (Finished::of(&output), took)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
