//! The workspace as snodo-host sees it: paths, base, overlay, change set, journal, and the capability traits over them.
//!
//! No WebAssembly runtime and no async executor in here, so that it is fast to test, to fuzz and to reuse.

pub mod ambient;
pub mod apply;
pub mod base;
pub mod capability;
pub mod change;
pub mod constraint;
pub mod escape;
mod git;
mod glob;
pub mod handle;
pub mod ignore_rules;
pub mod limits;
mod lines;
pub mod list;
pub mod lock;
pub mod overlay;
pub mod path;
mod read;
pub mod role;
pub mod root;
pub mod rules;
pub mod scratch;
pub mod search;
pub mod secrets;
pub mod seen;
pub mod state;
pub mod submission;
pub mod title;
pub mod view;
mod walk;
