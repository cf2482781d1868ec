//! A workspace in memory, for a plugin's own tests.

use std::collections::BTreeMap;

use crate::read::{Entry, File, Lines, ListQuery, Listing, ReadError};
use crate::search::{
    LetterCase, SearchError, Symbol, SymbolKind, SymbolQuery, Symbols, Syntax, TextMatch, TextMatches, TextQuery,
};
use crate::types::{
    BadParameter, BadPath, Content, Count, EntryKind, PathRule, Refusal, SkipReason, Skipped, WrongKind,
};

use super::Sight;
use super::seen::normal_path;

/// A workspace in memory, for a plugin's own tests: they run natively, without a host.
///
/// It answers as the host does, with less: no ignore files, no links, no globs and no regular expressions (asked for, they are a
/// [`BadParameter`]), and definitions by a handful of keywords.
///
/// ```
/// use snodo_plugin::read::{ListQuery, ReadError};
/// use snodo_plugin::tools::{Memory, Sight};
///
/// let mut workspace = Memory::new().with("src/a.py", "x = 1\n").refusing("secret", ".snodo-deny:1 `secret`");
/// workspace.put("b.bin", vec![0, 255]);
/// assert_eq!(workspace.list(&ListQuery::under("")).unwrap().entries.len(), 3); // b.bin, src, src/a.py
/// assert!(matches!(workspace.file("secret"), Err(ReadError::Refused(_))));
/// assert!(matches!(workspace.file("../x"), Err(ReadError::BadPath(_))));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: BTreeMap<String, Content>,
    refused: BTreeMap<String, String>,
}

impl Memory {
    /// An empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this file.
    #[must_use]
    pub fn with(mut self, path: &str, content: impl Into<Content>) -> Self {
        self.put(path, content);
        self
    }

    /// With a rule that refuses this path.
    #[must_use]
    pub fn refusing(mut self, path: &str, rule: &str) -> Self {
        self.refused.insert(normal_path(path), rule.to_owned());
        self
    }

    /// Puts a file, in place of one that is there.
    pub fn put(&mut self, path: &str, content: impl Into<Content>) {
        self.files.insert(normal_path(path), content.into());
    }

    /// Removes a file, and answers what it held.
    pub fn remove(&mut self, path: &str) -> Option<Content> {
        self.files.remove(&normal_path(path))
    }

    /// What a file holds.
    pub fn get(&self, path: &str) -> Option<&Content> {
        self.files.get(&normal_path(path))
    }

    /// The paths of all files, in the order of their bytes.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    fn find(&self, given: &str) -> Result<(String, &Content), ReadError> {
        let path = checked(given).map_err(ReadError::BadPath)?;
        if path.is_empty() {
            return Err(ReadError::BadPath(bad(given, PathRule::Empty)));
        }
        if let Some(rule) = self.refused.get(&path) {
            let rule = rule.clone();
            return Err(ReadError::Refused(Refusal { path, rule }));
        }
        match self.files.get(&path) {
            Some(content) => Ok((path, content)),
            None if self.is_folder(&path) => Err(ReadError::WrongKind(WrongKind {
                path,
                kind: EntryKind::Directory,
            })),
            None => Err(ReadError::NotFound(path)),
        }
    }

    fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.below(path).next().is_some()
    }

    /// The files below a folder.
    fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a Content)> {
        self.files
            .iter()
            .map(|(path, content)| (path.as_str(), content))
            .filter(move |(path, _)| below(folder, path).is_some())
    }

    /// The text files that a search looks through, and what it passes over.
    fn searched(&self, under: &str, hidden: bool) -> Result<Searched<'_>, SearchError> {
        let under = checked(under).map_err(SearchError::BadPath)?;
        if !self.files.contains_key(&under) && !self.is_folder(&under) {
            return Err(SearchError::NotFound(under));
        }
        let mut texts = Vec::new();
        let mut binary = 0;
        for (path, content) in &self.files {
            let inside = *path == under || below(&under, path).is_some_and(|rest| hidden || !is_hidden(rest));
            if !inside || self.refused.contains_key(path) {
                continue;
            }
            match content {
                Content::Text(text) => texts.push((path.as_str(), text.as_str())),
                Content::Bytes(_) => binary += 1,
            }
        }
        let skipped = Skipped {
            reason: SkipReason::Binary,
            files: binary,
        };
        Ok((texts, Vec::from_iter((binary > 0).then_some(skipped))))
    }
}

