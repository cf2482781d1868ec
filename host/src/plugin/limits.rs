//! The bounds of one plugin: those that the user may set (their numbers and reasons stand with `host.toml`'s `[limits]`), and
//! those that are fixed, each with its reason.

use std::time::Duration;

use serde::Serialize;
use snodo_config::host_config::Limits;
use snodo_workspace::role::InvocationLimits;

/// Mebibyte.
const MIB: u64 = 1024 * 1024;

/// What one plugin may use. All of it stands in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PluginLimits {
    /// Linear memory, summed over all memories of the instance.
    pub memory_bytes: u64,
    /// Elements of all tables together.
    pub table_elements: u64,
    /// Core instances of one component.
    pub instances: u64,
    /// Stack of the guest's own frames.
    pub stack_bytes: u64,
    /// Wall-clock for the plugin's own computing; time inside host calls is not charged to it.
    #[serde(rename = "compute_ms", serialize_with = "as_millis")]
    pub compute: Duration,
    /// Wall-clock for a whole invocation, host calls included.
    #[serde(rename = "total_ms", serialize_with = "as_millis")]
    pub total: Duration,
    /// Calls of imports.
    pub host_calls: u64,
    /// Bytes that a guest may hand over in one call.
    pub call_bytes: u64,
    /// Bytes that may be read or found, in all.
    pub read_bytes: u64,
    /// Bytes that may be submitted, in all.
    pub submit_bytes: u64,
    /// Bytes of standard output and standard error that are kept; the rest is counted and dropped.
    pub output_bytes: u64,
    /// Progress lines that are shown; the rest is counted and dropped.
    pub progress_events: u64,
    /// Size of a component file.
    pub component_bytes: u64,
    /// Wall-clock for compiling one component.
    #[serde(rename = "compile_ms", serialize_with = "as_millis")]
    pub compile: Duration,
    /// Address space of the process that compiles.
    pub compile_memory_bytes: u64,
}

fn as_millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

impl PluginLimits {
    /// The user's limits, and beside them those that nobody has to set.
    pub fn of(limits: &Limits) -> Self {
        let told = limits.invocation();
        Self {
            memory_bytes: told.memory_bytes,
            // A table element costs the host one pointer: 8 MB at the most. Scripting engines use some ten thousand.
            table_elements: 1_000_000,
            // Components made by the usual tools hold between 1 and some 20 core instances.
            instances: 256,
            // wasmtime's own default; deeper recursion is a runaway.
            stack_bytes: 512 * 1024,
            compute: Duration::from_millis(told.compute_ms),
            total: Duration::from_millis(told.total_ms),
            host_calls: told.host_calls,
            call_bytes: told.call_bytes,
            read_bytes: told.read_bytes,
            submit_bytes: told.submit_bytes,
            // Enough for a panic message and some debugging.
            output_bytes: 64 * 1024,
            // A line each second for half an hour.
            progress_events: 2_000,
            // The largest scripting guests have 18 MB.
            component_bytes: 64 * MIB,
            compile: Duration::from_secs(u64::from(limits.compile_seconds)),
            // Compiling 18 MB peaks near 2 GB of address space with two threads.
            compile_memory_bytes: 8192 * MIB,
        }
    }

    /// What of these a plugin is told.
    pub fn invocation(&self) -> InvocationLimits {
        let millis = |d: Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
        InvocationLimits {
            memory_bytes: self.memory_bytes,
            compute_ms: millis(self.compute),
            total_ms: millis(self.total),
            host_calls: self.host_calls,
            call_bytes: self.call_bytes,
            read_bytes: self.read_bytes,
            submit_bytes: self.submit_bytes,
        }
    }
}
