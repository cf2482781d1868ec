//! Committing what was applied, where that was asked for: exactly the change set, and nothing else that is modified or staged.

use std::sync::Arc;

use snodo_commit::check::{Committable, check_change};
use snodo_commit::commit::commit;
use snodo_commit::message::Message;
use snodo_workspace::change::ChangeSet;

use super::{Halt, Run};
use crate::outcome::End;
use crate::record::CommitReport;

impl Run<'_> {
    /// Before anything is applied: a commit of this change would be this change.
    pub(super) async fn check_commit(&self, change: &Arc<ChangeSet>) -> Result<(), Halt> {
        let Some(committable) = &self.assembled.committable else {
            return Ok(());
        };
        let (committable, change) = (Arc::clone(committable), Arc::clone(change));
        blocking(move || check_change(&committable, &change))
            .await?
            .map_err(|error| {
                Halt::new(
                    End::Environment,
                    format!("the change cannot be committed, and was not applied: {error}"),
                )
            })
    }

    /// After it was applied.
    pub(super) async fn commit(&mut self, change: &Arc<ChangeSet>) -> Result<(), Halt> {
        let Some(committable) = &self.assembled.committable else {
            return Ok(());
        };
        let (committable, change): (Arc<Committable>, _) = (Arc::clone(committable), Arc::clone(change));
        let message = Message::from_task(&self.request.task, &self.report.run_id);
        let now = (self.host.environment.now)();
        let committed = blocking(move || commit(&committable, &change, &message, now))
            .await?
            .map_err(|error| {
                Halt::new(
                    End::CommitFailed,
                    format!("the change is applied, and could not be committed: {error}"),
                )
            })?;
        self.report.commit = Some(CommitReport {
            id: committed.id,
            branch: committed.branch,
            parent: committed.parent,
        });
        Ok(())
    }
}

/// Reading and writing a repository takes a while.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Halt> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Halt::new(End::Bug, error.to_string()))
}
