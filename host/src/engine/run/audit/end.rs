//! What is recorded of the apply, and of how a run ends.

use snodo_audit::vocabulary::{Applied as AuditApplied, Event as Audited};
use snodo_workspace::role::Severity;

use super::super::{Halt, Run, UnderWay};

impl Run<'_> {
    pub(in crate::engine::run) async fn record_applied(&mut self) -> Result<(), Halt> {
        let event = Audited::ChangeApplied(AuditApplied {
            task_ref: self.task.id.clone(),
            run_id: self.report.run_id.clone(),
            change_set: self.report.change_digest.clone().unwrap_or_default(),
            files_changed: self.report.changes.len() as u64,
            paths: self.report.changes.iter().map(|change| change.path.clone()).collect(),
            undone: false,
        });
        self.audit(event).await
    }

    /// The last event of a run; before it, calls that were given up.
    pub(in crate::engine::run) async fn record_end(&mut self, halt: Option<&Halt>) -> Result<(), Halt> {
        let task_ref = self.task.id.clone();
        for UnderWay { role, id, plugin } in std::mem::take(&mut self.under_way) {
            self.record_call(&id, &plugin, role, "interrupted", "").await?;
        }
        self.record_test_runs().await?;
        let Some(halt) = halt else {
            let attempts_used = u64::from(self.recovery.depth());
            self.audit(Audited::Transition {
                task_ref: task_ref.clone(),
                from_mode: self.assembled.mode.id.clone(),
                to_mode: "complete".to_owned(),
            })
            .await?;
            self.audit(Audited::TaskComplete {
                task_ref: task_ref.clone(),
                artifacts: self.report.changes.iter().map(|change| change.path.clone()).collect(),
                commit: self.report.commit.as_ref().map(|commit| commit.id.clone()),
                change_size: None,
                usage: Vec::new(),
                timed_out: None,
            })
            .await?;
            return self
                .audit(Audited::RecoveryResolved {
                    task_ref,
                    depth: attempts_used,
                    attempts_used,
                })
                .await;
        };
        let (outcome, halt_type, _) = halt.end.row();
        let blocker_validators = self
            .report
            .gates
            .last()
            .map(|gate| {
                // What a cap lowered and verification did not let pass blocks as well.
                let blocking = gate.results.iter().filter(|r| {
                    r.error
                        || r.severity == Severity::Blocker
                        || (r.plugin == super::super::QUALITY && r.severity_original.is_some())
                });
                blocking.map(|r| r.validator_id.clone()).collect()
            })
            .unwrap_or_default();
        self.audit(Audited::Halt {
            task_ref,
            reason: halt.reason.clone(),
            blocker_validators,
            halt_type: word(&outcome),
            raw_halt_type: halt_type.map(|halt_type| word(&halt_type)).unwrap_or_default(),
            usage: Vec::new(),
            timed_out: None,
        })
        .await
    }
}

/// An enumeration's word in reports.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
