//! Programs that run code which a stranger may have written: the declared tests, and external coders.
//!
//! They run in a scratch, never in the workspace, and contained by the operating system, or they do not run; which layers were in
//! force is in every report. The helper process that puts the layers in force is this same binary, started anew with
//! [`HELPER_COMMAND`], since namespaces and filters want a process of one thread.

mod capture;
mod command;
pub mod contain;
mod environment;
mod execution;
mod external;
mod folder;
mod helper;
pub mod launch;
mod layer;
pub mod machine;
mod owner;
pub mod plan;
mod policy;
mod program;
mod runner;
mod sandbox;
mod scratch;
mod toolchain;
mod visible;

pub use command::DeclaredCommand;
pub use contain::{Mode, NotContained, layers_for};
pub use environment::ProgramEnvironment;
pub use execution::Execution;
pub use external::{Assigned, External, Worked};
pub use folder::OwnFolder;
pub use helper::helper_main;
pub use launch::{Bounds, Ending, LaunchError, Launched};
pub use layer::{Layer, Layers};
pub use machine::{Machine, probe};
pub use policy::{Permissions, ProcessLimits, SandboxPolicy};
pub use program::{ProgramFault, find_program};
pub use runner::{RunnerLimits, RunnerService};
pub use sandbox::{Helper, Sandbox, SandboxError};
pub use scratch::{ScratchFault, ScratchPlace};

/// The first argument by which the binary becomes the helper.
pub const HELPER_COMMAND: &str = "__sandbox";
