//! Answers of the tools that list and search.

use std::fmt::Write as _;

use crate::Explain;
use crate::read::ListQuery;
use crate::search::{SymbolKind, SymbolQuery, TextQuery};
use crate::types::{Count, EntryKind, SkipReason, Skipped};

use super::reading::{folder, name};
use super::seen::{Seen, normal_path};
use super::{ArgumentError, Arguments, Outcome, Sight, fence, one_line};

/// Entries of a listing.
const LISTED: u32 = 1_000;

/// Matches of a search: snodo's figure.
const MATCHES: u32 = 50;

/// Characters of a line that are shown; the host clips a line before that.
const LINE: usize = 1_000;

/// `list_files`.
pub(super) fn list(sight: &impl Sight, seen: &mut Seen, arguments: &Arguments) -> Result<Outcome, ArgumentError> {
    arguments.only(&["directory", "recursive"])?;
    let under = folder(arguments.optional_text("directory")?);
    let recursive = arguments.optional_boolean("recursive")?.unwrap_or(false);
    let shown = display(under);
    let key = key(
        "list_files",
        &[&normal_path(under), if recursive { "all" } else { "own" }],
    );
    if let Some(place) = seen.call(&key) {
        return Ok(Outcome::pointer(format!(
            "{} was listed {place}, and nothing changed since. Look there.",
            name(&shown)
        )));
    }
    let mut query = ListQuery::under(under).hidden().limit(LISTED);
    if !recursive {
        query = query.depth(1);
    }
    let listing = match sight.list(&query) {
        Ok(listing) => listing,
        Err(error) => return Ok(refused("Not listed", &error)),
    };
    let mut lines = String::new();
    for entry in &listing.entries {
        let mark = match entry.kind {
            EntryKind::File => "",
            EntryKind::Directory => "/",
            EntryKind::Symlink => " (a link, not followed)",
            _ => " (neither file nor folder)",
        };
        let _ = writeln!(lines, "{}{mark}", one_line(&entry.path, LINE));
    }
    let mut answer = if listing.entries.is_empty() {
        format!("There is nothing in {} to be shown.", name(&shown))
    } else {
        fence(&format!("what is in {shown}"), &lines)
    };
    if listing.truncated {
        let _ = write!(
            answer,
            "\nThese are {} of {}. Ask for a folder further down.",
            listing.entries.len(),
            count(&listing.total)
        );
    }
    passed_over(&mut answer, &listing.skipped);
    seen.show_call(key);
    Ok(Outcome {
        complete: !listing.truncated,
        ..Outcome::told(answer).examined(shown)
    })
}

/// `search_text`.
pub(super) fn text(sight: &impl Sight, seen: &mut Seen, arguments: &Arguments) -> Result<Outcome, ArgumentError> {
    arguments.only(&["query", "directory", "regex"])?;
    let pattern = arguments.text("query")?;
    let under = folder(arguments.optional_text("directory")?);
    let regex = arguments.optional_boolean("regex")?.unwrap_or(false);
    let what = format!("search {} in {}", name(pattern), display(under));
    let key = key(
        "search_text",
        &[pattern, &normal_path(under), if regex { "regex" } else { "literal" }],
    );
    if let Some(place) = seen.call(&key) {
        return Ok(repeated(&what, place));
    }
    let query = if regex {
        TextQuery::regex(pattern)
    } else {
        TextQuery::literal(pattern)
    };
    let found = match sight.text(&query.under(under).hidden().limit(MATCHES)) {
        Ok(found) => found,
        Err(error) => return Ok(refused("Not searched", &error)),
    };
    let mut lines = String::new();
    for hit in &found.matches {
        let _ = writeln!(
            lines,
            "{}:{}: {}{}",
            one_line(&hit.path, LINE),
            hit.line,
            one_line(hit.text.trim_end(), LINE),
            if hit.clipped { " […]" } else { "" }
        );
    }
    let mut answer = found_or_not(&what, &lines, found.files_searched);
    if found.matches.is_empty() && under.is_empty() && !regex && is_folder(sight, pattern) {
        let _ = write!(
            answer,
            "\n{} is a folder: list_files shows what is in it.",
            name(pattern)
        );
    }
    if found.truncated {
        narrow(&mut answer, found.matches.len(), &found.total, "matching lines");
    }
    passed_over(&mut answer, &found.skipped);
    seen.show_call(key);
    Ok(Outcome {
        complete: !found.truncated,
        ..Outcome::told(answer).examined(what)
    })
}

