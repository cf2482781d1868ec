//! The audit log from the outside: real folders, real processes, and the answers that snodo's own verifier gave.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test that cannot go on fails.
#![allow(clippy::print_stdout, clippy::print_stderr)] // A skipped test says why; a child tells its parent that it is ready.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // Tests make the folders that they look at, and start themselves as processes.

mod appending;
mod capped;
mod continuing;
mod files;
mod full;
mod json;
mod processes;
mod project;
mod reference;
mod repairing;
mod rotating;
mod tampered;
mod vocabulary;
mod world;
mod writing;