impl Sight for Memory {
    fn file(&self, path: &str) -> Result<File, ReadError> {
        let (path, content) = self.find(path)?;
        Ok(File {
            path,
            content: content.clone(),
            size: size(content.as_bytes().len()),
            executable: false,
            bom: content.as_bytes().starts_with("\u{feff}".as_bytes()),
        })
    }

    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        if first == 0 || last < first {
            return Err(ReadError::BadParameter(parameter(
                "first",
                "lines are counted from 1, in order",
            )));
        }
        let (path, content) = self.find(path)?;
        let all: Vec<&[u8]> = content.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
        let total = size(all.len());
        let index = |line: u64| usize::try_from(line).unwrap_or(usize::MAX).min(all.len());
        let range = all[index(first - 1)..index(last)].concat();
        Ok(Lines {
            path,
            first,
            last: last.min(total),
            content: match String::from_utf8(range) {
                Ok(text) if !text.contains('\0') => Content::Text(text),
                Ok(text) => Content::Bytes(text.into_bytes()),
                Err(error) => Content::Bytes(error.into_bytes()),
            },
            total: Count::Exact(total),
            truncated: false,
        })
    }

    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError> {
        if query.glob.is_some() {
            return Err(ReadError::BadParameter(parameter(
                "glob",
                "there are no globs in memory",
            )));
        }
        let under = checked(&query.under).map_err(ReadError::BadPath)?;
        if self.files.contains_key(&under) {
            return Err(ReadError::WrongKind(WrongKind {
                path: under,
                kind: EntryKind::File,
            }));
        }
        if !self.is_folder(&under) {
            return Err(ReadError::NotFound(under));
        }
        let mut entries = BTreeMap::new();
        for (path, content) in self.below(&under) {
            let inner = below(&under, path).unwrap_or(path);
            let before = path.len() - inner.len();
            let depth = query
                .depth
                .map_or(usize::MAX, |depth| usize::try_from(depth).unwrap_or(usize::MAX));
            let ends = inner
                .match_indices('/')
                .map(|(at, _)| at)
                .chain([inner.len()])
                .take(depth);
            for end in ends {
                if !query.hidden && is_hidden(&inner[..end]) {
                    break;
                }
                let file = end == inner.len();
                let path = path[..before + end].to_owned();
                entries.entry(path.clone()).or_insert(Entry {
                    path,
                    kind: if file { EntryKind::File } else { EntryKind::Directory },
                    size: if file { size(content.as_bytes().len()) } else { 0 },
                });
            }
        }
        let total = entries.len();
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        Ok(Listing {
            entries: entries.into_values().take(limit).collect(),
            total: Count::Exact(size(total)),
            truncated: total > limit,
            skipped: Vec::new(),
        })
    }

    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        let not_here = |field, given: bool| {
            if given {
                Err(SearchError::BadParameter(parameter(field, "not known in memory")))
            } else {
                Ok(())
            }
        };
        not_here("syntax", query.syntax == Syntax::Regex)?;
        not_here("whole-word", query.whole_word)?;
        not_here("include", !query.include.is_empty())?;
        not_here("exclude", !query.exclude.is_empty())?;
        if query.pattern.is_empty() {
            return Err(SearchError::BadParameter(parameter("pattern", "it is empty")));
        }
        let insensitive = match query.letter_case {
            LetterCase::Sensitive => false,
            LetterCase::Insensitive => true,
            LetterCase::Smart => !query.pattern.contains(char::is_uppercase),
        };
        let fold = |text: &str| {
            if insensitive {
                text.to_lowercase()
            } else {
                text.to_owned()
            }
        };
        let pattern = fold(&query.pattern);
        let (texts, skipped) = self.searched(&query.under, query.hidden)?;
        let mut matches = Vec::new();
        for (path, text) in &texts {
            let lines: Vec<&str> = text.lines().collect();
            for (index, line) in lines.iter().enumerate() {
                let Some(column) = fold(line).find(&pattern) else {
                    continue;
                };
                let context = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
                let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
                let after = index.saturating_add(1).saturating_add(context(query.context_after));
                matches.push(TextMatch {
                    path: (*path).to_owned(),
                    line: size(index + 1),
                    column: size(column + 1),
                    text: (*line).to_owned(),
                    clipped: false,
                    before: owned(&lines[index.saturating_sub(context(query.context_before))..index]),
                    after: owned(&lines[index + 1..after.min(lines.len())]),
                });
            }
        }
        let total = matches.len();
        matches.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        Ok(TextMatches {
            truncated: total > matches.len(),
            matches,
            total: Count::Exact(size(total)),
            files_searched: size(texts.len()),
            skipped,
        })
    }

    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        if query.name.is_empty() {
            return Err(SearchError::BadParameter(parameter("name", "it is empty")));
        }
        let (texts, skipped) = self.searched(&query.under, query.hidden)?;
        let mut symbols = Vec::new();
        for (path, text) in &texts {
            for (index, line) in text.lines().enumerate() {
                let Some((kind, column)) = definition(line, &query.name) else {
                    continue;
                };
                if query.kind.is_none_or(|wanted| wanted == kind) {
                    symbols.push(Symbol {
                        path: (*path).to_owned(),
                        line: size(index + 1),
                        column: size(column + 1),
                        kind,
                        language: String::new(),
                        text: line.to_owned(),
                        clipped: false,
                    });
                }
            }
        }
        let total = symbols.len();
        symbols.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        Ok(Symbols {
            truncated: total > symbols.len(),
            symbols,
            total: Count::Exact(size(total)),
            files_searched: size(texts.len()),
            skipped,
        })
    }
}

