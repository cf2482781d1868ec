//! Errors in words, and as the answers of the two roles, so that `?` does the right thing.

use crate::change::{BeforeError, ChangeError, WholeDiffError};
use crate::coder::RefusedOperation;
use crate::completion::{CompletionError, ProviderFailure};
use crate::read::{ReadError, TextError};
use crate::runner::RunnerError;
use crate::search::SearchError;
use crate::submit::{DraftError, SubmitError, SubmitRefusal};
use crate::types::{BadParameter, BadPath, EntryKind, IoFailure, Limit, PathRule, Refusal, TooLarge, WrongKind};
use crate::{CoderError, Fault, SettingError};

/// An error of the contract as one plain sentence, without a full stop.
///
/// The generated errors' `Display` shows their fields as Rust spells them, which is for the author's log; this is for people. Each error of
/// an import becomes the error of either role by `?`: a reached limit stays one, what a coder cannot read is named with its path, and what
/// a validator cannot see is an incomplete view.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// let error = read::file("../secret").unwrap_err();
/// assert_eq!(error.explain(), "`../secret` is not a usable path: it leads above the workspace's root");
/// assert!(matches!(CoderError::from(error.clone()), CoderError::Unreadable(refused) if refused.path == "../secret"));
/// assert!(matches!(Fault::from(error), Fault::IncompleteView(_)));
/// # });
/// ```
pub trait Explain {
    /// What happened, to what.
    fn explain(&self) -> String;
}

impl Explain for PathRule {
    fn explain(&self) -> String {
        match self {
            Self::Empty => "it is empty",
            Self::Nul => "it holds a NUL character",
            Self::Absolute => "it is absolute",
            Self::ReservedCharacter => "it holds `:` or `\\`",
            Self::ReservedName => "a component is a device name on some systems",
            Self::EscapesRoot => "it leads above the workspace's root",
            Self::TooLong => "it is too long",
            Self::TooDeep => "it has too many components",
            Self::TrailingSlash => "it ends with `/` where a file is meant",
        }
        .to_owned()
    }
}

impl Explain for BadPath {
    fn explain(&self) -> String {
        format!("`{}` is not a usable path: {}", self.path, self.rule.explain())
    }
}

impl Explain for Refusal {
    fn explain(&self) -> String {
        format!("`{}` is refused by {}", self.path, self.rule)
    }
}

impl Explain for EntryKind {
    fn explain(&self) -> String {
        match self {
            Self::File => "a file",
            Self::Directory => "a folder",
            Self::Symlink => "a link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::BlockDevice | Self::CharDevice => "a device",
            Self::Unknown => "of an unknown kind",
        }
        .to_owned()
    }
}

impl Explain for WrongKind {
    fn explain(&self) -> String {
        format!("`{}` is {}", self.path, self.kind.explain())
    }
}

impl Explain for TooLarge {
    fn explain(&self) -> String {
        format!("`{}` has {} bytes, {} are allowed", self.path, self.size, self.limit)
    }
}

impl Explain for IoFailure {
    fn explain(&self) -> String {
        format!("`{}`: {}", self.path, self.reason)
    }
}

impl Explain for Limit {
    fn explain(&self) -> String {
        format!("the limit `{}` of {} is reached", self.name, self.allowed)
    }
}

impl Explain for BadParameter {
    fn explain(&self) -> String {
        format!("the parameter `{}` cannot be used: {}", self.field, self.reason)
    }
}

fn not_found(path: &str) -> String {
    format!("`{path}` is not there")
}

fn is_a_link(path: &str) -> String {
    format!("`{path}` is a link, or below one; links are not followed")
}

fn changed(path: &str) -> String {
    format!("`{path}` is not the file that this run saw before")
}

fn not_granted(tool: &str) -> String {
    format!("`{tool}` is not among the tools that this plugin was given")
}

