//! `types`: what several interfaces share.

use snodo_workspace::change::{ChangeKind, TestGoverningChange};
use snodo_workspace::role::InvocationLimits;
use snodo_workspace::{capability as domain, path};

use super::{same_cases, same_fields};
use crate::types as contract;

same_cases!(domain::EntryKind => contract::EntryKind {
    File, Directory, Symlink, Fifo, Socket, BlockDevice, CharDevice, Unknown
});
same_cases!(path::PathRule => contract::PathRule {
    Empty, Nul, Absolute, ReservedCharacter, ReservedName, EscapesRoot, TooLong, TooDeep, TrailingSlash
});
same_cases!(domain::SkipReason => contract::SkipReason {
    Ignored, Hidden, Binary, TooLarge, Symlink, Special, Unreadable, Refused, NotCovered
});
same_cases!(ChangeKind => contract::ChangeKind { Added, Modified, Deleted, Renamed, ModeChanged });

same_fields!(path::BadPath => contract::BadPath { path, rule });
same_fields!(domain::Refusal => contract::Refusal { path, rule });
same_fields!(domain::IoFailure => contract::IoFailure { path, reason });
same_fields!(domain::LimitReached => contract::Limit { name, allowed });
same_fields!(domain::BadParameter => contract::BadParameter { field, reason });
same_fields!(domain::Skipped => contract::Skipped { reason, files });
same_fields!(TestGoverningChange => contract::TestGoverningChange { path, change, reason });
same_fields!(InvocationLimits => contract::Limits {
    memory_bytes, compute_ms, total_ms, host_calls, call_bytes, read_bytes, submit_bytes
});

impl From<domain::Content> for contract::Content {
    fn from(content: domain::Content) -> Self {
        match content {
            domain::Content::Text(text) => Self::Text(text),
            domain::Content::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl From<contract::Content> for domain::Content {
    fn from(content: contract::Content) -> Self {
        match content {
            contract::Content::Text(text) => Self::Text(text),
            contract::Content::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl From<domain::Count> for contract::Count {
    fn from(count: domain::Count) -> Self {
        match count {
            domain::Count::Exact(count) => Self::Exact(count),
            domain::Count::AtLeast(count) => Self::AtLeast(count),
        }
    }
}
