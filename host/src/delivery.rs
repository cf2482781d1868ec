//! How a coder's work reaches the host.

use serde::Serialize;

/// How a coder's work reaches the host: fixed by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// By `submit`: components and native coders.
    Submits,
    /// By editing a scratch, whose difference is read back as submitted operations: external programs.
    EditsScratch,
}