impl Explain for ReadError {
    fn explain(&self) -> String {
        match self {
            Self::BadPath(bad) => bad.explain(),
            Self::BadParameter(bad) => bad.explain(),
            Self::NotFound(path) => not_found(path),
            Self::WrongKind(wrong) => wrong.explain(),
            Self::Symlink(path) => is_a_link(path),
            Self::Refused(refusal) => refusal.explain(),
            Self::TooLarge(large) => large.explain(),
            Self::Io(failure) => failure.explain(),
            Self::ChangedDuringRun(path) => changed(path),
            Self::Limit(limit) => limit.explain(),
            Self::NotGranted(tool) => not_granted(tool),
        }
    }
}

impl Explain for TextError {
    fn explain(&self) -> String {
        match self {
            Self::Read(error) => error.explain(),
            Self::NotText(path) => format!("`{path}` is not text"),
        }
    }
}

impl Explain for SearchError {
    fn explain(&self) -> String {
        match self {
            Self::BadPath(bad) => bad.explain(),
            Self::BadParameter(bad) => bad.explain(),
            Self::NotFound(path) => not_found(path),
            Self::WrongKind(wrong) => wrong.explain(),
            Self::Symlink(path) => is_a_link(path),
            Self::Refused(refusal) => refusal.explain(),
            Self::Io(failure) => failure.explain(),
            Self::Limit(limit) => limit.explain(),
            Self::NotGranted(tool) => not_granted(tool),
        }
    }
}

impl SubmitRefusal {
    /// The path that was refused.
    ///
    /// ```
    /// # use snodo_plugin::submit::SubmitRefusal;
    /// assert_eq!(SubmitRefusal::NotFound("a".to_owned()).path(), "a");
    /// ```
    pub fn path(&self) -> &str {
        match self {
            Self::BadPath(bad) => &bad.path,
            Self::Refused(refusal) => &refusal.path,
            Self::NotFound(path) | Self::Symlink(path) | Self::ChangedDuringRun(path) => path,
            Self::WrongKind(wrong) => &wrong.path,
            Self::Conflict(conflict) => &conflict.path,
            Self::Duplicate(duplicate) => &duplicate.path,
            Self::TooLarge(large) => &large.path,
            Self::Io(failure) => &failure.path,
        }
    }
}

impl Explain for SubmitRefusal {
    fn explain(&self) -> String {
        match self {
            Self::BadPath(bad) => bad.explain(),
            Self::Refused(refusal) => refusal.explain(),
            Self::NotFound(path) => not_found(path),
            Self::WrongKind(wrong) => wrong.explain(),
            Self::Symlink(path) => is_a_link(path),
            Self::Conflict(conflict) => {
                format!(
                    "`{}` is in the way of `{}`: {}",
                    conflict.with, conflict.path, conflict.reason
                )
            }
            Self::Duplicate(duplicate) => {
                format!(
                    "operations {} and {} both name `{}`",
                    duplicate.first, duplicate.second, duplicate.path
                )
            }
            Self::TooLarge(large) => large.explain(),
            Self::ChangedDuringRun(path) => changed(path),
            Self::Io(failure) => failure.explain(),
        }
    }
}

impl Explain for SubmitError {
    fn explain(&self) -> String {
        match self {
            Self::Rejected(rejected) => format!("operation {}: {}", rejected.index, rejected.reason.explain()),
            Self::Limit(limit) => limit.explain(),
        }
    }
}

impl Explain for DraftError {
    fn explain(&self) -> String {
        match self {
            Self::Refused { operation, reason } => format!("could not {operation}: {}", reason.explain()),
            Self::Limit(limit) => limit.explain(),
        }
    }
}

impl Explain for RunnerError {
    fn explain(&self) -> String {
        match self {
            Self::NotDeclared => "no test command is declared".to_owned(),
            Self::PathNotTaken => "the declared test command takes no path".to_owned(),
            Self::BadPath(bad) => bad.explain(),
            Self::Refused(refusal) => refusal.explain(),
            Self::NotFound(path) => not_found(path),
            Self::ProgramNotFound(program) => format!("the program `{program}` is not there"),
            Self::ProgramNotExecutable(program) => {
                format!("the program `{program}` may not be run")
            }
            Self::Io(failure) => failure.explain(),
            Self::Limit(limit) => limit.explain(),
            Self::NotGranted(tool) => not_granted(tool),
        }
    }
}

