//! See what a coder changed: the import `change`, given to validators only.
//!
//! It is the host's own account, the one value that is judged, shown and applied. Before execution there is no
//! change: each function then answers so, by type.

use crate::bindings::imports::snodo::plugin::change as raw;
use crate::imports;
use crate::read::File;

pub use raw::{
    BeforeError, ChangeError, ChangeSummary, ChangedFile, DiffAnswer, DiffLine, DiffQuery, FileDiff, Hunk, LineOrigin,
};

mod whole;

pub use whole::{WholeDiffError, diff_in_pages, whole_diff};

/// The change, file by file, in the order of path bytes.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
/// # workspace.with_validator_imports([submit::write("a", "new\n")], || {
/// let change = change::summary()?;
/// assert_eq!((change.files[0].path.as_str(), change.files[0].kind), ("a", ChangeKind::Modified));
/// assert_eq!((change.added, change.deleted), (1, 1));
/// # Ok::<(), Fault>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why there is no answer.
pub fn summary() -> Result<ChangeSummary, ChangeError> {
    imports::summary()
}

/// The change, line by line, as far as the answer could hold it: what is not whole is named in [`DiffAnswer::omitted`].
///
/// A validator that has to see everything calls [`whole_diff`].
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
/// # workspace.with_validator_imports([submit::write("a", "new\n")], || {
/// let answer = change::diff(&change::DiffQuery::all())?;
/// assert!(answer.omitted.is_empty());
/// assert_eq!(answer.files[0].to_string(), "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n");
/// # Ok::<(), Fault>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why there is no answer.
pub fn diff(query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
    imports::diff(query)
}

/// A changed or deleted file as it stood in the base, by its path there.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
/// # workspace.with_validator_imports([submit::write("a", "new\n")], || {
/// assert_eq!(change::before("a")?.text(), Some("old\n"));
/// # Ok::<(), Fault>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why there is no earlier file.
pub fn before(path: &str) -> Result<File, BeforeError> {
    imports::before(path)
}

impl ChangedFile {
    /// Each path that the change touches here: both sides of a rename.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
    /// # workspace.with_validator_imports([submit::rename("a", "b")], || {
    /// let change = change::summary()?;
    /// assert_eq!(change.files[0].paths().collect::<Vec<_>>(), ["a", "b"]);
    /// # Ok::<(), Fault>(()) }).unwrap();
    /// ```
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.old_path.as_deref().into_iter().chain([self.path.as_str()])
    }
}

impl DiffQuery {
    /// The whole change with three lines of context, as much of it as one call can carry.
    ///
    /// ```
    /// # use snodo_plugin::change::DiffQuery;
    /// let query = DiffQuery::all().paths(vec!["src/a.rs".to_owned()]).context_lines(0).max_bytes(100_000);
    /// assert_eq!(query.context_lines, 0);
    /// ```
    pub fn all() -> Self {
        Self {
            paths: Vec::new(),
            context_lines: 3,
            max_bytes: u64::MAX,
        }
    }

    /// Only these paths, exactly as [`summary`] spells them.
    #[must_use]
    pub fn paths(mut self, paths: Vec<String>) -> Self {
        self.paths = paths;
        self
    }

    /// With this many lines of context; at most 100.
    #[must_use]
    pub fn context_lines(mut self, lines: u32) -> Self {
        self.context_lines = lines;
        self
    }

    /// Stops after this many bytes of text.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }
}

impl FileDiff {
    /// Added lines, each with its number in the new file, counted from 1.
    ///
    /// A line is one by its origin, whatever its text looks like: `++ x` is an added line like any other.
    ///
    /// ```
    /// # use snodo_plugin::{ChangeKind, change::FileDiff, diff};
    /// # let hunks = diff::hunks("one\n", "one\ntwo\n", 3);
    /// # let file = FileDiff { path: "a".to_owned(), kind: ChangeKind::Modified, binary: false, hunks };
    /// assert_eq!(file.added_lines().collect::<Vec<_>>(), [(2, "two")]);
    /// ```
    pub fn added_lines(&self) -> impl Iterator<Item = (u64, &str)> {
        self.hunks.iter().flat_map(|hunk| {
            let mut next = hunk.new_start;
            hunk.lines.iter().filter_map(move |line| {
                let number = next;
                match line.origin {
                    LineOrigin::Removed => None,
                    LineOrigin::Context => {
                        next += 1;
                        None
                    }
                    LineOrigin::Added => {
                        next += 1;
                        Some((number, line.text.as_str()))
                    }
                }
            })
        })
    }

    /// Removed lines, each with its number in the old file, counted from 1.
    ///
    /// ```
    /// # use snodo_plugin::{ChangeKind, change::FileDiff, diff};
    /// # let hunks = diff::hunks("one\ntwo\n", "two\n", 3);
    /// # let file = FileDiff { path: "a".to_owned(), kind: ChangeKind::Modified, binary: false, hunks };
    /// assert_eq!(file.removed_lines().collect::<Vec<_>>(), [(1, "one")]);
    /// ```
    pub fn removed_lines(&self) -> impl Iterator<Item = (u64, &str)> {
        self.hunks.iter().flat_map(|hunk| {
            let old = hunk.lines.iter().filter(|line| line.origin != LineOrigin::Added);
            (hunk.old_start..)
                .zip(old)
                .filter(|(_, line)| line.origin == LineOrigin::Removed)
                .map(|(number, line)| (number, line.text.as_str()))
        })
    }
}
