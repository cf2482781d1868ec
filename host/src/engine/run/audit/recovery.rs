//! What is recorded of where a run goes after its gate, and of further attempts.

use snodo_audit::vocabulary::{AttemptLimit, Event as Audited};
use snodo_workspace::role::Severity;

use super::super::recovery::NoFurther;
use super::super::{Halt, Run};
use crate::record::GateResult;

impl Run<'_> {
    pub(in crate::engine::run) async fn record_route(&mut self, decision: &'static str) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        self.audit(Audited::PostValidationRoute { task_ref, decision }).await
    }

    /// Another attempt, or why there is none.
    pub(in crate::engine::run) async fn record_recovery(
        &mut self,
        none: Option<NoFurther>,
        results: &[GateResult],
    ) -> Result<(), Halt> {
        let task_ref = self.task_ref();
        let depth = u64::from(self.recovery.depth());
        let validator_ids: Vec<String> = results
            .iter()
            .filter(|r| r.severity != Severity::Pass)
            .map(|r| r.validator_id.clone())
            .collect();
        self.record_route("recovery").await?;
        let limit = match none {
            None => {
                return self
                    .audit(Audited::SubtaskSpawned {
                        parent_ref: self.task.id.clone(),
                        task_ref,
                        depth,
                        triggering_validator_ids: validator_ids,
                    })
                    .await;
            }
            Some(NoFurther::Stalled) => {
                return self
                    .audit(Audited::RecoveryStalled {
                        task_ref,
                        depth,
                        validator_ids,
                    })
                    .await;
            }
            Some(NoFurther::Depth(max_depth)) => AttemptLimit::Depth {
                max_depth: u64::from(max_depth),
            },
            Some(NoFurther::Total(_)) => AttemptLimit::Total,
        };
        self.audit(Audited::RecoveryExhausted { task_ref, depth, limit }).await
    }
}
