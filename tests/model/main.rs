//! Language models from the outside: the binary, real folders, and a provider on loopback that does as a test says.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::match_bool,
    clippy::type_complexity,
    reason = "a test plays the user, who opens by name; a failed unwrap is a failed test; JSON is written as literals; who asks is told \
              apart by what is on offer, a line each; tables of cases are read once"
)]

#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod agent;
mod answers;
mod budgets;
mod classifier;
mod commands;
mod demo;
mod embedding;
mod fail_closed;
mod faults;
mod grants;
mod hermetic;
mod injection;
mod judges;
mod keys;
mod matrix;
mod recovery;
mod refusals;
mod sentinel;
mod silence;
mod tightening;
mod validating;
mod world;
