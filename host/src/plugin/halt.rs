//! How a plugin can end against its will, typed from the first cause.

use serde::Serialize;
use wasmtime::component::ResourceTableError;

use super::PluginLimits;

/// A bound of [`PluginLimits`](super::PluginLimits) that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Linear memory.
    Memory,
    /// Table elements.
    Tables,
    /// Core instances.
    Instances,
    /// Handles of resources.
    Handles,
    /// Guest stack.
    Stack,
    /// Own computing.
    Compute,
    /// The whole invocation.
    Total,
    /// Calls of imports.
    HostCalls,
    /// Bytes of one call.
    CallBytes,
    /// Bytes read in all.
    ReadBytes,
    /// Bytes submitted in all.
    SubmitBytes,
    /// Wall-clock of compiling.
    CompileTime,
    /// Memory of compiling.
    CompileMemory,
}

/// A bound with what it was set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BoundReached {
    /// Which.
    pub bound: Bound,
    /// What it was set to: bytes, milliseconds or a number, by the bound's kind.
    pub allowed: u64,
}

impl std::fmt::Display for BoundReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let allowed = self.allowed;
        match self.bound {
            Bound::Memory => write!(f, "memory limit {} reached", bytes(allowed)),
            Bound::Tables => write!(f, "table limit of {allowed} elements reached"),
            Bound::Instances => write!(f, "limit of {allowed} core instances reached"),
            Bound::Handles => write!(f, "limit of {allowed} resource handles reached"),
            Bound::Stack => write!(f, "stack limit {} reached (endless recursion?)", bytes(allowed)),
            Bound::Compute => write!(f, "computing time limit {} reached (an endless loop?)", millis(allowed)),
            Bound::Total => write!(f, "time limit {} for the whole call reached", millis(allowed)),
            Bound::HostCalls => write!(f, "limit of {allowed} host calls reached"),
            Bound::CallBytes => write!(f, "limit of {} handed over in one call reached", bytes(allowed)),
            Bound::ReadBytes => write!(f, "limit of {} read in all reached", bytes(allowed)),
            Bound::SubmitBytes => write!(f, "limit of {} submitted in all reached", bytes(allowed)),
            Bound::CompileTime => write!(f, "compile time limit {} reached", millis(allowed)),
            Bound::CompileMemory => write!(f, "compile memory limit {} reached", bytes(allowed)),
        }
    }
}

impl std::error::Error for BoundReached {}

fn bytes(n: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if n >= MIB && n.is_multiple_of(MIB) {
        format!("{} MiB", n / MIB)
    } else if n >= 1024 && n.is_multiple_of(1024) {
        format!("{} KiB", n / 1024)
    } else {
        format!("{n} bytes")
    }
}

fn millis(n: u64) -> String {
    if n >= 1000 && n.is_multiple_of(1000) {
        format!("{} s", n / 1000)
    } else {
        format!("{n} ms")
    }
}

/// An import that was called while imports are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{interface}` was called while the plugin is being started or asked to describe itself; imports open with the task"
)]
pub(crate) struct ClosedImport {
    /// The interface.
    pub interface: &'static str,
}

/// Why a plugin did not return.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PluginFailure {
    /// A bound was reached.
    #[error("{reached}")]
    Limit {
        /// Which.
        #[serde(flatten)]
        reached: BoundReached,
    },
    /// It trapped.
    #[error("trapped: {message}{}", hint.map(|h| format!(" ({h})")).unwrap_or_default())]
    Trap {
        /// The first cause, in a few words.
        message: String,
        /// What it usually means, for the plugin's author.
        hint: Option<&'static str>,
        /// Guest functions, innermost first; at most ten.
        frames: Vec<String>,
    },
    /// It called an import while imports are closed.
    #[error("{message}")]
    ClosedImport {
        /// Which, and when imports open.
        message: String,
    },
    /// It could not be started: what it is linked against is not there in the form it wants.
    #[error("could not be started: {message}")]
    Start {
        /// The runtime's words.
        message: String,
    },
    /// What it returned breaks the contract.
    #[error("broke the contract: {message}")]
    Contract {
        /// How.
        message: String,
    },
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl From<BoundReached> for PluginFailure {
    fn from(reached: BoundReached) -> Self {
        Self::Limit { reached }
    }
}

