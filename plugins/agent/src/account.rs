//! The coder's own account of its work: evidence, shown beside the host's.

use std::collections::BTreeMap;

use snodo_plugin::completion::Usage;
use snodo_plugin::prelude::*;
use snodo_plugin::submit::{Operation, Submission};
use snodo_plugin::tools::normal_path;
use snodo_plugin::{CoderReport, ReportedFile, StopReason};

/// Characters of the model's closing words that are kept.
const NOTES: usize = 4_000;

/// What was done so far.
#[derive(Debug, Default)]
pub(crate) struct Account {
    files: BTreeMap<String, ChangeKind>,
    /// Paths that were new when they were first written.
    new: BTreeMap<String, bool>,
    /// Operations that the host took.
    accepted: u32,
    /// Paths that differ from the base, as the host counts them.
    pending: u32,
    tokens: Option<u64>,
}

impl Account {
    /// An operation was taken. `existed` says whether a file stood at its path before.
    pub(crate) fn take(&mut self, operation: &Operation, existed: bool, submission: &Submission) {
        self.accepted = self.accepted.saturating_add(submission.accepted);
        self.pending = submission.pending;
        let path = normal_path(operation.path());
        let new = *self.new.entry(path.clone()).or_insert(!existed);
        match operation {
            Operation::Write(_) => {
                let kind = if new { ChangeKind::Added } else { ChangeKind::Modified };
                // What is written to a file that moved is part of the move.
                self.files
                    .entry(path)
                    .and_modify(|now| *now = if *now == ChangeKind::Renamed { *now } else { kind })
                    .or_insert(kind);
            }
            Operation::Delete(_) if new => {
                self.files.remove(&path);
            }
            Operation::Delete(_) => {
                self.files.insert(path, ChangeKind::Deleted);
            }
            Operation::Rename(rename) => {
                self.files.remove(&path);
                let kind = if new { ChangeKind::Added } else { ChangeKind::Renamed };
                self.files.insert(normal_path(&rename.to), kind);
            }
            Operation::SetExecutable(_) => {
                self.files.entry(path).or_insert(ChangeKind::ModeChanged);
            }
        }
        for path in &submission.unchanged {
            self.files.remove(path);
        }
    }

    /// The model was asked once more.
    pub(crate) fn spend(&mut self, usage: &Usage) {
        for tokens in [usage.input_tokens, usage.output_tokens].into_iter().flatten() {
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
        }
    }

    /// Operations that the host took.
    pub(crate) fn accepted(&self) -> u32 {
        self.accepted
    }

    /// Paths that differ from the base.
    pub(crate) fn pending(&self) -> u32 {
        self.pending
    }

    pub(crate) fn report(self, stop_reason: StopReason, used: u32, available: u32, notes: &str) -> CoderReport {
        CoderReport {
            files: self
                .files
                .into_iter()
                .map(|(path, kind)| ReportedFile::new(path, kind))
                .collect(),
            turns_used: Some(used),
            turns_available: Some(available),
            tokens_used: self.tokens,
            stop_reason,
            notes: cut(notes.trim(), NOTES),
        }
    }
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} […]", &text[..at]),
    }
}
