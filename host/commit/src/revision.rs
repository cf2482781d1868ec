//! What a commit is called on the command line, and which one that is.
//!
//! A small part of what git takes, by form: nothing that could be read as a flag, a range or an expression. It is never given to a program.

use std::fmt;

use gix_hash::ObjectId;
use gix_ref::{FullName, Target};

use crate::difference::DifferenceError;
use crate::error::{CommitError, said, shown};
use crate::head::{Head, MAX_REFERENCE_BYTES, store};
use crate::layout;
use crate::objects::Objects;
use crate::place::Place;

/// Bytes of a name: as long as a file of a branch can be called.
const MAX_BYTES: usize = 250;
/// Digits of an abbreviated hash: git's own lower bound.
const FEWEST_DIGITS: usize = 4;
/// Digits of a whole one.
const ALL_DIGITS: usize = 40;
/// A reference that names a reference, and so on.
const MAX_STEPS: usize = 5;

/// The name of a commit: `HEAD`, a branch, a tag, a whole hash, or the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

/// Not such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` {why}: what is taken is `HEAD`, the name of a branch or tag, or a commit's hash (all of it, or its first digits, at least {FEWEST_DIGITS})"
)]
pub struct BadRevision {
    /// As given, escaped.
    pub given: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Revision {
    /// `HEAD`.
    pub fn head() -> Self {
        Self("HEAD".to_owned())
    }

    /// Looks at its form only.
    pub fn parse(given: &str) -> Result<Self, BadRevision> {
        let why = if given.is_empty() {
            Some("is empty")
        } else if given.len() > MAX_BYTES {
            Some("is too long")
        } else if given.starts_with('-') {
            Some("begins like a flag")
        } else if given.contains("..") {
            Some("is a range, or no name")
        } else if given == "@" || given.contains("@{") || given.contains(['^', '~', ':']) {
            Some("is an expression of git's")
        } else if FullName::try_from(format!("refs/heads/{given}")).is_err() {
            Some("is no name that git gives")
        } else {
            None
        };
        match why {
            None => Ok(Self(given.to_owned())),
            Some(why) => Err(BadRevision {
                given: shown(&given.as_bytes()[..given.len().min(MAX_BYTES)]),
                why,
            }),
        }
    }

    /// As given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The commit that it names.
    pub(crate) fn resolve(&self, place: &Place, objects: &Objects<'_>) -> Result<ObjectId, DifferenceError> {
        let unknown = || DifferenceError::UnknownRevision {
            revision: self.to_string(),
        };
        if self.0 == "HEAD" {
            return Head::read(place)?.id().ok_or(DifferenceError::NoCommitYet);
        }
        let digits = self.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = if digits && self.0.len() == ALL_DIGITS {
            ObjectId::from_hex(self.0.as_bytes()).map_err(|_| unknown())?
        } else if let Some(id) = self.reference(place)? {
            id
        } else if digits && self.0.len() >= FEWEST_DIGITS && self.0.len() < ALL_DIGITS {
            return self.abbreviated(objects);
        } else {
            return Err(unknown());
        };
        match objects.commit_of(id)? {
            Some(commit) => Ok(commit),
            None => Err(unknown()),
        }
    }

    /// Of what is a commit, the only one whose name begins so.
    fn abbreviated(&self, objects: &Objects<'_>) -> Result<ObjectId, DifferenceError> {
        // One of more is not told apart by reading them all.
        const MOST_READ: usize = 1_000;
        let mut commits = Vec::new();
        for id in objects.beginning_with(&self.0)?.into_iter().take(MOST_READ) {
            if objects.commit_of(id)? == Some(id) {
                commits.push(id);
            }
        }
        match commits.as_slice() {
            [one] => Ok(*one),
            [] => Err(DifferenceError::UnknownRevision {
                revision: self.to_string(),
            }),
            _ => Err(DifferenceError::AmbiguousRevision {
                revision: self.to_string(),
                what: format!("{} commits begin so", commits.len()),
            }),
        }
    }

    /// What the reference of this name names: a whole name, a tag, a branch, or a branch of a remote.
    fn reference(&self, place: &Place) -> Result<Option<ObjectId>, DifferenceError> {
        let names: Vec<String> = if self.0.starts_with("refs/") {
            vec![self.0.clone()]
        } else {
            ["refs/tags/", "refs/heads/", "refs/remotes/"]
                .map(|folder| format!("{folder}{}", self.0))
                .into()
        };
        let mut found: Vec<(String, ObjectId)> = Vec::new();
        for name in names {
            if let Some(id) = look_up(place, &name)? {
                found.push((name, id));
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [(_, first), rest @ ..] if rest.iter().all(|(_, id)| id == first) => Ok(Some(*first)),
            several => Err(DifferenceError::AmbiguousRevision {
                revision: self.to_string(),
                what: several
                    .iter()
                    .map(|(name, _)| format!("`{}`", shown(name.as_bytes())))
                    .collect::<Vec<_>>()
                    .join(" and "),
            }),
        }
    }
}

/// Follows references that name references. Each is looked at before gix opens it by name.
fn look_up(place: &Place, name: &str) -> Result<Option<ObjectId>, CommitError> {
    let store = store(place);
    let mut at = name.to_owned();
    for _ in 0..MAX_STEPS {
        layout::check_reference(&place.common, &at, MAX_REFERENCE_BYTES)?;
        let full = FullName::try_from(at.as_str())
            .map_err(|_| CommitError::Damaged(format!("`{}` is no name of a reference", shown(at.as_bytes()))))?;
        let found = store.try_find(full.as_ref()).map_err(|error| {
            CommitError::Damaged(format!("`{}` cannot be read: {}", shown(at.as_bytes()), said(&error)))
        })?;
        // What is not there is looked for under longer names too.
        let Some(found) = found.filter(|found| found.name == full) else {
            return Ok(None);
        };
        match found.target {
            Target::Object(id) => return Ok(Some(id)),
            Target::Symbolic(next) if next.as_bstr().starts_with(b"refs/") => at = next.as_bstr().to_string(),
            Target::Symbolic(_) => break,
        }
    }
    Err(CommitError::Damaged(format!(
        "`{}` names other references, and no commit in the end",
        shown(name.as_bytes())
    )))
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::Revision;

    #[test]
    fn a_name_is_taken_by_its_form() {
        for good in [
            "HEAD",
            "main",
            "feature/x",
            "v1.0",
            "0123abc",
            "origin/main",
            "refs/tags/v1",
            "a-b",
            "ü",
        ] {
            assert_eq!(Revision::parse(good).map(|r| r.0), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "-",
            "--output=pwn",
            "-x",
            "a..b",
            "a...b",
            "HEAD~1",
            "HEAD^",
            "HEAD^{tree}",
            "@",
            "@{u}",
            "main@{1}",
            "HEAD:a",
            ":/fix",
            "a b",
            "a\nb",
            "a\0b",
            "\u{1b}[31m",
            "a\\b",
            "a*",
            "a?",
            "a[b",
            "a.lock",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "..",
        ] {
            let refused = Revision::parse(bad).map_or_else(|error| error.to_string(), |_| "taken".to_owned());
            assert!(refused.contains("what is taken is `HEAD`"), "{bad}: {refused}");
            assert!(!refused.contains(['\u{1b}', '\0', '\n']), "{refused}");
        }
        assert!(Revision::parse(&"a".repeat(251)).is_err());
    }
}
