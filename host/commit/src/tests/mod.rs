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

/// It is kept through a run, which moves between threads.
#[test]
fn a_committable_goes_anywhere() {
    fn goes_anywhere<T: Send + Sync + 'static>() {}
    goes_anywhere::<crate::Committable>();
    goes_anywhere::<crate::CommitError>();
}
