//! The calls that both roles have: `read` and `search`.

use serde_json::Value;
use snodo_plugin::{read, search};

use crate::{flag, json, number, small, text, texts};

/// Takes one step, if it is one of these.
pub fn look(step: &Value) -> Option<Value> {
    Some(match step["do"].as_str()? {
        "read-file" => json::outcome(read::file(&text(step, "path")).map(json::file), json::read_error),
        "read-lines" => {
            let answer = read::lines(
                &text(step, "path"),
                number(step, "first", 1),
                number(step, "last", u64::MAX),
            );
            json::outcome(answer.map(json::lines), json::read_error)
        }
        "read-files" => json::outcome(read::files(&texts(step, "paths")).map(json::answers), json::read_error),
        "list-files" => json::outcome(read::list(&list_query(step)).map(json::listing), json::read_error),
        "search-text" => json::outcome(search::text(&text_query(step)).map(json::matches), json::search_error),
        "search-symbol" => json::outcome(
            search::symbol(&symbol_query(step)).map(json::symbols),
            json::search_error,
        ),
        _ => return None,
    })
}

fn list_query(step: &Value) -> read::ListQuery {
    read::ListQuery {
        under: text(step, "under"),
        depth: step["depth"].as_u64().map(|_| small(step, "depth", 0)),
        glob: step["glob"].as_str().map(ToOwned::to_owned),
        hidden: flag(step, "hidden"),
        ignored: flag(step, "ignored"),
        limit: small(step, "limit", 10_000),
    }
}

fn text_query(step: &Value) -> search::TextQuery {
    search::TextQuery {
        pattern: text(step, "pattern"),
        syntax: match step["syntax"].as_str() {
            Some("regex") => search::Syntax::Regex,
            _ => search::Syntax::Literal,
        },
        letter_case: match step["letter-case"].as_str() {
            Some("insensitive") => search::LetterCase::Insensitive,
            Some("smart") => search::LetterCase::Smart,
            _ => search::LetterCase::Sensitive,
        },
        whole_word: flag(step, "whole-word"),
        under: text(step, "under"),
        include: texts(step, "include"),
        exclude: texts(step, "exclude"),
        hidden: flag(step, "hidden"),
        ignored: flag(step, "ignored"),
        context_before: small(step, "before", 0),
        context_after: small(step, "after", 0),
        limit: small(step, "limit", 10_000),
    }
}

fn symbol_query(step: &Value) -> search::SymbolQuery {
    use search::SymbolKind as K;
    search::SymbolQuery {
        name: text(step, "name"),
        kind: step["kind"].as_str().and_then(|kind| {
            let all = [
                K::Function,
                K::Type,
                K::Interface,
                K::Module,
                K::Constant,
                K::Variable,
                K::Macro,
            ];
            all.into_iter().find(|k| json::symbol_kind(*k) == kind)
        }),
        under: text(step, "under"),
        hidden: flag(step, "hidden"),
        ignored: flag(step, "ignored"),
        limit: small(step, "limit", 10_000),
    }
}
