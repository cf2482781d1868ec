//! Language models from the outside: the binary, real folders, and a provider on loopback that does as a test says.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a test plays the user, who opens by name; a failed unwrap is a failed test; JSON is written as literals"
)]

#[path = "../support/mod.rs"]
mod support;

mod agent;
mod classifier;
mod fail_closed;
mod judges;
mod world;
