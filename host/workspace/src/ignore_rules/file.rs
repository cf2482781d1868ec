//! One `.gitignore` file.

use std::io::Read as _;
use std::path::PathBuf;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::pattern;

/// The name of an ignore file. No other name has this meaning here (`.ignore` and `.rgignore` have none).
pub(super) const NAME: &str = ".gitignore";

/// Bytes of an ignore file that are read: the largest in public templates has some 10 KB.
const MAX_BYTES: u64 = 1024 * 1024;

/// Patterns of one file. Compiled, one takes 4 to 13 KB of memory, and a repository must not choose how much there is of it; the
/// longest in public templates have some hundred.
const MAX_PATTERNS: usize = 5_000;

/// What one ignore file says.
#[derive(Debug)]
pub(super) enum IgnoreFile {
    /// Its patterns, with the line of each as it stands there.
    Patterns {
        matcher: Gitignore,
        lines: Vec<(u32, String)>,
    },
    /// It is there and cannot be used. What it would have hidden is unknown, so all of its folder is hidden.
    Unusable { why: String },
}

/// A pattern that decides about a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision<'a> {
    /// Ignored, by this line.
    Ignored { line: u32, pattern: &'a str },
    /// Kept, by a pattern with `!`.
    Kept,
}

impl IgnoreFile {
    /// Reads the ignore file of an open folder. `None` without one, and when the name belongs to something that is no file:
    /// git gives no meaning to a link or a folder of this name either.
    pub(super) fn of(folder: &Dir) -> Option<Self> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match folder.open_with(NAME, &options) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                let there = folder.symlink_metadata(NAME).is_ok_and(|m| m.is_file());
                return there.then(|| Self::Unusable {
                    why: format!("it cannot be opened ({error})"),
                });
            }
        };
        let metadata = match file.metadata() {
            Ok(metadata) if metadata.is_file() => metadata,
            _ => return None,
        };
        let mut bytes = Vec::new();
        if metadata.len() <= MAX_BYTES
            && let Err(error) = file.take(MAX_BYTES + 1).read_to_end(&mut bytes)
        {
            return Some(Self::Unusable {
                why: format!("it cannot be read ({error})"),
            });
        }
        if metadata.len() > MAX_BYTES || bytes.len() as u64 > MAX_BYTES {
            return Some(Self::Unusable {
                why: format!("it has over {MAX_BYTES} bytes"),
            });
        }
        Self::parse(&bytes)
    }

    /// `None` without a pattern.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut builder = GitignoreBuilder::new("");
        // git gives no meaning to a class that is not closed; such lines do not come this far.
        builder.allow_unclosed_class(false);
        let mut lines = Vec::new();
        for (line, number) in bytes.split(|b| *b == b'\n').zip(1_u32..) {
            // Paths here are UTF-8, and a pattern that is not could match none of them.
            let Ok(text) = std::str::from_utf8(line) else { continue };
            let Some(translated) = pattern::translate(text) else {
                continue;
            };
            if lines.len() == MAX_PATTERNS {
                return Some(Self::Unusable {
                    why: format!("it has over {MAX_PATTERNS} patterns"),
                });
            }
            // The matcher hands back the place a pattern comes from: the index of the line is put there.
            let from = PathBuf::from(lines.len().to_string());
            if builder.add_line(Some(from), &translated).is_err() {
                return Some(Self::Unusable {
                    why: format!("its line {number} is not understood"),
                });
            }
            lines.push((number, text.trim_end_matches('\r').to_owned()));
        }
        if lines.is_empty() {
            return None;
        }
        Some(match builder.build() {
            Ok(matcher) => Self::Patterns { matcher, lines },
            Err(_) => Self::Unusable {
                why: "its patterns are too large together".to_owned(),
            },
        })
    }

    /// How many patterns are kept in memory.
    pub(super) fn patterns(&self) -> usize {
        match self {
            Self::Patterns { lines, .. } => lines.len(),
            Self::Unusable { .. } => 0,
        }
    }

    /// What the file says of `path`, which is relative to the file's folder; the last line that matches decides.
    pub(super) fn decide(&self, path: &str, is_dir: bool) -> Option<Decision<'_>> {
        match self {
            Self::Unusable { why } => Some(Decision::Ignored { line: 0, pattern: why }),
            Self::Patterns { matcher, lines } => match matcher.matched(path, is_dir) {
                Match::None => None,
                Match::Whitelist(_) => Some(Decision::Kept),
                Match::Ignore(glob) => {
                    let index = glob.from().and_then(|from| from.to_str()?.parse::<usize>().ok());
                    let (line, pattern) = index
                        .and_then(|i| lines.get(i))
                        .map_or((0, glob.original()), |(line, text)| (*line, text.as_str()));
                    Some(Decision::Ignored { line, pattern })
                }
            },
        }
    }
}
