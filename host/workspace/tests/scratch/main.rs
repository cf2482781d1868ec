//! Where programs run: the upper layer of an overlay and the copy beside each other, what they do not show, and what is told of what a program wrote.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that cannot go on fails, and it makes its own folders"
)]

mod difference;
mod hidden;
mod mounted;
mod removed;
mod same_tree;
#[path = "../change/world.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of the change")]
mod world;
mod written;