impl PluginFailure {
    /// Types a runtime error from its first cause.
    pub(super) fn from_runtime(error: &wasmtime::Error, limits: &PluginLimits) -> Self {
        if let Some(reached) = error.downcast_ref::<BoundReached>() {
            return (*reached).into();
        }
        if let Some(closed) = error.downcast_ref::<ClosedImport>() {
            return Self::ClosedImport {
                message: closed.to_string(),
            };
        }
        if error.downcast_ref::<snodo_bindings::Abandoned>().is_some() {
            return Self::Interrupted;
        }
        let frames = frames(error);
        if let Some(exit) = error.downcast_ref::<wasmtime_wasi::I32Exit>() {
            return Self::Trap {
                message: format!("the plugin ended itself with exit status {}", exit.0),
                hint: Some("a plugin returns an error instead of exiting"),
                frames,
            };
        }
        if let Some(trap) = error.downcast_ref::<wasmtime::Trap>() {
            return match trap {
                wasmtime::Trap::StackOverflow => BoundReached {
                    bound: Bound::Stack,
                    allowed: limits.stack_bytes,
                }
                .into(),
                trap => Self::Trap {
                    message: describe_trap(*trap).to_owned(),
                    hint: hint(*trap),
                    frames,
                },
            };
        }
        let handles = BoundReached {
            bound: Bound::Handles,
            allowed: limits.resource_handles,
        };
        if let Some(ResourceTableError::Full) = error.downcast_ref::<ResourceTableError>() {
            return handles.into();
        }
        let text = format!("{error:#}");
        // So it does with this one.
        if text.contains("store handle limit exceeded") {
            return handles.into();
        }
        // wasmtime keeps this error's type to itself; a test pins its words.
        if text.contains("fuel allocated for hostcalls has been exhausted") {
            return BoundReached {
                bound: Bound::CallBytes,
                allowed: limits.call_bytes,
            }
            .into();
        }
        let first = error.root_cause().to_string();
        Self::Trap {
            message: crate::text::one_line(&first, 300),
            hint: None,
            frames,
        }
    }
}

/// The names of the guest's functions that were active, innermost first; without those by which a panic ends, which say nothing of
/// where it began.
fn frames(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<wasmtime::WasmBacktrace>() else {
        return Vec::new();
    };
    let names: Vec<String> = backtrace
        .frames()
        .iter()
        .map(|frame| {
            let name = frame
                .func_name()
                // Without the hash at the end of a Rust name; what is no Rust name stays as it is.
                .map_or_else(
                    || format!("function {}", frame.func_index()),
                    |name| format!("{:#}", rustc_demangle::demangle(name)),
                );
            crate::text::one_line(&name, 160)
        })
        .collect();
    let ends_a_panic = |name: &String| name.contains("panicking") || name.contains("rust_begin_unwind");
    // Nothing but these: then they are all there is to show.
    let begun = names
        .iter()
        .rposition(ends_a_panic)
        .map_or(0, |last| last + 1)
        .checked_rem(names.len())
        .unwrap_or_default();
    names.into_iter().skip(begun).take(10).collect()
}

fn describe_trap(trap: wasmtime::Trap) -> &'static str {
    use wasmtime::Trap as T;
    match trap {
        T::UnreachableCodeReached => "reached an `unreachable` instruction",
        T::MemoryOutOfBounds => "accessed memory out of bounds",
        T::TableOutOfBounds => "accessed a table out of bounds",
        T::IndirectCallToNull => "called a function that is not there",
        T::BadSignature => "called a function by a wrong type",
        T::IntegerOverflow => "integer overflow",
        T::IntegerDivisionByZero => "divided by zero",
        T::BadConversionToInteger => "converted a number that does not fit",
        T::CannotEnterComponent => "was entered again after a trap",
        _ => "trapped",
    }
}

fn hint(trap: wasmtime::Trap) -> Option<&'static str> {
    use wasmtime::Trap as T;
    match trap {
        T::UnreachableCodeReached => Some("usually a panic: the plugin's last words stand in its log"),
        T::MemoryOutOfBounds => Some("in Rust this is usually a stack overflow: deep recursion or a large local array"),
        _ => None,
    }
}
