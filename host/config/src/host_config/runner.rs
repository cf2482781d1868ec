//! `[runner]`: of the declared test command.

use super::value::{variables, within};
use crate::node::Node;
use crate::record::{Extra, Record};
use crate::report::Log;

/// `[runner]`: of the declared test command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerConfig {
    /// Environment variables that are passed through, beside the few that every program gets. Names only; the value
    /// is whatever it is when the command starts.
    pub env: Vec<String>,
    /// The longest run of the command that a coder asks for, in seconds. 1 to 86400.
    pub timeout_seconds: u32,
    /// The longest run of the command that a validator asks for, in seconds; a protocol may ask for less. 1 to 86400.
    pub judge_timeout_seconds: u32,
    /// Runs in one invocation of a coder. 0 to 1000; 0 takes the runner away from coders.
    pub calls: u32,
}

impl RunnerConfig {
    /// The runner without a file.
    pub fn standard() -> Self {
        Self {
            env: Vec::new(),
            // Whoever waits inside a loop of trying wants to hear soon; reaching it tells the coder so and ends nothing.
            timeout_seconds: 120,
            // snodo's default. A verdict may take its time, and a gate that gives up earlier than snodo's would fail
            // suites that pass there.
            judge_timeout_seconds: 300,
            // A coder that has not got the tests to pass in this many tries is guessing.
            calls: 12,
        }
    }

    /// Runs in one invocation of a validator that has the runner: as many as a coder has, and at least the one by
    /// which it judges.
    pub fn judge_calls(&self) -> u32 {
        self.calls.max(1)
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<RunnerConfig> {
    let standard = RunnerConfig::standard();
    let mut record = Record::table(node, path, log)?;
    let env = record.or("env", standard.env, variables);
    let timeout_seconds = record.or("timeout_seconds", standard.timeout_seconds, within(1, 86_400));
    let judge_timeout_seconds = record.or(
        "judge_timeout_seconds",
        standard.judge_timeout_seconds,
        within(1, 86_400),
    );
    let calls = record.or("calls", standard.calls, within(0, 1000));
    record.close(Extra::Refused);
    Some(RunnerConfig {
        env: env?,
        timeout_seconds: timeout_seconds?,
        judge_timeout_seconds: judge_timeout_seconds?,
        calls: calls?,
    })
}
