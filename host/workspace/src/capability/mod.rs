//! What a plugin may be given, as traits and domain types that know no WIT.
//!
//! One file for each interface of the contract (`wit/`), with the same names. A capability is its type: a
//! [`Read`] has no method that writes, and [`JudgeCapabilities`] has no field for [`Submit`].
//! Parameters arrive as the plugin gave them; every implementation checks before it uses.

mod change;
mod completion;
mod read;
mod runner;
mod search;
mod submit;
mod types;

use std::sync::Arc;

pub use change::{
    BeforeError, Change, ChangeError, ChangeSummary, ChangedFile, DiffAnswer, DiffLine, DiffQuery, FileDiff, Hunk,
    LineOrigin,
};
pub use completion::{
    Answer, AssistantTurn, Complete, CompletionError, Message, ProviderFailure, Request, Stop, Tool, ToolCall,
    ToolChoice, ToolResult, Usage,
};
pub use read::{Entry, FileRead, LinesRead, ListQuery, Listing, Read, ReadAnswer, ReadError};
pub use runner::{Bound, Captured, Exit, Observation, Runner, RunnerError};
pub use search::{
    LetterCase, Search, SearchError, Symbol, SymbolKind, SymbolQuery, Symbols, Syntax, TextMatch, TextMatches,
    TextQuery,
};
pub use submit::{Operation, ProgressEvent, Rejected, Submission, Submit, SubmitError, SubmitRefusal};
pub use types::{
    BadParameter, Cancel, Content, Count, EntryKind, IoFailure, LimitReached, Refusal, SkipReason, Skipped,
};

/// What a coder is given: always all of it. Without a declared test command `runner` answers
/// [`RunnerError::NotDeclared`]; `completion` is there only with a grant and a configured model.
#[derive(Clone)]
pub struct CoderCapabilities {
    /// Base with the coder's own pending submission on top.
    pub read: Arc<dyn Read>,
    /// The same view, searched.
    pub search: Arc<dyn Search>,
    /// Where the change and the progress go.
    pub submit: Arc<dyn Submit>,
    /// The declared tests, on a scratch copy of the view.
    pub runner: Arc<dyn Runner>,
    /// A language model.
    pub completion: Option<Arc<dyn Complete>>,
}

/// What a validator is given. There is no field for `submit`: a judge cannot change what it judges.
#[derive(Clone)]
pub struct JudgeCapabilities {
    /// What the phase judges: the base before execution, base and overlay after it.
    pub read: Arc<dyn Read>,
    /// The same view, searched.
    pub search: Arc<dyn Search>,
    /// The host's account of the change; before execution it answers [`ChangeError::NoChangeYet`].
    pub change: Arc<dyn Change>,
    /// A language model; only with a grant.
    pub completion: Option<Arc<dyn Complete>>,
    /// The declared tests; only with a grant.
    pub runner: Option<Arc<dyn Runner>>,
}