/// Paths with their texts, and what was passed over.
type Searched<'a> = (Vec<(&'a str, &'a str)>, Vec<Skipped>);

/// Words before a name that say that the line defines it.
const KEYWORDS: [(&str, SymbolKind); 8] = [
    ("def", SymbolKind::Function),
    ("fn", SymbolKind::Function),
    ("function", SymbolKind::Function),
    ("func", SymbolKind::Function),
    ("class", SymbolKind::Type),
    ("struct", SymbolKind::Type),
    ("enum", SymbolKind::Type),
    ("const", SymbolKind::Constant),
];

fn definition(line: &str, name: &str) -> Option<(SymbolKind, usize)> {
    KEYWORDS.iter().find_map(|(keyword, kind)| {
        let wanted = format!("{keyword} {name}");
        let at = line.find(&wanted)?;
        let border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let whole = border(line[..at].chars().next_back()) && border(line[at + wanted.len()..].chars().next());
        whole.then_some((*kind, at + keyword.len() + 1))
    })
}

/// The normal form of a path that leads nowhere else.
fn checked(given: &str) -> Result<String, BadPath> {
    let path = normal_path(given);
    if path.starts_with('/') {
        Err(bad(given, PathRule::Absolute))
    } else if path == ".." || path.starts_with("../") {
        Err(bad(given, PathRule::EscapesRoot))
    } else {
        Ok(path)
    }
}

fn bad(path: &str, rule: PathRule) -> BadPath {
    BadPath {
        path: path.to_owned(),
        rule,
    }
}

fn parameter(field: &str, reason: &str) -> BadParameter {
    BadParameter {
        field: field.to_owned(),
        reason: reason.to_owned(),
    }
}

/// What follows the folder in the path of something below it.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
