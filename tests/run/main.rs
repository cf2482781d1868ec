//! `snodo-host run` from the outside: the binary, on real folders, with built-in plugins and with guests made for it.
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

mod bad_input;
mod cache;
mod coder_ends;
mod commit;
mod contained;
mod echo;
mod engine;
mod external;
mod gates;
mod interrupt;
mod nothing;
mod patch;
mod pipeline;
mod protocol;
mod quality;
mod real_runners;
mod records;
mod records_attacks;
mod records_world;
mod released;
mod secrets;
mod workspace;
