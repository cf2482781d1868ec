//! snodo-host: the runtime for snodo's replaceable parts.
//!
//! A task passes gates before and after a *coder* works on it. Coders and validators are WebAssembly components; what one may
//! touch is what it imports, nothing else. The host owns everything with authority: the workspace, the declared tests, the gates,
//! the record and the apply.
//!
//! The binary is a thin user of this library: build an [`engine::Environment`], open an [`engine::Host`], and [`engine::run`] a
//! [`engine::RunRequest`].

mod capability;
pub mod cli;
pub mod conform;
pub mod delivery;
pub mod engine;
pub mod events;
pub mod outcome;
pub mod plugin;
pub mod record;
pub use snodo_model as model;
pub use snodo_sandbox as sandbox;
pub use snodo_workspace as workspace;
mod settings;
pub use snodo_workspace::escape as text;
