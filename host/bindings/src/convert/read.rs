//! `read`.

use snodo_workspace::capability as domain;

use super::each;
use crate::read as wit;

impl From<domain::FileRead> for wit::File {
    fn from(file: domain::FileRead) -> Self {
        Self {
            path: file.path,
            content: file.content.into(),
            size: file.size,
            executable: file.executable,
            bom: file.bom,
        }
    }
}

impl From<domain::LinesRead> for wit::Lines {
    fn from(lines: domain::LinesRead) -> Self {
        Self {
            path: lines.path,
            first: lines.first,
            last: lines.last,
            content: lines.content.into(),
            total: lines.total.into(),
            truncated: lines.truncated,
        }
    }
}

impl From<domain::ReadAnswer> for wit::ReadAnswer {
    fn from(answer: domain::ReadAnswer) -> Self {
        Self {
            path: answer.path,
            outcome: answer.outcome.map(Into::into).map_err(Into::into),
        }
    }
}

impl From<wit::ListQuery> for domain::ListQuery {
    fn from(query: wit::ListQuery) -> Self {
        Self {
            under: query.under,
            depth: query.depth,
            glob: query.glob,
            hidden: query.hidden,
            ignored: query.ignored,
            limit: query.limit,
        }
    }
}

impl From<domain::Entry> for wit::Entry {
    fn from(entry: domain::Entry) -> Self {
        Self {
            path: entry.path,
            kind: entry.kind.into(),
            size: entry.size,
        }
    }
}

impl From<domain::Listing> for wit::Listing {
    fn from(listing: domain::Listing) -> Self {
        Self {
            entries: each(listing.entries),
            total: listing.total.into(),
            truncated: listing.truncated,
            skipped: each(listing.skipped),
        }
    }
}

impl From<domain::ReadError> for wit::ReadError {
    fn from(error: domain::ReadError) -> Self {
        use domain::ReadError as E;
        match error {
            E::BadPath(bad) => Self::BadPath(bad.into()),
            E::BadParameter(bad) => Self::BadParameter(bad.into()),
            E::NotFound(path) => Self::NotFound(path),
            E::WrongKind { path, kind } => Self::WrongKind(wit::WrongKind {
                path,
                kind: kind.into(),
            }),
            E::Symlink(path) => Self::Symlink(path),
            E::Refused(refusal) => Self::Refused(refusal.into()),
            E::TooLarge { path, size, limit } => Self::TooLarge(wit::TooLarge { path, size, limit }),
            E::Io(failure) => Self::Io(failure.into()),
            E::ChangedDuringRun(path) => Self::ChangedDuringRun(path),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
            // The contract has no word for it, and whoever asked is gone.
            E::Cancelled => Self::Io(
                domain::IoFailure {
                    path: String::new(),
                    reason: "the listing was abandoned".to_owned(),
                }
                .into(),
            ),
        }
    }
}
