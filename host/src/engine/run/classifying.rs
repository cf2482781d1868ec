//! What kind of task it is, said before anything else.

use snodo_audit::vocabulary::Event as Audited;

use super::{Halt, Run};
use crate::engine::classify::classify;

impl Run<'_> {
    /// Asks the classifier, in a project that has a protocol. Whatever comes of it, the run goes on; only a log that cannot be written stops
    /// it, as everywhere.
    pub(super) async fn classify(&mut self) -> Result<(), Halt> {
        if self.assembled.protocol_file.is_none() {
            return Ok(());
        }
        let asks = self.assembled.models.classifier().await;
        let said = classify(asks, &self.task.spec, &self.replay.seed).await;
        let flow_type = said.flow_type;
        let summary = said.summary.clone().unwrap_or_default();
        self.report.classification = Some(said);
        let Some(flow_type) = flow_type else { return Ok(()) };
        self.audit(Audited::TaskClassified {
            task_ref: self.task_ref(),
            flow_type: flow_type.to_owned(),
            task_summary: summary,
        })
        .await
    }
}
