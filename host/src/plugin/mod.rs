//! Plugins: found, admitted, compiled, cached, and run in a store of their own for each call.

mod cache;
mod clock;
mod compile;
mod describe;
mod halt;
mod instance;
mod limits;
mod load;
mod meter;
mod output;
mod posture;
mod registry;
mod runtime;
mod state;
mod tools;

pub use cache::{CacheError, CompileCache};
pub use compile::{COMPILE_COMMAND, CompileError, Compiler, compile_standard_input};
pub use describe::checked;
pub use halt::{Bound, BoundReached, PluginFailure};
pub use instance::{Ended, Plugin, PluginLog};
pub use limits::PluginLimits;
pub use load::{LoadError, Loader};
pub use meter::Usage;
pub use registry::{FindError, Origin, PluginBytes, PluginSource, find, inspect_unreadable, is_path, refusal_of};
pub use state::Replay;
pub(crate) use state::{Given, PluginState};
pub use tools::{CODER_TOOLS, JUDGE_TOOLS, ToolList};

/// Which of the contract's optional interfaces this version answers.
pub const SERVED: snodo_admission::Served = snodo_admission::Served { completion: true };
