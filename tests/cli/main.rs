//! The other commands, and what all of them have in common.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "tests make what they look at; a failed unwrap is a failed test, and a test plays the user, who opens by name"
)]

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod broken_pipe;
mod colours;
mod completions;
mod demo;
mod doctor;
mod guests;
mod help;
mod inspect;
mod one_runtime;
mod own_grants;
mod plugin;
mod protocol_check;
mod protocol_page;
mod readme;
#[path = "../run/records_world.rs"]
mod records_world;
mod runs;
mod validate;
mod wit;
