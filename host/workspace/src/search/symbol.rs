//! `search-symbol`.

use std::ops::Range;
use std::sync::OnceLock;

use super::clip;
use super::content::Text;
use super::languages::{Language, Rules, Table};
use super::lines::{Line, Lines, Stopped};
use super::pattern::Pattern;
use super::scan::{Engine, Scan};
use crate::capability::{BadParameter, Cancel, SearchError, Symbol, SymbolKind, SymbolQuery, Symbols};
use crate::limits::SearchLimits;
use crate::view::View;
use crate::walk::{First, Group, Scope, Selection, Start};

/// Bytes of a name: the longest generated ones have a few hundred.
const MAX_NAME_BYTES: usize = 512;

/// A line of up to so many bytes is held against the rules as a whole. In a longer one, which no person wrote, only what
/// surrounds each place of the name is.
const WHOLE_LINE_BYTES: usize = 4096;

/// Bytes on each side of the name that are looked at in a longer line.
const SURROUNDINGS: usize = 512;

/// Places of the name that are looked at in a longer line.
const MAX_PLACES: usize = 1000;

pub(super) fn search(view: &View, query: &SymbolQuery, cancel: &Cancel) -> Result<Symbols, SearchError> {
    let limits = view.base().search_limits();
    let pattern = compile(&query.name, limits).map_err(SearchError::BadParameter)?;
    let scope = Scope {
        under: &query.under,
        depth: None,
        hidden: query.hidden,
        ignored: query.ignored,
        selection: Selection::All,
        start: Start::FolderOrFile,
    };
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX).min(limits.results);
    let first = First::new(limit, limits.answer_bytes);
    let table = Table::get();
    let named = Named {
        name: &query.name,
        table,
        rules: (0..table.len()).map(|_| OnceLock::new()).collect(),
    };
    let searched = Scan {
        view,
        scope: &scope,
        cancel,
    }
    .run(&first, || Definitions {
        lines: Lines::new(&pattern),
        named: &named,
        kind: query.kind,
        line_bytes: limits.line_bytes,
    })?;
    let answer = first.into_answer();
    Ok(Symbols {
        symbols: answer.results,
        total: answer.total,
        truncated: answer.truncated,
        files_searched: searched.files,
        skipped: searched.skips.into_answer(),
    })
}

/// The name as text: only lines that hold it are held against the rules.
fn compile(name: &str, limits: &SearchLimits) -> Result<Pattern, BadParameter> {
    let bad = |reason: String| BadParameter { field: "name", reason };
    if name.trim().is_empty() {
        return Err(bad("is empty".to_owned()));
    }
    let most = MAX_NAME_BYTES.min(limits.pattern_bytes);
    if name.len() > most {
        return Err(bad(format!("has {} bytes; at most {most} are taken", name.len())));
    }
    if name.contains(['\n', '\0']) {
        return Err(bad("holds a line feed or a NUL, which no name does".to_owned()));
    }
    Pattern::text(name).map_err(bad)
}

/// The rules for a name, compiled for a language when the first candidate of it is met.
struct Named<'a> {
    name: &'a str,
    table: &'static Table,
    rules: Vec<OnceLock<Rules>>,
}

impl Named<'_> {
    fn find(&self, language: usize, row: &'static Language, line: &str) -> Option<(SymbolKind, usize)> {
        self.rules
            .get(language)?
            .get_or_init(|| row.rules_for(self.name))
            .find(line)
    }
}

/// One thread's search.
struct Definitions<'a> {
    lines: Lines<'a>,
    named: &'a Named<'a>,
    kind: Option<SymbolKind>,
    line_bytes: usize,
}

impl Engine for Definitions<'_> {
    type Result = Symbol;

    fn covers(&self, name: &str) -> bool {
        !self.named.table.of_file(name).is_empty()
    }

    fn search(
        &mut self,
        path: &str,
        text: Text<'_>,
        group: &mut Group<Symbol>,
        cancel: &Cancel,
    ) -> Result<(), Stopped> {
        let Self {
            lines,
            named,
            kind,
            line_bytes,
        } = self;
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let rows = named.table.of_file(name);
        lines.each(text, cancel, |_, line| {
            let Some(defined) = define(named, rows, text, line, cancel) else {
                return;
            };
            if kind.is_some_and(|kind| kind != defined.kind) {
                return;
            }
            group.push(|| {
                let whole = text.part(line.range.clone());
                let hit = defined.at..defined.at + named.name.len();
                let (shown, clipped) = clip::around(whole, &hit, *line_bytes);
                let symbol = Symbol {
                    path: path.to_owned(),
                    line: line.number,
                    column: defined.at as u64 + 1,
                    kind: defined.kind,
                    language: defined.language,
                    text: shown.to_owned(),
                    clipped,
                };
                let size = size_of::<Symbol>() + symbol.path.len() + symbol.text.len();
                (symbol, size)
            });
        })
    }
}

/// What a line defines.
struct Defined {
    kind: SymbolKind,
    language: &'static str,
    /// Where the name stands, in bytes of the line.
    at: usize,
}

/// The first rule that matches, of the first language that has one.
fn define(named: &Named<'_>, rows: &[usize], text: Text<'_>, line: &Line, cancel: &Cancel) -> Option<Defined> {
    // A byte-order mark is no part of a statement.
    let mark = line.from - line.range.start;
    let whole = text.part(line.from..line.range.end);
    let find = |part: Range<usize>| {
        rows.iter().find_map(|&language| {
            let row = named.table.row(language)?;
            let (kind, at) = named.find(language, row, &whole[part.clone()])?;
            Some(Defined {
                kind,
                language: &row.name,
                at: mark + part.start + at,
            })
        })
    };
    if whole.len() <= WHOLE_LINE_BYTES {
        return find(0..whole.len());
    }
    let bytes = whole.as_bytes();
    memchr::memmem::find_iter(bytes, named.name.as_bytes())
        .take(MAX_PLACES)
        .take_while(|_| !cancel.is_cancelled())
        .find_map(|place| {
            let begin = whole.floor_char_boundary(place.saturating_sub(SURROUNDINGS));
            // From the beginning of a statement, so that a piece of one is not taken for a whole.
            let begin = match begin {
                0 => 0,
                _ => {
                    begin
                        + bytes[begin..place]
                            .iter()
                            .position(|b| matches!(b, b';' | b'{' | b'}'))?
                        + 1
                }
            };
            let end = whole.ceil_char_boundary((place + named.name.len() + SURROUNDINGS).min(whole.len()));
            find(begin..end)
        })
}
