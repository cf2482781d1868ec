//! Admission from outside: files go in, lines for a person come out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed unwrap is a failed test"
)]

mod build;
mod differences;
mod files;
mod hostile;
mod imports;
mod json;
mod limits;
mod roles;
mod skew;
