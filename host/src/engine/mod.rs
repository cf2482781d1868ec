//! The run: one pipeline from a task to an applied change, the same for every coder of every kind.

mod assemble;
mod coder;
mod gate;
mod host;
mod loading;
mod project;
mod protocol;
mod request;
mod run;
mod stop;
mod task;

pub use coder::{Assignment, Attempt, Coder, CoderFault, ComponentCoder};
pub use host::{Directories, Environment, Host, HostError};
pub use request::{Grant, GrantKind, RunRequest, SetupError};
pub use run::run;
pub use stop::Stop;
pub use task::task_id;

/// Said once for every run that executes something, until the sandbox is there.
const UNCONTAINED: &str = "the declared test command runs uncontained (in a scratch copy): this version has no operating-system sandbox for it yet";
