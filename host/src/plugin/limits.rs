//! The bounds of one plugin. The user may set all of them: the numbers and their reasons stand with `host.toml`'s `[limits]`.

use std::time::Duration;

use serde::Serialize;
use snodo_config::host_config::Limits;
use snodo_workspace::role::InvocationLimits;

/// What one plugin may use. All of it stands in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PluginLimits {
    /// Linear memory, summed over all memories of the instance.
    pub memory_bytes: u64,
    /// Elements of all tables together.
    pub table_elements: u64,
    /// Core instances of one component.
    pub instances: u64,
    /// Handles of resources, at a time.
    pub resource_handles: u64,
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
    /// From the user's limits, in bytes and milliseconds.
    pub fn of(limits: &Limits) -> Self {
        let told = limits.invocation();
        let (mib, kib) = (|n: u32| u64::from(n) << 20, |n: u32| u64::from(n) << 10);
        Self {
            memory_bytes: told.memory_bytes,
            table_elements: limits.table_elements.into(),
            instances: limits.instances.into(),
            resource_handles: limits.resource_handles.into(),
            stack_bytes: kib(limits.stack_kib),
            compute: Duration::from_millis(told.compute_ms),
            total: Duration::from_millis(told.total_ms),
            host_calls: told.host_calls,
            call_bytes: told.call_bytes,
            read_bytes: told.read_bytes,
            submit_bytes: told.submit_bytes,
            output_bytes: kib(limits.output_kib),
            progress_events: limits.progress_lines.into(),
            component_bytes: mib(limits.component_mib),
            compile: Duration::from_secs(limits.compile_seconds.into()),
            compile_memory_bytes: mib(limits.compile_mib),
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
