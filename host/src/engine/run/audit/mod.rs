//! What a run writes into the audit log of a workspace that has one: `.snodo/audit.log`, in snodo's words.
//!
//! A workspace without `.snodo/` gets none: the report says so, and is kept in the user's state folder all the same.
mod coder;
mod end;
mod gate;
mod recovery;

use std::sync::Arc;

use snodo_audit::vocabulary::Event as Audited;
use snodo_audit::{AuditError, AuditLog, Head, Writer, WriterError, folder, project};
use snodo_workspace::root::Root;
use tokio::sync::oneshot;

use super::{Halt, Run};
use crate::outcome::End;
use crate::record::known_heads;
use crate::sandbox::Ending;

/// So many paths stand in one event, as in snodo: the report has them all.
const MOST_PATHS: usize = 500;

/// The log of one run; nothing is written where there is none.
pub(in crate::engine::run) struct Audit {
    writer: Option<Writer>,
    head: Option<Head>,
}

impl Audit {
    /// No log.
    pub(in crate::engine::run) fn none() -> Self {
        Self {
            writer: None,
            head: None,
        }
    }

    /// The log of a workspace that has a `.snodo` folder. Everything that is in it is verified first: nothing is appended to a log that
    /// does not verify. Waits for locks and disks.
    fn open(
        root: &Root,
        clock: fn() -> std::time::SystemTime,
        known: &[Head],
        fresh: [u8; 16],
    ) -> Result<(Self, Vec<String>), Halt> {
        let unusable = |error: &dyn std::fmt::Display| {
            Halt::new(End::ValidatorError, format!("the audit log cannot be used: {error}"))
        };
        let Some(dir) = folder::open(root.dir()).map_err(|error| unusable(&error))? else {
            let gone = known.first().map(|head| {
                format!(
                    "this workspace had an audit log up to event {}, and has no `.snodo` folder now: nothing is recorded",
                    head.sequence
                )
            });
            return Ok((Self::none(), gone.into_iter().collect()));
        };
        let mut notes = Vec::new();
        let cached = project::cached(&dir).unwrap_or_else(|fault| {
            notes.push(fault.to_string());
            None
        });
        let project = project::resolve(cached.as_ref(), snodo_commit::remote(root).as_deref(), fresh);
        if let Some(remote) = &project.other_remote {
            notes.push(format!(
                "this project is called `{}` in its audit log, as `.snodo/project.json` says; the repository's remote is `{}`",
                crate::text::one_line(&project.id, 200),
                crate::text::one_line(remote, 200)
            ));
        }
        let log = AuditLog::open(&dir, &project.id, known).map_err(|error| unusable(&error))?;
        notes.extend(log.notes().iter().map(ToString::to_string));
        let head = log.head();
        let writer = Writer::start(log, clock).map_err(|error| Halt::new(End::Environment, error.to_string()))?;
        Ok((
            Self {
                writer: Some(writer),
                head,
            },
            notes,
        ))
    }

    /// The last event that is known to be in it.
    pub(in crate::engine::run) fn head(&self) -> Option<Head> {
        self.head
    }

    /// Appends an event; it is on the disk when this is through.
    async fn append(&mut self, event: &Audited) -> Result<(), WriterError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let (told, answer) = oneshot::channel();
        writer.append(event.record(None), move |result| {
            let _ = told.send(result);
        })?;
        self.head = Some(answer.await.map_err(|_| WriterError::Gone)??);
        Ok(())
    }
}

fn not_written(error: &WriterError) -> Halt {
    let end = match error {
        WriterError::Log(AuditError::Broken(_)) => End::ValidatorError,
        _ => End::Environment,
    };
    Halt::new(end, format!("the audit log could not be written: {error}"))
}

impl Run<'_> {
    /// Appends an event; a run of which a step cannot be recorded goes no further.
    pub(in crate::engine::run) async fn audit(&mut self, event: Audited) -> Result<(), Halt> {
        let appended = self.audit.append(&event).await;
        appended.map_err(|error| not_written(&error))
    }

    /// Opens the log, where there is one.
    pub(in crate::engine::run) async fn open_audit(&mut self) -> Result<(), Halt> {
        let clock = self.host.environment.now;
        let mut fresh = [0; 16];
        fresh.copy_from_slice(&blake3::hash(self.report.run_id.as_bytes()).as_bytes()[..16]);
        let known = known_heads(self.assembled.records.dir()).map_err(|error| {
            let why = format!("the end of the audit log that the last run left cannot be read: {error}");
            Halt::new(End::ValidatorError, why)
        })?;
        let base = Arc::clone(&self.base);
        let opened = tokio::task::spawn_blocking(move || Audit::open(base.root(), clock, &known, fresh));
        let (audit, notes) = opened.await.map_err(|e| Halt::new(End::Bug, e.to_string()))??;
        self.audit = audit;
        for note in notes {
            self.warn(note);
        }
        Ok(())
    }

    pub(in crate::engine::run) fn task_ref(&self) -> String {
        match self.recovery.depth() {
            0 => self.task.id.clone(),
            depth => format!("{}_fix_{depth}", self.task.id),
        }
    }

    fn digest_of(&self, plugin: &str) -> Option<String> {
        let found = self.report.plugins.iter().find(|p| p.name == plugin);
        found.map(|plugin| plugin.digest.clone())
    }

    /// A plugin was called, and came back or not.
    async fn record_call(
        &mut self,
        id: &str,
        plugin: &str,
        role: &'static str,
        outcome: &str,
        detail: &str,
    ) -> Result<(), Halt> {
        self.under_way.retain(|call| call.id != id);
        self.audit(Audited::PluginCalled {
            task_ref: self.task_ref(),
            role,
            plugin: id.to_owned(),
            digest: self.digest_of(plugin),
            attempt: u64::from(self.recovery.attempt()),
            outcome: outcome.to_owned(),
            detail: crate::text::one_line(detail, 300),
        })
        .await
    }
}

fn exit_code(ending: Ending) -> i64 {
    match ending {
        Ending::Code(code) => i64::from(code),
        // As shells and Python say it.
        Ending::Signal(signal) => -i64::from(signal),
        Ending::WallClock | Ending::Silence | Ending::Interrupted => -1,
    }
}
