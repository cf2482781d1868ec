//! Constraints over change sets of real workspaces: snodo's answers where it is right, and each place where it is not.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a test fails by panicking, and makes the folders it looks at

mod cannot_run;
mod scope;
mod secrets;
mod tests_exist;
mod world;
