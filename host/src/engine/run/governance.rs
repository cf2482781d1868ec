//! The protocol's constraints: before the coder, and over what it changed.

use std::sync::Arc;

use snodo_workspace::change::ChangeSet;
use snodo_workspace::constraint::ConstraintResult;
use snodo_workspace::role::Phase;
use snodo_workspace::view::View;

use super::{Halt, Run};
use crate::engine::constraints::{self, Found};
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
        let found = constraints::check(constraints, module, change, view, phase).await;
        let Found { results, stop } = found.map_err(|e| Halt::new(End::Bug, e.to_string()))?;
        self.audit_constraints(phase, &results).await?;
        let attempt = self.recovery.attempt();
        self.report.constraints.extend(
            results
                .into_iter()
                .map(|result| ConstraintReport { attempt, phase, result }),
        );
        stop.map_or(Ok(()), |why| Err(Halt::new(End::Constraint, why)))
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
