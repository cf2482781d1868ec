//! A submission that is put together piece by piece.

use std::collections::BTreeSet;

use super::{Operation, Submission, SubmitError, SubmitRefusal};
use crate::types::{Content, Limit};

/// A submission that is put together piece by piece and handed over at once: all of it is taken, or none.
///
/// Where something is refused, the error says which operation it was. A path may be named once, but for one case: what is written to the
/// place that a file moves to (or its executable bit) belongs to the move.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("old.rs", "fn old() {}\n").file("dead.rs", "");
/// # workspace.with_coder_imports(|| {
/// let taken = submit::Draft::new()
///     .rename("old.rs", "new.rs")
///     .write("new.rs", "fn new() {}\n")
///     .write_with_mode("run.sh", "#!/bin/sh\n", true)
///     .delete("dead.rs")
///     .submit()?;
/// assert_eq!(taken.pending, 4); // old.rs, new.rs, run.sh, dead.rs
///
/// let refused = submit::Draft::new().write("a", "…").delete("b").submit().unwrap_err();
/// assert_eq!(refused.explain(), "could not delete `b`: `b` is not there");
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct Draft {
    operations: Vec<Operation>,
}

/// Why nothing of a [`Draft`] was taken. It becomes a coder's error by `?`.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// let error = submit::Draft::new().write(".git/config", "…").submit().unwrap_err();
/// assert!(matches!(&error, submit::DraftError::Refused { operation, .. } if operation.path() == ".git/config"));
/// assert!(matches!(CoderError::from(error), CoderError::Refused(_)));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftError {
    /// An operation is refused.
    Refused {
        /// Which.
        operation: Box<Operation>,
        /// Why.
        reason: SubmitRefusal,
    },
    /// A bound of the invocation.
    Limit(Limit),
}

impl Draft {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Put this content at this path, whole: [`submit::write`](super::write).
    #[must_use]
    pub fn write(self, path: impl Into<String>, content: impl Into<Content>) -> Self {
        self.with(super::write(path, content))
    }

    /// Put this content at this path, whole, with the executable bit set or cleared.
    #[must_use]
    pub fn write_with_mode(self, path: impl Into<String>, content: impl Into<Content>, executable: bool) -> Self {
        self.with(super::write_with_mode(path, content, executable))
    }

    /// Delete a file.
    #[must_use]
    pub fn delete(self, path: impl Into<String>) -> Self {
        self.with(super::delete(path))
    }

    /// Move a file to where nothing stands.
    #[must_use]
    pub fn rename(self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.with(super::rename(from, to))
    }

    /// Set or clear the executable bit of a file.
    #[must_use]
    pub fn set_executable(self, path: impl Into<String>, executable: bool) -> Self {
        self.with(super::set_executable(path, executable))
    }

    /// One more operation.
    #[must_use]
    pub fn with(mut self, operation: Operation) -> Self {
        self.push(operation);
        self
    }

    /// One more operation, in a loop.
    pub fn push(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// What is in it, in the order in which it was put there.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Whether there is nothing in it: handing that over is allowed, and changes nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Hands it over.
    ///
    /// What is written to where a file moves goes out in a second call, since one call names a path once. Where that is refused, the first
    /// is taken back, and with it whatever was submitted earlier for the same paths.
    ///
    /// # Errors
    ///
    /// The operation that was refused, and why. Nothing is taken then.
    pub fn submit(self) -> Result<Submission, DraftError> {
        let moved: BTreeSet<String> = self.operations.iter().filter_map(target).map(str::to_owned).collect();
        let (second, first): (Vec<Operation>, Vec<Operation>) = self
            .operations
            .into_iter()
            .partition(|operation| target(operation).is_none() && moved.contains(operation.path()));
        let named = paths(&first);
        let taken = hand_over(first)?;
        if second.is_empty() {
            return Ok(taken);
        }
        match hand_over(second) {
            Ok(then) => Ok(Submission {
                accepted: taken.accepted + then.accepted,
                // The second call replaces what the first one moved there, which nobody needs to hear.
                superseded: taken.superseded,
                unchanged: then.unchanged,
                pending: then.pending,
            }),
            Err(error) => {
                // What cannot be taken back was not taken, or is bounded by the same limit: the reason stays the first one.
                let _ = super::withdraw(&named);
                Err(error)
            }
        }
    }
}

/// Where a file moves to.
fn target(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::Rename(rename) => Some(&rename.to),
        Operation::Write(_) | Operation::Delete(_) | Operation::SetExecutable(_) => None,
    }
}

fn paths(operations: &[Operation]) -> Vec<String> {
    operations
        .iter()
        .flat_map(|operation| [Some(operation.path()), target(operation)])
        .flatten()
        .map(str::to_owned)
        .collect()
}

fn hand_over(mut operations: Vec<Operation>) -> Result<Submission, DraftError> {
    match crate::imports::submit_files(&operations) {
        Ok(taken) => Ok(taken),
        Err(SubmitError::Limit(limit)) => Err(DraftError::Limit(limit)),
        Err(SubmitError::Rejected(rejected)) => {
            let index = usize::try_from(rejected.index).unwrap_or(usize::MAX);
            let operation = if index < operations.len() {
                operations.swap_remove(index)
            } else {
                // No host names an operation that it was not given; the path is right in any case.
                super::delete(rejected.reason.path())
            };
            Err(DraftError::Refused {
                operation: Box::new(operation),
                reason: rejected.reason,
            })
        }
    }
}
