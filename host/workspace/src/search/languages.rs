//! The table of rules for definitions, `host/data/languages.json`, and what becomes of it for one name.
//!
//! Data on a linear-time engine, on purpose: a parser for each language would be more exact, and would be C code that runs in the
//! trusted process over text that a stranger wrote.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::capability::SymbolKind;

const TABLE: &str = include_str!("../../../data/languages.json");

/// Bytes of one rule when it is compiled: the largest of the table takes a fifth of it with a name of the largest size.
const RULE_BYTES: usize = 4 * 1024 * 1024;

/// A row of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    pub name: String,
    extensions: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    name_characters: String,
    comment: String,
    #[serde(default)]
    parts: BTreeMap<String, String>,
    rules: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    kind: SymbolKind,
    pattern: String,
    unless: Option<String>,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct File {
    languages: Vec<Language>,
}

/// The table, with an index by file name.
#[derive(Debug)]
pub(super) struct Table {
    languages: Vec<Language>,
    by_extension: HashMap<String, Vec<usize>>,
    by_file: HashMap<String, Vec<usize>>,
}

impl Table {
    /// The one table. A test says that it can be read.
    pub(super) fn get() -> &'static Self {
        static READ: OnceLock<Table> = OnceLock::new();
        READ.get_or_init(|| {
            let languages = serde_json::from_str::<File>(TABLE).unwrap_or_default().languages;
            let mut by_extension: HashMap<String, Vec<usize>> = HashMap::new();
            let mut by_file: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, language) in languages.iter().enumerate() {
                for extension in &language.extensions {
                    by_extension.entry(extension.clone()).or_default().push(index);
                }
                for file in &language.files {
                    by_file.entry(file.clone()).or_default().push(index);
                }
            }
            Self {
                languages,
                by_extension,
                by_file,
            }
        })
    }

    /// The rows that a file of this name belongs to, by index.
    pub(super) fn of_file(&self, name: &str) -> &[usize] {
        if let Some(rows) = self.by_file.get(name) {
            return rows;
        }
        let Some((stem, extension)) = name.rsplit_once('.') else {
            return &[];
        };
        if stem.is_empty() {
            return &[];
        }
        let rows = self.by_extension.get(extension);
        rows.or_else(|| self.by_extension.get(&extension.to_ascii_lowercase()))
            .map_or(&[], Vec::as_slice)
    }

    /// How many rows.
    pub(super) fn len(&self) -> usize {
        self.languages.len()
    }

    /// A row.
    pub(super) fn row(&self, index: usize) -> Option<&Language> {
        self.languages.get(index)
    }
}

/// The rules of one language for one name.
#[derive(Debug)]
pub(super) struct Rules {
    compiled: Vec<Compiled>,
    comment: Option<Regex>,
    starts_in_name: bool,
    ends_in_name: bool,
    name_characters: &'static str,
}

#[derive(Debug)]
struct Compiled {
    kind: SymbolKind,
    pattern: Regex,
    unless: Option<Regex>,
}

impl Language {
    /// The rules, for this name.
    pub(super) fn rules_for(&'static self, name: &str) -> Rules {
        let named = whole(name);
        let compiled = self
            .rules
            .iter()
            .filter(|rule| {
                rule.name
                    .as_deref()
                    .is_none_or(|only| compile(only).is_some_and(|re| re.is_match(name)))
            })
            .filter_map(|rule| {
                Some(Compiled {
                    kind: rule.kind,
                    pattern: compile(&self.expand(&rule.pattern, &named))?,
                    unless: match &rule.unless {
                        Some(unless) => Some(compile(&self.expand(unless, &named))?),
                        None => None,
                    },
                })
            })
            .collect();
        Rules {
            compiled,
            comment: compile(&self.comment),
            starts_in_name: name.chars().next().is_some_and(|c| self.in_names(c)),
            ends_in_name: name.chars().next_back().is_some_and(|c| self.in_names(c)),
            name_characters: &self.name_characters,
        }
    }

    fn expand(&self, pattern: &str, named: &str) -> String {
        let mut text = pattern.replace("{start}", r"(?:^|[;{}])\s*");
        for (name, part) in &self.parts {
            text = text.replace(&format!("{{{name}}}"), part);
        }
        text.replace("{name}", named)
    }

    fn in_names(&self, c: char) -> bool {
        is_in_names(c, &self.name_characters)
    }
}

impl Rules {
    /// What a line (or a part of one) defines under the name: the kind, and where the name stands.
    pub(super) fn find(&self, line: &str) -> Option<(SymbolKind, usize)> {
        if self.comment.as_ref().is_some_and(|comment| comment.is_match(line)) {
            return None;
        }
        self.compiled.iter().find_map(|rule| {
            let name = rule.pattern.captures(line)?.name("name")?;
            let before = line[..name.start()].chars().next_back();
            let after = line[name.end()..].chars().next();
            let part_of_longer =
                |edge: bool, next: Option<char>| edge && next.is_some_and(|c| is_in_names(c, self.name_characters));
            if part_of_longer(self.starts_in_name, before) || part_of_longer(self.ends_in_name, after) {
                return None;
            }
            let refused = rule.unless.as_ref().is_some_and(|unless| unless.is_match(line));
            (!refused).then(|| (rule.kind, name.start()))
        })
    }
}

/// The name as a pattern: literal, and whole as far as the engine's own idea of a word goes. [`Rules::find`] looks at the rest.
fn whole(name: &str) -> String {
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let start = if word(name.chars().next()) {
        r"\b{start-half}"
    } else {
        ""
    };
    let end = if word(name.chars().next_back()) {
        r"\b{end-half}"
    } else {
        ""
    };
    format!("{start}(?<name>{}){end}", regex::escape(name))
}

fn is_in_names(c: char, also: &str) -> bool {
    c.is_alphanumeric() || c == '_' || also.contains(c)
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(RULE_BYTES).build().ok()
}
