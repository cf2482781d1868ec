//! Programs that run code which a stranger may have written: the declared tests, and external coders.
//!
//! They run in a scratch, never in the workspace, and contained by the operating system, or they do not run; which layers were in
//! force is in every report. The helper process that puts the layers in force is this same binary, started anew with
//! [`HELPER_COMMAND`], since namespaces and filters want a process of one thread.

mod capture;
mod command;
mod folder;
mod layer;
pub mod plan;
mod policy;
mod program;
mod runner;
mod spawn;

pub use command::{CommandOrigin, DeclaredCommand};
pub use folder::OwnFolder;
pub use layer::{Layer, Layers};
pub use policy::{Permissions, ProcessLimits, SandboxPolicy};
pub use program::{ProgramFault, find_program};
pub use runner::{Execution, RunnerLimits, RunnerService, ScratchPlace, run_in_place};
pub use spawn::{ProgramEnvironment, SpawnEnd};

/// The first argument by which the binary becomes the helper.
pub const HELPER_COMMAND: &str = "__sandbox";
