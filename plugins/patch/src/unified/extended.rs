//! What git says between `diff --git` and `---`: modes, renames, copies, blobs.

use super::header::Fault;
use super::name;
use crate::error::PatchError;
use crate::show;
use crate::source::{Source, cut};

/// What git says between `diff --git` and `---`.
#[derive(Default)]
pub(super) struct Extended {
    pub(super) old_mode: Option<Mode>,
    pub(super) new_mode: Option<Mode>,
    pub(super) created: bool,
    pub(super) deleted: bool,
    pub(super) rename: Pair,
    pub(super) copy: Pair,
    /// Blob names before and after.
    pub(super) index: Option<(String, String)>,
    /// Where a binary patch begins.
    pub(super) binary: Option<usize>,
}

#[derive(Default)]
pub(super) struct Pair {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
}

/// A file mode of git.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode(pub(super) u32);

impl Mode {
    fn parse(text: &str) -> Result<Self, Fault> {
        u32::from_str_radix(text.trim_ascii(), 8)
            .map(Self)
            .map_err(|_| Fault::new(format!("{} is not a file mode", show::quote(text))))
    }

    pub(super) fn executable(self) -> bool {
        self.0 & 0o100 != 0
    }

    /// What the path would be, when it is no regular file.
    pub(super) fn unsupported(self) -> Option<&'static str> {
        match self.0 & 0o170_000 {
            0o100_000 => None,
            0o120_000 => Some("a symbolic link: links are neither made nor changed through the host"),
            0o160_000 => Some("a submodule: only files can be patched"),
            _ => Some("something that is no regular file"),
        }
    }
}

impl Extended {
    pub(super) fn parse(source: &Source<'_>, mut at: usize, indent: usize) -> Result<(Self, usize), PatchError> {
        let mut found = Self::default();
        while let Some(line) = source.frame(at, indent) {
            if !found.take(line, at).map_err(|fault| fault.at(at))? {
                break;
            }
            at += 1;
            if found.binary.is_some() {
                break;
            }
        }
        Ok((found, at))
    }

    /// Takes the line in, or answers that it is none of this head.
    fn take(&mut self, line: &str, at: usize) -> Result<bool, Fault> {
        let rest = |start: &str| line.strip_prefix(start);
        if line.starts_with("similarity index ") || line.starts_with("dissimilarity index ") {
            return Ok(true);
        }
        if let Some(mode) = rest("old mode ") {
            self.old_mode = Some(Mode::parse(mode)?);
        } else if let Some(mode) = rest("new mode ") {
            self.new_mode = Some(Mode::parse(mode)?);
        } else if let Some(mode) = rest("new file mode ") {
            self.new_mode = Some(Mode::parse(mode)?);
            self.created = true;
        } else if let Some(mode) = rest("deleted file mode ") {
            self.old_mode = Some(Mode::parse(mode)?);
            self.deleted = true;
        } else if let Some(path) = rest("rename from ") {
            self.rename.from = Some(name::of_line(path)?);
        } else if let Some(path) = rest("rename to ") {
            self.rename.to = Some(name::of_line(path)?);
        } else if let Some(path) = rest("copy from ") {
            self.copy.from = Some(name::of_line(path)?);
        } else if let Some(path) = rest("copy to ") {
            self.copy.to = Some(name::of_line(path)?);
        } else if let Some(index) = rest("index ") {
            let (blobs, mode) = match index.split_once(' ') {
                Some((blobs, mode)) => (blobs, Some(Mode::parse(mode)?)),
                None => (index, None),
            };
            let (before, after) = cut(blobs, "..").ok_or_else(|| Fault::new("an `index` line without `..`"))?;
            self.index = Some((before.to_owned(), after.to_owned()));
            // It stands here when the mode stays the same.
            if let Some(mode) = mode {
                self.old_mode = self.old_mode.or(Some(mode));
                self.new_mode = self.new_mode.or(Some(mode));
            }
        } else if line == "GIT binary patch" || is_binary_notice(line) {
            self.binary = Some(at);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether the blob on one side is the empty file, as far as the `index` line tells.
    pub(super) fn blob_is_empty(blob: &str) -> bool {
        // The names of the empty blob by SHA-1 and by SHA-256, of which at least four digits are given.
        const EMPTY: [&str; 2] = [
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
        ];
        blob.len() >= 4 && EMPTY.iter().any(|name| name.starts_with(blob))
    }
}

/// `Binary files a/x and b/x differ`: a change without its content.
pub(crate) fn is_binary_notice(line: &str) -> bool {
    line.starts_with("Binary files ") && cut(line, " and ").is_some() && line.ends_with(" differ")
}
