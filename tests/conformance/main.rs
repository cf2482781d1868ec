//! The conformance suite: the product's own plugins keep the whole interface, and plugins that are broken on purpose are found out, by the check
//! that it is about.
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

mod admission;
mod broken;
mod docs;
mod first_party;
mod other_kinds;
mod outside;
mod world;
