//! What the tests from the outside share: the binary, on folders of its own, with everything that it answers checked.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "shared by several test programs, each of which uses a part; a failed unwrap is a failed test"
)]

pub mod chain;
#[path = "../../host/admission/tests/admission/build.rs"]
pub mod components;
pub mod finished;
pub mod guests;
pub mod machine;
pub mod process;
pub mod protocol;
pub mod sandbox;
pub mod script;
pub mod skips;
pub mod tree;

pub use finished::Finished;
pub use guests::guest;
pub use sandbox::Sandbox;

/// The folder of the repository.
pub fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}
