//! The rules that files are held against.

/// The rule that a fault or a warning belongs to, as shown in brackets and in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Rule {
    /// The file itself: size, encoding.
    #[serde(rename = "FILE")]
    File,
    /// The syntax, and what the format allows.
    #[serde(rename = "SYNTAX")]
    Syntax,
    /// The root must be a map.
    #[serde(rename = "ROOT")]
    Root,
    /// Fields: there, of their type, within their bounds.
    #[serde(rename = "SCHEMA")]
    Schema,
    /// An exclusive tool is held by one mode.
    #[serde(rename = "WF1")]
    Wf1,
    /// Role ids are unique.
    #[serde(rename = "WF2")]
    Wf2,
    /// Modes refer to what exists, and dispatch only behind a gate.
    #[serde(rename = "WF3")]
    Wf3,
    /// The policy fits the number of validators.
    #[serde(rename = "WF4")]
    Wf4,
    /// Constraints are unique and say something.
    #[serde(rename = "WF5")]
    Wf5,
    /// Module declarations.
    #[serde(rename = "MODULES")]
    Modules,
    /// Protected paths that protect other than it seems.
    #[serde(rename = "PROTECTED")]
    Protected,
}

impl Rule {
    /// As shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "FILE",
            Self::Syntax => "SYNTAX",
            Self::Root => "ROOT",
            Self::Schema => "SCHEMA",
            Self::Wf1 => "WF1",
            Self::Wf2 => "WF2",
            Self::Wf3 => "WF3",
            Self::Wf4 => "WF4",
            Self::Wf5 => "WF5",
            Self::Modules => "MODULES",
            Self::Protected => "PROTECTED",
        }
    }
}
