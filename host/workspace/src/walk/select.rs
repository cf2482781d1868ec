//! Which of the paths below a folder are wanted.

use crate::capability::BadParameter;
use crate::glob::{Globs, Unanchored};

/// Globs to take and to leave out, held against paths from the folder that is walked.
#[derive(Debug)]
pub(crate) enum Selection {
    /// Everything.
    All,
    /// The paths that match one glob, each on its own (`list-files`).
    Matching(Globs),
    /// Paths by globs to search and globs to leave out, where a glob that names a folder holds for all below (`search-text`).
    InAndOut { include: Globs, exclude: Globs },
}

impl Selection {
    /// From the parameter `glob`.
    pub(crate) fn matching(glob: Option<&String>) -> Result<Self, BadParameter> {
        glob.map_or(Ok(Self::All), |glob| {
            Globs::new(std::slice::from_ref(glob), Unanchored::WholePath, "glob").map(Self::Matching)
        })
    }

    /// From the parameters `include` and `exclude`.
    pub(crate) fn in_and_out(include: &[String], exclude: &[String]) -> Result<Self, BadParameter> {
        let include = Globs::new(include, Unanchored::AnyFolder, "include")?;
        let exclude = Globs::new(exclude, Unanchored::AnyFolder, "exclude")?;
        Ok(if include.is_empty() && exclude.is_empty() {
            Self::All
        } else {
            Self::InAndOut { include, exclude }
        })
    }

    /// Whether nothing at or below the path is wanted.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        match self {
            Self::All | Self::Matching(_) => false,
            Self::InAndOut { exclude, .. } => exclude.matches(path),
        }
    }

    /// Whether the path is wanted, when it is not left out. `above`: a folder above it is, and that holds for it.
    pub(super) fn takes(&self, path: &str, above: bool) -> bool {
        match self {
            Self::All => true,
            Self::Matching(glob) => glob.matches(path),
            Self::InAndOut { include, .. } => above || include.is_empty() || include.matches(path),
        }
    }

    /// Whether a folder that is taken is taken with all below it.
    pub(super) fn folders_hold_below(&self) -> bool {
        matches!(self, Self::InAndOut { .. })
    }
}
