//! A change from its account to its place in the workspace: what it says, how it is shown, how it is applied; and what belongs to applying:
//! the lock, and the copy that programs run in.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods
)] // A test that cannot go on fails, one that does not start says so; it makes its own folders.

mod account;
mod lock;
mod modes;
mod outside;
mod patch;
mod scratch;
mod shown;
mod stale;
mod whole;
mod world;
