//! A protocol's constraints: predicates over the change itself, without a judge and without git.
//!
//! The three predicates that snodo ships. What they look at is the [`ChangeSet`], the one account of what differs: no words of
//! an engine stand among its paths, and every path in it is normalised, so that `src/../x` cannot pass for something in `src`. Both paths
//! of a rename count, and a deleted folder counts as each file in it.
//!
//! Before the coder (governance) there is no change, and what could be broken by one holds. A constraint that cannot be evaluated, in
//! either phase, is violated: with an unknown predicate or a parameter that makes no sense nobody knows what was meant to be kept out.

mod files_in_scope;
mod no_secrets;
mod param;
mod pattern;
mod python_regex;
mod result;
mod tests_exist;

use std::collections::BTreeSet;

pub use param::{BadParameter, Param, Params};
pub use result::{ConstraintResult, Evidence, Reason, SecretFinding};

use pattern::Budget;

use crate::change::ChangeSet;
use crate::path::WorkspacePath;
use crate::role::{Phase, Severity};
use crate::view::View;

/// `files_in_scope`: every changed path matches a pattern.
pub const FILES_IN_SCOPE: &str = "files_in_scope";
/// `tests_exist_for_modified`: for every changed file outside the tests there is a test.
pub const TESTS_EXIST: &str = "tests_exist_for_modified";
/// `no_secrets_in_diff`: what is added holds no credentials.
pub const NO_SECRETS: &str = "no_secrets_in_diff";

/// Every predicate, with its parameters.
pub const PREDICATES: [(&str, &[&str]); 3] = [
    (FILES_IN_SCOPE, &["scope_paths"]),
    (TESTS_EXIST, &["test_dir_pattern", "test_name_pattern"]),
    (NO_SECRETS, &["patterns"]),
];

/// Evaluated at once.
const MOST_CONSTRAINTS: usize = 200;

/// Patterns of constraints' own (`patterns` of `no_secrets_in_diff`) that are used in one evaluation: each takes up to some 20 ms to be made
/// ready.
pub const MOST_PATTERNS: usize = 100;

/// A constraint as a protocol declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Its id.
    pub id: String,
    /// The predicate's name; empty for one that is only written down for people, and never evaluated.
    pub predicate: String,
    /// Its parameters. Others than the predicate knows are not looked at, as in snodo.
    pub params: Params,
    /// What a violation amounts to: only `blocker` stops a run.
    pub severity: Severity,
}

/// The module that a task is for: its paths take the place of `scope_paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleBound {
    /// As the task names it.
    pub id: String,
    /// As the protocol declares it; none if it does not.
    pub paths: Option<Vec<String>>,
}

/// What constraints are evaluated over.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What the coder changed; not looked at before the coder.
    pub change: &'a ChangeSet,
    /// The workspace with the change.
    pub view: &'a View,
    /// Before the coder: governance. After: before the judges.
    pub phase: Phase,
    /// None if the task is for no module.
    pub module: Option<&'a ModuleBound>,
}

/// A predicate with its parameters, understood.
enum Predicate {
    FilesInScope(files_in_scope::Scope),
    TestsExist(tests_exist::Naming),
    NoSecrets(no_secrets::Finder),
}

/// Why a constraint cannot be evaluated, whatever the change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    /// No predicate of that name.
    #[error("there is no predicate {}", result::quoted(.0))]
    UnknownPredicate(String),
    /// A parameter that makes no sense.
    #[error(transparent)]
    BadParameter(#[from] BadParameter),
}

impl Constraint {
    /// Whether it can be evaluated at all. For a check of the file; [`evaluate`] finds the same.
    pub fn check(&self) -> Result<(), Unready> {
        if self.predicate.is_empty() {
            return Ok(());
        }
        self.ready().map(drop)
    }

    /// How many patterns of its own it has: see [`MOST_PATTERNS`].
    pub fn own_patterns(&self) -> usize {
        if self.predicate == NO_SECRETS {
            no_secrets::own_patterns(&self.params)
        } else {
            0
        }
    }

