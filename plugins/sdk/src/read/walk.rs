//! Files by their names' patterns.

use std::collections::{BTreeMap, BTreeSet};

use super::{ListQuery, ReadError, list};
use crate::types::{EntryKind, SkipReason, Skipped};

/// Files that were found by patterns, and what was passed over on the way: made by [`walk`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// The files, in the order of path bytes, each once.
    pub files: Vec<String>,
    /// What was passed over, for each reason; counted once for each pattern.
    pub skipped: Vec<Skipped>,
    /// Patterns that match more than the host lists in one answer: of these, files are missing.
    pub cut: Vec<String>,
}

/// The files that match one of the patterns, but not one that begins with `!`.
///
/// Patterns are globs of paths from the root: `*` stops at `/`, `**` does not. Hidden files are found only by patterns that name them
/// (`.github/**`, `**/.gitignore`), and ignored files never; how many there are is told. A pattern that matches nothing is none the worse for it.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new()
/// #     .file("src/a.rs", "").file("src/gen/b.rs", "").file("src/c.py", "").file("target/d.rs", "").ignore("target/");
/// # workspace.with_coder_imports(|| {
/// let found = read::walk(&["**/*.rs", "!src/gen/**"])?;
/// assert_eq!(found.files, ["src/a.rs"]);
/// assert_eq!(found.missing().as_deref(), Some("passed over: 1 ignored"));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why a folder could not be listed; [`ReadError::BadParameter`] for a pattern that is none.
pub fn walk(patterns: &[&str]) -> Result<Walk, ReadError> {
    let mut found = BTreeSet::new();
    let mut skipped = BTreeMap::new();
    let mut cut = Vec::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
        let part = matching(pattern, &mut cut)?;
        found.extend(part.files);
        for skip in part.skipped {
            let order = REASONS.iter().position(|&reason| reason == skip.reason);
            *skipped.entry(order).or_insert(0) += skip.files;
        }
    }
    for pattern in patterns.iter().filter_map(|pattern| pattern.strip_prefix('!')) {
        for file in matching(pattern, &mut cut)?.files {
            found.remove(&file);
        }
    }
    Ok(Walk {
        files: found.into_iter().collect(),
        skipped: skipped
            .into_iter()
            .filter_map(|(order, files)| {
                let reason = *REASONS.get(order?)?;
                Some(Skipped { reason, files })
            })
            .collect(),
        cut,
    })
}

impl Walk {
    /// What the files do not hold, in words; none where nothing was passed over.
    ///
    /// ```
    /// # use snodo_plugin::read::Walk;
    /// let walk = Walk { cut: vec!["**".to_owned()], ..Walk::default() };
    /// assert_eq!(walk.missing().as_deref(), Some("more match `**` than are listed"));
    /// ```
    pub fn missing(&self) -> Option<String> {
        let mut parts: Vec<String> = self
            .skipped
            .iter()
            .map(|skip| format!("{} {}", skip.files, word(skip.reason)))
            .collect();
        if !parts.is_empty() {
            parts = vec![format!("passed over: {}", parts.join(", "))];
        }
        parts.extend(
            self.cut
                .iter()
                .map(|pattern| format!("more match `{pattern}` than are listed")),
        );
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// In the order in which they are told.
const REASONS: [SkipReason; 9] = [
    SkipReason::Hidden,
    SkipReason::Ignored,
    SkipReason::Refused,
    SkipReason::Symlink,
    SkipReason::Special,
    SkipReason::Unreadable,
    SkipReason::Binary,
    SkipReason::TooLarge,
    SkipReason::NotCovered,
];

fn word(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Ignored => "ignored",
        SkipReason::Hidden => "hidden",
        SkipReason::Binary => "binary",
        SkipReason::TooLarge => "too large",
        SkipReason::Symlink => "links",
        SkipReason::Special => "special files",
        SkipReason::Unreadable => "unreadable",
        SkipReason::Refused => "refused by a rule",
        SkipReason::NotCovered => "in other languages",
    }
}

fn matching(pattern: &str, cut: &mut Vec<String>) -> Result<Walk, ReadError> {
    let (folder, rest) = split(pattern);
    let mut query = ListQuery::under(folder).glob(rest);
    query.hidden = rest.split('/').any(|name| name.starts_with('.'));
    let listing = match list(&query) {
        Ok(listing) => listing,
        // No folder of that name: no file in it.
        Err(ReadError::NotFound(_) | ReadError::WrongKind(_)) if !folder.is_empty() => return Ok(Walk::default()),
        Err(error) => return Err(error),
    };
    if listing.truncated {
        cut.push(pattern.to_owned());
    }
    let files = listing
        .entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File);
    Ok(Walk {
        files: files.map(|entry| entry.path).collect(),
        skipped: listing.skipped,
        cut: Vec::new(),
    })
}

/// The folders that a pattern names without any wildcard, and the pattern from there: nothing beside them is walked through, and hidden
/// ones that are named are entered.
fn split(pattern: &str) -> (&str, &str) {
    let wild = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    match pattern[..wild].rfind('/') {
        Some(slash) => (&pattern[..slash], &pattern[slash + 1..]),
        None => ("", pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn folders_without_a_wildcard_are_walked_from() {
        for (pattern, folder, rest) in [
            ("*.rs", "", "*.rs"),
            ("src/*.rs", "src", "*.rs"),
            ("src/a/**/b?/c", "src/a", "**/b?/c"),
            ("src/a{b,c/d}", "src", "a{b,c/d}"),
            (".github/workflows/ci.yml", ".github/workflows", "ci.yml"),
            ("", "", ""),
        ] {
            assert_eq!(split(pattern), (folder, rest), "{pattern}");
        }
    }
}