/// `search_symbol`.
pub(super) fn symbol(sight: &impl Sight, seen: &mut Seen, arguments: &Arguments) -> Result<Outcome, ArgumentError> {
    arguments.only(&["name", "directory"])?;
    let symbol = arguments.text("name")?;
    let under = folder(arguments.optional_text("directory")?);
    let what = format!("definitions of {} in {}", name(symbol), display(under));
    let key = key("search_symbol", &[symbol, &normal_path(under)]);
    if let Some(place) = seen.call(&key) {
        return Ok(repeated(&what, place));
    }
    let found = match sight.symbol(&SymbolQuery::named(symbol).under(under).hidden().limit(MATCHES)) {
        Ok(found) => found,
        Err(error) => return Ok(refused("Not searched", &error)),
    };
    let mut lines = String::new();
    for definition in &found.symbols {
        let _ = writeln!(
            lines,
            "{}:{}: [{}] {}{}",
            one_line(&definition.path, LINE),
            definition.line,
            kind(definition.kind),
            one_line(definition.text.trim_end(), LINE),
            if definition.clipped { " […]" } else { "" }
        );
    }
    let mut answer = found_or_not(&what, &lines, found.files_searched);
    if found.truncated {
        narrow(&mut answer, found.symbols.len(), &found.total, "definitions");
    }
    passed_over(&mut answer, &found.skipped);
    seen.show_call(key);
    Ok(Outcome {
        complete: !found.truncated,
        ..Outcome::told(answer).examined(what)
    })
}

fn display(under: &str) -> String {
    format!(
        "{}/",
        if normal_path(under).is_empty() {
            "."
        } else {
            under.trim_end_matches('/')
        }
    )
}

/// Arguments in one text that no other arguments have.
fn key(tool: &str, parts: &[&str]) -> String {
    parts.iter().fold(tool.to_owned(), |mut key, part| {
        let _ = write!(key, " {}:{part}", part.len());
        key
    })
}

fn repeated(what: &str, place: super::seen::Place) -> Outcome {
    Outcome::pointer(format!(
        "This search ({what}) was answered {place}, and nothing changed since. Look there."
    ))
}

fn refused(what: &str, error: &impl Explain) -> Outcome {
    Outcome::refused(format!("{what}: {}.", one_line(&error.explain(), 2 * LINE)))
}

fn found_or_not(what: &str, lines: &str, searched: u64) -> String {
    if lines.is_empty() {
        format!("Nothing found ({what}); {searched} files were searched.")
    } else {
        fence(what, lines)
    }
}

fn narrow(answer: &mut String, shown: usize, total: &Count, what: &str) {
    let _ = write!(
        answer,
        "\nThese are {shown} of {} {what}. Search for less, or in one folder.",
        count(total)
    );
}

fn count(count: &Count) -> String {
    match count {
        Count::Exact(count) => count.to_string(),
        Count::AtLeast(count) => format!("at least {count}"),
    }
}

fn is_folder(sight: &impl Sight, path: &str) -> bool {
    !normal_path(path).is_empty() && sight.list(&ListQuery::under(path).depth(1).limit(1)).is_ok()
}

/// What the answer does not cover: a file that is not found may be one of these.
fn passed_over(answer: &mut String, skipped: &[Skipped]) {
    let parts: Vec<String> = skipped
        .iter()
        .filter(|skipped| skipped.files > 0)
        .map(|skipped| format!("{} {}", skipped.files, reason(skipped.reason)))
        .collect();
    if !parts.is_empty() {
        let _ = write!(answer, "\nPassed over: {}.", parts.join(", "));
    }
}

fn reason(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Ignored => "named by an ignore file",
        SkipReason::Hidden => "hidden",
        SkipReason::Binary => "not text",
        SkipReason::TooLarge => "too large",
        SkipReason::Symlink => "links",
        SkipReason::Special => "neither file nor folder",
        SkipReason::Unreadable => "unreadable",
        SkipReason::Refused => "refused by a rule",
        SkipReason::NotCovered => "in a language without rules for definitions",
    }
}

fn kind(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function => "function",
        SymbolKind::Type => "type",
        SymbolKind::Interface => "interface",
        SymbolKind::Module => "module",
        SymbolKind::Constant => "constant",
        SymbolKind::Variable => "variable",
        SymbolKind::Macro => "macro",
    }
}
