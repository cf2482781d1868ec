//! The other commands, and what all of them have in common.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a failed unwrap is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod colours;
mod completions;
mod demo;
mod guests;
mod help;
mod inspect;
mod one_runtime;
