//! What came of a constraint.

use serde::Serialize;

use crate::escape::escaped;
use crate::path::WorkspacePath;
use crate::role::Severity;
use crate::secrets::mask;

/// So many paths stand in a justification; evidence holds more.
const TOLD: usize = 10;
/// So many entries stand in evidence: enough to act on, and an audit event stays readable.
pub(super) const KEPT: usize = 200;

/// So many characters of a text are told.
const QUOTED: usize = 300;

/// The result of one constraint in one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConstraintResult {
    /// The constraint's id.
    pub id: String,
    /// Its predicate.
    pub predicate: String,
    /// What a violation amounts to.
    pub severity: Severity,
    /// Whether it is violated; a constraint that could not be evaluated is.
    pub violated: bool,
    /// Which way it came to that.
    pub reason: Reason,
    /// For people, in one line: the paths and the rule. Fit to be printed; no credential in it.
    pub justification: String,
    /// For programs, under snodo's names. No credential in it.
    pub evidence: Evidence,
}

impl ConstraintResult {
    /// Whether it stops the run: any other severity is only recorded.
    pub fn stops(&self) -> bool {
        self.violated && self.severity == Severity::Blocker
    }
}

/// Which way a constraint came to its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The change keeps to it.
    Holds,
    /// Nothing is changed.
    NothingToCheck,
    /// The change breaks it.
    Broken,
    /// No such predicate.
    UnknownPredicate,
    /// A parameter that makes no sense.
    BadParameter,
    /// It could not be looked at.
    CannotRun,
}

impl Reason {
    /// Everything but the first two.
    pub fn is_violation(self) -> bool {
        !matches!(self, Self::Holds | Self::NothingToCheck)
    }
}

/// What a violation rests on. Lists hold the first 200 entries, and `more` counts the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// `files_in_scope`.
    OutOfScope {
        /// Changed paths that nothing allows.
        out_of_scope_files: Vec<String>,
        /// Not in the list.
        #[serde(skip_serializing_if = "is_zero")]
        more: usize,
    },
    /// `tests_exist_for_modified`.
    MissingTests {
        /// Where the tests would have to stand.
        missing_tests: Vec<String>,
        /// Not in the list.
        #[serde(skip_serializing_if = "is_zero")]
        more: usize,
    },
    /// `no_secrets_in_diff`.
    Secrets {
        /// What was found, and where.
        findings: Vec<SecretFinding>,
        /// Not in the list.
        #[serde(skip_serializing_if = "is_zero")]
        more: usize,
    },
    /// A task for a module that the protocol does not declare.
    UndeclaredModule {
        /// As the task names it.
        module_id: String,
    },
    /// Nothing.
    None {},
}

/// A credential in what is added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretFinding {
    /// The rule that found it.
    pub pattern: String,
    /// The file.
    pub path: String,
    /// Its line, from 1; none if the path itself holds it.
    pub line: Option<u64>,
    /// The value, masked.
    pub matched: String,
}

// By reference because that is how serde calls it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A path for evidence: as it is, without credentials.
pub(super) fn told(path: &WorkspacePath) -> String {
    mask(path.as_str())
}

/// A text of a stranger for a justification: cut, without credentials, fit to be printed.
pub(super) fn quoted(text: &str) -> String {
    let masked = mask(text);
    match masked.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("`{}…`", escaped(&masked[..end])),
        None => format!("`{}`", escaped(&masked)),
    }
}

/// Things for a justification: the first ones, and how many more there are.
pub(super) fn first_of(things: impl ExactSizeIterator<Item = String>) -> String {
    let more = things.len().saturating_sub(TOLD);
    let mut all: Vec<String> = things.take(TOLD).collect();
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    all.join(", ")
}
