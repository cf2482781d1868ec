//! Attacks, through the real binary and a real component. Every test is named by its case, and shows beside the attack that it is one: the
//! same act, done by name with `std::fs` on a twin of the tree, succeeds.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "the controls open by name; a failed unwrap is a failed test; JSON is written as literals"
)]

#[path = "../support/mod.rs"]
mod support;

mod applying;
mod attack;
mod bounds;
mod edits;
mod files;
mod full;
mod hidden;
mod huge;
mod links;
mod loading;
mod looking;
mod names;
mod output;
mod posture;
mod protected;
mod race;
mod root;
mod stale;
mod together;
mod traps;
mod world;
