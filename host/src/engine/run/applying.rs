//! The change's way into the workspace, and what an earlier run left half-way.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Instant, UNIX_EPOCH};

use snodo_workspace::apply::{self, Applied, ApplyError, Direction, Recovered};
use snodo_workspace::change::ChangeSet;

use super::gates::Verification;
use super::{Halt, Run, millis};
use crate::events::Event;
use crate::outcome::End;
use crate::record::keep_change;

impl Run<'_> {
    pub(super) fn recover(&mut self) -> Result<(), Halt> {
        match apply::recover(self.base.root(), &self.assembled.journal) {
            Ok(None) => Ok(()),
            Ok(Some(recovered)) => {
                let said = recovery(&recovered);
                self.warn(said.clone());
                self.report.recovered = Some(said);
                Ok(())
            }
            Err(error) => Err(Halt::new(
                End::Environment,
                format!("an earlier apply was cut off and cannot be undone: {error}"),
            )),
        }
    }

    /// Applies the change that was verified, and no other.
    pub(super) async fn apply(&mut self, verification: &Verification) -> Result<(), Halt> {
        let Some(change) = self.change.clone() else {
            return Err(Halt::new(End::Bug, "the change was not computed"));
        };
        let digest = (!change.is_empty()).then(|| change.digest());
        if !verification.is_of(digest.as_deref()) {
            return Err(Halt::new(End::Bug, "what was verified is not what would be applied"));
        }
        if change.is_empty() {
            return Ok(());
        }
        self.check_commit(&change).await?;
        self.keep_change(&change)?;
        if self.request.dry_run {
            return Ok(());
        }
        if self.stop.is_asked() {
            return Err(Halt::new(
                End::Interrupted,
                "the run was interrupted; nothing was changed",
            ));
        }
        let clock = Instant::now();
        self.observer.on(&Event::Applying {
            files: change.files.len(),
        });
        let (base, records, stop) = (
            Arc::clone(&self.base),
            Arc::clone(&self.assembled.journal),
            self.stop.flag(),
        );
        let applying = Arc::clone(&change);
        // An interrupt does not abandon this: it is seen between two steps, and what was done is undone.
        let applied = tokio::task::spawn_blocking(move || apply::apply(base.root(), &applying, &records, &stop))
            .await
            .map_err(|e| Halt::new(End::Bug, e.to_string()))?;
        self.report.durations.apply_ms = millis(clock.elapsed());
        match applied {
            Ok(applied) => {
                self.report.applied = true;
                for note in notes(&applied) {
                    self.warn(note);
                }
                // It is done, and what a run says of the workspace has to be true: that the log does not have it is said beside it.
                if let Err(unrecorded) = self.record_applied().await {
                    self.warn(format!("{}; the change is applied all the same", unrecorded.reason));
                }
                self.commit(&change).await
            }
            Err(error) => Err(Halt::new(apply_end(&error), error.to_string())),
        }
    }

    /// On the disk before anything is applied: what is not kept could not be undone, nor be applied after a dry run.
    fn keep_change(&self, change: &ChangeSet) -> Result<(), Halt> {
        let now = (self.host.environment.now)()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let applying = (!self.request.dry_run).then_some(now.as_secs());
        keep_change(
            &self.host.state,
            self.base.root(),
            &self.report.run_id,
            change,
            applying,
        )
        .map_err(|error| {
            let why = format!("the change could not be kept, and nothing was applied: {error}");
            Halt::new(End::Environment, why)
        })
    }
}

/// What an apply did beside the change itself, for a person.
fn notes(applied: &Applied) -> Vec<String> {
    let mut notes: Vec<String> = applied
        .detached
        .iter()
        .map(|path| format!("`{path}` had further names (hard links): they keep the old content"))
        .collect();
    if let Some(why) = &applied.unclean {
        notes.push(format!(
            "the change is in place, and what it displaced could not be removed ({why}); the next run tries again"
        ));
    }
    notes
}

fn recovery(recovered: &Recovered) -> String {
    let what = match recovered.direction {
        Direction::Undone => "was undone",
        Direction::Finished => "was finished",
    };
    let files = recovered.paths.len();
    let mut said = format!("an earlier run was cut off while it applied {files} files; that {what}");
    for left in &recovered.left {
        let _ = write!(said, "; `{}` was left as it is: {}", left.path, left.reason);
        if let Some(kept) = &left.kept {
            let _ = write!(said, " (its earlier content is kept as `{kept}` beside the journal)");
        }
    }
    said
}

fn apply_end(error: &ApplyError) -> End {
    match error {
        ApplyError::Interrupted => End::Interrupted,
        ApplyError::Stale { .. } => End::Stale,
        ApplyError::Left { cause, .. } | ApplyError::NotUndone { cause, .. } => apply_end(cause),
        _ => End::Environment,
    }
}
