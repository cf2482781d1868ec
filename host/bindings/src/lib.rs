//! Generated bindings of the `snodo:plugin` contract for the host, and the conversions to and from domain types.
//!
//! A crate of its own since the generated code is slow to compile and rarely changes. The conversions hold no policy.

/// The bindings that wasmtime generates from `wit/`, against the world that holds every interface at once.
#[expect(
    missing_docs,
    reason = "generated from the WIT, whose documentation is carried over where there is some"
)]
#[allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "generated code"
)]
pub mod contract {
    wasmtime::component::bindgen!({
        world: "host-side",
        path: "../../wit",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

mod convert;

pub use convert::search::Abandoned;

pub use contract::exports::snodo::plugin::{coding, judging};
pub use contract::snodo::plugin::{change, completion, read, runner, search, submit, types};
