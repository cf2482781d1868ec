//! What each role may call.

/// A plugin's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Coder,
    Validator,
}

/// The functions of the world `coder`.
pub(super) const CODER: [&str; 10] = [
    "read-file",
    "read-lines",
    "read-files",
    "list-files",
    "search-text",
    "search-symbol",
    "submit-files",
    "withdraw",
    "progress",
    "run-tests",
];

/// The functions of the world `validator`.
pub(super) const VALIDATOR: [&str; 9] = [
    "read-file",
    "read-lines",
    "read-files",
    "list-files",
    "search-text",
    "search-symbol",
    "summary",
    "diff",
    "before",
];

impl Role {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Validator => "validator",
        }
    }

    /// What the role has without a grant, as a plugin is told of it in its context.
    pub(super) fn tools(self) -> Vec<String> {
        let tools: &[&str] = match self {
            Self::Coder => &CODER,
            Self::Validator => &VALIDATOR,
        };
        tools.iter().map(|&tool| tool.to_owned()).collect()
    }

    /// Whether a component of the role can import the function, with every grant there is.
    pub(super) fn may_import(self, function: &str) -> bool {
        let own: &[&str] = match self {
            Self::Coder => &CODER,
            Self::Validator => &VALIDATOR,
        };
        own.contains(&function) || matches!(function, "run-tests" | "complete")
    }
}
