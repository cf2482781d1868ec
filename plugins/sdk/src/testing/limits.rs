//! The bounds of an invocation: the host's, without a `host.toml`.

use super::ended::{Ended, end};
use crate::types::Limits;

const MIB: u64 = 1024 * 1024;

/// What the host uses unless it is configured otherwise. Memory and time are told to the plugin and not measured natively.
pub(super) const STANDARD: Limits = Limits {
    memory_bytes: 512 * MIB,
    compute_ms: 60_000,
    total_ms: 1_800_000,
    host_calls: 1_000_000,
    call_bytes: 16 * MIB,
    read_bytes: 1024 * MIB,
    submit_bytes: 64 * MIB,
};

/// Runs of the declared tests in one invocation.
pub(super) const TEST_RUNS: u32 = 12;
/// Of one run of the declared tests, in milliseconds.
pub(super) const TEST_RUN_MS: u64 = 120_000;

/// Counts, and ends the plugin beyond the bounds.
pub(super) struct Meter {
    limits: Limits,
    host_calls: u64,
    read_bytes: u64,
    submit_bytes: u64,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            host_calls: 0,
            read_bytes: 0,
            submit_bytes: 0,
        }
    }

    /// The largest answer of a call.
    pub(super) fn call_bytes(&self) -> u64 {
        self.limits.call_bytes
    }

    /// Counts a call.
    pub(super) fn enter(&mut self) {
        add(&mut self.host_calls, 1, "host-calls", self.limits.host_calls);
    }

    /// Counts bytes that go to the plugin.
    pub(super) fn read(&mut self, bytes: u64) {
        add(&mut self.read_bytes, bytes, "read-bytes", self.limits.read_bytes);
    }

    /// Counts bytes that the plugin submits.
    pub(super) fn submit(&mut self, bytes: u64) {
        if bytes > self.limits.call_bytes {
            end(Ended::Bound {
                what: "call-bytes",
                allowed: self.limits.call_bytes,
            });
        }
        add(&mut self.submit_bytes, bytes, "submit-bytes", self.limits.submit_bytes);
    }
}

fn add(used: &mut u64, more: u64, what: &'static str, allowed: u64) {
    *used = used.saturating_add(more);
    if *used > allowed {
        end(Ended::Bound { what, allowed });
    }
}
