//! Names and paths that no plugin may change.

use std::borrow::Cow;

use super::BadRule;
use super::fold::{fold, is_short_name_of};
use crate::path::WorkspacePath;

/// Whether a folded component is this name, or may be its short name. `name` is folded.
pub(super) fn is_named(folded: &str, name: &str) -> bool {
    folded == name || is_short_name_of(folded, name)
}

/// A path that the protocol declared, with everything below it.
#[derive(Debug, Clone)]
pub(super) struct Protected {
    pub(super) path: WorkspacePath,
    folded: Vec<String>,
}

/// How a path stands to a protected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is the protected path, or lies below it.
    Inside,
    /// The protected path lies below it.
    Above,
}

impl Protected {
    /// A declaration is a path from the root; characters of globs are literal, and a trailing `/` makes no difference.
    pub(super) fn parse(declared: &str) -> Result<Self, BadRule> {
        let bad = |reason: String| BadRule {
            declared: declared.to_owned(),
            origin: "the protected paths of the protocol".to_owned(),
            reason,
        };
        let path = WorkspacePath::parse_folder(declared)
            .map_err(|error| bad(format!("it {}", error.rule.explain())))?
            .ok_or_else(|| bad("it names the whole workspace: nothing could be changed".to_owned()))?;
        let folded = path.components().map(|name| fold(name).into_owned()).collect();
        Ok(Self { path, folded })
    }

    /// Compared by component, folded: another spelling of the same names is the same path.
    pub(super) fn relation(&self, folded: &[Cow<'_, str>]) -> Option<Relation> {
        let same = self
            .folded
            .iter()
            .zip(folded)
            .all(|(name, component)| is_named(component, name));
        match (same, folded.len() >= self.folded.len()) {
            (false, _) => None,
            (true, true) => Some(Relation::Inside),
            (true, false) => Some(Relation::Above),
        }
    }
}