    fn ready(&self) -> Result<Predicate, Unready> {
        Ok(match self.predicate.as_str() {
            FILES_IN_SCOPE => Predicate::FilesInScope(files_in_scope::Scope::read(&self.params)?),
            TESTS_EXIST => Predicate::TestsExist(tests_exist::Naming::read(&self.params)?),
            NO_SECRETS => Predicate::NoSecrets(no_secrets::Finder::read(&self.params)?),
            other => return Err(Unready::UnknownPredicate(other.to_owned())),
        })
    }
}

/// Evaluates every constraint that has a predicate, in order. One result each.
///
/// A protocol may come from a stranger: beyond 200 constraints, 100 patterns of their own, and a bound on the matching of paths, what
/// is left is not evaluated, and so violated.
pub fn evaluate(constraints: &[Constraint], subject: &Subject<'_>) -> Vec<ConstraintResult> {
    let mut budget = Budget::new(Budget::STANDARD);
    let mut own_patterns = 0;
    let with_predicate = constraints.iter().filter(|constraint| !constraint.predicate.is_empty());
    with_predicate
        .enumerate()
        .map(|(index, constraint)| {
            own_patterns += constraint.own_patterns();
            let found = if index >= MOST_CONSTRAINTS {
                Found::cannot_run(format!("more than {MOST_CONSTRAINTS} constraints are not evaluated"))
            } else if constraint.own_patterns() > 0 && own_patterns > MOST_PATTERNS {
                Found::cannot_run(format!(
                    "together with those before it, it has more than {MOST_PATTERNS} patterns, and so many are not evaluated"
                ))
            } else {
                match constraint.ready() {
                    Ok(predicate) => look(&predicate, subject, &mut budget),
                    Err(unready) => Found::unready(&unready),
                }
            };
            found.of(constraint)
        })
        .collect()
}

/// What a predicate found: a result without the constraint's own data.
struct Found {
    reason: Reason,
    justification: String,
    evidence: Evidence,
}

impl Found {
    fn holds(justification: impl Into<String>) -> Self {
        Self {
            reason: Reason::Holds,
            justification: justification.into(),
            evidence: Evidence::None {},
        }
    }

    fn broken(justification: String, evidence: Evidence) -> Self {
        Self {
            reason: Reason::Broken,
            justification,
            evidence,
        }
    }

    fn cannot_run(justification: String) -> Self {
        Self {
            reason: Reason::CannotRun,
            justification,
            evidence: Evidence::None {},
        }
    }

    fn unready(unready: &Unready) -> Self {
        let reason = match unready {
            Unready::UnknownPredicate(_) => Reason::UnknownPredicate,
            Unready::BadParameter(_) => Reason::BadParameter,
        };
        Self {
            reason,
            justification: unready.to_string(),
            evidence: Evidence::None {},
        }
    }

    fn of(self, constraint: &Constraint) -> ConstraintResult {
        ConstraintResult {
            id: constraint.id.clone(),
            predicate: constraint.predicate.clone(),
            severity: constraint.severity,
            violated: self.reason.is_violation(),
            reason: self.reason,
            justification: self.justification,
            evidence: self.evidence,
        }
    }
}

fn look(predicate: &Predicate, subject: &Subject<'_>, budget: &mut Budget) -> Found {
    if subject.phase == Phase::PreExecute || subject.change.is_empty() {
        return Found {
            reason: Reason::NothingToCheck,
            justification: "nothing is changed yet, so there is nothing to check".to_owned(),
            evidence: Evidence::None {},
        };
    }
    match predicate {
        Predicate::FilesInScope(scope) => scope.look(subject, budget),
        Predicate::TestsExist(naming) => naming.look(subject),
        Predicate::NoSecrets(finder) => finder.look(subject.change),
    }
}

/// Every path that the change touches, each once and in order; of a rename both.
fn touched(change: &ChangeSet) -> BTreeSet<&WorkspacePath> {
    let files = change.files.iter();
    files
        .flat_map(|file| [Some(&file.path), file.old_path.as_ref()])
        .flatten()
        .collect()
}