impl Explain for ChangeError {
    fn explain(&self) -> String {
        match self {
            Self::NoChangeYet => "before execution there is no change".to_owned(),
            Self::BadPath(bad) => bad.explain(),
            Self::BadParameter(bad) => bad.explain(),
            Self::NotInChange(path) => format!("`{path}` is not in the change"),
            Self::Limit(limit) => limit.explain(),
            Self::NotGranted(tool) => not_granted(tool),
        }
    }
}

impl Explain for WholeDiffError {
    fn explain(&self) -> String {
        match self {
            Self::Change(error) => error.explain(),
            Self::Omitted(paths) => {
                let shown = paths
                    .iter()
                    .take(5)
                    .map(|path| format!("`{path}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                let more = paths.len().saturating_sub(5);
                let rest = if more == 0 {
                    String::new()
                } else {
                    format!(" and {more} more")
                };
                format!("the change of {shown}{rest} is too large to be shown whole")
            }
        }
    }
}

impl Explain for BeforeError {
    fn explain(&self) -> String {
        match self {
            Self::NoChangeYet => "before execution there is no change".to_owned(),
            Self::NotInChange(path) => format!("`{path}` is not in the change, or was added by it"),
            Self::Read(error) => error.explain(),
        }
    }
}

impl Explain for ProviderFailure {
    fn explain(&self) -> String {
        match self.status {
            Some(status) => format!("HTTP {status}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

impl Explain for CompletionError {
    fn explain(&self) -> String {
        match self {
            Self::NoClient(reason) => format!("no model is configured: {reason}"),
            Self::Refused(failure) => format!("the provider refused: {}", failure.explain()),
            Self::RateLimited(failure) => format!("the provider limits the rate: {}", failure.explain()),
            Self::Timeout(ms) => format!("no answer within {ms} ms"),
            Self::Truncated(tokens) => format!("the answer ran into the ceiling of {tokens} tokens"),
            Self::Filtered(reason) => format!("the answer was filtered: {reason}"),
            Self::Malformed(failure) => format!("the answer cannot be read: {}", failure.explain()),
            Self::Unavailable(failure) => format!("the provider is not available: {}", failure.explain()),
            Self::BudgetSpent(budget) => format!("no budget for this call: {}", budget.name),
            Self::Limit(limit) => limit.explain(),
        }
    }
}

impl Explain for CoderError {
    fn explain(&self) -> String {
        match self {
            Self::UnusableTask(why) => format!("the task cannot be used: {why}"),
            Self::DoesNotApply(mismatch) => format!(
                "`{}`, part {}, does not fit: {}",
                mismatch.path, mismatch.hunk, mismatch.reason
            ),
            Self::Unreadable(refused) => format!("`{}` could not be read: {}", refused.path, refused.reason),
            Self::Refused(refused) => format!("the host refused `{}`: {}", refused.path, refused.reason),
            Self::Model(why) => format!("model: {why}"),
            Self::TurnBudget(turns) => format!("the turn budget of {turns} is used up"),
            Self::Limit(limit) => limit.explain(),
            Self::Internal(why) => format!("the plugin failed: {why}"),
        }
    }
}

impl Explain for Fault {
    fn explain(&self) -> String {
        match self {
            Self::Model(why) => format!("model: {why}"),
            Self::Runner(why) => format!("test command: {why}"),
            Self::IncompleteView(why) => format!("incomplete view: {why}"),
            Self::Setting(why) => format!("setting: {why}"),
            Self::Limit(limit) => limit.explain(),
            Self::Internal(why) => format!("the plugin failed: {why}"),
        }
    }
}

impl Explain for SettingError {
    fn explain(&self) -> String {
        self.to_string()
    }
}

// As a coder's answer.

impl From<ReadError> for CoderError {
    fn from(error: ReadError) -> Self {
        let reason = error.explain();
        let path = match error {
            ReadError::Limit(limit) => return Self::Limit(limit),
            ReadError::BadParameter(_) | ReadError::NotGranted(_) => return Self::Internal(reason),
            ReadError::BadPath(bad) => bad.path,
            ReadError::NotFound(path) | ReadError::Symlink(path) | ReadError::ChangedDuringRun(path) => path,
            ReadError::WrongKind(wrong) => wrong.path,
            ReadError::Refused(refusal) => refusal.path,
            ReadError::TooLarge(large) => large.path,
            ReadError::Io(failure) => failure.path,
        };
        Self::Unreadable(RefusedOperation { path, reason })
    }
}

impl From<TextError> for CoderError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Read(error) => error.into(),
            TextError::NotText(path) => Self::Unreadable(RefusedOperation {
                path,
                reason: "it is not text".to_owned(),
            }),
        }
    }
}

impl From<SearchError> for CoderError {
    fn from(error: SearchError) -> Self {
        let reason = error.explain();
        let path = match error {
            SearchError::Limit(limit) => return Self::Limit(limit),
            SearchError::BadParameter(_) | SearchError::NotGranted(_) => return Self::Internal(reason),
            SearchError::BadPath(bad) => bad.path,
            SearchError::NotFound(path) | SearchError::Symlink(path) => path,
            SearchError::WrongKind(wrong) => wrong.path,
            SearchError::Refused(refusal) => refusal.path,
            SearchError::Io(failure) => failure.path,
        };
        Self::Unreadable(RefusedOperation { path, reason })
    }
}

impl From<SubmitError> for CoderError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Rejected(rejected) => Self::Refused(RefusedOperation {
                path: rejected.reason.path().to_owned(),
                reason: rejected.reason.explain(),
            }),
            SubmitError::Limit(limit) => Self::Limit(limit),
        }
    }
}

