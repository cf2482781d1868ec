//! The one path type of the workspace, made in one constructor.

use serde::Serialize;

/// The rule that a path broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathRule {
    /// Empty where a name is needed.
    Empty,
    /// Holds a NUL character.
    Nul,
    /// Starts with `/` or `\`.
    Absolute,
    /// A component holds `:` or `\`.
    ReservedCharacter,
    /// A component is a device name on some systems.
    ReservedName,
    /// `..` leads above the root.
    EscapesRoot,
    /// Over 4,096 bytes, or 255 in one component.
    TooLong,
    /// Over 128 components.
    TooDeep,
    /// A trailing `/` where a file is meant.
    TrailingSlash,
}

/// A path that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("`{path}` is not a path of the workspace")]
pub struct BadPath {
    /// As given (cut at 200 characters).
    pub path: String,
    /// The rule it broke.
    pub rule: PathRule,
}
