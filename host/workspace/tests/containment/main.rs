//! What a plugin cannot reach, at the level of this crate: the cases of area A (and C02, C06 where they are about reading), each with
//! its control, the same act done with `std::fs` on a twin tree, which succeeds.
// A test that cannot go on fails; the controls open by name.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]
#![cfg(unix)] // Links, FIFOs and modes.

mod ignored;
mod links;
mod names;
mod protected;
mod race;
mod reading;
mod root;
mod special;
mod tracked;
mod world;
