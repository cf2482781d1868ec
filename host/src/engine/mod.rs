//! The run: one pipeline from a task to an applied change, the same for every coder of every kind.

mod assemble;
mod choose;
mod classify;
mod coder;
mod coders;
mod conforming;
mod constraints;
mod external;
mod gate;
mod given;
mod host;
mod judges;
mod loading;
mod models;
mod opened;
mod own_folder;
mod pins;
mod project;
mod protocol;
mod request;
mod run;
mod stop;
mod task;
mod turns;
mod validate;

pub use coder::{Assignment, Attempt, Coder, CoderFault, ComponentCoder};
pub use coders::{CoderKind, CoderRow, Declared, Toolset, coders};
pub(crate) use conforming::{SCRIPTED_MODEL, STARTED_AT};
pub use external::{ExternalCoder, ExternalFault};
pub(crate) use host::reserved_names;
pub use host::{Directories, Environment, Host, HostError};
pub use models::{ClientRow, ModelCheck, ModelRow, ModelSource, ModelsRequest, check_models, models};
pub(crate) use pins::read as read_pins;
pub use request::{Grant, GrantKind, RunRequest, SetupError};
pub use run::{Authorisation, run};
pub use stop::Stop;
pub use task::task_id;
pub use validate::{
    BaseReport, JudgedBy, NotLookedAtReport, Status, VALIDATE_SCHEMA, ValidateReport, ValidateRequest, validate,
};
