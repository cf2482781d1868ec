//! Test a plugin natively: no WebAssembly, no host (feature `testing`).
//!
//! A [`Workspace`] is written down, a plugin is called in it, and what came of it is looked at. Imports are answered by the crate that
//! answers them in the host, so that paths, ignore rules, protected paths, what a submission may do and how a change is counted are the
//! same, and so are the errors. What is declared in `describe` is checked as the host checks it, and settings are typed by it.
//!
//! ```
//! use snodo_plugin::prelude::*;
//! use snodo_plugin::testing::Workspace;
//!
//! /// Puts the task at the head of NOTES.md.
//! struct Notes;
//!
//! impl Coder for Notes {
//!     fn describe() -> Description {
//!         Description::new("notes", "1.0.0", "Puts the task at the head of NOTES.md.")
//!     }
//!     fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
//!         let notes = read::optional_text("NOTES.md")?.unwrap_or_default();
//!         submit::files(vec![submit::write("NOTES.md", format!("{}\n{notes}", task.spec))])?;
//!         Ok(Implementation::done())
//!     }
//! }
//!
//! let run = Workspace::new().file("NOTES.md", "old\n").coder::<Notes>().task("new").run();
//! assert!(run.produced_work());
//! assert_eq!(run.text("NOTES.md"), "new\nold\n");
//! assert_eq!(run.change().added, 1);
//!
//! // What is refused is refused as by the host.
//! let run = Workspace::new().protect("NOTES.md").coder::<Notes>().run();
//! assert!(matches!(run.error(), CoderError::Refused(refused) if refused.reason.contains("protected")));
//! ```
//!
//! # What differs from the host
//!
//! * A plugin runs as native code: memory and computing time are not measured. Calls and bytes are.
//! * Where the host would end or refuse the plugin, the test fails with the reason.
//! * Declared tests and the model are what the test says ([`CoderCall::tests`], [`CoderCall::model`]): nothing is executed, and nothing
//!   leaves the machine. Without them there are none.
//! * The standard library's functions for files, network and processes work natively, and find nothing in a component.
//! * Imports are answered on the thread of the test.
//! * A task's id is always the same, and what the host collects of a project for it is empty until a test fills it in
//!   ([`CoderCall::with_task`]).
//!
//! Depend on it for tests only; it is not there in a component:
//!
//! ```toml
//! [dependencies]
//! snodo-plugin = "0.1"
//!
//! [dev-dependencies]
//! snodo-plugin = { version = "0.1", features = ["testing"] }
//! ```
#![allow(
    clippy::panic,
    reason = "the harness fails a test by panicking, and says so for each function"
)]

mod account;
#[cfg(test)]
mod as_the_host;
mod coder;
mod convert;
mod describing;
mod description;
mod ended;
mod given;
mod ground;
mod limits;
mod model;
mod role;
mod runner;
mod settings;
mod validator;
mod workspace;
mod world;

pub use coder::{CoderCall, CoderRun};
pub use describing::{describe_coder, describe_validator};
pub use given::{context, task};
pub use model::{Model, Script, calls, says};
pub use runner::{TestCall, failed, passed};
pub use validator::{ValidatorCall, ValidatorRun};
pub use workspace::Workspace;
pub(crate) use world::serve;
