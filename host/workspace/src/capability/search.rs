//! `search` (`wit/search.wit`).

use super::{BadParameter, Cancel, Count, EntryKind, IoFailure, LimitReached, Refusal, Skipped};
use crate::path::BadPath;

/// Search files of the workspace. Calls read many files: make them where blocking is allowed, and give a flag to abandon them by.
pub trait Search: Send + Sync {
    /// Lines that match.
    fn search_text(&self, query: &TextQuery, cancel: &Cancel) -> Result<TextMatches, SearchError>;
    /// Lines that define a name.
    fn search_symbol(&self, query: &SymbolQuery, cancel: &Cancel) -> Result<Symbols, SearchError>;
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// The text itself.
    #[default]
    Literal,
    /// A regular expression on a linear-time engine.
    Regex,
}

/// Whether letter case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LetterCase {
    /// It does.
    #[default]
    Sensitive,
    /// It does not.
    Insensitive,
    /// It does when the pattern holds an upper-case letter.
    Smart,
}

/// What to search for, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// Not empty.
    pub pattern: String,
    /// How it is read.
    pub syntax: Syntax,
    /// Whether letter case counts.
    pub letter_case: LetterCase,
    /// Only at words' borders.
    pub whole_word: bool,
    /// A file or folder; empty for the root.
    pub under: String,
    /// Globs of paths to search; empty for all. Without a `/` held against names, else against paths from `under`.
    pub include: Vec<String>,
    /// Globs of paths to leave out, read in the same way.
    pub exclude: Vec<String>,
    /// Dot files too.
    pub hidden: bool,
    /// Ignored files too.
    pub ignored: bool,
    /// Lines of context before a match; at most 20.
    pub context_before: u32,
    /// Lines of context after a match; at most 20.
    pub context_after: u32,
    /// At most this many matching lines.
    pub limit: u32,
}

/// A line with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// From the root of the workspace.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Byte column of the first match, from 1.
    pub column: u64,
    /// Without the ending; around the match when clipped.
    pub text: String,
    /// The line, or one of its context lines, is longer than what is shown.
    pub clipped: bool,
    /// Context, oldest first.
    pub before: Vec<String>,
    /// Context.
    pub after: Vec<String>,
}

/// Matches in the order of path bytes, then line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatches {
    /// As many as the limit allows.
    pub matches: Vec<TextMatch>,
    /// Matching lines.
    pub total: Count,
    /// There are more than are given.
    pub truncated: bool,
    /// Files that were read to the end.
    pub files_searched: u64,
    /// What was passed over, by reason.
    pub skipped: Vec<Skipped>,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymbolKind {
    /// A function or method.
    Function,
    /// A class, struct, record, enum or union.
    Type,
    /// An interface, trait or protocol.
    Interface,
    /// A module or namespace.
    Module,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A macro.
    Macro,
}

/// Which definitions to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolQuery {
    /// Literal and whole; not empty.
    pub name: String,
    /// Only of this kind.
    pub kind: Option<SymbolKind>,
    /// A file or folder; empty for the root.
    pub under: String,
    /// Dot files too.
    pub hidden: bool,
    /// Ignored files too.
    pub ignored: bool,
    /// At most this many.
    pub limit: u32,
}

/// A line that defines the name, by rules over the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// From the root of the workspace.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Byte column of the name, from 1.
    pub column: u64,
    /// By the rule that matched.
    pub kind: SymbolKind,
    /// As in the language table.
    pub language: &'static str,
    /// The line without its ending.
    pub text: String,
    /// The line is longer than what is shown.
    pub clipped: bool,
}

/// Definitions in the order of path bytes, then line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbols {
    /// As many as the limit allows.
    pub symbols: Vec<Symbol>,
    /// How many there are.
    pub total: Count,
    /// There are more than are given.
    pub truncated: bool,
    /// Files that were read to the end.
    pub files_searched: u64,
    /// What was passed over, by reason.
    pub skipped: Vec<Skipped>,
}

/// Why a search was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// No path at all.
    #[error(transparent)]
    BadPath(#[from] BadPath),
    /// A parameter that cannot be used.
    #[error("`{}`: {}", .0.field, .0.reason)]
    BadParameter(BadParameter),
    /// Nothing there.
    #[error("`{0}` is not there")]
    NotFound(String),
    /// Neither file nor folder.
    #[error("`{path}` is {}", .kind.describe())]
    WrongKind {
        /// As asked for.
        path: String,
        /// What stands there.
        kind: EntryKind,
    },
    /// A link.
    #[error("`{0}` is a symbolic link, or lies behind one: links are not followed")]
    Symlink(String),
    /// A rule refuses it.
    #[error("`{}` is refused: {}", .0.path, .0.rule)]
    Refused(Refusal),
    /// The system would not.
    #[error("`{}`: {}", .0.path, .0.reason)]
    Io(IoFailure),
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
    /// Not in this judge's tool list.
    #[error("`{0}` is not among this validator's tools")]
    NotGranted(&'static str),
    /// The caller is gone.
    #[error("the search was abandoned")]
    Cancelled,
}