impl From<DraftError> for CoderError {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::Refused { operation, reason } => Self::Refused(RefusedOperation {
                path: reason.path().to_owned(),
                reason: format!("could not {operation}: {}", reason.explain()),
            }),
            DraftError::Limit(limit) => Self::Limit(limit),
        }
    }
}

impl From<CompletionError> for CoderError {
    fn from(error: CompletionError) -> Self {
        match error {
            CompletionError::Limit(limit) => Self::Limit(limit),
            other => Self::Model(other.explain()),
        }
    }
}

impl From<SettingError> for CoderError {
    fn from(error: SettingError) -> Self {
        Self::Internal(error.explain())
    }
}

// As a validator's answer.

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Limit(limit) => Self::Limit(limit),
            other => Self::IncompleteView(other.explain()),
        }
    }
}

impl From<TextError> for Fault {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Read(error) => error.into(),
            not_text @ TextError::NotText(_) => Self::IncompleteView(not_text.explain()),
        }
    }
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Limit(limit) => Self::Limit(limit),
            other => Self::IncompleteView(other.explain()),
        }
    }
}

impl From<ChangeError> for Fault {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Limit(limit) => Self::Limit(limit),
            other => Self::IncompleteView(other.explain()),
        }
    }
}

impl From<WholeDiffError> for Fault {
    fn from(error: WholeDiffError) -> Self {
        match error {
            WholeDiffError::Change(error) => error.into(),
            omitted @ WholeDiffError::Omitted(_) => Self::IncompleteView(omitted.explain()),
        }
    }
}

impl From<BeforeError> for Fault {
    fn from(error: BeforeError) -> Self {
        match error {
            BeforeError::Read(error) => error.into(),
            other => Self::IncompleteView(other.explain()),
        }
    }
}

impl From<RunnerError> for Fault {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Limit(limit) => Self::Limit(limit),
            other => Self::Runner(other.explain()),
        }
    }
}

impl From<CompletionError> for Fault {
    fn from(error: CompletionError) -> Self {
        match error {
            CompletionError::Limit(limit) => Self::Limit(limit),
            other => Self::Model(other.explain()),
        }
    }
}

impl From<SettingError> for Fault {
    fn from(error: SettingError) -> Self {
        Self::Setting(error.explain())
    }
}
