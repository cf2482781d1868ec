//! `[limits]`: of one invocation of a plugin.

use snodo_workspace::role::InvocationLimits;

use super::value::within;
use crate::fault::FaultKind;
use crate::node::Node;
use crate::record::{Extra, Record};
use crate::report::Log;

/// `[limits]`: of one invocation of a plugin. Reaching one ends the plugin by name, nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory, all memories together, in MiB. 1 to 4096, which is what 32-bit WebAssembly can address.
    pub memory_mib: u32,
    /// The plugin's own computing, in seconds. 1 to 3600, at most `total_seconds`.
    pub compute_seconds: u32,
    /// The whole invocation, host calls included, in seconds. 1 to 86400.
    pub total_seconds: u32,
    /// Calls to the host. 1 to 100 million.
    pub host_calls: u64,
    /// Across the boundary in one call, each way, in MiB. 1 to 256.
    pub call_mib: u32,
    /// Read in all, in MiB. 1 to 16384.
    pub read_mib: u32,
    /// Submitted in all, in MiB. 1 to 4096.
    pub submit_mib: u32,
    /// Compiling one plugin, in seconds; only at its first start. 1 to 3600.
    pub compile_seconds: u32,
    /// Address space of the process that compiles, in MiB. 256 to 65536.
    pub compile_mib: u32,
    /// Size of a component's file, in MiB. 1 to 256.
    pub component_mib: u32,
    /// Elements of all tables together. 1 to 100 million.
    pub table_elements: u32,
    /// Core instances of one component. 1 to 10000.
    pub instances: u32,
    /// Handles of resources that one instance holds at a time. 16 to 1 million.
    pub resource_handles: u32,
    /// Stack of the guest's own frames, in KiB. 64 to 8192.
    pub stack_kib: u32,
    /// Standard output and standard error that are kept of each, in KiB; the rest is counted and dropped. 1 to 16384.
    pub output_kib: u32,
    /// Progress lines that are shown; the rest is counted and dropped. 0 to 1 million.
    pub progress_lines: u32,
}

impl Limits {
    /// The limits without a file.
    pub fn standard() -> Self {
        Self {
            // A Python coder needs some 100 MiB before its first line; twice that twice.
            memory_mib: 512,
            // Parsing, diffing and matching over a large repository take seconds; a loop takes for ever.
            compute_seconds: 60,
            // snodo's own limit of a coder, which waits for a model and for tests.
            total_seconds: 1800,
            // A coder that reads every file of a large repository singly makes some tens of thousands.
            host_calls: 1_000_000,
            // The largest source file that anybody edits is far below.
            call_mib: 16,
            // Several times over a large repository's sources.
            read_mib: 1024,
            // A change that a person can review is far below.
            submit_mib: 64,
            // The largest scripting guests take 10 to 45 s on two cores, more on a busy machine.
            compile_seconds: 180,
            // Compiling the largest of them (18 MB) peaks near 2 GB of address space with two threads.
            compile_mib: 8192,
            // Three times the largest of them.
            component_mib: 64,
            // An element costs the host one pointer: 8 MB at the most. Scripting engines use some ten thousand.
            table_elements: 1_000_000,
            // Components made by the usual tools hold between 1 and some 20.
            instances: 256,
            // Streams and pollables of inert WASI: a plugin uses a handful at a time.
            resource_handles: 10_000,
            // wasmtime's own default; deeper recursion is a runaway.
            stack_kib: 512,
            // Enough for a panic's message and some debugging.
            output_kib: 64,
            // A line each second for half an hour.
            progress_lines: 2000,
        }
    }

    /// As plugins are told of them.
    pub fn invocation(&self) -> InvocationLimits {
        let mib = |n: u32| u64::from(n) << 20;
        let ms = |n: u32| u64::from(n) * 1000;
        InvocationLimits {
            memory_bytes: mib(self.memory_mib),
            compute_ms: ms(self.compute_seconds),
            total_ms: ms(self.total_seconds),
            host_calls: self.host_calls,
            call_bytes: mib(self.call_mib),
            read_bytes: mib(self.read_mib),
            submit_bytes: mib(self.submit_mib),
        }
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<Limits> {
    let standard = Limits::standard();
    let mut record = Record::table(node, path, log)?;
    let memory_mib = record.or("memory_mib", standard.memory_mib, within(1, 4096));
    let compute_seconds = record.or("compute_seconds", standard.compute_seconds, within(1, 3600));
    let total_seconds = record.or("total_seconds", standard.total_seconds, within(1, 86_400));
    let host_calls = record.or("host_calls", standard.host_calls, |node, path, log| {
        within(1, 100_000_000)(node, path, log).map(u64::from)
    });
    let call_mib = record.or("call_mib", standard.call_mib, within(1, 256));
    let read_mib = record.or("read_mib", standard.read_mib, within(1, 16_384));
    let submit_mib = record.or("submit_mib", standard.submit_mib, within(1, 4096));
    let compile_seconds = record.or("compile_seconds", standard.compile_seconds, within(1, 3600));
    let compile_mib = record.or("compile_mib", standard.compile_mib, within(256, 65_536));
    let component_mib = record.or("component_mib", standard.component_mib, within(1, 256));
    let table_elements = record.or("table_elements", standard.table_elements, within(1, 100_000_000));
    let instances = record.or("instances", standard.instances, within(1, 10_000));
    let resource_handles = record.or("resource_handles", standard.resource_handles, within(16, 1_000_000));
    let stack_kib = record.or("stack_kib", standard.stack_kib, within(64, 8192));
    let output_kib = record.or("output_kib", standard.output_kib, within(1, 16_384));
    let progress_lines = record.or("progress_lines", standard.progress_lines, within(0, 1_000_000));
    if let (Some(compute), Some(total)) = (compute_seconds, total_seconds)
        && compute > total
    {
        let given = if record.is_given("compute_seconds") {
            "compute_seconds"
        } else {
            "total_seconds"
        };
        let place = record.place_of(given);
        record.log.fault(place, || FaultKind::MoreThan {
            field: "limits.compute_seconds".to_owned(),
            value: u64::from(compute),
            other: "limits.total_seconds",
            most: u64::from(total),
        });
    }
    record.close(Extra::Refused);
    Some(Limits {
        memory_mib: memory_mib?,
        compute_seconds: compute_seconds?,
        total_seconds: total_seconds?,
        host_calls: host_calls?,
        call_mib: call_mib?,
        read_mib: read_mib?,
        submit_mib: submit_mib?,
        compile_seconds: compile_seconds?,
        compile_mib: compile_mib?,
        component_mib: component_mib?,
        table_elements: table_elements?,
        instances: instances?,
        resource_handles: resource_handles?,
        stack_kib: stack_kib?,
        output_kib: output_kib?,
        progress_lines: progress_lines?,
    })
}
