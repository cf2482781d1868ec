//! Write coders and validators for snodo-host in Rust.
//!
//! A plugin is a WebAssembly component. What it may touch is what it imports, nothing else, and this crate's modules are those
//! imports: [`read`], [`search`], [`submit`], [`runner`], [`change`], [`completion`]. A module that a plugin does not call is not in its
//! import list, and is not asked of whoever installs it.
//!
//! | role | trait | may call | with a grant |
//! |---|---|---|---|
//! | coder | [`Coder`] | `read`, `search`, `submit`, `runner` | `completion` |
//! | validator | [`Validator`] | `read`, `search`, `change` | `runner`, `completion` |
//!
//! | feature | what it adds | for |
//! |---|---|---|
//! | `tools` | `tools`: what a plugin needs beside [`completion`] when it lets a language model read and search | plugins that ask a model |
//! | `testing` | `testing`: runs a plugin natively, in a workspace of a test's own, under the host's rules | `[dev-dependencies]` |
//!
//! What authors would write again and again is here: typed reads ([`read::text`], [`read::optional_text`], [`read::is_file`]), files by patterns
//! ([`read::walk`]), a submission that is put together piece by piece ([`submit::Draft`]), a change seen whole or not at all
//! ([`change::whole_diff`]), unified diffs ([`diff`]), errors in words ([`Explain`]) and as each role's own by `?`.
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
//!
//! # Testing
//!
//! On other targets the crate compiles as an ordinary library. With the feature `testing` a plugin runs there as it is, in a workspace
//! that the test writes down; imports are answered by the code that answers them in the host.
//!
//! ```
//! use snodo_plugin::prelude::*;
//! use snodo_plugin::testing::Workspace;
//! # struct Notes;
//! # impl Coder for Notes {
//! #     fn describe() -> Description { Description::new("notes", "1.0.0", "…") }
//! #     fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
//! #         submit::files(vec![submit::write("NOTES.md", task.spec)])?;
//! #         Ok(Implementation::done())
//! #     }
//! # }
//! # struct Small;
//! # impl Validator for Small {
//! #     fn describe() -> Description {
//! #         Description::new("small", "1.0.0", "…").phase(Phase::PostExecute).setting(Setting::integer("lines", "…").default(400))
//! #     }
//! #     fn evaluate(_evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
//! #         let added = i64::try_from(change::summary()?.added).unwrap_or(i64::MAX);
//! #         let severity = if added <= context.integer("lines")? { Severity::Pass } else { Severity::Blocker };
//! #         Ok(Verdict::new(severity, format!("{added} lines were added.")))
//! #     }
//! # }
//!
//! let workspace = Workspace::new().file("src/main.rs", "fn main() {}\n");
//!
//! let run = workspace.coder::<Notes>().task("Be brief.").run();
//! assert_eq!(run.changed(), ["NOTES.md"]);
//! assert_eq!(run.text("NOTES.md"), "Be brief.");
//!
//! let run = workspace.validator::<Small>().setting("lines", 1).changed([submit::write("a", "1\n2\n")]).run();
//! assert_eq!(run.verdict().severity, Severity::Blocker);
//! ```
//!
//! Without the feature, calling an import natively ends the test with a message. What decides is best kept in functions that call none:
//! they need no workspace.
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
pub mod pattern;
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
