//! The run: one pipeline from a task to an applied change, the same for every coder of every kind.

mod assemble;
mod coder;
mod events;
mod gate;
mod host;
mod loading;
mod outcome;
mod project;
mod protocol;
mod request;
mod run;
mod stop;
mod task;

pub use coder::{Assignment, Attempt, Coder, CoderFault, ComponentCoder, Delivery};
pub use events::{Event, Observer, Unobserved};
pub use host::{Directories, Environment, Host, HostError};
pub use outcome::{EXIT_SETUP, End, HaltType, Outcome};
pub use request::{Grant, GrantKind, RunRequest, SetupError};
pub use run::run;
pub use stop::Stop;
pub use task::task_id;

/// Which of the contract's optional interfaces this version answers.
pub const SERVED: snodo_admission::Served = snodo_admission::Served { completion: false };

/// Said once for every run that executes something, until the sandbox is there.
const UNCONTAINED: &str = "the declared test command runs uncontained (in a scratch copy): this version has no operating-system sandbox for it yet";
