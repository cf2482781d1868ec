//! Globs that a plugin gave, in the parameters that are named so. Everything else that looks like one is a literal path.
//!
//! `?` and `*` stop at `/`, `**` does not, `[…]` is a class, `{a,b}` are alternatives, `\` takes the next character literally. Paths are
//! held against a glob from the folder that is listed or searched. Compiled into an automaton that matches in linear time.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::capability::BadParameter;

/// Bytes of one glob: a path of the largest size would be written with no more.
const MAX_GLOB_BYTES: usize = 4096;

/// Globs of one parameter.
const MAX_GLOBS: usize = 100;

/// Globs of one parameter, compiled.
#[derive(Debug, Clone)]
pub(crate) struct Globs {
    set: GlobSet,
}

/// How a glob without a `/` is held against a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanchored {
    /// Like any other: against the whole path.
    WholePath,
    /// Against the name, in every folder.
    AnyFolder,
}

impl Globs {
    /// Compiles the globs of a parameter; `field` is its name in the contract.
    pub(crate) fn new(globs: &[String], unanchored: Unanchored, field: &'static str) -> Result<Self, BadParameter> {
        let bad = |reason: String| BadParameter { field, reason };
        if globs.len() > MAX_GLOBS {
            return Err(bad(format!("{} globs; at most {MAX_GLOBS} are taken", globs.len())));
        }
        let mut set = GlobSetBuilder::new();
        for (glob, number) in globs.iter().zip(1..) {
            let which = if globs.len() == 1 {
                String::new()
            } else {
                format!("the glob number {number} ")
            };
            if glob.len() > MAX_GLOB_BYTES {
                return Err(bad(format!(
                    "{which}has {} bytes; at most {MAX_GLOB_BYTES} are taken",
                    glob.len()
                )));
            }
            // `./x` is `x`, and `x/` is the folder `x`.
            let text = glob.strip_prefix("./").unwrap_or(glob);
            let text = text.strip_suffix('/').filter(|t| !t.ends_with('\\')).unwrap_or(text);
            if text.is_empty() {
                return Err(bad(format!("{which}is empty")));
            }
            if text.starts_with('/') {
                return Err(bad(format!(
                    "{which}starts with `/`: globs are taken from the folder `under`"
                )));
            }
            let anywhere = unanchored == Unanchored::AnyFolder && !text.contains('/');
            let text = if anywhere {
                format!("**/{text}")
            } else {
                text.to_owned()
            };
            let compiled = GlobBuilder::new(&text)
                .literal_separator(true)
                .backslash_escape(true)
                .build();
            set.add(compiled.map_err(|error| bad(format!("{which}is no glob: {}", error.kind())))?);
        }
        let set = set
            .build()
            .map_err(|error| bad(format!("too large a pattern: {}", error.kind())))?;
        Ok(Self { set })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Whether one of them matches; `path` is relative.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}
