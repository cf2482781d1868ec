//! The protocol's constraints over a change: for a run, and for a validation without one.

use std::sync::Arc;

use snodo_workspace::change::ChangeSet;
use snodo_workspace::constraint::{Constraint, ConstraintResult, ModuleBound, Subject, evaluate};
use snodo_workspace::role::Phase;
use snodo_workspace::view::View;

/// What came of all of them.
pub(super) struct Found {
    /// One for each that has a predicate, in their order.
    pub(super) results: Vec<ConstraintResult>,
    /// Why they stop what is judged, where one does.
    pub(super) stop: Option<String>,
}

/// Evaluates them. The error is a bug of ours.
pub(super) async fn check(
    constraints: Vec<Constraint>,
    module: Option<ModuleBound>,
    change: Arc<ChangeSet>,
    view: View,
    phase: Phase,
) -> Result<Found, tokio::task::JoinError> {
    // Patterns over many paths, and a look through what was added: not on the thread that everything waits for.
    let evaluated = tokio::task::spawn_blocking(move || {
        evaluate(
            &constraints,
            &Subject {
                change: &change,
                view: &view,
                phase,
                module: module.as_ref(),
            },
        )
    });
    let results = evaluated.await?;
    let stopping: Vec<String> = results
        .iter()
        .filter(|result| result.stops())
        .map(|result| format!("{}: {}", result.id, result.justification))
        .collect();
    let what = match phase {
        Phase::PreExecute => "constraints of the protocol cannot be kept, whatever is changed",
        Phase::PostExecute => "the change breaks the protocol's constraints",
    };
    let stop = (!stopping.is_empty()).then(|| format!("{what} ({})", stopping.join("; ")));
    Ok(Found { results, stop })
}
