//! The words of every refusal, in one place: what is wrong with what, and what would be needed.

mod file;
mod import;

pub(crate) use file::{damaged, failure_finding, kind_finding, truncated};
pub(crate) use import::{differs, import_finding};
