//! What a plugin file is, which role and imports it has, and whether it may run: read off its type, before any of it is compiled.
//!
//! * Role = exported interface, `coding` or `judging`.
//! * Capability = imports. They have to lie in the role's base set, in the user's grants, or in WASI's inert set; each in a version
//!   that meets the host's, and item by item equal to it.
//! * [`admit`] is the only way to an [`Admitted`], from which the host compiles. What is outside is a [`Refusal`] with one line for
//!   each thing that stands in the way.
//!
//! Everything here takes bytes from strangers. Nothing is compiled, run or opened; no input makes it panic.

mod admit;
mod census;
mod compare;
mod contract;
mod differences;
mod digest;
mod explain;
mod export;
mod finding;
mod import;
mod inspect;
mod kind;
mod limits;
mod name;
#[cfg(test)]
mod page;
mod role;
mod scan;
mod text;
mod wasi;

pub use admit::{Admitted, Refusal, admit, admit_hashed};
pub use census::Census;
pub use compare::{Difference, ItemKind};
pub use contract::{contract_version, wit_sources};
pub use differences::{BuiltAgainst, WitDifference, WitReport, differences};
pub use digest::{Digest, Hashed, HashedBytes};
pub use export::Export;
pub use finding::{Finding, Rule};
pub use import::{Import, ImportClass, RefusalReason};
pub use inspect::{Context, Inspection, Unread, Verdict, inspect, inspect_hashed, inspect_unread};
pub use kind::FileKind;
pub use limits::Limits;
pub use name::{BadName, NAME_MAX, NameRule, PluginName};
pub use role::{Grant, Grants, Interface, Right, Role, Served};
pub use scan::{Bodies, FEATURES};
