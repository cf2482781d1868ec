//! The overlay: its table of outcomes row by row, and the whole of it against a simple model.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folders.

mod chance;
mod limits;
mod model;
mod outcomes;
mod staleness;
mod world;
