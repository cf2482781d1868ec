//! Credentials in text, by the one table of patterns of the product (`host/data/secrets.json`).
//!
//! What is found may be compared and counted; what is shown of it is its [`shown`] form and nothing else. The validator
//! `secrets` carries the same table in a form of its own, since it is a component without a parser for it.

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// At most this many characters of a value are shown, and at most a quarter of it: enough to tell two keys apart.
const SHOWN: usize = 4;

#[derive(Deserialize)]
struct Table {
    rules: Vec<Rule>,
}

/// One kind of credential.
#[derive(Deserialize)]
struct Rule {
    name: String,
    meaning: String,
    /// Of its groups, exactly one takes part in a match: the value.
    pattern: String,
    /// In lower case; text without any of them cannot match.
    keywords: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    /// Compiled when a text first needs it: most need none.
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.pattern).ok()).as_ref()
    }
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is part of the program; a test loads it")]
    let table: Table =
        serde_json::from_str(include_str!("../../data/secrets.json")).expect("host/data/secrets.json is well formed");
    table.rules
});

/// Whether any keyword of any rule occurs: one pass, which nearly every line of a change does not get beyond.
static ANY_KEYWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let keywords: Vec<String> = RULES
        .iter()
        .flat_map(|rule| rule.keywords.iter().map(|keyword| regex::escape(keyword)))
        .collect();
    RegexBuilder::new(&keywords.join("|"))
        .case_insensitive(true)
        .build()
        .ok()
});

/// The rules that can match a text.
fn candidates(text: &str) -> impl Iterator<Item = (usize, &'static Rule)> {
    let possible = ANY_KEYWORD.as_ref().is_none_or(|any| any.is_match(text));
    let lower = if possible { text.to_lowercase() } else { String::new() };
    RULES
        .iter()
        .enumerate()
        .filter(move |(_, rule)| possible && rule.keywords.iter().any(|keyword| lower.contains(keyword.as_str())))
}

/// A credential that was found. Its value is for comparing; who puts it out puts out [`shown`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    rule: usize,
    /// Where the value begins, in bytes of the text that was searched.
    start: usize,
    value: String,
}

impl Hit {
    /// The name of the rule that found it.
    pub fn rule(&self) -> &'static str {
        RULES.get(self.rule).map_or("", |rule| &rule.name)
    }

    /// What it looks like, for people: "an AWS access key id".
    pub fn meaning(&self) -> &'static str {
        RULES.get(self.rule).map_or("", |rule| &rule.meaning)
    }

    /// The value itself: for comparing.
    pub(crate) fn into_value(self) -> String {
        self.value
    }

    /// The value in the form in which it may be shown.
    pub fn shown(&self) -> String {
        shown(&self.value)
    }
}

impl std::fmt::Debug for Hit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}: {}", self.rule(), self.start, self.shown())
    }
}

/// The first characters of a value, at most four and at most a quarter of it, and `…` for the rest.
pub fn shown(value: &str) -> String {
    let most = SHOWN.min(value.chars().count() / 4);
    value.chars().take(most).chain(['…']).collect()
}

/// Credentials in one line. A stretch of text is named once, by the first rule of the table that finds it.
pub fn in_line(line: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for (index, rule) in candidates(line) {
        let Some(regex) = rule.regex() else { continue };
        for captures in regex.captures_iter(line) {
            let Some(value) = captures.iter().skip(1).flatten().next() else {
                continue;
            };
            let taken = hits
                .iter()
                .any(|hit| value.start() < hit.start + hit.value.len() && hit.start < value.end());
            if !taken {
                hits.push(Hit {
                    rule: index,
                    start: value.start(),
                    value: value.as_str().to_owned(),
                });
            }
        }
    }
    hits.sort_by_key(|hit| hit.start);
    hits
}

/// Text of bytes that may be anything: what is not ASCII ends every pattern, as any character outside its classes does.
pub(crate) fn ascii(bytes: &[u8]) -> String {
    let shown = bytes
        .iter()
        .map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' });
    shown.collect()
}

/// The text with every value that looks like a credential shown as its first characters and `…`.
pub fn mask(text: &str) -> String {
    let mut values: Vec<(usize, usize)> = Vec::new();
    for (_, rule) in candidates(text) {
        let Some(regex) = rule.regex() else { continue };
        for captures in regex.captures_iter(text) {
            values.extend(
                captures
                    .iter()
                    .skip(1)
                    .flatten()
                    .next()
                    .map(|value| (value.start(), value.end())),
            );
        }
    }
    if values.is_empty() {
        return text.to_owned();
    }
    values.sort_unstable();
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for (start, end) in values {
        if start < from {
            // Two rules found the same text; what the second sees beyond the first is hidden, too.
            from = from.max(end);
            continue;
        }
        masked.push_str(&text[from..start]);
        masked.push_str(&shown(&text[start..end]));
        from = end;
    }
    masked.push_str(&text[from..]);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Examples {
        rules: Vec<Example>,
    }

    #[derive(Deserialize)]
    struct Example {
        name: String,
        examples: Vec<Vec<String>>,
        counter_examples: Vec<Vec<String>>,
    }

    fn examples() -> Vec<Example> {
        let table: Result<Examples, _> = serde_json::from_str(include_str!("../../data/secrets.json"));
        table.map(|table| table.rules).unwrap_or_default()
    }

    #[test]
    fn a_value_is_hidden_and_the_rest_stays() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let text = format!("+key = \"{key}\" # and\n+more");
        assert_eq!(mask(&text), "+key = \"AKIA…\" # and\n+more");
        assert_eq!(mask("nothing here"), "nothing here");
    }

    #[test]
    fn every_rule_compiles_and_finds_its_examples() {
        let rules = examples();
        assert_eq!(rules.len(), RULES.len());
        assert!(rules.len() >= 20, "the table was read");
        assert!(ANY_KEYWORD.is_some() && RULES.iter().all(|rule| rule.regex().is_some()));
        for rule in rules {
            for example in rule.examples {
                let text = example.concat();
                assert_ne!(mask(&text), text, "{}", rule.name);
                let hits = in_line(&text);
                assert!(!hits.is_empty(), "{}", rule.name);
                // What stands for the value is no value.
                let told = format!("{hits:?}");
                assert!(hits.iter().all(|hit| !told.contains(&hit.value)), "{}", rule.name);
            }
            for example in rule.counter_examples {
                let text = example.concat();
                let found = in_line(&text);
                assert!(found.iter().all(|hit| hit.rule() != rule.name), "{}: {text}", rule.name);
            }
        }
    }

    #[test]
    fn two_values_in_a_line_are_two_and_one_value_is_named_once() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        assert_eq!(in_line(&format!("{key} {key}")).len(), 2);
        let hits = in_line(&format!("api_key = \"{key}ABCDEFG\""));
        assert_eq!(hits.len(), 1);
        assert_eq!(hits.first().map(Hit::rule), Some("aws-access-key-id"));
    }
}
