//! All of a change, page by page, or an error that names what could not be seen.

use std::collections::{BTreeMap, BTreeSet};

use super::{ChangeError, DiffAnswer, DiffQuery, FileDiff};

/// Why not all of a change could be seen.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// let error = change::WholeDiffError::Omitted(vec!["a".to_owned()]);
/// assert!(matches!(Fault::from(error), Fault::IncompleteView(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WholeDiffError {
    /// The host gave no answer.
    Change(ChangeError),
    /// These paths could not be shown whole, each asked for alone.
    Omitted(Vec<String>),
}

impl From<ChangeError> for WholeDiffError {
    fn from(error: ChangeError) -> Self {
        Self::Change(error)
    }
}

/// The difference of each of these paths, whole, in the order of path bytes: asked for again, in smaller parts, until
/// nothing is left out.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
/// # workspace.with_validator_imports([submit::write("a", "new\n")], || {
/// let paths = change::summary()?.files.into_iter().map(|file| file.path).collect();
/// for file in change::whole_diff(paths, 0)? {
///     for (number, text) in file.added_lines() {
///         assert_eq!((number, text), (1, "new"));
///     }
/// }
/// # Ok::<(), Fault>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// A path that cannot be shown whole even alone is an error, not a gap: what was not seen must not be judged.
pub fn whole_diff(paths: Vec<String>, context_lines: u32) -> Result<Vec<FileDiff>, WholeDiffError> {
    let answer = diff_in_pages(paths, context_lines)?;
    if answer.omitted.is_empty() {
        Ok(answer.files)
    } else {
        Err(WholeDiffError::Omitted(answer.omitted))
    }
}

/// As [`whole_diff`], with the paths that cannot be shown whole even alone in [`DiffAnswer::omitted`], for a validator that
/// can look at those in another way.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a", "old\n");
/// # workspace.with_validator_imports([submit::write("a", "new\n")], || {
/// let answer = change::diff_in_pages(vec!["a".to_owned()], 3)?;
/// assert_eq!((answer.files.len(), answer.omitted.len()), (1, 0));
/// # Ok::<(), Fault>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why there is no answer.
pub fn diff_in_pages(paths: Vec<String>, context_lines: u32) -> Result<DiffAnswer, ChangeError> {
    pages(paths, context_lines, super::diff)
}

