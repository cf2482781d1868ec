//! Listing and searching: the cases of area C, and of A07 and A16 what concerns them, at the level of this crate; each attack with
//! its control. Ignore rules are held against git, and answers against a plain walk with `std::fs`.
#![allow(clippy::unwrap_used, clippy::panic)] // A test that cannot go on fails.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // It makes its own folders, sockets among them, and asks git.
#![cfg(unix)] // Links, FIFOs and modes.

mod bounds;
mod ignored;
mod like_git;
mod like_plain;
mod listing;
mod names;
mod order;
mod patterns;
mod pending;
mod special;
mod symbols;
mod text;
mod world;
