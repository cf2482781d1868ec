//! What cannot be seen from outside: an apply that fails, or dies, at any of its moments.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "tests make their own folders and processes")]

mod back;
mod faults;
mod journal;
mod kills;
mod random;
mod threads;
mod tree;