fn pages(
    paths: Vec<String>,
    context_lines: u32,
    mut diff: impl FnMut(&DiffQuery) -> Result<DiffAnswer, ChangeError>,
) -> Result<DiffAnswer, ChangeError> {
    let mut whole = BTreeMap::new();
    let mut unseen = BTreeSet::new();
    // Batches to ask for; the last is taken first, so the first half of a split is asked before the second.
    let mut batches = vec![paths];
    while let Some(batch) = batches.pop() {
        if batch.is_empty() {
            continue; // an empty list would ask for everything
        }
        let asked = batch.len();
        let query = DiffQuery::all().paths(batch).context_lines(context_lines);
        let answer = diff(&query)?;
        let omitted: BTreeSet<String> = answer.omitted.into_iter().collect();
        // A file that is shown in part is in both lists: it counts as left out.
        let mut shown: BTreeMap<String, FileDiff> = answer
            .files
            .into_iter()
            .filter(|file| !omitted.contains(&file.path))
            .map(|file| (file.path.clone(), file))
            .collect();
        let mut missing = Vec::new();
        for path in query.paths {
            match shown.remove(&path) {
                Some(file) => drop(whole.insert(path, file)),
                None => missing.push(path),
            }
        }
        if asked == 1 {
            unseen.extend(missing);
        } else if missing.len() == asked {
            // Not one came through: each is asked for in a smaller company.
            let second = missing.split_off(asked / 2);
            batches.push(second);
            batches.push(missing);
        } else {
            batches.push(missing);
        }
    }
    Ok(DiffAnswer {
        files: whole.into_values().collect(),
        omitted: unseen.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::ChangeKind;
    use crate::change::{DiffLine, Hunk, LineOrigin};

    /// A host that carries `room` bytes in an answer, and counts its calls.
    fn host<'a>(
        sizes: &'a [(&'a str, usize)],
        room: usize,
        calls: &'a mut usize,
    ) -> impl FnMut(&DiffQuery) -> Result<DiffAnswer, ChangeError> + 'a {
        move |query| {
            *calls += 1;
            assert!(!query.paths.is_empty(), "an empty list asks for everything");
            let (mut files, mut omitted, mut used) = (Vec::new(), Vec::new(), 0);
            for path in &query.paths {
                let size = sizes.iter().find(|(name, _)| name == path).unwrap().1;
                let line = DiffLine {
                    origin: LineOrigin::Added,
                    text: "x".repeat(size),
                    no_newline: false,
                };
                let hunk = Hunk {
                    old_start: 0,
                    old_count: 0,
                    new_start: 1,
                    new_count: 1,
                    lines: vec![line],
                };
                let file = FileDiff {
                    path: path.clone(),
                    kind: ChangeKind::Added,
                    binary: false,
                    hunks: vec![hunk],
                };
                if used + size > room {
                    // Shown in part, and said so: must not be taken for the whole.
                    omitted.push(path.clone());
                    files.push(FileDiff {
                        hunks: Vec::new(),
                        ..file
                    });
                } else {
                    used += size;
                    files.push(file);
                }
            }
            Ok(DiffAnswer { files, omitted })
        }
    }

    fn paths(sizes: &[(&str, usize)]) -> Vec<String> {
        sizes.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    #[test]
    fn what_does_not_fit_is_asked_for_again() {
        let sizes = [("a", 6), ("b", 6), ("c", 6), ("d", 3)];
        let mut calls = 0;
        let answer = pages(paths(&sizes), 0, host(&sizes, 10, &mut calls)).unwrap();
        assert!(answer.omitted.is_empty());
        let whole = answer.files;
        assert_eq!(
            whole.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            ["a", "b", "c", "d"]
        );
        assert!(whole.iter().all(|file| file.hunks.len() == 1));
        assert!(calls <= 4, "{calls}");
    }

    #[test]
    fn what_fits_in_no_answer_is_named_and_the_rest_is_there() {
        let sizes = [("a", 6), ("big", 60), ("c", 6), ("huge", 600)];
        let mut calls = 0;
        let answer = pages(paths(&sizes), 0, host(&sizes, 10, &mut calls)).unwrap();
        assert_eq!(answer.omitted, ["big", "huge"]);
        assert_eq!(answer.files.len(), 2);
    }

    #[test]
    fn a_path_that_the_answer_does_not_mention_is_unseen() {
        let answer = pages(vec!["a".to_owned()], 0, |_| {
            Ok(DiffAnswer {
                files: Vec::new(),
                omitted: Vec::new(),
            })
        })
        .unwrap();
        assert_eq!(answer.omitted, ["a"]);
    }

    #[test]
    fn no_paths_ask_for_nothing() {
        let answer = pages(Vec::new(), 0, |_| Err(ChangeError::NoChangeYet)).unwrap();
        assert!(answer.files.is_empty() && answer.omitted.is_empty());
    }

    #[test]
    fn added_lines_carry_their_number_in_the_new_file() {
        let line = |origin, text: &str| DiffLine {
            origin,
            text: text.to_owned(),
            no_newline: false,
        };
        let file = FileDiff {
            path: "f".to_owned(),
            kind: ChangeKind::Modified,
            binary: false,
            hunks: vec![Hunk {
                old_start: 4,
                old_count: 3,
                new_start: 4,
                new_count: 4,
                lines: vec![
                    line(LineOrigin::Context, "same"),
                    line(LineOrigin::Removed, "-- old"),
                    line(LineOrigin::Added, "++ new"),
                    line(LineOrigin::Added, "@@ -1 +1 @@"),
                    line(LineOrigin::Context, "same"),
                ],
            }],
        };
        assert_eq!(
            file.added_lines().collect::<Vec<_>>(),
            [(5, "++ new"), (6, "@@ -1 +1 @@")]
        );
    }
}
