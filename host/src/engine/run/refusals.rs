//! What a coder submitted and was refused: answered to the coder at once, and kept for the record. The run goes on.

use std::sync::{Arc, Mutex, PoisonError};

use snodo_workspace::capability::{Operation, ProgressEvent, Submission, Submit, SubmitError};

/// A refusal.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    /// What was to be done.
    pub(super) operation: &'static str,
    /// To what, as the plugin spelled it.
    pub(super) path: String,
    /// By which rule it was not.
    pub(super) rule: String,
}

/// So many are kept of one attempt; the rest is counted.
const KEPT: usize = 100;

/// The refusals of one attempt, shared with the handle that the coder has.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals(Arc<Mutex<(Vec<Refused>, u64)>>);

impl Refusals {
    /// Those that are kept, and how many more there were.
    pub(super) fn take(&self) -> (Vec<Refused>, u64) {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, refused: Refused) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.0.len() < KEPT {
            all.0.push(refused);
        } else {
            all.1 += 1;
        }
    }
}

/// Submits, and notes what was refused.
pub(super) struct Noting<S> {
    pub(super) inner: S,
    pub(super) refusals: Refusals,
}

impl<S: Submit> Submit for Noting<S> {
    fn submit_files(&self, operations: Vec<Operation>) -> Result<Submission, SubmitError> {
        let named: Vec<(&'static str, String)> = operations.iter().map(|o| (word(o), o.path().to_owned())).collect();
        let answer = self.inner.submit_files(operations);
        if let Err(SubmitError::Rejected(rejected)) = &answer
            && let Some((operation, path)) = named.get(rejected.index as usize)
        {
            self.refusals.add(Refused {
                operation,
                path: path.clone(),
                rule: rejected.reason.to_string(),
            });
        }
        answer
    }

    fn withdraw(&self, paths: &[String]) -> Result<Vec<String>, SubmitError> {
        self.inner.withdraw(paths)
    }

    fn progress(&self, event: ProgressEvent) {
        self.inner.progress(event);
    }
}

fn word(operation: &Operation) -> &'static str {
    match operation {
        Operation::Write { .. } => "write",
        Operation::Delete { .. } => "delete",
        Operation::Rename { .. } => "rename",
        Operation::SetExecutable { .. } => "set-executable",
    }
}
