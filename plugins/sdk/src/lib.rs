//! Write coders and validators for snodo-host in Rust.
//!
//! A plugin is a WebAssembly component. What it may touch is what it imports, nothing else, and this crate's modules are those
//! imports: [`read`], [`search`], [`submit`], [`runner`], [`change`], [`completion`]. A module that a plugin does not call is not in its
//! import list, and is not asked of whoever installs it.
//!
//! The feature `tools` adds `tools`: what a plugin needs beside [`completion`] when it lets a language model read and search.
//!
//! | role | trait | may call | with a grant |
//! |---|---|---|---|
//! | coder | [`Coder`] | `read`, `search`, `submit`, `runner` | `completion` |
//! | validator | [`Validator`] | `read`, `search`, `change` | `runner`, `completion` |
//!
//! # A coder
//!
//! ```
//! use snodo_plugin::prelude::*;
//!
//! struct Notes;
//!
//! impl Coder for Notes {
//!     fn describe() -> Description {
//!         Description::new("notes", env!("CARGO_PKG_VERSION"), "Writes the task into NOTES.md.")
//!     }
//!
//!     fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
//!         submit::files(vec![submit::write("NOTES.md", task.spec)])?;
//!         Ok(Implementation::done())
//!     }
//! }
//!
//! snodo_plugin::export!(coder: Notes);
//! ```
//!
//! # A validator
//!
//! ```
//! use snodo_plugin::prelude::*;
//!
//! struct Small;
//!
//! impl Validator for Small {
//!     fn describe() -> Description {
//!         Description::new("small", env!("CARGO_PKG_VERSION"), "Stops a change of more lines than are allowed.")
//!             .phase(Phase::PostExecute)
//!             .setting(Setting::integer("lines", "How many added lines are allowed.").default(400))
//!     }
//!
//!     fn evaluate(_evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
//!         let allowed = context.integer("lines")?;
//!         let added = change::summary()?.added;
//!         Ok(if i64::try_from(added).is_ok_and(|added| added <= allowed) {
//!             Verdict::pass(format!("{added} lines were added, {allowed} are allowed."))
//!         } else {
//!             Verdict::blocker(format!("{added} lines were added, {allowed} are allowed."))
//!         })
//!     }
//! }
//!
//! snodo_plugin::export!(validator: Small);
//! ```
//!
//! # Building
//!
//! `crate-type = ["cdylib", "rlib"]`, and `cargo build --release --target wasm32-wasip2`: the file that comes out is the component.
//! On other targets the crate compiles as an ordinary library, so that its tests run with `cargo test`; there, calling an import
//! ends the process, with a message. Keep what decides in pure functions, and the calls at the edge.
//!
//! # What is not here
//!
//! No files, network, environment or processes: the standard library's functions for them compile, and find nothing. Clock and random
//! source belong to the host, so that a run can be replayed.

#[doc(hidden)]
pub mod bindings;

pub mod change;
mod coder;
pub mod completion;
mod description;
pub mod diff;
mod error;
mod export;
mod imports;
pub mod read;
pub mod runner;
pub mod search;
mod settings;
pub mod submit;
#[cfg(all(feature = "testing", not(target_family = "wasm")))]
pub mod testing;
#[cfg(test)]
mod tests;
#[cfg(feature = "tools")]
pub mod tools;
mod validator;

pub use bindings::imports::snodo::plugin::types;

pub use coder::{
    Coder, CoderError, CoderReport, Finding, Implementation, Mismatch, RefusedOperation, ReportedFile, StopReason,
};
pub use description::{Description, Setting};
pub use error::Explain;
pub use settings::SettingError;
pub use types::{
    ChangeKind, Content, Context, Expectation, Phase, RunnerInfo, SettingType, SettingValue, Severity, Task,
    TestGoverningChange,
};
pub use validator::{Evaluation, ExecutionEvidence, Fault, ModeProfile, Uncheckable, Validator, Verdict};

/// What most plugins need, in one line: `use snodo_plugin::prelude::*;`.
pub mod prelude {
    pub use crate::{
        ChangeKind, Coder, CoderError, Content, Context, Description, Evaluation, Expectation, Explain, Fault, Finding,
        Implementation, Phase, Setting, Severity, Task, Validator, Verdict, change, completion, diff, read, runner,
        search, submit,
    };
}
