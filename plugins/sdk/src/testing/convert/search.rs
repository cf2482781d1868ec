//! `search`.

use snodo_workspace::capability as domain;

use super::{each, same_cases, same_fields};
use crate::search as contract;
use crate::types::{IoFailure, WrongKind};

same_cases!(contract::Syntax => domain::Syntax { Literal, Regex });
same_cases!(contract::LetterCase => domain::LetterCase { Sensitive, Insensitive, Smart });
same_cases!(contract::SymbolKind => domain::SymbolKind { Function, Type, Interface, Module, Constant, Variable, Macro });
same_cases!(domain::SymbolKind => contract::SymbolKind { Function, Type, Interface, Module, Constant, Variable, Macro });

same_fields!(contract::TextQuery => domain::TextQuery {
    pattern, syntax, letter_case, whole_word, under, include, exclude, hidden, ignored, context_before, context_after, limit
});
same_fields!(domain::TextMatch => contract::TextMatch { path, line, column, text, clipped, before, after });
same_fields!(domain::Symbol => contract::Symbol { path, line, column, kind, language, text, clipped });

impl From<contract::SymbolQuery> for domain::SymbolQuery {
    fn from(query: contract::SymbolQuery) -> Self {
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

impl From<domain::TextMatches> for contract::TextMatches {
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

impl From<domain::Symbols> for contract::Symbols {
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

impl From<domain::SearchError> for contract::SearchError {
    fn from(error: domain::SearchError) -> Self {
        use domain::SearchError as E;
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
            E::Io(failure) => Self::Io(failure.into()),
            E::Limit(limit) => Self::Limit(limit.into()),
            E::NotGranted(tool) => Self::NotGranted(tool.to_owned()),
            // Nobody here abandons a search; the host gives no answer then.
            E::Cancelled => Self::Io(IoFailure {
                path: String::new(),
                reason: "the search was abandoned".to_owned(),
            }),
        }
    }
}
