//! `search`.

use snodo_workspace::capability as domain;

use super::{each, same_cases};
use crate::search as wit;

same_cases!(wit::Syntax => domain::Syntax { Literal, Regex });
same_cases!(wit::LetterCase => domain::LetterCase { Sensitive, Insensitive, Smart });
same_cases!(both wit::SymbolKind => domain::SymbolKind { Function, Type, Interface, Module, Constant, Variable, Macro });

impl From<wit::TextQuery> for domain::TextQuery {
    fn from(query: wit::TextQuery) -> Self {
        Self {
            pattern: query.pattern,
            syntax: query.syntax.into(),
            letter_case: query.letter_case.into(),
            whole_word: query.whole_word,
            under: query.under,
            include: query.include,
            exclude: query.exclude,
            hidden: query.hidden,
            ignored: query.ignored,
            context_before: query.context_before,
            context_after: query.context_after,
            limit: query.limit,
        }
    }
}

impl From<domain::TextMatch> for wit::TextMatch {
    fn from(found: domain::TextMatch) -> Self {
        Self {
            path: found.path,
            line: found.line,
            column: found.column,
            text: found.text,
            clipped: found.clipped,
            before: found.before,
            after: found.after,
        }
    }
}

impl From<domain::TextMatches> for wit::TextMatches {
    fn from(found: domain::TextMatches) -> Self {
        Self {
            matches: each(found.matches),
            total: found.total.into(),
            truncated: found.truncated,
            files_searched: found.files_searched,
            skipped: each(found.skipped),
        }
    }
}

impl From<wit::SymbolQuery> for domain::SymbolQuery {
    fn from(query: wit::SymbolQuery) -> Self {
        Self {
            name: query.name,
            kind: query.kind.map(Into::into),
            under: query.under,
            hidden: query.hidden,
            ignored: query.ignored,
            limit: query.limit,
        }
    }
}

impl From<domain::Symbol> for wit::Symbol {
    fn from(symbol: domain::Symbol) -> Self {
        Self {
            path: symbol.path,
            line: symbol.line,
            column: symbol.column,
            kind: symbol.kind.into(),
            language: symbol.language.to_owned(),
            text: symbol.text,
            clipped: symbol.clipped,
        }
    }
}

impl From<domain::Symbols> for wit::Symbols {
    fn from(found: domain::Symbols) -> Self {
        Self {
            symbols: each(found.symbols),
            total: found.total.into(),
            truncated: found.truncated,
            files_searched: found.files_searched,
            skipped: each(found.skipped),
        }
    }
}

/// A search that was abandoned has no answer in the contract: whoever asked is gone.
impl TryFrom<domain::SearchError> for wit::SearchError {
    type Error = Abandoned;

    fn try_from(error: domain::SearchError) -> Result<Self, Abandoned> {
        use domain::SearchError as E;
        Ok(match error {
            E::BadPath(bad) => Self::BadPath(bad.into()),
            E::BadParameter(bad) => Self::BadParameter(bad.into()),
            E::NotFound(path) => Self::NotFound(path),
            E::WrongKind { path, kind } => Self::WrongKind(wit::WrongKind {
                path,
                kind: kind.into(),
            }),
            E::Symlink(path) => Self::Symlink(path),
            E::Refused(refusal) => Self::Refused(refusal.into()),
            E::Io(failure) => Self::Io(failure.into()),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
            E::Cancelled => return Err(Abandoned),
        })
    }
}

/// The search was abandoned since the run is ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abandoned;

impl std::fmt::Display for Abandoned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the search was abandoned")
    }
}

impl std::error::Error for Abandoned {}
