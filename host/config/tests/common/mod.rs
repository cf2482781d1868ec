//! What the tests of protocols share.
#![allow(dead_code, unreachable_pub)] // each test binary uses a part of it
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::protocol::{Loaded, load_protocol};
use snodo_config::{FaultKind, FileError};

/// A small protocol that is right.
pub const SMALL: &str = include_str!("../protocols/small.yml");

/// The small protocol with one part replaced.
pub fn with(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from:?} is not in the small protocol");
    SMALL.replacen(from, to, 1)
}

pub fn load(text: &str) -> Loaded {
    match load_protocol("protocol.yml", text.as_bytes()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{}", error.plain()),
    }
}

pub fn refused(text: &str) -> FileError {
    match load_protocol("protocol.yml", text.as_bytes()) {
        Ok(_) => panic!("it is accepted:\n{text}"),
        Err(error) => error,
    }
}

pub fn faults(text: &str) -> Vec<FaultKind> {
    refused(text).faults().iter().map(|fault| fault.kind.clone()).collect()
}
