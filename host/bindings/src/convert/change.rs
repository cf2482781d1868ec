//! `change`.

use snodo_workspace::capability as domain;

use super::{each, same_cases};
use crate::change as wit;

same_cases!(domain::LineOrigin => wit::LineOrigin { Context, Added, Removed });

impl From<domain::ChangedFile> for wit::ChangedFile {
    fn from(file: domain::ChangedFile) -> Self {
        Self {
            path: file.path,
            kind: file.kind.into(),
            old_path: file.old_path,
            added: file.added,
            deleted: file.deleted,
            binary: file.binary,
            test_governing: file.test_governing,
            size_before: file.size_before,
            size_after: file.size_after,
            executable_before: file.executable_before,
            executable_after: file.executable_after,
        }
    }
}

impl From<domain::ChangeSummary> for wit::ChangeSummary {
    fn from(summary: domain::ChangeSummary) -> Self {
        Self {
            files: each(summary.files),
            added: summary.added,
            deleted: summary.deleted,
        }
    }
}

impl From<wit::DiffQuery> for domain::DiffQuery {
    fn from(query: wit::DiffQuery) -> Self {
        Self {
            paths: query.paths,
            context_lines: query.context_lines,
            max_bytes: query.max_bytes,
        }
    }
}

impl From<domain::DiffLine> for wit::DiffLine {
    fn from(line: domain::DiffLine) -> Self {
        Self {
            origin: line.origin.into(),
            text: line.text,
            no_newline: line.no_newline,
        }
    }
}

impl From<domain::Hunk> for wit::Hunk {
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

impl From<domain::FileDiff> for wit::FileDiff {
    fn from(file: domain::FileDiff) -> Self {
        Self {
            path: file.path,
            kind: file.kind.into(),
            binary: file.binary,
            hunks: each(file.hunks),
        }
    }
}

impl From<domain::DiffAnswer> for wit::DiffAnswer {
    fn from(answer: domain::DiffAnswer) -> Self {
        Self {
            files: each(answer.files),
            omitted: answer.omitted,
        }
    }
}

impl From<domain::ChangeError> for wit::ChangeError {
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

impl From<domain::BeforeError> for wit::BeforeError {
    fn from(error: domain::BeforeError) -> Self {
        match error {
            domain::BeforeError::NoChangeYet => Self::NoChangeYet,
            domain::BeforeError::NotInChange(path) => Self::NotInChange(path),
            domain::BeforeError::Read(error) => Self::Read(error.into()),
        }
    }
}
