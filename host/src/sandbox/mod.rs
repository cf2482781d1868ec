//! Running the declared test command. Until the operating-system sandbox is there it runs uncontained, in a scratch copy of
//! what the caller sees, and that is said.

mod capture;
mod command;
mod folder;
mod program;
mod runner;
mod spawn;

pub use command::{CommandOrigin, DeclaredCommand};
pub(crate) use folder::OwnFolder;
pub use program::{ProgramFault, find_program};
pub(crate) use runner::run_in_place;
pub use runner::{Execution, RunnerLimits, RunnerService, ScratchPlace};
pub use spawn::{ProgramEnvironment, SpawnEnd};
