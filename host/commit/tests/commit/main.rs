//! Commits, with git itself as the judge. Without `git` on the path each test says so and passes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, says why it is skipped, and starts git"
)]

mod contents;
mod foreign;
mod index;
mod many;
mod places;
mod random;
mod refusals;
mod world;
