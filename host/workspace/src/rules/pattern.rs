//! Patterns of paths, as `.gitignore` files write them.

use globset::{Candidate, Glob, GlobBuilder, GlobSet};

use super::BadRule;

/// A list of patterns, in which the last that matches decides and `!` takes back.
///
/// A pattern without `/` names a file or folder at any depth; one with `/` in it is taken from the root (`**/` in front for any
/// depth); one with `/` at the end names a folder only. `*` stops at `/`. What a pattern says of a folder it says of everything
/// below, and below a folder that is matched nothing is taken back.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns {
    patterns: Vec<Pattern>,
    /// Of all of them, by index.
    set: GlobSet,
}

#[derive(Debug, Clone)]
struct Pattern {
    written: String,
    origin: String,
    glob: Glob,
    takes_back: bool,
    folder_only: bool,
}

/// A pattern that decided, with where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    pub(super) written: &'a str,
    pub(super) origin: &'a str,
}

impl Patterns {
    /// Adds patterns after those that are there. `prepare` is applied to the pattern's text before it is read as a glob.
    pub(super) fn add(
        &mut self,
        patterns: &[impl AsRef<str>],
        origin: &str,
        prepare: impl Fn(&str) -> String,
    ) -> Result<(), BadRule> {
        let mut all = self.patterns.clone();
        for written in patterns {
            all.push(Pattern::parse(written.as_ref(), origin, &prepare)?);
        }
        let set = GlobSet::new(all.iter().map(|pattern| &pattern.glob)).map_err(|error| BadRule {
            declared: error.glob().unwrap_or("the list").to_owned(),
            origin: origin.to_owned(),
            reason: error.kind().to_string(),
        })?;
        *self = Self { patterns: all, set };
        Ok(())
    }

    /// The pattern by which a path (components joined by `/`) is matched, itself or through a folder above it.
    pub(super) fn decide(&self, path: &str, is_folder: bool) -> Option<Hit<'_>> {
        let folders = path.match_indices('/').map(|(end, _)| (&path[..end], true));
        folders
            .chain(std::iter::once((path, is_folder)))
            .find_map(|(step, is_folder)| self.decide_step(step, is_folder))
    }

    /// What is said of this file or folder itself, whatever is said of the folders above it.
    pub(super) fn decide_step(&self, step: &str, is_folder: bool) -> Option<Hit<'_>> {
        let mut matching = Vec::new();
        self.set.matches_candidate_into(&Candidate::new(step), &mut matching);
        let last = matching
            .into_iter()
            .filter_map(|index| self.patterns.get(index).map(|pattern| (index, pattern)))
            .filter(|(_, pattern)| is_folder || !pattern.folder_only)
            .max_by_key(|(index, _)| *index)
            .map(|(_, pattern)| pattern)?;
        (!last.takes_back).then_some(Hit {
            written: &last.written,
            origin: &last.origin,
        })
    }
}

impl Pattern {
    fn parse(written: &str, origin: &str, prepare: &impl Fn(&str) -> String) -> Result<Self, BadRule> {
        let bad = |reason: String| BadRule {
            declared: written.to_owned(),
            origin: origin.to_owned(),
            reason,
        };
        let (text, takes_back) = written.strip_prefix('!').map_or((written, false), |rest| (rest, true));
        let (text, folder_only) = text.strip_suffix('/').map_or((text, false), |rest| (rest, true));
        let anchored = text.contains('/');
        let text = text.strip_prefix('/').unwrap_or(text);
        if text.is_empty() {
            return Err(bad("a pattern has to name something".to_owned()));
        }
        let text = prepare(text);
        let text = if anchored { text } else { format!("**/{text}") };
        let glob = GlobBuilder::new(&text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| bad(error.kind().to_string()))?;
        Ok(Self {
            written: written.to_owned(),
            origin: origin.to_owned(),
            glob,
            takes_back,
            folder_only,
        })
    }
}
