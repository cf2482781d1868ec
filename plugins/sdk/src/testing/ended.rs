//! Where the host would end a plugin, the test fails, and says why.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::role::Role;

/// Why the host would have ended the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// `describe` called an import.
    Closed { function: &'static str },
    /// The role has no such import.
    NotOfThisRole { function: &'static str, role: Role },
    /// A bound of the whole invocation.
    Bound { what: &'static str, allowed: u64 },
    /// What it says of itself breaks the contract.
    Contract(String),
    /// The settings do not fit what it declares.
    Setting(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { function } => write!(
                f,
                "the host ends this plugin: `{function}` was called while `describe` was answered, when every import is closed"
            ),
            Self::NotOfThisRole { function, role } => write!(
                f,
                "the host refuses this plugin: `{function}` is not among the imports of a {}",
                role.word()
            ),
            Self::Bound { what, allowed } => {
                write!(
                    f,
                    "the host ends this plugin: the limit `{what}` of {allowed} is reached"
                )
            }
            Self::Contract(how) => write!(f, "the host refuses this plugin: {how}"),
            Self::Setting(how) => write!(f, "the host refuses this run: {how}"),
        }
    }
}

/// Leaves the plugin, whatever it is doing.
pub(super) fn end(ended: Ended) -> ! {
    resume_unwind(Box::new(ended))
}

/// Does the plugin's work. That it was ended fails the test, in the place where the test called it; a panic of its own is one.
#[track_caller]
pub(super) fn or_fail<R>(work: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(payload) => match payload.downcast::<Ended>() {
            Ok(ended) => panic!("{ended}"),
            Err(payload) => resume_unwind(payload),
        },
    }
}
