//! Installed plugins from outside: real folders, real components, other processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a failed unwrap is a failed test; tests make, spoil and look at the folders that the library may not open by name"
)]

mod bed;
mod difference;
mod folders;
mod hostile;
mod interrupted;
mod names;
mod pins;
mod plans;
mod processes;
mod records;
mod refusals;
mod verify;
