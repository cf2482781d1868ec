//! `read`.

use snodo_workspace::capability as domain;

use super::{each, same_fields};
use crate::read as contract;
use crate::types::{IoFailure, TooLarge, WrongKind};

same_fields!(domain::FileRead => contract::File { path, content, size, executable, bom });
same_fields!(domain::LinesRead => contract::Lines { path, first, last, content, total, truncated });
same_fields!(domain::Entry => contract::Entry { path, kind, size });
same_fields!(contract::ListQuery => domain::ListQuery { under, depth, glob, hidden, ignored, limit });

impl From<domain::ReadAnswer> for contract::ReadAnswer {
    fn from(answer: domain::ReadAnswer) -> Self {
        Self {
            path: answer.path,
            outcome: answer.outcome.map(Into::into).map_err(Into::into),
        }
    }
}

impl From<domain::Listing> for contract::Listing {
    fn from(listing: domain::Listing) -> Self {
        Self {
            entries: each(listing.entries),
            total: listing.total.into(),
            truncated: listing.truncated,
            skipped: each(listing.skipped),
        }
    }
}

impl From<domain::ReadError> for contract::ReadError {
    fn from(error: domain::ReadError) -> Self {
        use domain::ReadError as E;
        match error {
            E::BadPath(bad) => Self::BadPath(bad.into()),
            E::BadParameter(bad) => Self::BadParameter(bad.into()),
            E::NotFound(path) => Self::NotFound(path),
            E::WrongKind { path, kind } => Self::WrongKind(WrongKind {
                path,
                kind: kind.into(),
            }),
            E::Symlink(path) => Self::Symlink(path),
            E::Refused(refusal) => Self::Refused(refusal.into()),
            E::TooLarge { path, size, limit } => Self::TooLarge(TooLarge { path, size, limit }),
            E::Io(failure) => Self::Io(failure.into()),
            E::ChangedDuringRun(path) => Self::ChangedDuringRun(path),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
            // Nobody here abandons a listing; the host's word for it.
            E::Cancelled => Self::Io(IoFailure {
                path: String::new(),
                reason: "the listing was abandoned".to_owned(),
            }),
        }
    }
}
