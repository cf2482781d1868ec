//! `submit`.

use snodo_workspace::capability as domain;

use crate::submit as wit;

impl From<wit::Operation> for domain::Operation {
    fn from(operation: wit::Operation) -> Self {
        match operation {
            wit::Operation::Write(wit::Write {
                path,
                content,
                executable,
            }) => Self::Write {
                path,
                content: content.into(),
                executable,
            },
            wit::Operation::Delete(path) => Self::Delete { path },
            wit::Operation::Rename(wit::Rename { from, to }) => Self::Rename { from, to },
            wit::Operation::SetExecutable(wit::SetExecutable { path, executable }) => {
                Self::SetExecutable { path, executable }
            }
        }
    }
}

impl From<wit::ProgressEvent> for domain::ProgressEvent {
    fn from(event: wit::ProgressEvent) -> Self {
        Self {
            message: event.message,
            done: event.done,
            total: event.total,
        }
    }
}

impl From<domain::Submission> for wit::Submission {
    fn from(taken: domain::Submission) -> Self {
        Self {
            accepted: taken.accepted,
            superseded: taken.superseded,
            unchanged: taken.unchanged,
            pending: taken.pending,
        }
    }
}

impl From<domain::SubmitRefusal> for wit::SubmitRefusal {
    fn from(refusal: domain::SubmitRefusal) -> Self {
        use domain::SubmitRefusal as R;
        match refusal {
            R::BadPath(bad) => Self::BadPath(bad.into()),
            R::Refused(refusal) => Self::Refused(refusal.into()),
            R::NotFound(path) => Self::NotFound(path),
            R::WrongKind { path, kind } => Self::WrongKind(wit::WrongKind {
                path,
                kind: kind.into(),
            }),
            R::Symlink(path) => Self::Symlink(path),
            R::Conflict { path, with, reason } => Self::Conflict(wit::Conflict { path, with, reason }),
            R::Duplicate { path, first, second } => Self::Duplicate(wit::Duplicate { path, first, second }),
            R::TooLarge { path, size, limit } => Self::TooLarge(wit::TooLarge { path, size, limit }),
            R::ChangedDuringRun(path) => Self::ChangedDuringRun(path),
            R::Io(failure) => Self::Io(failure.into()),
        }
    }
}

impl From<domain::SubmitError> for wit::SubmitError {
    fn from(error: domain::SubmitError) -> Self {
        match error {
            domain::SubmitError::Rejected(r) => Self::Rejected(wit::Rejected {
                index: r.index,
                reason: r.reason.into(),
            }),
            domain::SubmitError::Limit(limit) => Self::Limit(limit.into()),
        }
    }
}
