//! `host.toml`: what the user of this machine allows.
//!
//! It stands in the user's configuration folder, never in a repository: here things may be loosened. Every table and
//! every key may be left out; an unknown one is a fault. All defaults are [`HostConfig::standard`] and what it is
//! made of, with their reasons.

use snodo_workspace::role::InvocationLimits;

use crate::fault::FaultKind;
use crate::node::{Node, Placed};
use crate::record::value::{list, placed, strict_number, text};
use crate::record::{Extra, Record};
use crate::report::{FileError, Log};
use crate::source::{Place, decodable, decode};
use crate::toml_tree;

/// The largest `host.toml` that is read, in bytes.
pub const HOST_CONFIG_BYTES: usize = 64 << 10;

/// The most entries of a list of names or patterns; a list that is longer was not written by a person.
const LIST: usize = 256;

/// The longest name or pattern, in bytes. Linux's longest path.
const ENTRY_BYTES: usize = 4096;

/// What the user allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostConfig {
    /// Of every plugin's invocation.
    pub limits: Limits,
    /// Of the declared test command.
    pub runner: RunnerConfig,
    /// Of reading in the workspace.
    pub read: ReadConfig,
}

impl HostConfig {
    /// What holds without a file.
    pub fn standard() -> Self {
        Self {
            limits: Limits::standard(),
            runner: RunnerConfig::standard(),
            read: ReadConfig::standard(),
        }
    }
}

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

/// `[runner]`: of the declared test command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerConfig {
    /// Environment variables that are passed through, beside the few that every program gets. Names only; the value
    /// is whatever it is when the command starts.
    pub env: Vec<String>,
    /// The longest run of the command, in seconds; a protocol may ask for less. 1 to 86400.
    pub timeout_seconds: u32,
    /// Runs in one invocation of a plugin. 0 to 1000; 0 takes the runner away.
    pub calls: u32,
}

impl RunnerConfig {
    /// The runner without a file.
    pub fn standard() -> Self {
        Self {
            env: Vec::new(),
            // snodo's default.
            timeout_seconds: 300,
            // A coder that has not got the tests to pass in this many tries is guessing.
            calls: 20,
        }
    }
}

/// `[read]`: of reading in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadConfig {
    /// Patterns of files that no plugin may read, beside those that are always denied.
    pub deny: Vec<String>,
    /// Patterns of ignored files that plugins may read all the same.
    pub allow_ignored: Vec<String>,
}

impl ReadConfig {
    /// Reading without a file.
    pub fn standard() -> Self {
        Self {
            deny: Vec::new(),
            allow_ignored: Vec::new(),
        }
    }
}

/// Reads `host.toml`. `name` is for messages only.
pub fn load_host_config(name: &str, bytes: &[u8]) -> Result<HostConfig, FileError> {
    const WHAT: &str = "configuration";
    let mut log = Log::default();
    let text = match decode(bytes, HOST_CONFIG_BYTES) {
        Ok(text) => text,
        Err((place, kind)) => {
            log.fault(place, || kind);
            return Err(log.into_error(WHAT, name, decodable(bytes, HOST_CONFIG_BYTES)));
        }
    };
    let config = toml_tree::parse(text, &mut log).and_then(|root| host(&root, &mut log));
    match config {
        Some(config) if !log.is_faulty() => Ok(config),
        _ => Err(log.into_error(WHAT, name, text)),
    }
}

fn host(root: &Node, log: &mut Log) -> Option<HostConfig> {
    let mut record = Record::open(root, "", "the configuration", log)?;
    let limits = record.or("limits", Limits::standard(), limits);
    let runner = record.or("runner", RunnerConfig::standard(), runner);
    let read = record.or("read", ReadConfig::standard(), read);
    record.close(Extra::Refused);
    Some(HostConfig {
        limits: limits?,
        runner: runner?,
        read: read?,
    })
}

fn limits(node: &Node, path: &str, log: &mut Log) -> Option<Limits> {
    let standard = Limits::standard();
    let mut record = Record::open(node, path, "the table", log)?;
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

fn runner(node: &Node, path: &str, log: &mut Log) -> Option<RunnerConfig> {
    let standard = RunnerConfig::standard();
    let mut record = Record::open(node, path, "the table", log)?;
    let env = record.or("env", standard.env, |node, path, log| {
        entries(node, path, log, &variable)
    });
    let timeout_seconds = record.or("timeout_seconds", standard.timeout_seconds, within(1, 86_400));
    let calls = record.or("calls", standard.calls, within(0, 1000));
    record.close(Extra::Refused);
    Some(RunnerConfig {
        env: env?,
        timeout_seconds: timeout_seconds?,
        calls: calls?,
    })
}

fn read(node: &Node, path: &str, log: &mut Log) -> Option<ReadConfig> {
    let standard = ReadConfig::standard();
    let mut record = Record::open(node, path, "the table", log)?;
    let deny = record.or("deny", standard.deny, |node, path, log| {
        entries(node, path, log, &pattern)
    });
    let allow_ignored = record.or("allow_ignored", standard.allow_ignored, |node, path, log| {
        entries(node, path, log, &pattern)
    });
    record.close(Extra::Refused);
    Some(ReadConfig {
        deny: deny?,
        allow_ignored: allow_ignored?,
    })
}

fn within(least: u32, most: u32) -> impl Fn(&Node, &str, &mut Log) -> Option<u32> {
    let read = strict_number(i64::from(least), Some(i64::from(most)));
    move |node, path, log| read(node, path, log).and_then(|n| u32::try_from(n).ok())
}

/// A list of entries, each of which a rule may refuse with its reason.
fn entries(
    node: &Node,
    path: &str,
    log: &mut Log,
    refusal: &dyn Fn(&str) -> Option<&'static str>,
) -> Option<Vec<String>> {
    let entries: Vec<Placed<String>> = list(placed(text))(node, path, log)?;
    let mut faulty = false;
    let mut refuse = |place: Place, found: &str, why| {
        faulty = true;
        log.fault(place, || FaultKind::Unusable {
            field: path.to_owned(),
            found: found.to_owned(),
            why,
        });
    };
    if let Some(beyond) = entries.get(LIST) {
        refuse(beyond.place, &beyond.value, "a list may hold 256 entries");
    }
    for (i, entry) in entries.iter().take(LIST).enumerate() {
        if entry.value.len() > ENTRY_BYTES {
            refuse(entry.place, &entry.value, "an entry may have 4096 bytes");
        } else if let Some(why) = refusal(&entry.value) {
            refuse(entry.place, &entry.value, why);
        } else if entries[..i].iter().any(|other| other.value == entry.value) {
            refuse(entry.place, &entry.value, "it is there twice");
        }
    }
    if faulty {
        None
    } else {
        Some(entries.into_iter().map(|entry| entry.value).collect())
    }
}

/// Why a text is no name of an environment variable.
fn variable(name: &str) -> Option<&'static str> {
    let fits = !name.is_empty()
        && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
        && !name.as_bytes()[0].is_ascii_digit();
    if fits {
        None
    } else {
        Some("a variable's name is of letters, digits and `_`, and gives no value")
    }
}

/// Why a text is no pattern of paths. Its syntax is looked at where patterns are compiled.
fn pattern(pattern: &str) -> Option<&'static str> {
    if pattern.trim().is_empty() {
        Some("it is blank")
    } else if pattern.starts_with('/') || pattern.contains('\\') || pattern.split('/').any(|part| part == "..") {
        Some("patterns are from the workspace's root, with `/` between names and without `..`")
    } else {
        None
    }
}
