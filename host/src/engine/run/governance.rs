//! The protocol's constraints: before the coder, and over what it changed.

use std::sync::Arc;

use snodo_workspace::change::ChangeSet;
use snodo_workspace::constraint::{ConstraintResult, Subject, evaluate};
use snodo_workspace::role::Phase;
use snodo_workspace::view::View;

use super::{Halt, Run};
use crate::outcome::End;
use crate::record::ConstraintReport;

impl Run<'_> {
    /// Evaluates them; one that is violated with severity `blocker` stops the run.
    pub(super) async fn govern(&mut self, phase: Phase) -> Result<(), Halt> {
        if self.assembled.constraints.is_empty() {
            return match phase {
                Phase::PreExecute => self.record_governance(true).await,
                Phase::PostExecute => Ok(()),
            };
        }
        let constraints = self.assembled.constraints.clone();
        let module = self.assembled.module.clone();
        let change = self.change.clone().unwrap_or_else(|| Arc::new(ChangeSet::default()));
        let view = View::frozen(Arc::clone(&self.base), Arc::clone(&self.delivered));
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
        let results = evaluated.await.map_err(|e| Halt::new(End::Bug, e.to_string()))?;
        self.audit_constraints(phase, &results).await?;
        let stopping: Vec<String> = results
            .iter()
            .filter(|result| result.stops())
            .map(|result| format!("{}: {}", result.id, result.justification))
            .collect();
        let attempt = self.recovery.attempt();
        self.report.constraints.extend(
            results
                .into_iter()
                .map(|result| ConstraintReport { attempt, phase, result }),
        );
        if stopping.is_empty() {
            Ok(())
        } else {
            let what = match phase {
                Phase::PreExecute => "constraints of the protocol cannot be kept, whatever is changed",
                Phase::PostExecute => "the change breaks the protocol's constraints",
            };
            Err(Halt::new(End::Constraint, format!("{what} ({})", stopping.join("; "))))
        }
    }

    async fn audit_constraints(&mut self, phase: Phase, results: &[ConstraintResult]) -> Result<(), Halt> {
        if phase == Phase::PreExecute {
            let passed = !results.iter().any(ConstraintResult::stops);
            self.record_governance(passed).await?;
        }
        for result in results.iter().filter(|result| result.violated) {
            self.record_violation(phase, result).await?;
        }
        Ok(())
    }
}
