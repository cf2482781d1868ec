//! From the user's settings to bounds.

use std::time::Duration;

use snodo_config::host_config::{HostConfig, RunnerConfig};
use snodo_workspace::limits::SubmitLimits;

use crate::sandbox::RunnerLimits;

/// Of the overlay: what the workspace's own bounds allow, and no more in all than the user's.
pub(crate) fn submit_limits(config: &HostConfig) -> SubmitLimits {
    let standard = SubmitLimits::standard();
    let bytes = config.limits.invocation().submit_bytes;
    SubmitLimits {
        total_bytes: bytes,
        file_bytes: standard.file_bytes.min(bytes),
        ..standard
    }
}

/// Of the declared test command.
pub(crate) fn runner_limits(config: &RunnerConfig) -> RunnerLimits {
    RunnerLimits {
        timeout: Duration::from_secs(u64::from(config.timeout_seconds)),
        calls: config.calls,
    }
}
