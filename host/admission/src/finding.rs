//! One reason for a refusal: a line for a person, and a rule for a machine.

use std::fmt;

use serde::Serialize;

/// One thing that keeps a file from being used as a plugin. Printed, it is a single line: what is wrong with what, and what would
/// be needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule that says no.
    pub rule: Rule,
    /// The import or export that it is about, as the plugin spells it (escaped and cut for printing); none for the file as a whole.
    pub subject: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What would be needed.
    pub needed: String,
}

/// The rules of admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// It is no WebAssembly component.
    NotAComponent,
    /// It is one, but cut off or not valid.
    Damaged,
    /// It uses a part of WebAssembly that this host leaves out.
    Feature,
    /// It is too large in one way or another.
    Limit,
    /// It has no role, or two.
    Role,
    /// It has another role than the one asked for.
    OtherRole,
    /// It was built against another version of the contract.
    Version,
    /// An item of an interface differs from the host's.
    Interface,
    /// An import that is never given to this role.
    NotForRole,
    /// An import that needs a grant.
    Grant,
    /// An import that this build does not serve.
    NotServed,
    /// An import of the network.
    Network,
    /// Any other import from outside the contract and inert WASI.
    Outside,
}

impl Finding {
    pub(crate) fn whole(rule: Rule, what: impl Into<String>, needed: impl Into<String>) -> Self {
        Self {
            rule,
            subject: None,
            what: what.into(),
            needed: needed.into(),
        }
    }

    pub(crate) fn about(rule: Rule, subject: &str, what: impl Into<String>, needed: impl Into<String>) -> Self {
        Self {
            rule,
            subject: Some(subject.to_owned()),
            what: what.into(),
            needed: needed.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.subject {
            write!(f, "`{subject}`: ")?;
        }
        write!(f, "{}; {}", self.what, self.needed)
    }
}
