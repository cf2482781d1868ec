//! A record in one line.

use serde::Serialize;
use snodo_workspace::title::title;

use super::store::{Form, Record};

/// What became of a run and its change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its change is in the workspace, as far as the record knows.
    Applied,
    /// Its change was taken back.
    Undone,
    /// Its change passed both gates and can be applied.
    DryRun,
    /// It completed without a change: findings were asked for.
    Nothing,
    /// It ended in another way than `completed`, and nothing was changed.
    Halted,
    /// It is going on, or its process died; or it died while its change was applied or undone.
    Unfinished,
    /// Kept by an earlier version: its report can be looked at.
    Old,
    /// The record cannot be read.
    Damaged,
}

impl Standing {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Undone => "undone",
            Self::DryRun => "dry run",
            Self::Nothing => "no change",
            Self::Halted => "halted",
            Self::Unfinished => "unfinished",
            Self::Old => "report only",
            Self::Damaged => "damaged",
        }
    }
}

/// What `runs list` says of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The run's id.
    pub run_id: String,
    /// Seconds since the Unix epoch.
    pub started_at: u64,
    /// What became of it.
    pub state: Standing,
    /// The run's outcome; none where it is not known.
    pub outcome: Option<String>,
    /// The specific reason; none when it completed.
    pub halt_type: Option<String>,
    /// It was not to change the workspace; none where it is not known.
    pub dry_run: Option<bool>,
    /// The task's first line.
    pub task: Option<String>,
    /// Where.
    pub workspace: Option<String>,
    /// How many files the change has.
    pub changed_files: Option<u64>,
    /// Names the change.
    pub change_digest: Option<String>,
    /// Seconds since the Unix epoch.
    pub applied_at: Option<u64>,
    /// Seconds since the Unix epoch.
    pub undone_at: Option<u64>,
    /// Why the record is damaged.
    pub damage: Option<String>,
}

impl Summary {
    /// Of a record. Does not hold the files of a whole record against its seal: `runs show` does.
    pub fn of(record: &Record) -> Self {
        let mut summary = Self {
            run_id: record.id.as_str().to_owned(),
            started_at: record.id.started_at(),
            state: Standing::Damaged,
            outcome: None,
            halt_type: None,
            dry_run: None,
            task: None,
            workspace: record.place().map(|place| place.path),
            changed_files: None,
            change_digest: None,
            applied_at: None,
            undone_at: None,
            damage: None,
        };
        match &record.form {
            Form::Damaged(why) => summary.damage = Some(why.clone()),
            Form::Unfinished => summary.state = Standing::Unfinished,
            Form::Old => summary.old(record),
            Form::Sealed(seal) => {
                summary.outcome = Some(seal.outcome.clone());
                summary.halt_type.clone_from(&seal.halt_type);
                summary.dry_run = Some(seal.dry_run);
                summary.task = Some(seal.task.clone());
                summary.changed_files = Some(seal.changed_files as u64);
                summary.change_digest.clone_from(&seal.change_digest);
                match record.state() {
                    Err(error) => summary.damage = Some(error.to_string()),
                    Ok(state) => {
                        summary.applied_at = state.applied_at;
                        summary.undone_at = state.undone_at;
                        summary.state = if state.begun.is_some() {
                            Standing::Unfinished
                        } else {
                            match (state.applied_at, state.undone_at) {
                                (Some(_), None) => Standing::Applied,
                                (Some(_), Some(_)) => Standing::Undone,
                                (None, _) if seal.outcome != "completed" => Standing::Halted,
                                (None, _) if seal.change_digest.is_none() => Standing::Nothing,
                                (None, _) => Standing::DryRun,
                            }
                        };
                    }
                }
            }
        }
        summary
    }

    fn old(&mut self, record: &Record) {
        let report = match record.report() {
            Ok(report) => report,
            Err(error) => {
                self.damage = Some(error.to_string());
                return;
            }
        };
        let text = |value: &serde_json::Value| value.as_str().map(|text| crate::text::one_line(text, 300));
        self.state = Standing::Old;
        self.outcome = text(&report["outcome"]);
        self.halt_type = text(&report["halt_type"]);
        self.dry_run = report["dry_run"].as_bool();
        self.task = report["task"]["spec"]
            .as_str()
            .map(title)
            .filter(|title| !title.is_empty())
            .map(|title| crate::text::one_line(&title, 200));
        self.workspace = text(&report["workspace"]["root"]);
        self.changed_files = report["changes"].as_array().map(|changes| changes.len() as u64);
        self.change_digest = text(&report["change_digest"]);
    }
}
