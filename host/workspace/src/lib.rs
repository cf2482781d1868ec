//! The workspace as snodo-host sees it: paths, base, overlay, change set, journal, and the capability traits over them.
//!
//! No WebAssembly runtime and no async executor in here, so that it is fast to test, to fuzz and to reuse.

pub mod capability;
pub mod change;
pub mod path;
pub mod role;
