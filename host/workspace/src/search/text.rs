//! `search-text`.

use std::ops::Range;

use super::clip;
use super::content::Text;
use super::lines::{Line, Lines, Stopped};
use super::pattern::Pattern;
use super::scan::{Engine, Scan};
use crate::capability::{BadParameter, Cancel, SearchError, TextMatch, TextMatches, TextQuery};
use crate::view::View;
use crate::walk::{First, Group, Scope, Selection, Start};

pub(super) fn search(view: &View, query: &TextQuery, cancel: &Cancel) -> Result<TextMatches, SearchError> {
    let limits = view.base().search_limits();
    let pattern = Pattern::of(query, limits).map_err(SearchError::BadParameter)?;
    for (field, lines) in [
        ("context-before", query.context_before),
        ("context-after", query.context_after),
    ] {
        if lines > limits.context_lines {
            return Err(SearchError::BadParameter(BadParameter {
                field,
                reason: format!("{lines} lines; at most {} are given", limits.context_lines),
            }));
        }
    }
    let scope = Scope {
        under: &query.under,
        depth: None,
        hidden: query.hidden,
        ignored: query.ignored,
        selection: Selection::in_and_out(&query.include, &query.exclude).map_err(SearchError::BadParameter)?,
        start: Start::FolderOrFile,
    };
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX).min(limits.results);
    let first = First::new(limit, limits.answer_bytes);
    let searched = Scan {
        view,
        scope: &scope,
        cancel,
    }
    .run(&first, || Matches {
        lines: Lines::new(&pattern),
        query,
        line_bytes: limits.line_bytes,
    })?;
    let answer = first.into_answer();
    Ok(TextMatches {
        matches: answer.results,
        total: answer.total,
        truncated: answer.truncated,
        files_searched: searched.files,
        skipped: searched.skips.into_answer(),
    })
}

/// One thread's search.
struct Matches<'a> {
    lines: Lines<'a>,
    query: &'a TextQuery,
    line_bytes: usize,
}

impl Engine for Matches<'_> {
    type Result = TextMatch;

    fn covers(&self, _: &str) -> bool {
        true
    }

    fn search(
        &mut self,
        path: &str,
        text: Text<'_>,
        group: &mut Group<TextMatch>,
        cancel: &Cancel,
    ) -> Result<(), Stopped> {
        let Self {
            lines,
            query,
            line_bytes,
        } = self;
        lines.each(text, cancel, |hits, line| {
            group.push(|| {
                let result = result(path, text, line, &hits.first(line), query, *line_bytes);
                let size = size(&result);
                (result, size)
            });
        })
    }
}

fn result(path: &str, text: Text<'_>, line: &Line, hit: &Range<usize>, query: &TextQuery, max: usize) -> TextMatch {
    let start = line.range.start;
    let (shown, mut clipped) = clip::around(
        text.part(line.range.clone()),
        &(hit.start - start..hit.end - start),
        max,
    );
    let mut context = |lines: Vec<&str>| -> Vec<String> {
        lines
            .into_iter()
            .map(|line| {
                let (shown, cut) = clip::beginning(line, max);
                clipped |= cut;
                shown.to_owned()
            })
            .collect()
    };
    let before = context(above(text, start, query.context_before));
    let after = context(below(text, line.range.end, query.context_after));
    TextMatch {
        path: path.to_owned(),
        line: line.number,
        column: (hit.start - start) as u64 + 1,
        text: shown.to_owned(),
        clipped,
        before,
        after,
    }
}

/// Up to `count` lines that end before the line at `start`, oldest first.
fn above(text: Text<'_>, start: usize, count: u32) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut end = start;
    for _ in 0..count {
        // `end` is where the line below starts: behind a LF, or at the beginning.
        let Some(last) = end.checked_sub(1) else { break };
        let begins = memchr::memrchr(b'\n', &text.bytes()[..last]).map_or(0, |lf| lf + 1);
        lines.push(text.part(begins..last));
        end = begins;
    }
    lines.reverse();
    lines
}

/// Up to `count` lines that start after the line that ends at `end`.
fn below(text: Text<'_>, end: usize, count: u32) -> Vec<&str> {
    let bytes = text.bytes();
    let mut lines = Vec::new();
    let mut start = end + 1;
    while lines.len() < count as usize && start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |lf| start + lf);
        lines.push(text.part(start..end));
        start = end + 1;
    }
    lines
}

/// What a result takes in an answer.
fn size(result: &TextMatch) -> usize {
    let strings = [&result.path, &result.text]
        .into_iter()
        .chain(&result.before)
        .chain(&result.after);
    size_of::<TextMatch>() + strings.map(|s| s.len() + size_of::<String>()).sum::<usize>()
}
