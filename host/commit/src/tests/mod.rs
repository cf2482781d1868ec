//! What only the moments of a commit show: deaths and races.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests start git and themselves, and say why they are skipped"
)]

mod kills;
mod races;
mod world;
