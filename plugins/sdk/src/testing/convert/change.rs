//! `change`.

use snodo_workspace::capability as domain;

use super::{each, same_cases, same_fields};
use crate::change as contract;

same_cases!(domain::LineOrigin => contract::LineOrigin { Context, Added, Removed });

same_fields!(domain::ChangedFile => contract::ChangedFile {
    path, kind, old_path, added, deleted, binary, test_governing, size_before, size_after, executable_before, executable_after
});
same_fields!(contract::DiffQuery => domain::DiffQuery { paths, context_lines, max_bytes });
same_fields!(domain::DiffLine => contract::DiffLine { origin, text, no_newline });

impl From<domain::ChangeSummary> for contract::ChangeSummary {
    fn from(summary: domain::ChangeSummary) -> Self {
        Self {
            files: each(summary.files),
            added: summary.added,
            deleted: summary.deleted,
        }
    }
}

impl From<domain::Hunk> for contract::Hunk {
    fn from(hunk: domain::Hunk) -> Self {
        Self {
            old_start: hunk.old_start,
            old_count: hunk.old_count,
            new_start: hunk.new_start,
            new_count: hunk.new_count,
            lines: each(hunk.lines),
        }
    }
}

impl From<domain::FileDiff> for contract::FileDiff {
    fn from(file: domain::FileDiff) -> Self {
        Self {
            path: file.path,
            kind: file.kind.into(),
            binary: file.binary,
            hunks: each(file.hunks),
        }
    }
}

impl From<domain::DiffAnswer> for contract::DiffAnswer {
    fn from(answer: domain::DiffAnswer) -> Self {
        Self {
            files: each(answer.files),
            omitted: answer.omitted,
        }
    }
}

impl From<domain::ChangeError> for contract::ChangeError {
    fn from(error: domain::ChangeError) -> Self {
        use domain::ChangeError as E;
        match error {
            E::NoChangeYet => Self::NoChangeYet,
            E::BadPath(bad) => Self::BadPath(bad.into()),
            E::BadParameter(bad) => Self::BadParameter(bad.into()),
            E::NotInChange(path) => Self::NotInChange(path),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
        }
    }
}

impl From<domain::BeforeError> for contract::BeforeError {
    fn from(error: domain::BeforeError) -> Self {
        match error {
            domain::BeforeError::NoChangeYet => Self::NoChangeYet,
            domain::BeforeError::NotInChange(path) => Self::NotInChange(path),
            domain::BeforeError::Read(error) => Self::Read(error.into()),
        }
    }
}
