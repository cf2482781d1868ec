//! `types`: what several interfaces share.

use snodo_workspace::capability as domain;
use snodo_workspace::change::{ChangeKind, TestGoverningChange};
use snodo_workspace::path;

use super::same_cases;
use crate::types as wit;

same_cases!(domain::EntryKind => wit::EntryKind { File, Directory, Symlink, Fifo, Socket, BlockDevice, CharDevice, Unknown });
same_cases!(path::PathRule => wit::PathRule {
    Empty, Nul, Absolute, ReservedCharacter, ReservedName, EscapesRoot, TooLong, TooDeep, TrailingSlash
});
same_cases!(domain::SkipReason => wit::SkipReason {
    Ignored, Hidden, Binary, TooLarge, Symlink, Special, Unreadable, Refused, NotCovered
});
same_cases!(both ChangeKind => wit::ChangeKind { Added, Modified, Deleted, Renamed, ModeChanged });

impl From<domain::Content> for wit::Content {
    fn from(content: domain::Content) -> Self {
        match content {
            domain::Content::Text(text) => Self::Text(text),
            domain::Content::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl From<wit::Content> for domain::Content {
    fn from(content: wit::Content) -> Self {
        match content {
            wit::Content::Text(text) => Self::Text(text),
            wit::Content::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl From<path::BadPath> for wit::BadPath {
    fn from(bad: path::BadPath) -> Self {
        Self {
            path: bad.path,
            rule: bad.rule.into(),
        }
    }
}

impl From<domain::Refusal> for wit::Refusal {
    fn from(refusal: domain::Refusal) -> Self {
        Self {
            path: refusal.path,
            rule: refusal.rule,
        }
    }
}

impl From<domain::IoFailure> for wit::IoFailure {
    fn from(failure: domain::IoFailure) -> Self {
        Self {
            path: failure.path,
            reason: failure.reason,
        }
    }
}

impl From<domain::LimitReached> for wit::Limit {
    fn from(limit: domain::LimitReached) -> Self {
        Self {
            name: limit.name.to_owned(),
            allowed: limit.allowed,
        }
    }
}

impl From<domain::BadParameter> for wit::BadParameter {
    fn from(bad: domain::BadParameter) -> Self {
        Self {
            field: bad.field.to_owned(),
            reason: bad.reason,
        }
    }
}

impl From<domain::Count> for wit::Count {
    fn from(count: domain::Count) -> Self {
        match count {
            domain::Count::Exact(n) => Self::Exact(n),
            domain::Count::AtLeast(n) => Self::AtLeast(n),
        }
    }
}

impl From<domain::Skipped> for wit::Skipped {
    fn from(skipped: domain::Skipped) -> Self {
        Self {
            reason: skipped.reason.into(),
            files: skipped.files,
        }
    }
}

impl From<TestGoverningChange> for wit::TestGoverningChange {
    fn from(change: TestGoverningChange) -> Self {
        Self {
            path: change.path,
            change: change.change.into(),
            reason: change.reason,
        }
    }
}
