//! `submit`.

use snodo_workspace::capability as domain;

use super::same_fields;
use crate::submit as contract;
use crate::types::{TooLarge, WrongKind};

same_fields!(domain::Submission => contract::Submission { accepted, superseded, unchanged, pending });
same_fields!(domain::Rejected => contract::Rejected { index, reason });

impl From<contract::Operation> for domain::Operation {
    fn from(operation: contract::Operation) -> Self {
        match operation {
            contract::Operation::Write(write) => Self::Write {
                path: write.path,
                content: write.content.into(),
                executable: write.executable,
            },
            contract::Operation::Delete(path) => Self::Delete { path },
            contract::Operation::Rename(rename) => Self::Rename {
                from: rename.from,
                to: rename.to,
            },
            contract::Operation::SetExecutable(set) => Self::SetExecutable {
                path: set.path,
                executable: set.executable,
            },
        }
    }
}

impl From<domain::SubmitRefusal> for contract::SubmitRefusal {
    fn from(refusal: domain::SubmitRefusal) -> Self {
        use domain::SubmitRefusal as R;
        match refusal {
            R::BadPath(bad) => Self::BadPath(bad.into()),
            R::Refused(refusal) => Self::Refused(refusal.into()),
            R::NotFound(path) => Self::NotFound(path),
            R::WrongKind { path, kind } => Self::WrongKind(WrongKind {
                path,
                kind: kind.into(),
            }),
            R::Symlink(path) => Self::Symlink(path),
            R::Conflict { path, with, reason } => Self::Conflict(contract::Conflict { path, with, reason }),
            R::Duplicate { path, first, second } => Self::Duplicate(contract::Duplicate { path, first, second }),
            R::TooLarge { path, size, limit } => Self::TooLarge(TooLarge { path, size, limit }),
            R::ChangedDuringRun(path) => Self::ChangedDuringRun(path),
            R::Io(failure) => Self::Io(failure.into()),
        }
    }
}

impl From<domain::SubmitError> for contract::SubmitError {
    fn from(error: domain::SubmitError) -> Self {
        match error {
            domain::SubmitError::Rejected(rejected) => Self::Rejected(rejected.into()),
            domain::SubmitError::Limit(limit) => Self::Limit(limit.into()),
        }
    }
}
