//! Protected paths as a protocol spells them.
//!
//! snodo takes each entry literally: `\` counts as `/`, leading and trailing `/` and `.` components fall away, and
//! what is left protects itself and everything below. It knows no patterns, so that `docs/adr/**` (which a template
//! of its own holds) protects nothing there. Here a trailing `/**` or `/*` means the folder, because whoever writes
//! it wants it protected; any other pattern cannot be given a safe meaning and is refused by a run, as are entries
//! that name nothing below the root.

use crate::node::Placed;
use crate::report::Log;
use crate::warning::WarningKind;

/// What an entry protects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Protected {
    /// This path and everything below it.
    Path(String),
    /// This folder, which was written as a pattern.
    Folder(String),
    /// A pattern of another kind.
    Pattern,
    /// Nothing below the root: the root itself, or a path with `..`.
    Outside,
}

/// Reads an entry.
pub(crate) fn read(entry: &str) -> Protected {
    let slashed = entry.replace('\\', "/");
    let mut parts: Vec<&str> = slashed.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let mut stars = false;
    while parts.len() > 1 && parts.last().is_some_and(|last| matches!(*last, "*" | "**")) {
        parts.pop();
        stars = true;
    }
    if parts.is_empty() || parts.contains(&"..") {
        Protected::Outside
    } else if parts.iter().any(|part| part.contains(['*', '?', '['])) {
        Protected::Pattern
    } else if stars {
        Protected::Folder(parts.join("/"))
    } else {
        Protected::Path(parts.join("/"))
    }
}

/// Warns of what snodo and people read differently.
pub(super) fn check(entries: &[Placed<String>], log: &mut Log) {
    for entry in entries {
        match read(&entry.value) {
            Protected::Path(_) => {}
            Protected::Folder(_) | Protected::Pattern => log.warn(entry.place, || WarningKind::ProtectedPattern {
                path: entry.value.clone(),
            }),
            Protected::Outside => log.warn(entry.place, || WarningKind::ProtectedOutside {
                path: entry.value.clone(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path() {
        for entry in ["docs/adr", "./docs/adr/", "/docs/adr", "docs//adr/.", "docs\\adr"] {
            assert_eq!(read(entry), Protected::Path("docs/adr".to_owned()), "{entry}");
        }
    }

    #[test]
    fn a_folder_written_as_a_pattern() {
        for entry in ["docs/adr/**", "docs/adr/*", "docs/adr/**/*"] {
            assert_eq!(read(entry), Protected::Folder("docs/adr".to_owned()), "{entry}");
        }
    }

    #[test]
    fn what_protects_nothing_that_can_be_named() {
        for entry in ["*.lock", "**", "docs/*/x", "file?", "[ab]"] {
            assert_eq!(read(entry), Protected::Pattern, "{entry}");
        }
        for entry in ["/", ".", "./", "..", "docs/../..", "../docs/**"] {
            assert_eq!(read(entry), Protected::Outside, "{entry}");
        }
    }
}
