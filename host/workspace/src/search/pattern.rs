//! Patterns, compiled: linear in the text, bounded in size, and never across the end of a line.

use std::sync::OnceLock;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::{Hir, Look};

use super::long_line::LongLine;
use crate::capability::{BadParameter, LetterCase, Syntax, TextQuery};
use crate::limits::SearchLimits;

/// Bytes of a text that are searched in one call, which cannot be stopped, for a pattern that is one text: several gigabytes a second.
const LITERAL_PIECE: usize = 256 * 1024;

/// For other patterns: the kibibytes they have when compiled, with the kibibytes that are searched in one call.
///
/// The worst patterns found keep as many states alive as they have and take 170 seconds for a mebibyte of pattern and one of
/// text; the products in this table keep them below one second.
const PIECES: [(usize, usize); 4] = [(64, 64), (256, 16), (1024, 4), (4096, 1)];

/// How much larger than the pattern itself its table may grow for each thread; with less the engine falls back to a slower one.
const TABLE_BYTES: usize = 4 * 1024 * 1024;

/// A pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    pub matcher: RegexMatcher,
    /// Bytes to search in one call; a longer line than this is for `long_line`.
    pub piece: usize,
    /// `None` for one text, which any line can be searched for.
    long: Option<Long>,
}

#[derive(Debug)]
struct Long {
    hir: Hir,
    engine: OnceLock<Option<LongLine>>,
}

impl Pattern {
    /// From the parameters of `search-text`.
    pub(super) fn of(query: &TextQuery, limits: &SearchLimits) -> Result<Self, BadParameter> {
        let pattern = query.pattern.as_str();
        if pattern.is_empty() {
            return Err(bad("is empty, which every line matches"));
        }
        if pattern.len() > limits.pattern_bytes {
            return Err(bad(format!(
                "has {} bytes; at most {} are taken",
                pattern.len(),
                limits.pattern_bytes
            )));
        }
        let literal = query.syntax == Syntax::Literal;
        if literal && pattern.contains('\n') {
            return Err(bad("holds a line feed: a search goes line by line"));
        }
        let insensitive = match query.letter_case {
            LetterCase::Sensitive => false,
            LetterCase::Insensitive => true,
            LetterCase::Smart if literal => !pattern.chars().any(char::is_uppercase),
            LetterCase::Smart => holds_no_upper_case(pattern)?,
        };
        if literal && !insensitive && !query.whole_word {
            return Self::text(pattern).map_err(bad);
        }
        let regex = if literal {
            regex_syntax::escape(pattern)
        } else {
            pattern.to_owned()
        };
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(insensitive)
            .word(query.whole_word)
            // `^` and `$` are the ends of a line.
            .multi_line(true)
            .line_terminator(Some(b'\n'))
            .dfa_size_limit(TABLE_BYTES);
        let mut refused = None;
        for (kib, piece) in PIECES {
            match builder.size_limit(kib * 1024).build(&regex) {
                Ok(matcher) => {
                    let hir = hir(&regex, insensitive, query.whole_word).map_err(bad)?;
                    let long = Some(Long {
                        hir,
                        engine: OnceLock::new(),
                    });
                    return Ok(Self {
                        matcher,
                        piece: piece * 1024,
                        long,
                    });
                }
                Err(error) => refused = Some(error.to_string()),
            }
        }
        Err(bad(format!("cannot be used: {}", refused.unwrap_or_default())))
    }

    /// One text, literally. It holds no line feed.
    pub(super) fn text(text: &str) -> Result<Self, String> {
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(true).line_terminator(Some(b'\n'));
        let matcher = builder
            .build(text)
            .map_err(|error| format!("cannot be used: {error}"))?;
        Ok(Self {
            matcher,
            piece: LITERAL_PIECE,
            long: None,
        })
    }

    /// Whether a line of any length may be searched by `matcher`.
    pub(super) fn is_one_text(&self) -> bool {
        self.long.is_none()
    }

    /// The engine for long lines, built when the first is met. `None` when it cannot do this pattern.
    pub(super) fn long_line(&self) -> Option<&LongLine> {
        let long = self.long.as_ref()?;
        long.engine.get_or_init(|| LongLine::new(&long.hir)).as_ref()
    }
}

fn bad(reason: impl Into<String>) -> BadParameter {
    BadParameter {
        field: "pattern",
        reason: reason.into(),
    }
}

/// The same pattern as the matcher has it.
fn hir(pattern: &str, insensitive: bool, whole_word: bool) -> Result<Hir, String> {
    let parsed = ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .case_insensitive(insensitive)
        .build()
        .parse(pattern);
    let hir = parsed.map_err(|error| format!("cannot be used: {error}"))?;
    Ok(if whole_word {
        Hir::concat(vec![
            Hir::look(Look::WordStartHalfUnicode),
            hir,
            Hir::look(Look::WordEndHalfUnicode),
        ])
    } else {
        hir
    })
}

/// Whether none of the letters that a regular expression stands for itself is upper case. `\W` and `\pL` hold no such letter.
fn holds_no_upper_case(pattern: &str) -> Result<bool, BadParameter> {
    struct Letters {
        upper_case: bool,
    }
    impl ast::Visitor for Letters {
        type Output = bool;
        type Err = std::convert::Infallible;

        fn finish(self) -> Result<bool, Self::Err> {
            Ok(!self.upper_case)
        }

        fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
            if let Ast::Literal(literal) = ast {
                self.upper_case |= literal.c.is_uppercase();
            }
            Ok(())
        }

        fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
            match item {
                ast::ClassSetItem::Literal(literal) => self.upper_case |= literal.c.is_uppercase(),
                ast::ClassSetItem::Range(range) => {
                    self.upper_case |= range.start.c.is_uppercase() || range.end.c.is_uppercase();
                }
                _ => {}
            }
            Ok(())
        }
    }
    let ast = ast::parse::Parser::new()
        .parse(pattern)
        .map_err(|error| bad(format!("cannot be used: {error}")))?;
    match ast::visit(&ast, Letters { upper_case: false }) {
        Ok(lower_case) => Ok(lower_case),
        Err(never) => match never {},
    }
}
